// SPDX-License-Identifier: MIT
#include "impact/models/plus.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "elementary/elementary.h"
#include "impact/lcp/contact_lcp.h"
#include "impact/models/entries.h"
#include "impact/models/shared_options.h"
#include "impact/problem/field_error.h"

namespace rigor::impact {
namespace {

// Slip below this share of the largest contact speed before counts as rolling, unless the caller says otherwise.
constexpr double kRollingShare = 1e-4;
// A slip that turns by less than this [rad] within an interval is straight.
constexpr double kStraight = 1e-9;
// Largest angle between a friction and the slip of its interval's middle, as a share of theta_max, and the trials for
// it.
constexpr double kMissedTurn = 0.1;
constexpr int kCorrections = 8;
// Gain of energy of one interval that is rounding, relative to the energy before the impact.
constexpr double kPlusEnergyRounding = 1e-13;
// Intervals, those that end a round apart, before intervals are made coarser: a base, and per contact a full turn. From
// then on, every so many intervals, theta_max doubles and the rolling speed grows tenfold. Where every slip may end
// within the interval, an interval ends its round.
constexpr int kIntervalBase = 100;
constexpr int kCoarseIntervals = 50;
constexpr int kMostCoarsenings = 20;
constexpr double kCoarserTurn = 2, kCoarsestTurn = 0.5, kCoarserRolling = 10;
// Free rounds: a base and per contact. Later a contact that does not rebound stays closed while others push it in, and
// approaches slower than this, relative to the largest contact speed before, do not rebound: the limit of the geometric
// sequence that contacts pushing each other in would go on with. The limit grows by a factor a round.
constexpr int kFreeRounds = 10, kFreeRoundsPerContact = 2;
constexpr double kSlowApproach = 1e-6, kSlowApproachGrowth = 1.05;
constexpr double kClosedSpeed = 1e-9;
constexpr int kClosingRounds = 20;

using Role = ImpactPoint::Role;
using Slip = ImpactPoint::Slip;

// Largest theta_max that files may give [rad]: below a right angle.
constexpr double kLargestTurn = 1.5;

// Uchida's restitution of a contact that hits at `speed`: 1 for the slowest, falling to e at the plastic speed; 0:
// always e.
double reboundAt(double e, double speed, double plastic) {
  return plastic > 0 && speed < plastic ? 1 - (1 - e) * speed / plastic : e;
}

}  // namespace

// @returns false where nothing is left to do.
bool Plus::assignRoles(const ImpactProblem& problem, const ImpactOptions& options, int round) {
  const Eigen::VectorXd& u = rows_.contactVelocity();
  const int m = rows_.numContacts();
  const int late = round - (kFreeRounds + kFreeRoundsPerContact * m);
  const bool settling = late >= 0, closing = round >= kMaxRounds;
  const double capture = options.capture_speed / rows_.velocityScale();
  const double plastic = options.plus.plastic_speed / rows_.velocityScale();
  const double slow = settling ? kSlowApproach * elementary::power(kSlowApproachGrowth, late) : 0;
  bool any = false;
  for (int k = 0; k < m; ++k) {
    ImpactPoint& point = points_[k];
    const double e = problem.restitution.empty() ? 0 : problem.restitution[k];
    const bool approaches = !(u[3 * k] >= least_);
    const bool expands = !closing && expansion_[k] > 0;
    any = any || expands || approaches;
    const bool stays = closing || (settling && closed_[k] && u[3 * k] < kClosedSpeed);
    point.role = expands ? Role::kExpanding : approaches || stays ? Role::kCompressing : Role::kObserving;
    rebound_[k] = !closing && point.role == Role::kCompressing && -u[3 * k] > std::max(capture, slow)
                      ? reboundAt(e, -u[3 * k], plastic)
                      : 0;
    if (point.role == Role::kCompressing) closed_[k] = rebound_[k] == 0;
    compression_[k] = 0;
    if (!expands) expansion_[k] = 0;
  }
  return any;
}

// The part of the interval that may be taken, Eq. (2.12)-(2.14): up to the sliding-to-rolling transition of a contact,
// or up to the largest turn of its slip. Where the impulse was not made to end the round (a jam), up to the first
// contact that leaves faster than `overshoot_`.
double Plus::reach(bool jammed) const {
  const Eigen::VectorXd& u = rows_.contactVelocity();
  double length = 1;
  for (int k = 0; k < rows_.numContacts(); ++k) {
    const ImpactPoint& point = points_[k];
    if (!(p_[3 * k] > 0)) continue;
    if (jammed && point.role == Role::kCompressing && change_[3 * k] > 0)
      length = std::min(length, std::max(0.0, overshoot_ - u[3 * k]) / change_[3 * k]);
    if (point.slip != Slip::kSlides) continue;
    const Eigen::Vector2d start = u.segment<2>(3 * k + 1), change = change_.segment<2>(3 * k + 1);
    if ((start + change).norm() < rolling_speed_) continue;
    const double closest = -start.dot(change) / change.squaredNorm();
    if (closest > 0 && closest < 1 && (start + closest * change).norm() < rolling_speed_) {
      length = std::min(length, closest);
      continue;
    }
    // |start x change| a = tan(theta) (start.start + a start.change)
    const double turn = std::abs(start.x() * change.y() - start.y() * change.x());
    const double rate = turn - tan_turn_ * start.dot(change);
    if (rate > 0) length = std::min(length, tan_turn_ * start.squaredNorm() / rate);
  }
  return length;
}

// Takes the sliding directions of the middle of an interval of length `length` instead of those of its start.
bool Plus::bend(double length) {
  const Eigen::VectorXd& u = rows_.contactVelocity();
  bool turned = false;
  for (int k = 0; k < rows_.numContacts(); ++k) {
    ImpactPoint& point = points_[k];
    if (point.slip != Slip::kSlides || !(p_[3 * k] > 0)) continue;
    const Eigen::Vector2d middle = u.segment<2>(3 * k + 1) + 0.5 * length * change_.segment<2>(3 * k + 1);
    const double slip = middle.norm();
    if (!(slip > 0)) continue;
    const double sine = (point.direction.x() * middle.y() - point.direction.y() * middle.x()) / slip;
    if (std::abs(sine) < kStraight) continue;
    point.direction = middle / slip;
    turned = true;
  }
  return turned;
}

// Largest angle between the friction directions and the slips of the middle of an interval.
double Plus::mismatch(double length) const {
  const Eigen::VectorXd& u = rows_.contactVelocity();
  double worst = 0;
  for (int k = 0; k < rows_.numContacts(); ++k) {
    const ImpactPoint& point = points_[k];
    if (point.slip != Slip::kSlides || !(p_[3 * k] > 0)) continue;
    const Eigen::Vector2d middle = u.segment<2>(3 * k + 1) + 0.5 * length * change_.segment<2>(3 * k + 1);
    const double sine = point.direction.x() * middle.y() - point.direction.y() * middle.x();
    worst = std::max(worst, std::abs(sine) / std::max(middle.norm(), rolling_speed_));
  }
  return worst;
}

// The interval with friction along the slip of its middle: the error is then of second order in theta_max. Where a slip
// is drawn to a direction so strongly that the middle is missed, the interval is shortened.
double Plus::correct(double length) {
  start_points_ = points_;
  start_p_ = p_;
  start_change_ = change_;
  for (int trial = 0; trial < kCorrections; ++trial) {
    if (!bend(length)) return length;
    ++solves_;
    if (solver_.solve(rows_, rows_.contactVelocity(), points_, p_) == IntervalStatus::kSolved) {
      residual_ = std::max(residual_, solver_.residual());
      change_.noalias() = rows_.A() * p_;
      const double reached = std::min(length, reach(false));
      const double missed = mismatch(reached) / (kMissedTurn * tan_turn_);
      if (missed <= 1 || trial == kCorrections - 1) return reached;
      length = reached * std::clamp(0.9 / missed, 0.1, 0.7);
    } else {
      length *= 0.1;
    }
    points_ = start_points_;
    p_ = start_p_;
    change_ = start_change_;
  }
  return length;
}

// Sliding contacts may have no impulse that stops their approach: friction presses them in faster than the normal
// impulse lifts them, until the slip ends. In the rigid limit impulse goes on accumulating. The normal impulses are
// then those of the problem in which slip may end within the interval, which always has a solution; friction is that of
// sliding.
bool Plus::solveJam() {
  const int m = rows_.numContacts();
  const Eigen::VectorXd& u = rows_.contactVelocity();
  for (ImpactPoint& point : points_)
    if (point.slip == Slip::kSlides) point.slip = Slip::kRolls;
  if (solver_.solve(rows_, u, points_, p_) != IntervalStatus::kSolved) return false;
  ++solves_;
  overshoot_ = 0;
  for (int k = 0; k < m; ++k) {
    if (points_[k].role != Role::kObserving)
      overshoot_ = std::max(overshoot_, tan_turn_ * u.segment<3>(3 * k).cwiseAbs().maxCoeff());
  }
  std::vector<ImpactPoint>& pushed = saved_points_;
  for (int attempt = 0; attempt <= m; ++attempt) {
    pushed.assign(points_.begin(), points_.end());
    for (int k = 0; k < m; ++k) {
      ImpactPoint& point = pushed[k];
      const double slip = u.segment<2>(3 * k + 1).norm();
      point.slip = rows_.numTangents(k) > 0 && slip >= rolling_speed_ ? Slip::kSlides : Slip::kRolls;
      if (point.slip == Slip::kSlides) point.direction = u.segment<2>(3 * k + 1) / slip;
      if (point.role != Role::kCompressing) continue;
      point.role = p_[3 * k] > 0 ? Role::kExpanding : Role::kObserving;
      point.expansion = p_[3 * k];
    }
    if (solver_.solve(rows_, u, pushed, saved_p_) != IntervalStatus::kSolved) return false;
    ++solves_;
    change_.noalias() = rows_.A() * saved_p_;
    // A contact that leaves already is not pushed further.
    bool dropped = false;
    for (int k = 0; k < m; ++k) {
      if (points_[k].role != Role::kCompressing || !(p_[3 * k] > 0)) continue;
      if (u[3 * k] > 0.5 * overshoot_ && change_[3 * k] > 0) p_[3 * k] = 0, dropped = true;
    }
    if (dropped) continue;
    for (int k = 0; k < m; ++k) {
      points_[k].slip = pushed[k].slip;
      points_[k].direction = pushed[k].direction;
      points_[k].active = points_[k].role == Role::kCompressing && pushed[k].role == Role::kExpanding;
    }
    p_ = saved_p_;
    return p_.cwiseAbs().maxCoeff() > 0;
  }
  return false;
}

// Energy that the contacts may still add, in the rows' units.
double Plus::spendable() const {
  const double unit = rows_.velocityScale() * rows_.impulseScale();
  return (rows_.energyBefore() * (1 + kPlusEnergyRounding) - rows_.energy()) / unit;
}

Plus::Progress Plus::interval(int round) {
  const int m = rows_.numContacts();
  const Eigen::VectorXd& u = rows_.contactVelocity();
  bool slides = false;
  for (int k = 0; k < m; ++k) {
    ImpactPoint& point = points_[k];
    point.expansion = expansion_[k];
    const double slip = u.segment<2>(3 * k + 1).norm();
    point.slip = rows_.numTangents(k) > 0 && slip >= rolling_speed_ ? Slip::kSlides : Slip::kRolls;
    if (point.slip == Slip::kSlides) point.direction = u.segment<2>(3 * k + 1) / slip;
    slides = slides || (point.slip == Slip::kSlides && point.role != Role::kObserving);
  }
  ++solves_;
  bool jammed = false;
  if (solver_.solve(rows_, u, points_, p_) != IntervalStatus::kSolved) {
    if (!slides || !solveJam()) return Progress::kStuck;
    jammed = true;
  } else {
    residual_ = std::max(residual_, solver_.residual());
  }
  change_.noalias() = rows_.A() * p_;
  double length = reach(jammed);
  if (slides && !jammed) length = correct(length);
  // E(a) = u.p a + p.A p a^2 / 2; expansion ends where it would exceed what the impact has.
  const double slope = u.dot(p_), curve = 0.5 * change_.dot(p_), spend = spendable();
  bool spent = false;
  const bool expands =
      std::any_of(points_.begin(), points_.end(), [](const auto& q) { return q.role == Role::kExpanding; });
  if (expands && slope * length + curve * length * length > spend && curve > 0) {
    const double root = std::sqrt(std::max(0.0, slope * slope + 4 * curve * std::max(spend, 0.0)));
    const double limit = slope >= 0 ? 2 * std::max(spend, 0.0) / (slope + root) : (root - slope) / (2 * curve);
    if (limit < length) length = limit, spent = true;
  }
  if (!(length >= 0)) return Progress::kStuck;
  p_ *= length;
  rows_.apply(p_);
  for (int k = 0; k < m; ++k) {
    if (points_[k].role == Role::kCompressing) compression_[k] += p_[3 * k];
    if (points_[k].role == Role::kExpanding) expansion_[k] = spent ? 0 : (1 - length) * expansion_[k];
  }
  if (spent) note_ = "expansion stopped where it would have added energy";
  if (trace_) trace_->push_back({round, length, points_, rows_.velocity()});
  return length == 1 && !jammed ? Progress::kRoundEnds : Progress::kContinues;
}

ImpactStatus Plus::finish(ImpactStatus status, ImpactOutcome& outcome) {
  rows_.publish(outcome);
  outcome.lcps = solves_;
  outcome.residual = residual_;
  outcome.note = note_;
  return status;
}

ImpactStatus Plus::resolve(const ImpactProblem& problem, const ImpactOptions& options, RandomKey,
                           ImpactOutcome& outcome) {
  if (!(options.plus.theta_max > 0 && options.plus.theta_max < 0.5 * std::numbers::pi))
    throw FieldError("plus.theta_max", "theta_max must be in (0, pi/2)");
  if (!(options.plus.rolling_speed >= 0)) throw FieldError("plus.rolling_speed", "rolling_speed must not be negative");
  if (!(options.plus.plastic_speed >= 0)) throw FieldError("plus.plastic_speed", "plastic_speed must not be negative");
  rows_.prepare(problem);
  const int m = rows_.numContacts();
  least_ = -options.tolerance;
  tan_turn_ = elementary::tan(options.plus.theta_max);
  rolling_speed_ = options.plus.rolling_speed > 0 ? options.plus.rolling_speed / rows_.velocityScale() : kRollingShare;
  solves_ = 0;
  residual_ = 0;
  note_ = {};
  points_.assign(m, {});
  rebound_.assign(m, 0);
  compression_.assign(m, 0);
  expansion_.assign(m, 0);
  closed_.assign(m, 0);
  if (trace_) trace_->clear();
  double turn = options.plus.theta_max;
  int intervals = 0, coarsenings = 0;
  int allowed = kIntervalBase + static_cast<int>(m * std::min(2 * std::numbers::pi / turn, 1e6));
  for (int round = 0; round < kMaxRounds + kClosingRounds; ++round) {
    if (!assignRoles(problem, options, round)) break;
    if (round >= kMaxRounds) note_ = "the impact rounds did not end; closed by a plastic round";
    Progress progress = Progress::kContinues;
    while (progress == Progress::kContinues && coarsenings <= kMostCoarsenings) {
      progress = interval(round);
      if (progress != Progress::kContinues || ++intervals < allowed) continue;
      note_ = "slips that keep turning were followed with coarser intervals";
      ++coarsenings;
      allowed += kCoarseIntervals;
      turn = std::max(turn, std::min(kCoarserTurn * turn, kCoarsestTurn));
      tan_turn_ = elementary::tan(turn);
      rolling_speed_ *= kCoarserRolling;
    }
    if (progress == Progress::kStuck) {
      note_ = "an interval has no impulse that satisfies its conditions";
      return finish(ImpactStatus::kFailed, outcome);
    }
    if (progress == Progress::kContinues) {
      note_ = "a round has too many intervals";
      return finish(ImpactStatus::kUnfinished, outcome);
    }
    for (int k = 0; k < m; ++k) expansion_[k] = rebound_[k] * compression_[k];
  }
  for (int k = 0; k < m; ++k) {
    if (rows_.contactVelocity()[3 * k] >= least_) continue;
    note_ = "contacts still approach after the last round";
    return finish(ImpactStatus::kUnfinished, outcome);
  }
  if (!(rows_.energy() <= rows_.energyBefore() * (1 + kImpactEnergyRounding))) {
    note_ = "the impact gained energy";
    return finish(ImpactStatus::kFailed, outcome);
  }
  return finish(ImpactStatus::kResolved, outcome);
}

Model plusEntry() {
  ModelOption turn = keptIn(
      {.name = "plus.theta_max",
       .meaning = "largest change of a sliding direction within an interval",
       .unit = "rad",
       .least = 0,
       .most = kLargestTurn,
       .above_least = true},
      [](auto& o) -> auto& { return o.plus.theta_max; });
  ModelOption rolling = keptIn(
      {.name = "plus.rolling_speed",
       .meaning = "slip slower than this counts as rolling; 0: 1e-4 of the largest contact speed",
       .unit = "m/s",
       .least = 0},
      [](auto& o) -> auto& { return o.plus.rolling_speed; });
  ModelOption plastic = keptIn(
      {.name = "plus.plastic_speed",
       .meaning =
           "contacts that hit at v slower than this rebound with 1 - (1 - e) v / plastic_speed instead of e; 0: with e",
       .unit = "m/s",
       .least = 0},
      [](auto& o) -> auto& { return o.plus.plastic_speed; });
  return {
      .name = "plus",
      .gives = "one outcome (docs/plus.md)",
      .make = [] { return std::make_unique<Plus>(); },
      .options = {std::move(turn), std::move(rolling), std::move(plastic), toleranceOption(), captureSpeedOption()},
      .plastic_speed = [](const ImpactOptions& options) { return options.plus.plastic_speed; }};
}

}  // namespace rigor::impact
