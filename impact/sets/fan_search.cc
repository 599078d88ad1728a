// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>

#include "elementary/elementary.h"
#include "impact/problem/matrix_factors.h"
#include "impact/sets/fan_cuts.h"
#include "impact/sets/fan_moves.h"
#include "impact/sets/fan_selection.h"
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
// A further division costs about this many times what the last one did, and to meet all rows at the end as many times.
constexpr double kDearer = 1.4, kToMeetAll = 3;
// Divisions in a row that lower the potential at the start by less than this share of it, after which it ends.
constexpr double kProgress = 2e-3;
constexpr int kMostIdle = 4;
// Moves in a row that lower the potential at the start by less than this share of it, or by less than this part of what
// the last division did for as much work, after which edges are divided. Poor ones may only have been too long.
constexpr double kWorthMoving = 0.01, kOfDivision = 0.5;
constexpr int kMostPoor = 4;
// Of the work left, what moves may take before the next division.
constexpr double kForMoves = 0.25;
// How far rays of length one move at once, at most; at first and after a division at least half and a quarter of it.
constexpr double kReach = 0.15;
// What the potential falls by, as a part of what was expected: a poor step, after which the reach is halved, and a good
// one, after which it grows.
constexpr double kPoorStep = 0.3, kGoodStep = 0.6, kShorter = 0.5, kLonger = 1.4;
// Work of the program that must meet all rows for the proof, at most.
constexpr std::int64_t kToFinish = std::int64_t{1} << 50;
// Potentials that are kept: where cones became thin the last one may not be proved.
constexpr size_t kMostBests = 3;
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
    const Fan first(exact_, scale_, kMostCones);
    if (!first.whole()) return {};
    Fan fan = first;
    double least = HUGE_VAL;
    for (int idle = 0;;) {
      const std::int64_t before = work;
      const RowStatus status = solve(fan, goal, goes_on, work);
      const auto took = static_cast<double>(before - work);
      if (status == RowStatus::kEnded) break;
      if (status == RowStatus::kDiverged && current_) {
        // Cones that became thin by moves may leave no inside: from the beginning, with rays that stay.
        if (!moves_) break;
        moves_ = false;
        current_.reset();
        known_.clear();
        fan = first;
        least = HUGE_VAL;
        idle = 0;
        continue;
      }
      if (status == RowStatus::kSolved) {
        rate_ = current_->value < least && least < HUGE_VAL ? elementary::log(least / current_->value) / took : 0;
        if (moves_) moveRays(goal, goes_on, work);
        idle = current_->value < (1 - kProgress) * least ? 0 : idle + 1;
        least = std::min(least, current_->value);
        if (bests_.empty() || current_->value < bests_.back()->value) bests_.push_back(current_);
        if (bests_.size() > kMostBests) bests_.erase(bests_.begin());
        if (idle > kMostIdle) break;
        fan = current_->fan;
      }
      if (work < static_cast<std::int64_t>((kDearer + kToMeetAll) * took) || !divideEdges(fan)) break;
    }
    for (; !bests_.empty(); bests_.pop_back()) {
      Solved best = *bests_.back();
      if (meetAllRows(best, work) && prove(best.fan, best.growth, best.solution.x)) return std::move(proof_);
    }
    return {};
  }

 private:
  struct Solved {
    Fan fan;
    FanGrowth growth;
    RowSolution solution;
    double value = 0;
  };

  /// The potential on a fan, from guess(growth), where that is not empty. It may break some rows a little, but where it
  /// has no guess: what is divided or moved next changes more than that.
  template <typename Guess>
  RowStatus potentialOn(const Fan& fan, const VectorXd& goal, Guess&& guess,
                        const std::function<bool()>& goes_on, std::int64_t& work, std::shared_ptr<Solved>& out) const {
    FanGrowth growth(fan, forces_, goal);
    work -= static_cast<std::int64_t>(growth.program().rows());
    if (growth.program().rows() > kMostRows) return RowStatus::kEnded;
    RowSolution solution{guess(growth), {}};
    const RowStatus status = solveByFewRows(growth, true, goes_on, work, solution);
    if (status != RowStatus::kSolved) return status;
    const double value = growth.program().cost.dot(solution.x);
    out = std::make_shared<Solved>(Solved{fan, std::move(growth), std::move(solution), value});
    return status;
  }

  RowStatus solve(const Fan& fan, const VectorXd& goal, const std::function<bool()>& goes_on, std::int64_t& work) {
    std::shared_ptr<Solved> made;
    RowStatus status = potentialOn(
        fan, goal, [&](const FanGrowth& growth) { return guess(growth); }, goes_on, work, made);
    if (status == RowStatus::kDiverged && current_)  // Guesses may lie in a corner.
      status = potentialOn(fan, goal, [](const FanGrowth&) { return VectorXd(); }, goes_on, work, made);
    if (made) keep(std::move(made));
    return status;
  }

  /// From where few rows end, else from all of them: what was found last may lie in a corner.
  bool meetAllRows(Solved& solved, std::int64_t& work) const {
    const auto always = [] { return true; };
    const VectorXd guess = solved.solution.x;
    std::int64_t more = kToFinish;
    RowStatus status = solveByFewRows(solved.growth, false, always, more, solved.solution);
    if (status != RowStatus::kSolved) {
      solved.solution = {guess, {}, true};
      status = solveRows(solved.growth.program(), always, more, solved.solution);
    }
    work -= kToFinish - more;
    return status == RowStatus::kSolved;
  }

  /// Moves all rays while that lowers W(start).
  void moveRays(const VectorXd& goal, const std::function<bool()>& goes_on, std::int64_t& work) {
    const auto until = static_cast<std::int64_t>((1 - kForMoves) * static_cast<double>(work));
    for (int poor = 0; poor < kMostPoor && work > until && stepRays(goal, goes_on, work, poor);) {
    }
  }

  /// One step, the best one as far as slopes tell. @returns false at the end of work.
  bool stepRays(const VectorXd& goal, const std::function<bool()>& goes_on, std::int64_t& work, int& poor) {
    const std::shared_ptr<const Solved> from = current_;
    const std::int64_t begun = work;
    RayMoves moves;
    const RowStatus status =
        chooseMoves(from->fan, from->growth, forces_, goal, from->solution.x, reach_, goes_on, work, moves);
    if (status == RowStatus::kEnded) return false;
    Fan fan = from->fan;
    std::shared_ptr<Solved> made;
    // Few rows may have no least value.
    if (status == RowStatus::kSolved && moves.value > 0 && fan.move(std::move(moves.ways))) {
      const auto expected = [&](const FanGrowth&) { return moves.values; };
      if (potentialOn(fan, goal, expected, goes_on, work, made) == RowStatus::kEnded) return false;
    }
    if (!made || !(made->value < from->value)) {
      ++poor;
      reach_ *= kShorter * kShorter;
      return true;
    }
    const double gain = elementary::log(from->value / made->value);
    const double part = (from->value - made->value) / (from->value - moves.value);
    if (!(part > kPoorStep)) reach_ *= kShorter;
    if (part > kGoodStep) reach_ = std::min(reach_ * kLonger, kReach);
    const bool worth = gain > kWorthMoving && gain > kOfDivision * rate_ * static_cast<double>(begun - work);
    poor = worth ? 0 : poor + 1;
    keep(std::move(made));
    return true;
  }

  /// @returns false where no edge promises anything.
  bool divideEdges(Fan& fan) {
    const size_t count = std::max(kLeastCuts, static_cast<size_t>(fan.numRays()) / kShareOfRays);
    const std::vector<EdgeCut> cuts =
        current_ ? chooseCuts(fan, current_->growth, current_->solution.multipliers, count) : obtuseEdges(fan, count);
    for (const EdgeCut& cut : cuts) {
      if (current_) {
        divide(fan, cut);
      } else {
        fan.cut(cut.a, cut.b, cut.part);
      }
    }
    reach_ = std::max(reach_, kReach / 4);
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
  void keep(std::shared_ptr<const Solved> made) {
    current_ = std::move(made);
    known_.clear();
    for (const auto& [rays, column] : current_->growth.columns()) known_[rays] = current_->solution.x[column];
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
    proof_.values.clear();
    proof_.shares.clear();
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
    const MatrixXd forms = inverseOf(rays);
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
  std::shared_ptr<const Solved> current_;
  std::vector<std::shared_ptr<const Solved>> bests_;  // the least at the end
  bool moves_ = true;
  double reach_ = kReach / 2;
  double rate_ = 0;                              // of the last division: fall of the logarithm of W(start) for its work
};

}  // namespace

std::optional<FanProof> searchFan(const ImpactProblem& problem, const ExactProblem& exact,
                                  const ExactQuantity& quantity, int side, std::int64_t& work,
                                  const std::function<bool()>& goes_on) {
  return FanSearch(problem, exact, quantity, side).run(work, goes_on);
}

}  // namespace rigor::impact
