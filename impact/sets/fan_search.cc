// SPDX-License-Identifier: MIT
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "impact/sets/fan_cuts.h"
#include "impact/sets/potential_bounds.h"

namespace rigor::impact {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Cones a fan begins with at most, and rows of a program.
constexpr size_t kMostCones = 8'000, kMostRows = 1'500'000;
// Edges divided at once, as a share of the rays, and at least.
constexpr size_t kShareOfRays = 8, kLeastCuts = 4;
// A further division costs about this many times what the last one did.
constexpr double kDearer = 1.4;
// Divisions in a row that lower the potential at the start by less than this share of it, after which it ends.
constexpr double kProgress = 2e-3;
constexpr int kMostIdle = 4;
// Moves that lower the potential at the start by less than this share of it are followed by a division.
constexpr double kWorthMoving = 0.01;
// Part of an edge by which the ray of its division moves at most; factors of that after moves too far, and not far.
constexpr double kReach = 0.06, kShorter = 0.5, kLonger = 1.3;
// Slopes, as a share of the steepest one, down which rays move all their way.
constexpr double kSteep = 0.2;
// Rays come no nearer than this to an edge's ends, as a part of it.
constexpr double kLeastPart = 0.08;
// Rows of a program that the slopes of a part cost one unit of work for.
constexpr int kRowsPerUnit = 4;
// What rounding of values up to FanGrowth::kMostValue leaves over of growths, relative to the scale of the bound.
constexpr double kRoundedGrowth = 1e-11;

class FanSearch {
 public:
  FanSearch(const ImpactProblem& problem, const ExactProblem& exact, const ExactQuantity& quantity, int side)
      : exact_(exact), quantity_(quantity), side_(side), scale_(problem, exact) {}

  std::optional<FanProof> run(std::int64_t& work, const std::function<bool()>& goes_on) {
    if (!scale_.valid() || !scale_.begin(quantity_, side_, proof_)) return {};
    VectorXd goal = scale_.form(quantity_.of) * side_;
    goal_length_ = goal.norm();
    if (!(goal_length_ > 0)) return {};
    goal /= goal_length_;
    forces_ = scale_.forces(true);
    Fan fan(exact_, scale_, kMostCones);
    if (!fan.whole()) return {};
    bool moved = false;
    double last = HUGE_VAL;
    for (int idle = 0;;) {
      const std::int64_t before = work;
      const RowStatus status = solve(fan, goal, moved, goes_on, work);
      if (status == RowStatus::kEnded || (status == RowStatus::kDiverged && current_ && !moved)) break;
      if (status == RowStatus::kSolved && !moved) {
        idle = current_->value < (1 - kProgress) * lastly_ ? 0 : idle + 1;
        lastly_ = std::min(lastly_, current_->value);
        if (idle > kMostIdle) break;
      }
      if (work < static_cast<std::int64_t>(kDearer * static_cast<double>(before - work))) break;
      // After each division rays are moved as long as that is worth it.
      const bool gained = current_ && current_->value < (moved ? 1 - kWorthMoving : 1) * last;
      if (current_) fan = current_->fan, last = current_->value;
      moved = gained && moveRays(goal, fan, work);
      if (!moved && !divideEdges(goal, fan)) break;
    }
    if (!best_ || !prove(best_->fan, FanGrowth(best_->fan, forces_, goal), best_->solution.x)) return {};
    return std::move(proof_);
  }

 private:
  struct Solved {
    Fan fan;
    RowSolution solution;
    double value = 0;
  };

  /// The potential on a fan; where rays were moved it counts only if it is better.
  RowStatus solve(const Fan& fan, const VectorXd& goal, bool moved, const std::function<bool()>& goes_on,
                  std::int64_t& work) {
    const FanGrowth growth(fan, forces_, goal);
    work -= static_cast<std::int64_t>(growth.program().rows());
    if (growth.program().rows() > kMostRows) return RowStatus::kEnded;
    RowSolution solution;
    solution.x = guess(growth);
    RowStatus status = solveRows(growth.program(), goes_on, work, solution);
    if (status == RowStatus::kDiverged && current_ && !moved) {  // Guesses may lie in a corner.
      solution.x = {};
      status = solveRows(growth.program(), goes_on, work, solution);
    }
    const bool solved = status == RowStatus::kSolved;
    const double value = solved ? growth.program().cost.dot(solution.x) : HUGE_VAL;
    if (moved && !(value < current_->value)) {
      for (double& reach : reach_) reach *= kShorter;
      uphill_.clear();
      return status;
    }
    if (solved) {
      keep(growth, solution.x);
      current_ = {fan, std::move(solution), value};
      if (!best_ || value < best_->value) best_ = current_;
    }
    return status;
  }

  /// Moves rays of divisions along their edges, down the slopes of W(start): each by what it moved before, more where
  /// the slope has kept its sign, less where it has not (Riedmiller and Braun 1993). @returns false where none moves.
  bool moveRays(const VectorXd& goal, Fan& fan, std::int64_t& work) {
    if (fan.parts().empty()) return false;
    const FanGrowth growth(fan, forces_, goal);
    const VectorXd slopes = slopesOfParts(fan, growth, forces_, goal, current_->solution);
    work -= static_cast<std::int64_t>(growth.program().rows()) * slopes.size() / kRowsPerUnit;
    const double steepest = slopes.lpNorm<Eigen::Infinity>();
    if (!slopes.allFinite() || !(steepest > 0)) return false;
    std::vector<double> parts = fan.parts();
    reach_.resize(parts.size(), kReach);
    uphill_.resize(parts.size(), 0);
    for (size_t k = 0; k < parts.size(); ++k) {
      const double slope = slopes[static_cast<Index>(k)] / steepest;
      if (slope * uphill_[k] != 0) reach_[k] *= slope * uphill_[k] > 0 ? kLonger : kShorter;
      reach_[k] = std::min(reach_[k], kReach);
      uphill_[k] = slope;
      const double way = reach_[k] * std::clamp(slope / kSteep, -1.0, 1.0);
      parts[k] = std::clamp(parts[k] - way, kLeastPart, 1 - kLeastPart);
    }
    fan.move(parts);
    return true;
  }

  /// @returns false where no edge promises anything.
  bool divideEdges(const VectorXd& goal, Fan& fan) {
    const size_t count = std::max(kLeastCuts, static_cast<size_t>(fan.numRays()) / kShareOfRays);
    const std::vector<EdgeCut> cuts =
        current_ ? chooseCuts(fan, FanGrowth(fan, forces_, goal), current_->solution.multipliers, count)
                 : obtuseEdges(fan, count);
    for (const EdgeCut& cut : cuts) {
      if (current_) {
        divide(fan, cut);
      } else {
        fan.cut(cut.a, cut.b, cut.part);
      }
    }
    return !cuts.empty();
  }

  /// The last potential on the new fan; empty at first.
  VectorXd guess(const FanGrowth& growth) const {
    if (known_.empty()) return {};
    VectorXd out = VectorXd::Zero(growth.program().cost.size());
    for (const auto& [rays, column] : growth.columns()) {
      if (const auto place = known_.find(rays); place != known_.end()) out[column] = place->second;
    }
    return out;
  }
  void keep(const FanGrowth& growth, const VectorXd& values) {
    known_.clear();
    for (const auto& [rays, column] : growth.columns()) known_[rays] = values[column];
  }

  /// The same function has other values at a new ray w = x a + y b: W_wk = x W_ak + y W_bk.
  void divide(Fan& fan, const EdgeCut& cut) {
    std::vector<int> around;
    for (const Fan::Cone& cone : fan.cones()) {
      if (std::find(cone.begin(), cone.end(), cut.a) != cone.end() &&
          std::find(cone.begin(), cone.end(), cut.b) != cone.end())
        around.insert(around.end(), cone.begin(), cone.end());
    }
    const Fan::Cut made = fan.cut(cut.a, cut.b, cut.part);
    const auto known = [&](int i, int j) -> double& { return known_[std::minmax(i, j)]; };
    for (int k : around) known(made.ray, k) = made.of_a * known(cut.a, k) + made.of_b * known(cut.b, k);
    known(made.ray, made.ray) =
        made.of_a * known(made.ray, cut.a) + made.of_b * known(made.ray, cut.b);
  }

  bool prove(const Fan& fan, const FanGrowth& growth, const VectorXd& values) {
    fan.write(proof_);
    // Rays are scaled by the metric alone, states by size(), too.
    const double scale = goal_length_ * goal_length_, of_rays = scale / (scale_.size() * scale_.size());
    for (const auto& [rays, column] : growth.columns())
      proof_.values.push_back({rays.first, rays.second, values[column] * of_rays});
    double most = 0;
    for (const FanGrowth::Place& place : growth.places()) most = std::max(most, addShare(fan, growth, place, values));
    const double length = fan.ray(fan.start()).norm();
    const double start = values[growth.column(fan.start(), fan.start())] * scale / (length * length);
    double allowed = most * (1 + 1e-6) + kRoundedGrowth * scale;
    std::string failure;
    for (int attempt = 0; attempt < 4; ++attempt, allowed *= 8) {
      proof_.growth = allowed;
      const double value = std::sqrt(std::max(start, 0.0) * (1 + 1e-9) + allowed * proof_.weights.get_d());
      proof_.bound = side_ * (mpq_class(std::ceil(value * 1e7)) / 10'000'000 + side_ * quantity_.offset);
      if (checkFan(proof_, failure)) return true;
    }
    return false;
  }

  /// Factors of the borders with the least rest. @returns what the energy allows of the rest, for a weight of 1.
  double addShare(const Fan& fan, const FanGrowth& growth, const FanGrowth::Place& place, const VectorXd& values) {
    const Fan::Cone& cone = fan.cones()[static_cast<size_t>(place.cone)];
    const ScaledForce& force = forces_[static_cast<size_t>(place.force)];
    const auto r = static_cast<Index>(cone.size()), borders = force.borders.rows();
    MatrixXd rays(r, r), square(r, r);
    for (Index k = 0; k < r; ++k) {
      rays.col(k) = fan.ray(cone[static_cast<size_t>(k)]);
      for (Index j = 0; j < r; ++j)
        square(j, k) = values[growth.column(cone[static_cast<size_t>(j)], cone[static_cast<size_t>(k)])];
    }
    VectorXd rest = 2 * square * place.along;
    const double factor = force.effect_length * goal_length_ * goal_length_ / scale_.size();
    if (borders > 0 && rest.maxCoeff() > FanGrowth::kRelaxed) {
      // rest_k - sum_b x_b border_b(k) <= t, the least t.
      MatrixXd A = MatrixXd::Zero(r, borders + 1 + r);
      MatrixXd heights = (force.borders * rays).transpose();
      VectorXd scales = heights.colwise().lpNorm<Eigen::Infinity>().cwiseMax(1e-12);
      heights *= scales.cwiseInverse().asDiagonal();
      A.leftCols(borders) = -heights;
      A.col(borders).setConstant(-1);
      A.rightCols(r).setIdentity();
      VectorXd x;
      if (solveRounded(A, -rest, VectorXd::Unit(A.cols(), borders), x)) {
        const VectorXd shares = x.head(borders).cwiseMax(0.0);
        rest -= heights * shares;
        FanProof::Share& out = proof_.shares.emplace_back();
        out.cone = cone;
        std::sort(out.cone.begin(), out.cone.end());
        out.contact = force.contact;
        out.slip = force.slip;
        for (Index b = 0; b < borders; ++b)
          out.borders.emplace_back(shares[b] / scales[b] * factor / force.border_lengths[static_cast<size_t>(b)]);
        for (const int contact : force.again) {
          FanProof::Share copy = proof_.shares.back();
          copy.contact = contact;
          proof_.shares.push_back(std::move(copy));
        }
      }
    }
    const MatrixXd forms = rays.inverse();
    double sum = 0;
    for (Index k = 0; k < r; ++k) {
      if (rest[k] > 0) sum += rest[k] * rest[k] * forms.row(k).squaredNorm();
    }
    return std::sqrt(sum * static_cast<double>(r)) * factor * scale_.energy() / scale_.size();
  }

  const ExactProblem& exact_;
  const ExactQuantity& quantity_;
  int side_;
  KineticScale scale_;
  FanProof proof_;
  double goal_length_ = 1;
  std::vector<ScaledForce> forces_;
  std::map<std::pair<int, int>, double> known_;  // values of the last potential
  std::optional<Solved> current_, best_;
  double lastly_ = HUGE_VAL;                     // the smallest value, moves aside
  std::vector<double> reach_, uphill_;           // of each part: how far it moves next, and its last slope
};

}  // namespace

std::optional<FanProof> searchFan(const ImpactProblem& problem, const ExactProblem& exact,
                                  const ExactQuantity& quantity, int side, std::int64_t& work,
                                  const std::function<bool()>& goes_on) {
  return FanSearch(problem, exact, quantity, side).run(work, goes_on);
}

}  // namespace rigor::impact
