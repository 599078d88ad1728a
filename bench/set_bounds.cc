// SPDX-License-Identifier: MIT
// How narrow the proved bounds of an impact's set are, by the number of contacts: a table in Markdown, one row for each
// problem, of the contact that lifts most. docs/impact-sets.md has one.
//
//   rigor_set_bounds [MILLIONS OF COUNTED STEPS OF WORK] [PART OF A PROBLEM'S NAME]
#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "bench/processor_time.h"
#include "impact/sets/exact_set.h"
#include "impact/sets/polytope_union.h"
#include "impact/sets/relaxed_bounds.h"
#include "tests/impact/block_column.h"

namespace {

using namespace rigor::impact;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kFriction = 0.3;

struct Case {
  std::string name;
  ImpactProblem problem;
};

ImpactProblem emptyProblem(const VectorXd& mass, const VectorXd& velocity, int contacts) {
  ImpactProblem problem;
  problem.mass_matrix = mass.asDiagonal();
  problem.velocity = velocity;
  problem.normal = MatrixXd::Zero(contacts, mass.size());
  problem.tangent.assign(static_cast<size_t>(contacts), {});
  problem.friction.assign(static_cast<size_t>(contacts), kFriction);
  problem.restitution.assign(static_cast<size_t>(contacts), 0);
  return problem;
}

/// A square block, 1 m and 1 kg, that slides and lands on points of its lower face, evenly spread.
ImpactProblem blockOnPoints(int points) {
  ImpactProblem problem = emptyProblem(Eigen::Vector3d(1, 1, 1. / 6), Eigen::Vector3d(0.25, -1, 0), points);
  for (int i = 0; i < points; ++i) {
    problem.normal.row(i) << 0, 1, -0.5 + i / (points - 1.0);
    problem.tangent[static_cast<size_t>(i)] = (MatrixXd(1, 3) << 1, 0, 0.5).finished();
  }
  return problem;
}

/// A box (.4, .3, .2 m; 1 kg) that slides and turns and lands on points of its lower face.
ImpactProblem boxOnPoints(const std::vector<std::pair<double, double>>& points) {
  const VectorXd mass = (VectorXd(6) << 1, 1, 1, 0.13 / 12, 0.2 / 12, 0.25 / 12).finished();
  const VectorXd velocity = (VectorXd(6) << 0.3, 0.1, -1.4, 0, 0, 0.5).finished();
  ImpactProblem problem = emptyProblem(mass, velocity, static_cast<int>(points.size()));
  for (size_t i = 0; i < points.size(); ++i) {
    const auto& [x, y] = points[i];
    constexpr double z = -0.1;
    problem.normal.row(static_cast<Eigen::Index>(i)) << 0, 0, 1, y, -x, 0;
    problem.tangent[i] = (MatrixXd(2, 6) << 1, 0, 0, 0, z, -y, 0, 1, 0, -z, 0, x).finished();
  }
  return problem;
}

std::vector<Case> allCases() {
  std::vector<Case> cases;
  for (int points = 4; points <= 8; ++points)
    cases.push_back({fmt::format("a block on {} points", points), blockOnPoints(points)});
  for (const int blocks : {2, 3, 4}) cases.push_back({fmt::format("{} blocks, one on the other", blocks),
                                                      test::columnOfBlocks(blocks, kFriction)});
  cases.push_back({"a box on a corner, 8 edges", boxOnPoints({{0.2, 0.15}})});
  cases.push_back({"a box on an edge, 8 edges", boxOnPoints({{0.2, 0.15}, {0.2, -0.15}})});
  cases.push_back({"a box on three corners, 8 edges", boxOnPoints({{0.2, 0.15}, {0.2, -0.15}, {-0.2, 0.15}})});
  return cases;
}

/// The bounds of the normal velocity of the contact that lifts most.
void printRow(const Case& one, std::int64_t work) {
  // Up to three contacts the whole set may take all the work, as with `rigor impact --bounds`.
  const double begun = cpuSeconds();
  const ExactSet set(one.problem, {.work = one.problem.numContacts() <= 3 ? work : work / 4});
  const ExactProblem& exact = set.problem();
  const std::vector<ExactQuantity> quantities = quantitiesOf(exact);
  std::vector<double> reached(quantities.size(), -HUGE_VAL), bounded(quantities.size(), 0);
  if (set.complete()) {
    const PolytopeUnion outcomes(set);
    for (size_t q = 0; q < quantities.size(); ++q)
      reached[q] = bounded[q] = outcomes.largest(quantities[q]).value.get_d();
  } else {
    const long walks = work / 8'000;
    const SearchOptions search{.walks = walks, .improvements = walks / static_cast<long>(quantities.size())};
    for (const SetCertificate::Chain& chain : searchExtremes(exact, search)) {
      for (size_t q = 0; q < quantities.size(); ++q)
        reached[q] = std::max(reached[q], quantities[q].at(chain.end).get_d());
    }
    const OuterBounds bounds = boundOutside(one.problem, exact, quantities, true, work);
    for (size_t q = 0; q < quantities.size(); ++q) bounded[q] = bounds.of[q].high.get_d();
  }
  size_t most = quantities.size();
  for (size_t q = 0; q < quantities.size(); ++q) {
    if (quantities[q].name.rfind("vn", 0) == 0 && (most == quantities.size() || reached[q] > reached[most])) most = q;
  }
  fmt::print("| {} | {} | {} | {} | {} | {} | {:.4g} | {:.3g} | {:.2g} |\n", one.name, one.problem.numContacts(),
             exact.rank(), set.complete() ? "yes" : "no", quantities[most].name,
             reached[most] > -HUGE_VAL ? fmt::format("{:.4g}", reached[most]) : "none", bounded[most],
             boundByEnergy(exact, quantities[most]).high.get_d(), cpuSeconds() - begun);
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  const std::int64_t work = (count > 1 ? std::stol(arguments[1]) : 100) * 1'000'000;
  const std::string part = count > 2 ? arguments[2] : "";
  fmt::print("| problem | contacts | rank | whole set | of | inner [m/s] | outer | energy alone | seconds |\n"
             "|---|---|---|---|---|---|---|---|---|\n");
  for (const Case& one : allCases()) {
    if (one.name.find(part) != std::string::npos) printRow(one, work);
  }
}
