// SPDX-License-Identifier: MIT
#include "impact/sets/fan_growth.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "impact/problem/matrix_factors.h"

namespace rigor::impact {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::MatrixXi;
using Eigen::VectorXd;

struct Corner {
  VectorXd state;
  std::uint64_t tight = 0;  // faces of the cone and borders that it lies on
};

/// Rays of the part of a simplicial cone where all `borders` (rows, in its own coordinates) are <= 0.
std::vector<VectorXd> cornersWithin(const MatrixXd& borders) {
  const Index r = borders.cols();
  std::vector<Corner> corners;
  for (Index k = 0; k < r; ++k)
    corners.push_back({VectorXd::Unit(r, k), ((std::uint64_t{1} << r) - 1) & ~(std::uint64_t{1} << k)});
  for (Index b = 0; b < borders.rows(); ++b) {
    std::vector<double> height;
    for (const Corner& corner : corners) {
      height.push_back(borders.row(b).dot(corner.state));
      if (std::abs(height.back()) < FanGrowth::kOnBorder) height.back() = 0;
    }
    const std::uint64_t own = std::uint64_t{1} << (r + b);
    std::vector<Corner> kept;
    for (size_t k = 0; k < corners.size(); ++k) {
      if (height[k] <= 0) kept.push_back({corners[k].state, corners[k].tight | (height[k] == 0 ? own : 0)});
    }
    for (size_t k = 0; k < corners.size(); ++k) {
      for (size_t l = 0; l < corners.size(); ++l) {
        if (!(height[k] < 0 && height[l] > 0)) continue;
        const std::uint64_t both = corners[k].tight & corners[l].tight;
        bool edge = true;
        for (size_t m = 0; m < corners.size() && edge; ++m)
          edge = m == k || m == l || (corners[m].tight & both) != both;
        if (!edge) continue;
        VectorXd state = corners[k].state * height[l] - corners[l].state * height[k];
        kept.push_back({state / state.sum(), both | own});
      }
    }
    corners = std::move(kept);
  }
  std::vector<VectorXd> out;
  for (Corner& corner : corners) out.push_back(std::move(corner.state));
  return out;
}

}  // namespace

FanGrowth::FanGrowth(const Fan& fan, const std::vector<ScaledForce>& forces, const VectorXd& goal) {
  for (size_t k = 0; k < fan.cones().size(); ++k) addCone(fan, static_cast<int>(k), forces);
  for (const Fan::Cone& cone : fan.cones()) addEnd(fan, cone, goal);
  addLimits();
  program_.cost = VectorXd::Zero(static_cast<Index>(columns_.size()));
  program_.cost[column(fan.start(), fan.start())] = 1;
}

int FanGrowth::columnOf(int a, int b) {
  return columns_.emplace(std::minmax(a, b), static_cast<int>(columns_.size())).first->second;
}

void FanGrowth::addCone(const Fan& fan, int number, const std::vector<ScaledForce>& forces) {
  const Fan::Cone& cone = fan.cones()[static_cast<size_t>(number)];
  const auto r = static_cast<Index>(cone.size());
  MatrixXd rays(r, r);
  MatrixXi table(r, r);
  for (Index k = 0; k < r; ++k) {
    rays.col(k) = fan.ray(cone[static_cast<size_t>(k)]);
    for (Index j = 0; j < r; ++j) table(j, k) = columnOf(cone[static_cast<size_t>(j)], cone[static_cast<size_t>(k)]);
  }
  const MatrixXd shares = inverseOf(rays);
  const double longest = shares.rowwise().norm().maxCoeff();  // Share of a ray in a state of length one, at most.
  for (size_t f = 0; f < forces.size(); ++f) {
    if (!fan.approaches(cone, forces[f].contact)) continue;
    places_.push_back({number, static_cast<int>(f), shares * forces[f].effect, states_.size()});
    for (const VectorXd& state : cornersWithin(forces[f].borders * rays))
      addRow(state, places_.back().along, table, kRelaxed / std::max(1.0, longest));
  }
}

void FanGrowth::addLimits() {
  for (int column = 0; column < static_cast<int>(columns_.size()); ++column) {
    for (const int sign : {1, -1}) {
      program_.addEntry(column, sign);
      program_.limitBy(kMostValue);
    }
  }
}

void FanGrowth::addRow(const VectorXd& state, const VectorXd& along, const MatrixXi& table, double limit) {
  const Index r = state.size();
  std::vector<std::pair<int, double>> row;
  for (Index k = 0; k < r; ++k) {
    if (state[k] <= kNoFactor) continue;
    for (Index j = 0; j < r; ++j) {
      if (std::abs(along[j]) > kNoFactor) row.emplace_back(table(j, k), 2 * state[k] * along[j]);
    }
  }
  std::sort(row.begin(), row.end());
  int last = -1;
  for (const auto& [column, entry] : row) {
    if (column == last) {
      program_.entries.back() += entry;
      continue;
    }
    program_.addEntry(last = column, entry);
  }
  program_.limitBy(limit);
  states_.push_back(state);
}

/// Of each pair once: rows of all ends that it belongs to are the same.
void FanGrowth::addEnd(const Fan& fan, const Fan::Cone& cone, const VectorXd& goal) {
  for (int i = 0; i < fan.numContacts(); ++i) {
    if (!fan.separates(cone, i)) return;
  }
  for (size_t j = 0; j < cone.size(); ++j) {
    for (size_t k = j; k < cone.size(); ++k) {
      const int own = columnOf(cone[j], cone[k]);
      if (!ends_.insert(own).second) continue;
      end_rays_.emplace_back(cone[j], cone[k]);
      program_.addEntry(own, -1);
      program_.limitBy(-std::max(goal.dot(fan.ray(cone[j])), 0.0) * std::max(goal.dot(fan.ray(cone[k])), 0.0) -
                       kRelaxed);
    }
  }
}

}  // namespace rigor::impact
