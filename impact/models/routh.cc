// SPDX-License-Identifier: MIT
#include "impact/models/routh.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "impact/problem/problem_check.h"

#include "elementary/elementary.h"
#include "impact/models/entries.h"
#include "impact/models/shared_options.h"

namespace rigor::impact {
namespace {

// h in units of the stopping impulse for step = 1; step = 0.3 then resembles the published runs of order-one problems.
constexpr double kStoppingImpulses = 4;
// Wedged contacts need impulses far above those that stop each alone: a relative h doubles as often as this.
constexpr int kStepsPerDoubling = 20;
// In the second half of the steps it doubles so often: mass ratios of 1e8 need impulses of 1e6 times those.
constexpr int kLateStepsPerDoubling = 4;
// Where a step that has grown so far does not end an impact, contacts are wedged: no larger one would.
constexpr double kWedgedGrowth = 1e6;
// Covering vectors of Lemke's method spread over this many octaves: wider ones meet more of the solutions, but spoil
// the pivots, of large problems sooner.
constexpr double kCoveringOctaves = 10, kCoveringOctavesTimesSize = 250;
// Paths that look for the solutions of a step; the more where several were found.
constexpr int kPaths = 2, kMostPaths = 4;
// Steps that return start where compressed contacts stand still, and paths prefer one solution there.
constexpr int kReturningPaths = 8;
// Limits far above the impulses of order one would only spoil digits; an answer that meets this one fails the LCP's
// check.
constexpr double kLargestLimit = 1e3;
// Directions of paths: normal parts over this many octaves, tangential ones up to this many times the normal part.
constexpr double kDirectionOctaves = 5, kDirectionSlope = 2;
// The limits of the last small step and of a sequential one, in units of the impulse that stops a contact alone.
constexpr double kAmpleImpulses = 10;
// Reductions of a step's returns, before it returns nothing.
constexpr int kCuts = 12;
// Parts of a step that are tried where contacts return energy, before what they owe is forgiven.
constexpr int kStepParts = 40;
// Steps that contacts may go on returning energy for, in units of max_steps, before as many without: light bodies
// between heavy ones rebound often.
constexpr int kReturningSteps = 1;
// Times that contacts return together what they owe.
constexpr int kReturnsTogether = 200;
// Work within this of the limit, relative to the kinetic energy before, is rounding.
constexpr double kWorkRounding = 1e-13;
// Natural-map residual of a step with round cones.
constexpr double kSmoothTolerance = 1e-11;

// Shares of the laws other than the independent one, each; the probability that rates at the corners are drawn anew;
// the rate of a contact that waits: not 0, so that steps have their limits.
constexpr double kLawShare = 0.2, kRedraw = 0.3, kIdleRate = 1e-11;
constexpr int kMostRedraws = 64;
// Of rates that last: the fastest contact that approaches has at least this one.
constexpr double kSlowestRate = 0.1;

constexpr std::string_view kRestitutionLaw = "restitution_law", kByEnergy = "energy", kByImpulse = "poisson";

bool rebounds(const ImpactProblem& problem) {
  return std::any_of(problem.restitution.begin(), problem.restitution.end(), [](double e) { return e > 0; });
}

bool polygonInstead(const ImpactOptions& options) {
  const auto found = options.own.find(kPolygonOption);
  return found == options.own.end() || std::get<bool>(found->second);
}

bool doublesAt(int step, int max_steps) {
  return step > 0 && step % (2 * step >= max_steps ? kLateStepsPerDoubling : kStepsPerDoubling) == 0;
}

bool returnsByEnergy(const ImpactOptions& options) {
  const auto found = options.own.find(kRestitutionLaw);
  return found == options.own.end() || std::get<std::string>(found->second) != kByImpulse;
}

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

/// Where all contacts that approach are slow a sample would take so many steps that h grows, and the limits of the
/// others with it, which then let them jump: the slow ones are lifted.
void Routh::drawLiftedLimits(double h) {
  double fastest = 0;
  for (int i = 0; i < lcp_.numContacts(); ++i) {
    if (lcp_.normalVelocity(i) < least_) fastest = std::max(fastest, rate_[i]);
  }
  const double lift = fastest > 0 && fastest < kSlowestRate ? kSlowestRate / fastest : 1;
  for (int i = 0; i < lcp_.numContacts(); ++i)
    limit_[i] = h * rate_[i] * (lcp_.normalVelocity(i) < least_ ? lift : 1);
}

void Routh::drawLimits(RandomStream& random, double h) {
  const int m = lcp_.numContacts();
  const auto acts = [&](int i) { return lcp_.normalVelocity(i) < least_ || (by_energy_ && returns_.returns(i)); };
  switch (law_) {
    case RouthLaw::kIndependent:
      for (double& limit : limit_) limit = h * random.uniform();
      return;
    case RouthLaw::kPersistent:
      if (rate_[0] == 0) {
        for (double& rate : rate_) rate = random.uniform();
      }
      if (!careful_) break;
      drawLiftedLimits(h);
      return;
    case RouthLaw::kCorners: {
      const auto anyPushes = [&] {
        for (int i = 0; i < m; ++i) {
          if (rate_[i] == 1 && acts(i)) return true;
        }
        return false;
      };
      if (anyPushes() && random.uniform() > kRedraw) break;
      for (int draw = 0; draw == 0 || (draw < kMostRedraws && !anyPushes()); ++draw) {
        for (double& rate : rate_) rate = random.uniform() <= 0.5 ? 1 : kIdleRate;
      }
      break;
    }
    case RouthLaw::kSequential: {
      if (alone_ >= 0 && acts(alone_)) break;
      int count = 0;
      for (int i = 0; i < m; ++i) count += acts(i);
      int skip = std::min(count - 1, static_cast<int>(random.uniform() * count));
      for (alone_ = 0; alone_ < m - 1 && (!acts(alone_) || skip-- > 0); ++alone_) {
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
  if (smooth_step_.solve(scaled_.data(), scaled_.data() + r, scaled_.data() + r + m, kSmoothTolerance, nullptr,
                         random) != LcpStatus::kSolved) {
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
  const double *b = scaled_.data(), *limit = b + rows.numRows(),
               *scaled_given = returns ? limit + limit_.size() : nullptr;
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

void Routh::noteStart() {
  for (int i = 0; i < lcp_.numContacts(); ++i) speed_[i] = lcp_.normalVelocity(i), total_[i] = lcp_.impulse()[i];
}

LcpStatus Routh::takeStepWithoutJump(RandomStream& random) {
  jumps_.begin(lcp_, !smooth_);
  lcp_.save();
  for (int cut = 0;; ++cut) {
    const LcpStatus status = takeStep(random, false);
    if (status != LcpStatus::kSolved || cut == StepJumps::kCuts || !jumps_.shorten(lcp_, limit_, given_)) return status;
    lcp_.restore();
  }
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
    if (takeOneOf(modes, modes.solve(b.data(), &limit, &given), unit, given_.data(), random, first))
      return LcpStatus::kSolved;
  }
  return lcp_.solveOneContactStep(lemke_, chosen_, limit_[chosen_], given_[chosen_]);
}

// Takes one of the solutions of a step, all equally likely, that passes the check of the LCP; of a step that is
// repeated with smaller returns the one next to that taken before. Their impulses are those of all contacts' rows from
// `first` on.
template <typename Solutions>
bool Routh::takeOneOf(Solutions& solutions, int count, double unit, const double* given, RandomStream& random,
                      std::size_t first) {
  const std::size_t rows = solutions.rows().numRows();
  const auto distanceSq = [&](int k) {
    double sum = 0;
    for (std::size_t r = 0; r < rows; ++r)
      sum += (solutions.velocity(k)[r] - taken_[r]) * (solutions.velocity(k)[r] - taken_[r]);
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
  sequential_ = false;
  if (!restitution_) return;
  capture_ = std::max(options.capture_speed, -least_);
  if (by_energy_) {
    const std::vector<double>& friction = lcp_.friction();
    frictionless_ = !smooth_ && std::all_of(friction.begin(), friction.end(), [](double mu) { return mu == 0; });
    returns_.start(problem, lcp_, capture_, least_);
    return;
  }
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
    // A contact that was pressed without being compressed has nothing left but rounding, which must not decide its
    // share.
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

// A step, and what contacts return in it, no further than where one of them has returned all that it owes.
LcpStatus Routh::takeEnergyStep(RandomStream& random) {
  for (int i = 0; i < lcp_.numContacts(); ++i)
    given_[i] = returns_.returns(i) ? std::min(limit_[i], returns_.wholeReturn(i)) : 0;
  if (careful_) jumps_.begin(lcp_, !smooth_);
  lcp_.save();
  for (int attempt = 0, cut = 0; attempt <= kStepParts; ++attempt) {
    const bool returns = std::any_of(given_.begin(), given_.end(), [](double g) { return g > 0; });
    if (takeStep(random, returns) != LcpStatus::kSolved) return LcpStatus::kFailed;
    if (careful_ && cut < StepJumps::kCuts && jumps_.shorten(lcp_, limit_, given_)) {
      ++cut;
      lcp_.restore();
      continue;
    }
    if (!returns_.shorten(lcp_, limit_, given_)) return LcpStatus::kSolved;
    lcp_.restore();
  }
  stuck_ = true;
  if (frictionless_) return LcpStatus::kSolved;  // closeAccounts() goes on.
  returns_.forgive();
  std::fill(given_.begin(), given_.end(), 0.0);
  return takeStep(random, false);
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

// Contacts without friction are stopped all at once, and return together what all of them owe, until none approaches.
// Between a light and a heavy body and a wall that is one of hundreds of rebounds.
bool Routh::returnTogether() {
  const int m = lcp_.numContacts();
  const double unit = lcp_.velocityScale() / lcp_.impulseScale();
  for (int time = 0; time < kReturnsTogether; ++time) {
    returns_.begin(lcp_);
    if (lcp_.smallestNormalVelocity() < least_ && lcp_.solveImpact(lemke_, nullptr) != LcpStatus::kSolved) return false;
    const double owed = returns_.takeAll(lcp_, limit_);
    double rate = 0, slope = 0;  // Of the energy, along these impulses.
    for (int i = 0; i < m; ++i) {
      rate += limit_[i] * lcp_.normalVelocity(i);
      for (int j = 0; j < m; ++j) slope += unit * limit_[i] * lcp_.delassus()(i, j) * limit_[j];
    }
    const double root = std::sqrt(std::max(0.0, rate * rate + 2 * slope * owed));
    const double scale = rate + root > 0 ? 2 * owed / (rate + root) : 0;
    for (double& impulse : limit_) impulse *= scale;
    if (lcp_.applyImpulse(limit_.data(), 0) != LcpStatus::kSolved) return false;
    if (trace_) lcp_.publish(trace_->emplace_back());
    if (lcp_.smallestNormalVelocity() >= least_) return true;
  }
  return false;
}

// The same from the start: rebounds one by one may have led to where they go on one by one.
bool Routh::startTogether() {
  lcp_.restart();
  returns_.restart();
  if (trace_) trace_->resize(traced_);
  return returnTogether();
}

// Books the step. With `last` nothing is owed any longer: the other half of the steps ends the impact without, where
// contacts cannot return it together. @returns whether a contact owes.
bool Routh::closeAccounts(bool last, ImpactOutcome& outcome) {
  if (by_energy_) returns_.account(lcp_);
  else account();
  const auto owed = [](double x) { return x > 0; };
  const bool owes = by_energy_ ? returns_.owesAny() : std::any_of(owed_.begin(), owed_.end(), owed);
  const bool held = by_energy_ && owes && returns_.isHeld();
  if (frictionless_ && (stuck_ || held)) last = true;
  if (last && (owes || (by_energy_ && lcp_.smallestNormalVelocity() < least_))) {
    outcome.note = frictionless_ && (returnTogether() || startTogether()) ? kReturnedTogether : kRestitutionCut;
  } else if (stuck_) {
    outcome.note = kRestitutionCut;
  }
  if (held && !last) {
    returns_.forgive();
    outcome.note = kRestitutionHeld;
    return false;
  }
  if (!last) return owes;
  restitution_ = by_energy_ = sequential_ = false;
  std::fill(given_.begin(), given_.end(), 0.0);
  return false;
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
    distinct_.tangent[k] =
        j < static_cast<int>(problem.tangent.size()) ? problem.tangent[j] : Eigen::MatrixXd(0, problem.normal.cols());
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
  if (!round || status != ImpactStatus::kFailed || !polygonInstead(options)) return status;
  if (trace_) trace_->resize(traced);
  // Newton's method may fail on the round cone, Lemke's does not on the polygon.
  if (!polygon_) polygon_ = std::make_unique<Routh>();
  polygon_->mixed_ = mixed_, polygon_->trace_ = trace_;
  const ImpactStatus instead = polygon_->drawSample(problem, options, key, false, outcome);
  if (instead == ImpactStatus::kResolved && outcome.note.empty()) outcome.note = kPolygonInstead;
  return instead;
}

// One more step, for contacts that almost separate or are wedged; where that does not end the impact and `unlimited`,
// one in which contacts receive what stops them all.
bool Routh::takeLastStep(RandomStream& random, bool unlimited, double energy) {
  const auto took = [&](LcpStatus status) {
    if (status != LcpStatus::kSolved || !(lcp_.energy() <= energy + kImpactEnergyRounding * lcp_.energyBefore()))
      return false;
    if (trace_) lcp_.publish(trace_->emplace_back());
    return true;
  };
  chosen_ = -1;
  std::fill(given_.begin(), given_.end(), 0.0);
  std::fill(limit_.begin(), limit_.end(), kAmpleImpulses * lcp_.stoppingImpulse());
  startStep();
  if (!took(takeStep(random, false))) return false;
  if (!unlimited || smooth_ || lcp_.smallestNormalVelocity() >= least_) return true;
  lcp_.save();
  const bool solved = lcp_.solveImpact(lemke_, nullptr) == LcpStatus::kSolved &&
                      lcp_.settle(lemke_, least_) == LcpStatus::kSolved;
  if (!took(solved ? LcpStatus::kSolved : LcpStatus::kFailed)) lcp_.restore();
  return true;
}

void Routh::prepareSteps(const ImpactProblem& problem, const ImpactOptions& options, bool round) {
  const bool was_smooth = smooth_;
  smooth_ = round;
  if (!lcp_.prepare(problem, smooth_ ? ContactLcp::kRoundCones : options.cone_edges) &&
      max_modes_ == options.max_modes && smooth_ == was_smooth)
    return;
  enumerates_ = !smooth_ && modes_.prepare(problem, lcp_.friction(), options.cone_edges, options.max_modes);
  if (smooth_) {
    smooth_step_.prepare(lcp_);
  } else if (!enumerates_) {
    path_.prepare(problem, lcp_.friction(), options.cone_edges);
  }
  max_modes_ = options.max_modes;
  returns_prepared_ = false;
}

ImpactStatus Routh::drawSample(const ImpactProblem& problem, const ImpactOptions& options, RandomKey key, bool round,
                               ImpactOutcome& outcome) {
  prepareSteps(problem, options, round);
  outcome.note = {};
  traced_ = trace_ ? trace_->size() : 0;
  const int m = lcp_.numContacts();
  least_ = -options.tolerance * lcp_.velocityScale();
  if (m == 0 || lcp_.smallestNormalVelocity() >= least_) {
    lcp_.publish(outcome);
    return ImpactStatus::kResolved;
  }
  double h = options.step_is_impulse ? options.step : options.step * kStoppingImpulses * lcp_.stoppingImpulse();
  if (!(h > 0)) return ImpactStatus::kFailed;
  const double first_h = h;
  RandomStream random(key);
  restitution_ = lcp_.smallestNormalVelocity() < -options.capture_speed && rebounds(problem);
  by_energy_ = restitution_ && returnsByEnergy(options);
  stuck_ = frictionless_ = false;
  // A file that gives the step means Halm and Posa's algorithm with it, to the letter.
  careful_ = !options.step_is_impulse && mixed_ && (by_energy_ || !restitution_);
  startLaw(careful_ || (by_energy_ && !options.step_is_impulse), random);
  limit_.resize(m);
  given_.assign(m, 0.0);
  startRestitution(problem, options, random);
  if (restitution_ && !smooth_ && !returns_prepared_) prepareReturns(problem, options);
  bool finished = false;
  double energy = lcp_.energyBefore();
  // Of problems with restitution the last steps end the impact without.
  const int returning = !restitution_ ? 0
                        : by_energy_  ? kReturningSteps * options.max_steps
                                      : (options.max_steps + 1) / 2;
  const int most_steps = by_energy_ ? returning + options.max_steps : options.max_steps;
  for (int step = 0; step < most_steps && !finished; ++step) {
    if (!options.step_is_impulse && doublesAt(step, options.max_steps)) h *= 2;
    if (2 * step >= options.max_steps)
      law_ = RouthLaw::kIndependent, choice_ = 0;  // Rates that last need not end an impact.
    bool returns = false;
    chosen_ = -1;
    if (by_energy_) returns_.begin(lcp_);
    drawLimits(random, h);
    if (restitution_ && !by_energy_) {
      noteStart();
      std::fill(given_.begin(), given_.end(), 0.0);
      if (sequential_) {
        drawSequentialStep(random);
      } else {
        drawReturns(random, h);
      }
      returns = std::any_of(given_.begin(), given_.end(), [](double g) { return g > 0; });
    }
    startStep();
    const LcpStatus status = by_energy_ ? takeEnergyStep(random)
                             : returns  ? takeReturningStep(random)
                             : careful_ ? takeStepWithoutJump(random)
                                        : takeStep(random, false);
    if (status != LcpStatus::kSolved) return ImpactStatus::kFailed;
    const double after = lcp_.energy();
    const double ceiling = returns || by_energy_ ? lcp_.energyBefore() : energy;
    if (!(after <= ceiling + kImpactEnergyRounding * lcp_.energyBefore())) return ImpactStatus::kFailed;
    energy = after;
    if (trace_) lcp_.publish(trace_->emplace_back());
    finished = lcp_.smallestNormalVelocity() >= least_;
    if (!restitution_) continue;
    const bool owes = closeAccounts(step + 1 >= returning, outcome);
    finished = lcp_.smallestNormalVelocity() >= least_ && !owes;
    energy = lcp_.energy();
  }
  const bool almost = lcp_.smallestNormalVelocity() >= -kAlmostSeparating * lcp_.velocityScale();
  const bool wedged = h >= kWedgedGrowth * first_h;
  if (!finished && (almost || wedged)) {
    if (!takeLastStep(random, wedged, energy)) return ImpactStatus::kFailed;
    finished = lcp_.smallestNormalVelocity() >= least_;
    if (finished) outcome.note = kSmallLastStep;
  }
  lcp_.publish(outcome);
  return finished ? ImpactStatus::kResolved : ImpactStatus::kUnfinished;
}

Model routhEntry() {
  ModelOption impulse{
      .name = "step",
      .meaning = "h, the largest impulse of one step of a sample",
      .unit = "N s",
      .least = 0,
      .above_least = true,
      .standard_in_words =
          "0.3 times four times the impulse that stops a contact alone: the same number of steps in all units",
      .place = ModelOption::Place::kProblem};
  impulse.write = [](ImpactOptions& options, const OptionValue& value) {
    assignOption(options.step, value);
    options.step_is_impulse = true;
  };
  impulse.read = [](const ImpactOptions& options) { return OptionValue(options.step); };
  ModelOption step = keptIn(
      {.name = "step",
       .meaning = "h relative to four times the impulse that stops a contact alone",
       .least = 0,
       .above_least = true,
       .place = ModelOption::Place::kScene},
      [](auto& o) -> auto& { return o.step; });
  ModelOption smooth = keptIn({.name = "smooth_cone", .kind = ModelOption::Kind::kTruth,
                               .meaning = "Coulomb's round cone for spatial contacts instead of a polygon",
                               .standard_in_words = "false in problems, in scenes true unless cone_edges is given"},
                              [](auto& o) -> auto& { return o.smooth_cone; });
  ModelOption steps = keptIn(
      {.name = "max_steps",
       .kind = ModelOption::Kind::kWhole,
       .meaning = "steps of a sample before it counts as unfinished",
       .least = 1,
       .most = 1'000'000},
      [](auto& o) -> auto& { return o.max_steps; });
  ModelOption modes = keptIn(
      {.name = "max_modes",
       .kind = ModelOption::Kind::kWhole,
       .meaning = "all solutions of a step are found where contact modes combine in at most so many ways, else those "
                  "that paths meet",
       .least = 0,
       .most = 1'000'000},
      [](auto& o) -> auto& { return o.max_modes; });
  ModelOption law{.name = std::string(kRestitutionLaw),
                  .kind = ModelOption::Kind::kWord,
                  .meaning =
                      "what a contact returns: e^2 of the work that it took in compression (Stronge), or e times the "
                      "impulse, at most that work",
                  .words = {std::string(kByEnergy), std::string(kByImpulse)},
                  .standard = std::string(kByEnergy)};
  ModelOption polygon{.name = std::string(kPolygonOption),
                      .kind = ModelOption::Kind::kTruth,
                      .meaning =
                          "with smooth_cone: a sample that Newton's method fails on is drawn with the polygon; runs do "
                          "so for up to 4 contacts",
                      .standard = true,
                      .place = ModelOption::Place::kProblem};
  return {.name = "routh", .gives = "samples of the set",
          .make = [] { return std::make_unique<Routh>(); },
          .options = {std::move(impulse), std::move(step), coneEdgesOption(), std::move(smooth), std::move(polygon),
                      std::move(steps), std::move(modes), std::move(law),
                      toleranceOption(), captureSpeedOption()},
          .draws_the_set = true};
}

}  // namespace rigor::impact
