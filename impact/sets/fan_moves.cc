// SPDX-License-Identifier: MIT
#include "impact/sets/fan_moves.h"

#include <algorithm>
#include <numeric>

#include "impact/problem/matrix_factors.h"
#include "impact/sets/fan_selection.h"

namespace rigor::impact {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Rows of a force on a cone: with more of them a step costs more, and leads little further.
constexpr size_t kRowsOfPlace = 2;
// Slopes that are zero up to rounding.
constexpr double kNoSlope = 1e-12;

class MoveProgram {
 public:
  MoveProgram(const Fan& fan, const FanGrowth& growth, const std::vector<ScaledForce>& forces, const VectorXd& goal,
              const VectorXd& values, double reach)
      : fan_(fan), growth_(growth), forces_(forces), goal_(goal), values_(values),
        columns_(static_cast<int>(growth.program().cost.size())) {
    for (int ray = 0; ray < fan.numRays(); ++ray) {
      directions_.push_back(fan.directions(ray));
      first_.push_back(columns_);
      columns_ += static_cast<int>(directions_.back().cols());
    }
    for (size_t place = 0; place < growth.places().size(); ++place) addPlace(place);
    addEnds();
    const RowProgram& rest = growth.program();
    for (size_t row = growth.rowsOfGrowth() + growth.ends().size(); row < rest.rows(); ++row) {
      program_.addEntriesOf(rest, row);
      program_.limitBy(rest.limits[row]);
    }
    limitMoves(reach);
    program_.cost = VectorXd::Zero(columns_);
    program_.cost.head(rest.cost.size()) = rest.cost;
  }

  const RowProgram& program() const { return program_; }
  VectorXd guess() const {
    VectorXd out = VectorXd::Zero(columns_);
    out.head(values_.size()) = values_;
    return out;
  }
  RayMoves movesOf(const VectorXd& x) const {
    RayMoves out{{}, x.head(values_.size()), program_.cost.dot(x)};
    for (size_t ray = 0; ray < directions_.size(); ++ray)
      out.ways.emplace_back(directions_[ray] * x.segment(first_[ray], directions_[ray].cols()));
    return out;
  }

 private:
  /// Of the cone that is looked at.
  struct Here {
    int cone = -1;
    MatrixXd rays, shares, values;
    std::vector<Index> ascending;  // its rays by their numbers
  };

  void look(int number) {
    if (here_.cone == number) return;
    const Fan::Cone& cone = fan_.cones()[static_cast<size_t>(number)];
    const auto r = static_cast<Index>(cone.size());
    here_.cone = number;
    here_.rays.resize(r, r);
    here_.values.resize(r, r);
    for (Index k = 0; k < r; ++k) {
      here_.rays.col(k) = fan_.ray(cone[static_cast<size_t>(k)]);
      for (Index j = 0; j < r; ++j)
        here_.values(j, k) = values_[growth_.column(cone[static_cast<size_t>(j)], cone[static_cast<size_t>(k)])];
    }
    here_.shares = inverseOf(here_.rays);
    here_.ascending.resize(cone.size());
    std::iota(here_.ascending.begin(), here_.ascending.end(), 0);
    std::sort(here_.ascending.begin(), here_.ascending.end(),
              [&](Index a, Index b) { return cone[static_cast<size_t>(a)] < cone[static_cast<size_t>(b)]; });
  }

  /// A state where borders cross a face of the cone moves with the face's rays: how much the growth W_a.l grows then
  /// for a move of each ray times its factor in the state.
  VectorXd slopeOfState(const VectorXd& state, const MatrixXd& borders, const VectorXd& growth) const {
    VectorXd slope = VectorXd::Zero(state.size());
    std::vector<Index> within, tight;
    for (Index k = 0; k < state.size(); ++k) {
      if (state[k] > FanGrowth::kNoFactor) within.push_back(k);
    }
    const MatrixXd heights = borders * here_.rays;
    for (Index b = 0; b < borders.rows(); ++b) {
      if (std::abs(heights.row(b).dot(state)) < FanGrowth::kOnBorder) tight.push_back(b);
    }
    if (within.size() < 2 || tight.empty()) return slope;
    // Its factors l: sum l = 1, heights l = 0.
    MatrixXd system = MatrixXd::Ones(1 + static_cast<Index>(tight.size()), static_cast<Index>(within.size()));
    for (size_t b = 0; b < tight.size(); ++b) {
      for (size_t k = 0; k < within.size(); ++k)
        system(static_cast<Index>(b) + 1, static_cast<Index>(k)) = heights(tight[b], within[k]);
    }
    VectorXd form(static_cast<Index>(within.size()));
    for (size_t k = 0; k < within.size(); ++k) form[static_cast<Index>(k)] = growth[within[k]];
    LeastNorm least;
    least.factor(system.transpose());
    VectorXd factors;
    least.solve(form, factors);
    for (size_t b = 0; b < tight.size(); ++b)
      slope -= factors[static_cast<Index>(b) + 1] * borders.row(tight[b]).transpose();
    return slope;
  }

  void addPlace(size_t number) {
    const FanGrowth::Place& place = growth_.places()[number];
    look(place.cone);
    const Fan::Cone& cone = fan_.cones()[static_cast<size_t>(place.cone)];
    const VectorXd growth = 2 * here_.values * place.along;
    for (const size_t row : nearestRows(growth_, number, values_, kRowsOfPlace)) {
      const VectorXd& state = growth_.state(row);
      // The growth is 2 l'W m with rays m = force: dm = - m_j times the move of ray j.
      const VectorXd of_share = -2 * here_.shares.transpose() * (here_.values * state);
      const VectorXd of_state = slopeOfState(state, forces_[static_cast<size_t>(place.force)].borders, growth);
      program_.addEntriesOf(growth_.program(), row);
      for (const Index k : here_.ascending) {
        const auto ray = static_cast<size_t>(cone[static_cast<size_t>(k)]);
        addMoves(ray, place.along[k] * of_share + state[k] * of_state);
      }
      program_.limitBy(growth_.program().limits[row]);
    }
  }

  /// Slopes tell little of moves as long as edges: cones would become flat.
  void limitMoves(double reach) {
    std::vector<double> shortest(directions_.size(), 1);
    for (const auto& [rays, column] : growth_.columns()) {
      if (rays.first == rays.second) continue;
      const double length = (fan_.ray(rays.first) - fan_.ray(rays.second)).norm();
      for (const int ray : {rays.first, rays.second})
        shortest[static_cast<size_t>(ray)] = std::min(shortest[static_cast<size_t>(ray)], length);
    }
    for (size_t ray = 0; ray < directions_.size(); ++ray) {
      for (Index m = 0; m < directions_[ray].cols(); ++m) {
        for (const int sign : {1, -1}) {
          program_.addEntry(first_[ray] + static_cast<int>(m), sign);
          program_.limitBy(reach * shortest[ray]);
        }
      }
    }
  }

  void addMoves(size_t ray, const VectorXd& slope) {
    for (Index m = 0; m < directions_[ray].cols(); ++m) {
      const double entry = directions_[ray].col(m).dot(slope);
      if (std::abs(entry) > kNoSlope) program_.addEntry(first_[ray] + static_cast<int>(m), entry);
    }
  }

  void addEnds() {
    for (size_t k = 0; k < growth_.ends().size(); ++k) {
      const size_t row = growth_.rowsOfGrowth() + k;
      auto [a, b] = growth_.ends()[k];
      if (a > b) std::swap(a, b);
      const double at_a = goal_.dot(fan_.ray(a)), at_b = goal_.dot(fan_.ray(b));
      program_.addEntriesOf(growth_.program(), row);
      if (at_a > 0 && at_b > 0) {
        addMoves(static_cast<size_t>(a), (a == b ? 2 : 1) * at_b * goal_);
        if (a != b) addMoves(static_cast<size_t>(b), at_a * goal_);
      }
      program_.limitBy(growth_.program().limits[row]);
    }
  }

  const Fan& fan_;
  const FanGrowth& growth_;
  const std::vector<ScaledForce>& forces_;
  const VectorXd& goal_;
  const VectorXd& values_;
  int columns_;
  std::vector<MatrixXd> directions_;  // of each ray
  std::vector<int> first_;            // and their first column
  RowProgram program_;
  Here here_;
};

}  // namespace

RowStatus chooseMoves(const Fan& fan, const FanGrowth& growth, const std::vector<ScaledForce>& forces,
                      const VectorXd& goal, const VectorXd& values, double reach,
                      const std::function<bool()>& goes_on, std::int64_t& work, RayMoves& moves) {
  const MoveProgram program(fan, growth, forces, goal, values, reach);
  work -= static_cast<std::int64_t>(growth.program().rows());
  RowSolution solution{program.guess(), {}};
  const RowStatus status = solveRows(program.program(), goes_on, work, solution);
  if (status == RowStatus::kSolved) moves = program.movesOf(solution.x);
  return status;
}

}  // namespace rigor::impact
