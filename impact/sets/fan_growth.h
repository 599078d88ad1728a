// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "impact/sets/fan.h"
#include "impact/sets/fan_program.h"
#include "impact/sets/scaled_force.h"

namespace rigor::impact {

/// What a potential on a fan must fulfil, as rows on its values W_jk at rays and pairs of rays.
class FanGrowth {
 public:
  /// A force on a cone; its rows in the program follow each other from `first` on.
  struct Place {
    int cone = 0, force = 0;
    Eigen::VectorXd along;     ///< The force as a combination of the cone's rays.
    size_t first = 0;
  };

  /// @param goal  scaled, of length one.
  FanGrowth(const Fan& fan, const std::vector<ScaledForce>& forces, const Eigen::VectorXd& goal);

  const RowProgram& program() const { return program_; }
  const std::vector<Place>& places() const { return places_; }
  /// Column of a pair of rays that meet.
  int column(int a, int b) const { return columns_.at(std::minmax(a, b)); }
  const std::map<std::pair<int, int>, int>& columns() const { return columns_; }
  /// Rays of the part of the cone where the force acts, as combinations of the cone's: one for each row of `place`.
  const Eigen::VectorXd& state(size_t row) const { return states_[row]; }
  size_t rowsOfGrowth() const { return states_.size(); }
  /// First row of a place, and the one after its last.
  std::pair<size_t, size_t> rowsOf(size_t place) const {
    return {places_[place].first, place + 1 < places_.size() ? places_[place + 1].first : states_.size()};
  }
  /// Pairs of rays of outcomes; their rows follow those of growth.
  const std::vector<std::pair<int, int>>& ends() const { return end_rays_; }

  // What a potential may grow for a force of length one and a ray's part of a state of length one: tubes of rows that
  // must vanish get an inside. Values at ends are above what they must be by as much.
  static constexpr double kRelaxed = 1e-7;
  // Heights of borders at rays of length one, and factors of rays, that are zero up to rounding.
  static constexpr double kOnBorder = 1e-9, kNoFactor = 1e-13;
  // Size of all values at rays of length one, where 1 is the energy: no state that matters needs more.
  static constexpr double kMostValue = 1e3;

 private:
  void addCone(const Fan& fan, int number, const std::vector<ScaledForce>& forces);
  void addEnd(const Fan& fan, const Fan::Cone& cone, const Eigen::VectorXd& goal);
  void addLimits();
  void addRow(const Eigen::VectorXd& state, const Eigen::VectorXd& along,
              const Eigen::MatrixXi& table, double limit);
  int columnOf(int a, int b);

  RowProgram program_;
  std::vector<Place> places_;
  std::vector<Eigen::VectorXd> states_;
  std::map<std::pair<int, int>, int> columns_;
  std::set<int> ends_;                       // columns whose row is there
  std::vector<std::pair<int, int>> end_rays_;
};

}  // namespace rigor::impact
