// SPDX-License-Identifier: MIT
#include "viewer/proved_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "impact/sets/certify.h"
#include "impact/sets/chain_outcome.h"
#include "impact/sets/polytope_union.h"
#include "impact/sets/relaxed_bounds.h"

namespace rigor::viewer {
namespace {

using impact::ExactProblem;
using impact::ExactSet;
using impact::SetCertificate;

// Work for the whole set and for bounds from outside, a second or two each, and contacts up to which the whole is
// tried.
constexpr std::int64_t kSetWork = 3'000'000, kBoundWork = 10'000'000;
constexpr int kSetPieces = 2000, kMostContacts = 4;
// Part of an axis that may be left over when it is written in the contact's tangents: rounding.
constexpr double kSameAxis = 1e-9;
// Effort of the search where the set is not found whole: some tenths of a second.
const impact::SearchOptions kSearch{.walks = 4000, .improvements = 400};

std::vector<double> along(const Eigen::MatrixXd& rows, const Eigen::VectorXd& velocity) {
  const Eigen::VectorXd c = rows * velocity;
  return {c.data(), c.data() + c.size()};
}

Eigen::VectorXd velocityAt(const ExactProblem& exact, const std::vector<mpq_class>& point) {
  Eigen::VectorXd v(static_cast<Eigen::Index>(exact.velocityMap().size()));
  for (std::size_t i = 0; i < exact.velocityMap().size(); ++i)
    v[static_cast<Eigen::Index>(i)] =
        impact::ExactQuantity{{}, exact.velocityOffset()[i], exact.velocityMap()[i]}.at(point).get_d();
  return v;
}

void addPieces(const ExactSet& set, const impact::ImpactProblem& problem, const Eigen::MatrixXd& rows,
               ProvedSet& proved) {
  const impact::ChainFinder finder(set);
  std::set<impact::ExactVector> known;
  for (const ExactSet::Final& final : set.final()) {
    auto& corners = proved.pieces.emplace_back();
    for (const impact::ExactVector& vertex : final.polytope.rays()) {
      corners.push_back(along(rows, velocityAt(set.problem(), vertex.point())));
      SetCertificate::Chain chain;
      if (known.insert(vertex).second && finder.find(vertex, final.pieces, chain))
        proved.ways.push_back(outcomesAlong(problem, set.problem(), chain));
    }
  }
}

void include(const std::vector<double>& point, std::vector<ProvedSet::Range>& ranges) {
  if (ranges.empty()) ranges.assign(point.size(), {INFINITY, -INFINITY});
  for (std::size_t k = 0; k < point.size(); ++k) {
    ranges[k].low = std::min(ranges[k].low, point[k]);
    ranges[k].high = std::max(ranges[k].high, point[k]);
  }
}

/// The axes as quantities, and after them those of the problem, which relaxations bound by their names.
std::vector<impact::ExactQuantity> axesAndQuantities(const ExactProblem& exact, const Eigen::MatrixXd& rows) {
  std::vector<impact::ExactQuantity> quantities;
  for (Eigen::Index axis = 0; axis < rows.rows(); ++axis) {
    impact::ExactQuantity& quantity = quantities.emplace_back();
    quantity.of.assign(static_cast<std::size_t>(exact.rank()), 0);
    for (Eigen::Index i = 0; i < rows.cols(); ++i) {
      const mpq_class factor = rows(axis, i);
      quantity.offset += factor * exact.velocityOffset()[static_cast<std::size_t>(i)];
      for (std::size_t k = 0; k < quantity.of.size(); ++k)
        quantity.of[k] += factor * exact.velocityMap()[static_cast<std::size_t>(i)][k];
    }
  }
  for (impact::ExactQuantity& quantity : quantitiesOf(exact)) quantities.push_back(std::move(quantity));
  return quantities;
}

/// The axis as a combination of the contact's tangents; empty where it is none.
std::vector<double> inTangents(const Eigen::MatrixXd& tangent, const Eigen::VectorXd& axis) {
  std::vector<double> of;
  if (tangent.rows() == 1) {
    of = {tangent.row(0).dot(axis) / tangent.row(0).squaredNorm()};
  } else if (tangent.rows() == 2) {
    const double a = tangent.row(0).squaredNorm(), b = tangent.row(0).dot(tangent.row(1)),
                 c = tangent.row(1).squaredNorm(), x = tangent.row(0).dot(axis), y = tangent.row(1).dot(axis);
    of = {(c * x - b * y) / (a * c - b * b), (a * y - b * x) / (a * c - b * b)};
  }
  Eigen::VectorXd rest = axis;
  for (std::size_t k = 0; k < of.size(); ++k) rest -= of[k] * tangent.row(static_cast<Eigen::Index>(k)).transpose();
  if (!(rest.norm() <= kSameAxis * axis.norm())) of.clear();
  return of;
}

/// A contact has three axes: its normal, and two in its plane.
std::vector<ProvedSet::Range> boundAxes(const impact::ImpactProblem& problem, const Eigen::MatrixXd& rows,
                                        const std::vector<impact::ExactQuantity>& quantities,
                                        const std::vector<impact::EnergyBound>& bounds) {
  const auto boundOf = [&](const std::string& name) {
    for (std::size_t q = 0; q < quantities.size(); ++q)
      if (quantities[q].name == name) return ProvedSet::Range{bounds[q].low.get_d(), bounds[q].high.get_d()};
    return ProvedSet::Range{-INFINITY, INFINITY};  // A tangent of a contact without friction.
  };
  std::vector<ProvedSet::Range> ranges;
  for (Eigen::Index axis = 0; axis < rows.rows(); ++axis) {
    const impact::EnergyBound& own = bounds[static_cast<std::size_t>(axis)];
    ProvedSet::Range& range = ranges.emplace_back(ProvedSet::Range{own.low.get_d(), own.high.get_d()});
    const Eigen::Index contact = axis / 3;
    ProvedSet::Range sum;
    if (axis % 3 == 0) {
      sum = boundOf(fmt::format("vn{}", contact));
    } else {
      const std::vector<double> of = inTangents(problem.tangent[static_cast<std::size_t>(contact)], rows.row(axis));
      if (of.empty()) continue;
      for (std::size_t k = 0; k < of.size(); ++k) {
        const ProvedSet::Range one = boundOf(fmt::format("vt{}_{}", contact, k));
        if (of[k] == 0) continue;
        sum.low += of[k] * (of[k] > 0 ? one.low : one.high);
        sum.high += of[k] * (of[k] > 0 ? one.high : one.low);
      }
    }
    range.low = std::max(range.low, sum.low);
    range.high = std::min(range.high, sum.high);
  }
  return ranges;
}

}  // namespace

ProvedSet proveOutcomes(const impact::ImpactProblem& problem, int cone_edges, const Eigen::MatrixXd& rows,
                        const std::function<bool()>& goes_on, double effort) {
  ProvedSet proved;
  const auto& e = problem.restitution;
  if (std::any_of(e.begin(), e.end(), [](double one) { return one != 0; })) {
    proved.note = "Exact sets and their bounds are for impacts without restitution.";
    return proved;
  }
  const auto watch = [&](std::int64_t, std::int64_t) { return goes_on(); };
  const auto& mu = problem.friction;
  const bool finite = std::all_of(mu.begin(), mu.end(), [](double one) { return std::isfinite(one); });
  const impact::ExactFriction friction{cone_edges, {}};
  for (std::size_t i = 0; i < mu.size(); ++i)
    if (mu[i] > 0 && problem.tangent[i].rows() > 1) proved.cone_edges = cone_edges;

  const ExactProblem exact(problem, finite ? ExactProblem::Contacts::kFinite : ExactProblem::Contacts::kAny, friction);
  const std::vector<impact::ExactQuantity> quantities = axesAndQuantities(exact, rows);
  if (finite && problem.numContacts() <= kMostContacts) {
    const ExactSet set(problem, {kSetWork, kSetPieces, watch}, friction);
    proved.complete = set.complete();
    addPieces(set, problem, rows, proved);
  }
  if (!proved.complete && finite) {
    impact::SearchOptions search = kSearch;
    search.walks = static_cast<long>(effort * static_cast<double>(search.walks));
    search.goes_on = watch;
    for (const SetCertificate::Chain& chain : searchExtremes(exact, search))
      proved.ways.push_back(outcomesAlong(problem, exact, chain));
  }
  for (const auto& piece : proved.pieces)
    for (const std::vector<double>& corner : piece) include(corner, proved.inner);
  for (const auto& way : proved.ways) include(along(rows, way.back().velocity), proved.inner);
  if (proved.complete) {
    proved.outer = proved.inner;
    return proved;
  }
  proved.note = finite ? "The whole set takes more work than a viewer spends: what a search reached, and bounds."
                       : "With friction that has no limit the energy alone bounds the outcomes.";
  const auto work = static_cast<std::int64_t>(effort * kBoundWork);
  proved.outer = boundAxes(problem, rows, quantities, boundOutside(problem, exact, quantities, finite, work, watch).of);
  return proved;
}

}  // namespace rigor::viewer
