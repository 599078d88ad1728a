// SPDX-License-Identifier: MIT
#include "impact/samples/set_description.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <stdexcept>

#include "elementary/elementary.h"
#include "impact/random_stream.h"

namespace rigor::impact {
namespace {

// Key of the directions, whatever the sampler's seed: a description depends on the outcomes alone.
constexpr RandomKey kDirections{0x65787472656d6573ULL, 0};

// Normally distributed, so that directions are uniform on the sphere.
double drawNormal(RandomStream& random) {
  const double u = random.uniform(), angle = 2 * 3.141592653589793 * random.uniform();
  return std::sqrt(-2 * elementary::log(u)) * elementary::cos(angle);
}

/// The combinations of fates that the outcomes have, the most frequent first.
std::vector<FateCount> countFates(const ImpactProblem& problem, const Eigen::Ref<const Eigen::MatrixXd>& velocities) {
  const int count = static_cast<int>(velocities.cols());
  std::map<std::vector<ContactFate>, FateCount> fates;
  std::vector<ContactFate> present;
  for (int k = 0; k < count; ++k) {
    findFates(problem, velocities.col(k), kFateTolerance, present);
    FateCount& entry = fates[present];
    if (entry.count++ == 0) entry.fates = present, entry.example = k;
  }
  std::vector<FateCount> sorted;
  for (auto& [key, entry] : fates) {
    entry.share = static_cast<double>(entry.count) / count;
    sorted.push_back(std::move(entry));
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const FateCount& a, const FateCount& b) { return a.count > b.count; });
  return sorted;
}

}  // namespace

std::vector<int> planarHull(const Eigen::Ref<const Eigen::RowVectorXd>& x,
                            const Eigen::Ref<const Eigen::RowVectorXd>& y, double tolerance) {
  std::vector<int> order(x.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    return x[a] != x[b] ? x[a] < x[b] : y[a] != y[b] ? y[a] < y[b] : a < b;
  });
  order.erase(std::unique(order.begin(), order.end(), [&](int a, int b) { return x[a] == x[b] && y[a] == y[b]; }),
              order.end());
  if (order.size() < 2) return order;
  const auto apart = [&](int a, int b) { return elementary::hypot(x[b] - x[a], y[b] - y[a]); };
  // Height of b over the line from a to c, positive where the corner a, b, c turns left.
  const auto height = [&](int a, int b, int c) {
    const double length = apart(a, c);
    if (!(length > 0)) return apart(a, b);
    return ((x[b] - x[a]) * (y[c] - y[a]) - (y[b] - y[a]) * (x[c] - x[a])) / length;
  };
  // Andrew's monotone chain: exact turns first.
  std::vector<int> hull;
  const auto chain = [&](auto begin, auto end) {
    const std::size_t base = hull.size();
    for (auto it = begin; it != end; ++it) {
      while (hull.size() >= base + 2 && !(height(hull[hull.size() - 2], hull.back(), *it) > 0)) hull.pop_back();
      hull.push_back(*it);
    }
    hull.pop_back();
  };
  chain(order.begin(), order.end());
  chain(order.rbegin(), order.rend());
  // Then corners that hardly stand out, the flattest first.
  while (hull.size() > 1) {
    const int count = static_cast<int>(hull.size());
    int flattest = -1;
    double least = tolerance;
    for (int k = 0; k < count; ++k) {
      const int before = hull[(k + count - 1) % count], after = hull[(k + 1) % count];
      const double h = count == 2 ? apart(before, hull[k]) : height(before, hull[k], after);
      if (h <= least) least = h, flattest = k;
    }
    if (flattest < 0) break;
    hull.erase(hull.begin() + (count == 2 ? 1 : flattest));
  }
  return hull;
}

SetDescription describeSet(const ImpactProblem& problem, const Eigen::Ref<const Eigen::MatrixXd>& velocities,
                           double tolerance, int directions) {
  if (!(tolerance >= 0) || directions < 0) {
    throw std::invalid_argument("tolerance and directions of a description must not be negative");
  }
  const int m = problem.numContacts(), n = problem.numVelocities(), count = static_cast<int>(velocities.cols());
  if (count > 0 && velocities.rows() != n) throw std::invalid_argument("outcomes must have a row per velocity");
  SetDescription set;
  std::vector<int> first(m);
  for (int i = 0; i < m; ++i) {
    first[i] = static_cast<int>(set.row_contact.size());
    const int tangents = i < static_cast<int>(problem.tangent.size()) ? static_cast<int>(problem.tangent[i].rows()) : 0;
    for (int k = 0; k <= tangents; ++k) set.row_contact.push_back(i), set.row_component.push_back(k);
  }
  const int rows = static_cast<int>(set.row_contact.size());
  set.jacobian.resize(rows, n);
  for (int r = 0; r < rows; ++r) {
    const int i = set.row_contact[r], k = set.row_component[r];
    set.jacobian.row(r) = k == 0 ? problem.normal.row(i) : problem.tangent[i].row(k - 1);
  }
  if (count == 0) {
    set.lower = set.upper = Eigen::VectorXd::Zero(rows);
    return set;
  }
  const Eigen::MatrixXd y = set.jacobian * velocities;
  set.lower = y.rowwise().minCoeff();
  set.upper = y.rowwise().maxCoeff();
  const double scale = rows > 0 ? (set.jacobian * problem.velocity).cwiseAbs().maxCoeff() : 0;

  set.fates = countFates(problem, velocities);

  const auto addHull = [&](int row_x, int row_y) {
    set.hulls.push_back({row_x, row_y, planarHull(y.row(row_x), y.row(row_y), tolerance * scale)});
  };
  for (int r = 0; r < rows; ++r) {
    if (set.row_component[r] > 0) addHull(r, first[set.row_contact[r]]);
  }
  for (int i = 0; i < m; ++i) {
    for (int j = i + 1; j < m; ++j) addHull(first[i], first[j]);
  }

  std::vector<int> candidates;
  const auto addFarthest = [&](const Eigen::VectorXd& direction) {
    int best = 0;
    double most = -HUGE_VAL;
    for (int k = 0; k < count; ++k) {
      const double reach = direction.dot(y.col(k));
      if (reach > most) most = reach, best = k;
    }
    candidates.push_back(best);
  };
  Eigen::VectorXd direction(rows);
  for (int r = 0; r < rows; ++r) {
    addFarthest(Eigen::VectorXd::Unit(rows, r));
    addFarthest(-Eigen::VectorXd::Unit(rows, r));
  }
  for (const PlanarHull& hull : set.hulls)
    candidates.insert(candidates.end(), hull.vertices.begin(), hull.vertices.end());
  // Scaled by the set's width, so that thin directions are looked at as closely as wide ones.
  const Eigen::VectorXd width = set.upper - set.lower;
  RandomStream random(kDirections);
  for (int k = 0; k < directions * rows; ++k) {
    for (int r = 0; r < rows; ++r) {
      const double x = drawNormal(random);
      direction[r] = width[r] > tolerance * scale ? x / width[r] : 0;
    }
    addFarthest(direction);
  }
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  Eigen::MatrixXd extreme(n, candidates.size());
  for (std::size_t k = 0; k < candidates.size(); ++k) extreme.col(k) = velocities.col(candidates[k]);
  for (const DistinctOutcome& outcome : mergeOutcomes(problem, extreme, tolerance)) {
    set.extremes.push_back(candidates[outcome.representative]);
  }
  return set;
}

}  // namespace rigor::impact
