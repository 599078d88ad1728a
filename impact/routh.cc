// SPDX-License-Identifier: MIT
#include "impact/routh.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "impact/problem_check.h"

#include "elementary/elementary.h"

namespace rigor::impact {
namespace {

// h in units of the stopping impulse for step = 1; step = 0.3 then resembles the published runs of order-one problems.
constexpr double kStoppingImpulses = 4;
// Wedged contacts need impulses far above those that stop each alone: a relative h doubles as often as this.
constexpr int kStepsPerDoubling = 20;
// Covering vectors of Lemke's method spread over this many octaves: wider ones meet more of the solutions, but spoil the
// pivots, of large problems sooner.
constexpr double kCoveringOctaves = 10, kCoveringOctavesTimesSize = 250;
// Paths that look for the solutions of a step; the more where several were found.
constexpr int kPaths = 2, kMostPaths = 4;
// Steps that return start where compressed contacts stand still, and paths prefer one solution there.
constexpr int kReturningPaths = 8;
// Limits far above the impulses of order one would only spoil digits; an answer that meets this one fails the LCP's check.
constexpr double kLargestLimit = 1e3;
// Directions of paths: normal parts over this many octaves, tangential ones up to this many times the normal part.
constexpr double kDirectionOctaves = 5, kDirectionSlope = 2;
// The limits of the last small step and of a sequential one, in units of the impulse that stops a contact alone.
constexpr double kAmpleImpulses = 10;
// Reductions of a step's returns, before it returns nothing.
constexpr int kCuts = 12;
// Work within this of the limit, relative to the kinetic energy before, is rounding.
constexpr double kWorkRounding = 1e-13;
// Natural-map residual of a step with round cones.
constexpr double kSmoothTolerance = 1e-11;

// Shares of the laws other than the independent one, each; the probability that rates at the corners are drawn anew; the rate
// of a contact that waits: not 0, so that steps have their limits.
constexpr double kLawShare = 0.2, kRedraw = 0.3, kIdleRate = 1e-6;

}  // namespace

void Routh::startLaw(bool mixed, RandomStream& random) {
  law_ = RouthLaw::kIndependent;
  choice_ = 0;
  if (!mixed) return;
  const double u = random.uniform();
  law_ = u <= kLawShare       ? RouthLaw::kPersistent
         : u <= 2 * kLawShare ? RouthLaw::kCorners
         : u <= 3 * kLawShare ? RouthLaw::kSequential
                              : RouthLaw::kIndependent;
  choice_ = law_ == RouthLaw::kIndependent ? 0 : random.uniform();
  rate_.assign(static_cast<std::size_t>(lcp_.numContacts()), 0.0);
  alone_ = -1;
}

void Routh::drawLimits(RandomStream& random, double h) {
  const int m = lcp_.numContacts();
  const auto approaches = [&](int i) { return lcp_.normalVelocity(i) < least_; };
  switch (law_) {
    case RouthLaw::kIndependent:
      for (double& limit : limit_) limit = h * random.uniform();
      return;
    case RouthLaw::kPersistent:
      if (rate_[0] == 0) {
        for (double& rate : rate_) rate = random.uniform();
      }
      break;
    case RouthLaw::kCorners: {
      bool pushes = false;
      for (int i = 0; i < m; ++i) pushes = pushes || (rate_[i] == 1 && approaches(i));
      if (pushes && random.uniform() > kRedraw) break;
      for (double& rate : rate_) rate = random.uniform() <= 0.5 ? 1 : kIdleRate;
      break;
    }
    case RouthLaw::kSequential: {
      if (alone_ >= 0 && approaches(alone_)) break;
      int count = 0;
      for (int i = 0; i < m; ++i) count += approaches(i);
      int skip = std::min(count - 1, static_cast<int>(random.uniform() * count));
      for (alone_ = 0; alone_ < m - 1 && (!approaches(alone_) || skip-- > 0); ++alone_) {
      }
      std::fill(rate_.begin(), rate_.end(), kIdleRate);
      rate_[alone_] = 1;
      break;
    }
  }
  for (int i = 0; i < m; ++i) limit_[i] = h * rate_[i];
}

void Routh::drawCovering(RandomStream& random) {
  covering_.resize(lcp_.numRouthUnknowns());
  const double octaves = std::min(kCoveringOctaves, kCoveringOctavesTimesSize / lcp_.numRouthUnknowns());
  for (double& c : covering_) c = elementary::exp2(-octaves * random.uniform());
}

// The direction of a path (step_path.h): as for covering vectors, and without a preference in the tangent plane.
const double* Routh::direction(int path, RandomStream& random) {
  const ContactRows& rows = path_.rows();
  directions_.resize(static_cast<std::size_t>(std::max(kMostPaths, kReturningPaths)) * rows.numRows());
  double* const result = directions_.data() + static_cast<std::size_t>(path) * rows.numRows();
  if (path < directions_drawn_) return result;
  ++directions_drawn_;
  for (std::size_t i = 0; i < rows.row.size(); ++i) {
    double* const d = result + rows.row[i];
    d[0] = elementary::exp2(-kDirectionOctaves * random.uniform());
    if (rows.tangents[i] == 1) d[1] = d[0] * kDirectionSlope * (2 * random.uniform() - 1);
    if (rows.tangents[i] == 2) {
      const double angle = 2 * std::numbers::pi * random.uniform(), slope = d[0] * kDirectionSlope * random.uniform();
      d[1] = slope * elementary::cos(angle), d[2] = slope * elementary::sin(angle);
    }
  }
  return result;
}

// b = J v / V, then the limits, scaled as in ContactRows. Returns the unit of the impulses.
double Routh::scaleStep(const ContactRows& rows) {
  const int r = rows.numRows(), m = lcp_.numContacts();
  const double speed = lcp_.velocityScale(), unit = speed / rows.inverse_mass_scale;
  scaled_.resize(r + 2 * static_cast<std::size_t>(m));
  Eigen::Map<Eigen::VectorXd> b(scaled_.data(), r);
  b.noalias() = rows.J * lcp_.velocity();
  b /= speed;
  for (int i = 0; i < m; ++i) {
    scaled_[r + i] = std::min(limit_[i] / unit, kLargestLimit);
    scaled_[r + m + i] = given_[i] / unit;
  }
  impulse_.resize(r);
  return unit;
}

LcpStatus Routh::takeSmoothStep(RandomStream& random) {
  const ContactRows& rows = smooth_step_.rows();
  const int r = rows.numRows(), m = lcp_.numContacts();
  const double unit = scaleStep(rows);
  if (smooth_step_.solve(scaled_.data(), scaled_.data() + r, scaled_.data() + r + m, kSmoothTolerance, nullptr, random) !=
      LcpStatus::kSolved) {
    return LcpStatus::kFailed;
  }
  for (int k = 0; k < r; ++k) impulse_[k] = smooth_step_.impulse()[k] * unit;
  return lcp_.applyImpulse(impulse_.data(), smooth_step_.residual());
}

LcpStatus Routh::takeStep(RandomStream& random, bool returns) {
  if (smooth_) return takeSmoothStep(random);
  if (chosen_ >= 0) return takeLoneStep(random);
  StepModes& modes = returns ? returning_modes_ : modes_;
  const bool enumerates = returns ? returning_enumerates_ : enumerates_;
  const ContactRows& rows = enumerates ? modes.rows() : path_.rows();
  const double unit = scaleStep(rows);
  const double *b = scaled_.data(), *limit = b + rows.numRows(), *scaled_given = returns ? limit + limit_.size() : nullptr;
  const double* given = returns ? given_.data() : nullptr;
  if (enumerates) {
    if (takeOneOf(modes, modes.solve(b, limit, scaled_given), unit, given, random)) return LcpStatus::kSolved;
  } else {
    path_.clear();
    int solutions = 0;
    for (int paths = 0; paths < (returns ? kReturningPaths : solutions > 1 ? kMostPaths : kPaths); ++paths)
      solutions = path_.collect(b, limit, direction(paths, random), scaled_given);
    if (takeOneOf(path_, solutions, unit, given, random)) return LcpStatus::kSolved;
  }
  drawCovering(random);
  return lcp_.solveRouthStep(lemke_, limit_.data(), covering_.data(), given);
}

// The step of the chosen contact, whose limit is the only one above 0.
LcpStatus Routh::takeLoneStep(RandomStream& random) {
  if (lone_enumerates_[chosen_]) {
    StepModes& modes = lone_modes_[chosen_];
    const ContactRows& rows = modes.rows();
    const double unit = lcp_.velocityScale() / rows.inverse_mass_scale;
    scaled_.resize(rows.numRows());
    Eigen::Map<Eigen::VectorXd> b(scaled_.data(), rows.numRows());
    b.noalias() = rows.J * lcp_.velocity();
    b /= lcp_.velocityScale();
    const double limit = std::min(limit_[chosen_] / unit, kLargestLimit), given = given_[chosen_] / unit;
    std::size_t first = 0, size = 0;
    for (int i = 0; i < lcp_.numContacts(); ++i) {
      if (i == chosen_) first = size;
      size += lcp_.numDirections(i) == 0 ? 1 : lcp_.numDirections(i) == 2 ? 2 : 3;
    }
    impulse_.assign(size, 0.0);
    if (takeOneOf(modes, modes.solve(b.data(), &limit, &given), unit, given_.data(), random, first)) return LcpStatus::kSolved;
  }
  return lcp_.solveOneContactStep(lemke_, chosen_, limit_[chosen_], given_[chosen_]);
}

// Takes one of the solutions of a step, all equally likely, that passes the check of the LCP; of a step that is repeated with
// smaller returns the one next to that taken before. Their impulses are those of all contacts' rows from `first` on.
template <typename Solutions>
bool Routh::takeOneOf(Solutions& solutions, int count, double unit, const double* given, RandomStream& random,
                      std::size_t first) {
  const std::size_t rows = solutions.rows().numRows();
  const auto distanceSq = [&](int k) {
    double sum = 0;
    for (std::size_t r = 0; r < rows; ++r) sum += (solutions.velocity(k)[r] - taken_[r]) * (solutions.velocity(k)[r] - taken_[r]);
    return sum;
  };
  const double u = !taken_.empty() ? 0 : choice_ > 0 ? choice_ : random.uniform();
  for (; count > 0; --count) {
    int k = std::min(count - 1, static_cast<int>(u * count));
    for (int other = 1; !taken_.empty() && other < count; ++other)
      if (distanceSq(other) < distanceSq(k)) k = other;
    for (std::size_t r = 0; r < rows; ++r) impulse_[first + r] = solutions.impulse(k)[r] * unit;
    if (lcp_.applyRouthStep(limit_.data(), impulse_.data(), LemkeOptions{}.tolerance, given) == LcpStatus::kSolved) {
      if (given) taken_.assign(solutions.velocity(k), solutions.velocity(k) + rows);
      return true;
    }
    solutions.drop(k);
  }
  return false;
}

// What steps that return impulses need, once a problem.
void Routh::prepareReturns(const ImpactProblem& problem, const ImpactOptions& options) {
  returns_prepared_ = true;
  const std::vector<double>& friction = lcp_.friction();
  returning_enumerates_ = returning_modes_.prepare(problem, friction, options.cone_edges, options.max_modes, true);
  if (!returning_enumerates_ && enumerates_) path_.prepare(problem, friction, options.cone_edges);
  const int m = lcp_.numContacts();
  lone_modes_.resize(m);
  lone_enumerates_.assign(m, false);
  ImpactProblem lone;
  lone.mass_matrix = problem.mass_matrix;
  lone.velocity = problem.velocity;
  for (int i = 0; i < m; ++i) {
    if (!(friction[i] > 0)) continue;
    lone.normal = problem.normal.row(i);
    lone.tangent = {problem.tangent[i]};
    lone_enumerates_[i] = lone_modes_[i].prepare(lone, {friction[i]}, options.cone_edges, options.max_modes, true);
  }
}

void Routh::startRestitution(const ImpactProblem& problem, const ImpactOptions& options, RandomStream& random) {
  const int m = lcp_.numContacts();
  restitution_ = std::any_of(problem.restitution.begin(), problem.restitution.end(), [](double e) { return e > 0; });
  sequential_ = false;
  if (!restitution_) return;
  capture_ = std::max(options.capture_speed, -least_);
  e_ = problem.restitution;
  for (auto* x : {&received_, &returned_, &work_in_, &work_out_, &owed_, &given_, &speed_, &total_}) x->assign(m, 0.0);
  sequential_ = random.uniform() <= kSequentialShare;
}

void Routh::drawSequentialStep(RandomStream& random) {
  const int m = lcp_.numContacts();
  const auto active = [&](int i) { return speed_[i] < least_ || owed_[i] > 0; };
  int count = 0;
  for (int i = 0; i < m; ++i) count += active(i);
  int skip = std::min(count - 1, static_cast<int>(random.uniform() * count));
  for (chosen_ = 0; !active(chosen_) || skip-- > 0; ++chosen_) {
  }
  std::fill(limit_.begin(), limit_.end(), 0.0);
  if (speed_[chosen_] < least_) {
    limit_[chosen_] = kAmpleImpulses * -speed_[chosen_] / lcp_.inverseMass(chosen_);
  } else {
    given_[chosen_] = owed_[chosen_];
  }
}

void Routh::drawReturns(RandomStream& random, double h) {
  for (int i = 0; i < lcp_.numContacts(); ++i) {
    if (owed_[i] > 0 && speed_[i] >= least_) given_[i] = std::min(owed_[i], h * random.uniform());
  }
}

// Whether the step that was taken returned too much; then given_ is reduced.
bool Routh::cutReturns() {
  bool cut = false;
  for (int i = 0; i < lcp_.numContacts(); ++i) {
    if (!(given_[i] > 0) || !(lcp_.friction()[i] > 0)) continue;
    // Along a step velocities change in proportion to the impulses: the work is the mean velocity's.
    const double change = lcp_.normalVelocity(i) - speed_[i];
    const double rounding = kWorkRounding * lcp_.energyBefore();
    double left = e_[i] * e_[i] * work_in_[i] - work_out_[i];
    if (given_[i] * (speed_[i] + 0.5 * change) <= left + rounding) continue;
    // A contact that was pressed without being compressed has nothing left but rounding, which must not decide its share.
    if (!(left > rounding)) left = 0;
    // Share s of the return with s g (v + s change / 2) = left, as if the others' shares were the same.
    const double root = std::sqrt(std::max(0.0, speed_[i] * speed_[i] + 2 * change * left / given_[i]));
    const double share = left > 0 && root + speed_[i] > 0 ? 2 * left / given_[i] / (root + speed_[i]) : 0;
    returned_[i] = e_[i] * received_[i];  // The rest is forgiven.
    given_[i] *= std::clamp(share, 0.0, 0.999);
    cut = true;
  }
  if (!cut && !(lcp_.energy() <= lcp_.energyBefore() * (1 + kImpactEnergyRounding))) {
    for (int i = 0; i < lcp_.numContacts(); ++i) {
      if (given_[i] > 0) returned_[i] = e_[i] * received_[i];
      given_[i] *= 0.5;
    }
    cut = true;
  }
  return cut;
}

LcpStatus Routh::takeReturningStep(RandomStream& random) {
  lcp_.save();
  for (int attempt = 0; attempt <= kCuts; ++attempt) {
    if (takeStep(random, true) != LcpStatus::kSolved) return LcpStatus::kFailed;
    if (!cutReturns()) return LcpStatus::kSolved;
    lcp_.restore();
  }
  std::fill(given_.begin(), given_.end(), 0.0);
  return takeStep(random, false);
}

// What the step did to every contact. Before it speed_ and total_ were set.
void Routh::account() {
  for (int i = 0; i < lcp_.numContacts(); ++i) {
    const double mean = 0.5 * (speed_[i] + lcp_.normalVelocity(i));
    const double received = lcp_.impulse()[i] - total_[i] - given_[i];
    received_[i] += received;
    work_in_[i] += std::max(0.0, -received * mean);
    work_out_[i] += given_[i] * mean;
    returned_[i] += given_[i];
    owed_[i] = std::max(0.0, e_[i] * received_[i] - returned_[i]);
    const double inverse_mass = lcp_.inverseMass(i);
    if (!(received_[i] * inverse_mass > capture_) || owed_[i] * inverse_mass <= -least_) owed_[i] = 0;
  }
}

/// @returns false where there are none.
bool Routh::mergeDuplicates(const ImpactProblem& problem) {
  const int m = problem.numContacts();
  const auto same = [&](int i, int j) {
    if (problem.friction[i] != problem.friction[j] || problem.normal.row(i) != problem.normal.row(j)) return false;
    if (!problem.restitution.empty() && problem.restitution[i] != problem.restitution[j]) return false;
    if (!(problem.friction[i] > 0)) return true;
    const Eigen::MatrixXd &a = problem.tangent[i], &b = problem.tangent[j];
    return a.rows() == b.rows() && a == b;
  };
  bool any = false;
  for (int j = 1; j < m && !any; ++j) {
    for (int i = 0; i < j && !any; ++i) any = same(i, j);
  }
  if (!any) return false;
  checkProblem(problem);
  first_of_.assign(m, -1);
  int count = 0;
  for (int j = 0; j < m; ++j) {
    bool known = false;
    for (int i = 0; i < j && !known; ++i) known = first_of_[i] >= 0 && same(i, j);
    if (!known) first_of_[j] = count++;
  }
  distinct_.mass_matrix = problem.mass_matrix;
  distinct_.velocity = problem.velocity;
  distinct_.normal.resize(count, problem.normal.cols());
  distinct_.tangent.resize(count);
  distinct_.friction.resize(count);
  distinct_.restitution.assign(problem.restitution.empty() ? 0 : count, 0.0);
  for (int j = 0; j < m; ++j) {
    const int k = first_of_[j];
    if (k < 0) continue;
    distinct_.normal.row(k) = problem.normal.row(j);
    distinct_.tangent[k] = j < static_cast<int>(problem.tangent.size()) ? problem.tangent[j] : Eigen::MatrixXd(0, problem.normal.cols());
    distinct_.friction[k] = problem.friction[j];
    if (!problem.restitution.empty()) distinct_.restitution[k] = problem.restitution[j];
  }
  return true;
}

void Routh::spreadImpulses(const ImpactProblem& problem, ImpactOutcome& outcome) const {
  std::vector<Eigen::VectorXd> spread;
  for (int j = 0; j < problem.numContacts(); ++j) {
    if (first_of_[j] >= 0) {
      spread.push_back(outcome.impulses[first_of_[j]]);
      continue;
    }
    int like = 0;  // A duplicate has as many components as the contact that it is like.
    while (first_of_[like] < 0 || problem.normal.row(like) != problem.normal.row(j)) ++like;
    spread.push_back(Eigen::VectorXd::Zero(outcome.impulses[first_of_[like]].size()));
  }
  outcome.impulses = std::move(spread);
}

ImpactStatus Routh::resolve(const ImpactProblem& problem, const ImpactOptions& options, RandomKey key,
                            ImpactOutcome& outcome) {
  const bool sized = problem.normal.rows() == static_cast<Eigen::Index>(problem.friction.size()) &&
                     problem.tangent.size() >= problem.friction.size() &&
                     (problem.restitution.empty() || problem.restitution.size() == problem.friction.size());
  if (!sized || !mergeDuplicates(problem)) return resolveDistinct(problem, options, key, outcome);
  const std::size_t traced = trace_ ? trace_->size() : 0;
  const ImpactStatus status = resolveDistinct(distinct_, options, key, outcome);
  if (status != ImpactStatus::kFailed) spreadImpulses(problem, outcome);
  for (std::size_t k = traced; trace_ && k < trace_->size(); ++k) spreadImpulses(problem, (*trace_)[k]);
  return status;
}

ImpactStatus Routh::resolveDistinct(const ImpactProblem& problem, const ImpactOptions& options, RandomKey key,
                                    ImpactOutcome& outcome) {
  const bool round = options.smooth_cone && std::any_of(problem.tangent.begin(), problem.tangent.end(),
                                                        [](const Eigen::MatrixXd& T) { return T.rows() > 1; });
  const std::size_t traced = trace_ ? trace_->size() : 0;
  const ImpactStatus status = drawSample(problem, options, key, round, outcome);
  if (!round || status != ImpactStatus::kFailed) return status;
  if (trace_) trace_->resize(traced);
  // Newton's method may fail on the round cone, Lemke's does not on the polygon.
  const ImpactStatus instead = drawSample(problem, options, key, false, outcome);
  if (instead == ImpactStatus::kResolved && outcome.note.empty()) outcome.note = kPolygonInstead;
  return instead;
}

ImpactStatus Routh::drawSample(const ImpactProblem& problem, const ImpactOptions& options, RandomKey key, bool round,
                               ImpactOutcome& outcome) {
  const bool was_smooth = smooth_;
  smooth_ = round;
  if (lcp_.prepare(problem, smooth_ ? ContactLcp::kRoundCones : options.cone_edges) || max_modes_ != options.max_modes ||
      smooth_ != was_smooth) {
    enumerates_ = !smooth_ && modes_.prepare(problem, lcp_.friction(), options.cone_edges, options.max_modes);
    if (smooth_) {
      smooth_step_.prepare(lcp_);
    } else if (!enumerates_) {
      path_.prepare(problem, lcp_.friction(), options.cone_edges);
    }
    max_modes_ = options.max_modes;
    returns_prepared_ = false;
  }
  outcome.note = {};
  const int m = lcp_.numContacts();
  least_ = -options.tolerance * lcp_.velocityScale();
  if (m == 0 || lcp_.smallestNormalVelocity() >= least_) {
    lcp_.publish(outcome);
    return ImpactStatus::kResolved;
  }
  double h = options.step_is_impulse ? options.step : options.step * kStoppingImpulses * lcp_.stoppingImpulse();
  if (!(h > 0)) return ImpactStatus::kFailed;
  RandomStream random(key);
  const bool elastic = std::any_of(problem.restitution.begin(), problem.restitution.end(), [](double e) { return e > 0; });
  startLaw(mixed_ && !elastic, random);
  limit_.resize(m);
  given_.assign(m, 0.0);
  startRestitution(problem, options, random);
  if (restitution_ && !smooth_ && !returns_prepared_) prepareReturns(problem, options);
  bool finished = false;
  double energy = lcp_.energyBefore();
  for (int step = 0; step < options.max_steps && !finished; ++step) {
    if (!options.step_is_impulse && step > 0 && step % kStepsPerDoubling == 0) h *= 2;
    drawLimits(random, h);
    bool returns = false;
    chosen_ = -1;
    if (restitution_) {
      for (int i = 0; i < m; ++i) speed_[i] = lcp_.normalVelocity(i), total_[i] = lcp_.impulse()[i], given_[i] = 0;
      if (sequential_) {
        drawSequentialStep(random);
      } else {
        drawReturns(random, h);
      }
      returns = std::any_of(given_.begin(), given_.end(), [](double g) { return g > 0; });
    }
    startStep();
    if ((returns ? takeReturningStep(random) : takeStep(random, false)) != LcpStatus::kSolved) return ImpactStatus::kFailed;
    const double after = lcp_.energy();
    const double most = returns ? lcp_.energyBefore() : energy;
    if (!(after <= most + kImpactEnergyRounding * lcp_.energyBefore())) return ImpactStatus::kFailed;
    energy = after;
    if (trace_) lcp_.publish(trace_->emplace_back());
    finished = lcp_.smallestNormalVelocity() >= least_;
    if (!restitution_) continue;
    account();
    if (2 * (step + 1) >= options.max_steps) {  // The other half of the steps ends the impact without.
      restitution_ = sequential_ = false;
      std::fill(given_.begin(), given_.end(), 0.0);
      if (std::any_of(owed_.begin(), owed_.end(), [](double x) { return x > 0; })) outcome.note = kRestitutionCut;
    } else {
      finished = finished && std::none_of(owed_.begin(), owed_.end(), [](double x) { return x > 0; });
    }
  }
  if (!finished && lcp_.smallestNormalVelocity() >= -kAlmostSeparating * lcp_.velocityScale()) {
    chosen_ = -1;
    std::fill(given_.begin(), given_.end(), 0.0);
    std::fill(limit_.begin(), limit_.end(), kAmpleImpulses * lcp_.stoppingImpulse());
    startStep();
    if (takeStep(random, false) != LcpStatus::kSolved) return ImpactStatus::kFailed;
    if (!(lcp_.energy() <= energy + kImpactEnergyRounding * lcp_.energyBefore())) return ImpactStatus::kFailed;
    if (trace_) lcp_.publish(trace_->emplace_back());
    finished = lcp_.smallestNormalVelocity() >= least_;
    if (finished) outcome.note = kSmallLastStep;
  }
  lcp_.publish(outcome);
  return finished ? ImpactStatus::kResolved : ImpactStatus::kUnfinished;
}

}  // namespace rigor::impact
