// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "verify/kernel/branch_proof.h"
#include "verify/kernel/contact_point.h"
#include "verify/kernel/guess.h"

namespace rigor::verify::kernel {

/// Above these a bound says nothing.
constexpr PerLaw<double> kLargestBounds{{0.1, 0.1, 1e6, 1e6, 1e6, 1e3, 1e6, 0.1, 0.1}};
/// Of what is missing over a window, step by step from its start, this share counts: many short steps may not add up to
/// a body that floats. The window has this many l / V: what a run misses again and again adds up, what it misses once
/// does not. That of energy has one: methods may gain some in each. What contacts pull counts by kPullShare: in l / V
/// gravity gives what bounds permit. What momenta of light links miss so is measured by their own mass, and kLinksShare
/// of their robot's: many links may not add up to a robot that floats.
constexpr double kWindow = 8;
constexpr double kSumShare = 0.2, kSumShareSq = kSumShare * kSumShare, kPullShare = 0.4, kLinksShare = 1e-2;

/// Where nothing slips friction has no bound: slip that it allows is where hardly anything presses. Friction of this
/// many times the normal impulse, and more, acts against it (squared).
constexpr double kNoSlipSq = 100;

/// A limit pushes at most so many gaps away from it, times l where the joint turns: runs know it to three of them times
/// the length of the smallest body, which may be that much shorter. Limits that lie nearer to each other than
/// kLessThanATurn [rad] tell an angle from others by turns.
constexpr double kLimitGaps = 1000, kLessThanATurn = 6;

/// A contact's normal is none where the parts overlap along it by more than this share of l, and this many times what a
/// contact may be open, as both turn by as much before it acts: all that acts there counts as pulled.
constexpr double kLean = 1e-3, kTurned = 4;
/// Over a window a body is shown off its velocities by at most kShownInWindow of l times the largest V / V (errors of T
/// come to .016), and kShown of the way that they say; kSwing of it may be what acts to and fro in a step.
constexpr double kShown = 0.01, kSwing = 0.25, kShownInWindow = 0.02;

/// What slides slower than this share of V may stick: what friction misses counts above. At a jump that is what it
/// misses beyond what the slip may turn in between, by kTurnsSlip times all that pushes the body / m.
constexpr double kStill = 0.005, kStillOfMany = 0.02, kTurnsSlip = 1.5;
/// Friction of a joint acts at a jump for as long as hits count as one event, in l / V.
constexpr double kBrief = 0.02;
/// Rebounds are known better than slips: what they miss counts so often, of more than three bodies what is too high.
constexpr double kRebound = 3;
inline bool isCrowd(const Run& run) { return std::ranges::count(run.model.bodies, false, &Body::fixed) > 3; }
/// No impulse acts farther from the other body than a share of l beyond kTurned times what it may be open, or a tenth.
constexpr double kFar = 0.01, kFarthest = 0.1;

/// What a velocity column and its curve may differ by: roundings of control points, relative to them, and of the length
/// of a step, relative to its times and to itself; and an actuator's impulse at its limit, relative.
constexpr double kControlRounding = 0x1p-45, kTimeRounding = 0x1p-52, kRateRounding = 1e-9, kEffortRounding = 0x1p-20;

/// A sum of fractions, whose denominators would grow without end: each is raised to a grid of some scale's digits.
class Sum {
 public:
  explicit Sum(const Rational& scale_sq) : place_(guessPlace(scale_sq.get_d())) {}
  void add(const Rational3& x);
  void add(const Rational& x) { add(Rational3(Number3(x.x, 0, 0), x.over)); }
  void add(const Sum& b) { sum_.add(b.sum_), error_.add(b.error_); }
  Rational3 sum() const { return sum_; }     ///< In no coordinate less than what was added,
  Rational error() const { return error_; }  ///< and at most this more.
  Rational square() const;                   ///< No less than that of what was added.

 private:
  int place_;
  Number error_;
  Number3 sum_;
};

/// The laws of motion in one branch: what is to be proved. Kinematics and closure of every record; the others where it
/// says what acted. Everything is rational in the record's doubles; the motion is the published one, momentum that of
/// the recorded velocities. discharge() may be called from any thread.
class Laws {
 public:
  /// @pre The proof is of well-formed rows and of a model without faults, whose bounds mean something where it says
  /// what acted (prove.h); it outlives this object.
  explicit Laws(const BranchProof& proof);

  struct Duty {
    enum class Kind { kKinematics, kClosure, kContact, kBalance, kEnergy } kind;
    /// Of a piece, body or action; of stretches, groups, contacts or joints.
    std::uint32_t number, first = 0, last = 0;
    double time = 0;  ///< When what it is about starts.
  };
  const std::vector<Finding>& malformed() const { return malformed_; }
  /// In order of time, as links and what touches ask for the same instants; what sums up over windows together.
  const std::vector<Duty>& duties() const { return duties_; }
  /// Instants that were found, and where contacts act then: contacts and joints of a step ask for the same ones.
  struct Instants {
    std::map<std::pair<const Piece*, double>, Instant> of_pieces;
    std::map<std::pair<const Facing*, double>, ContactPoint> of_contacts;
  };
  /// What is open of it; the residuals of what is not go to `worst`.
  /// @param known  Empty, or what earlier calls of this object left in it; of one thread.
  std::vector<Finding> discharge(const Duty& duty, Residuals& worst, Instants& known) const;

  /// An impulse as one body felt it, of a contact or a wrench.
  struct Felt {
    const Impulse* impulse;
    const Facing* contact;
    const Wrench* wrench;
    bool positive;  ///< As recorded, or the opposite.
    const Vector3& moment() const { return static_cast<const Twisting*>(impulse)->moment; }  ///< @pre wrench.
  };
  /// A body over a piece, which both are; or a jump: from the end of `first`, if there is one, to the start of `last`.
  struct Stretch {
    int body = -1;
    bool jump = false;
    const Piece *first = nullptr, *last = nullptr;
    double t0 = 0, t1 = 0;
    std::vector<Felt> felt;
    std::size_t group = 0;  ///< Of stretches that act on each other.
    bool holds(double time, const Action& action) const;
    /// A jump at which nothing acts and no velocity changes: nothing is missing, as pieces join.
    bool isNone() const {
      return jump && first && felt.empty() && std::equal(first->velocity + 6, first->velocity + 12, last->velocity);
    }
  };
  using Group = std::span<const Stretch* const>;
  /// Of a duty to balance: a body's stretches in a window, in order of time. Of one about energy: groups whose first
  /// stretches are those of one body in a window.
  std::span<const Stretch> window(const Duty& d) const { return {&stretches_[d.number][d.first], d.last - d.first}; }
  std::span<const Group> groups(const Duty& d) const { return {&groups_[d.first], d.last - d.first}; }

  struct Scales {
    Rational mass, length, speed_sq;  ///< m, l, V^2
    /// (m V)^2, (m V l)^2, the square of kShownInWindow's length; of the first, what counts where a link balances.
    Rational momentum_sq, spin_sq, shown_sq, share_sq = 1;
    int heaviest = -1;  ///< Of a robot's links, the first one.
    double window = 0;  ///< About l / V [s].
  };
  const Scales& scalesOf(int body) const { return scales_[static_cast<std::size_t>(body)]; }
  int lighterOf(const Facing& contact) const;  ///< Of its bodies, of those that move.
  /// l of a body, rounded up: its size, that turns angles into lengths [m].
  double lengthOf(int body) const { return scalesOf(body).length.get_d() * (1 + 2 * Rational::kRounding); }
  /// What no impulse explains of a body's momentum, and of its angular momentum about its first centre; how far all
  /// impulses of contacts lie outside of their cones, and friction off what slides; how far it is shown off its
  /// velocities [m].
  struct Missing {
    Rational3 P;
    Sum K, pull, along, lag;  ///< along: joints' axes.
    Rational braked;          ///< By friction of joints at jumps.
    explicit Missing(const Scales& scales)
        : K(scales.spin_sq), pull(scales.momentum_sq), along(scales.spin_sq), lag(square(scales.length)) {}
  };
  Missing missing(const Stretch& s, Instants& known) const;
  const BranchProof& proof() const { return proof_; }
  const Joint& jointOf(const Wrench& wrench) const { return run_.model.robots[wrench.robot].joints[wrench.joint]; }
  /// Those that this body carries, as their child or as the parent of one that is fixed.
  const std::vector<const Joint*>& jointsOf(int body) const { return joints_[static_cast<std::size_t>(body)]; }
  /// A joint with a spring or a rotor whose energy is not known, as nobody knows how often it turned, or along which of
  /// its axes: what it does counts as work.
  static bool isWound(const Joint& j) {
    const bool known = j.type == JointType::kPrismatic ||
                       (j.type == JointType::kRevolute && j.upper - j.lower < kLessThanATurn);
    return (j.stiffness != 0 && !known) || (j.armature > 0 && j.type == JointType::kUniversal && j.coupled);
  }
  /// Its work counts.
  bool works(const Wrench& w) const {
    return w.source == Wrench::Source::kActuator || (w.source == Wrench::Source::kJoint && isWound(jointOf(w)));
  }
  /// The one that ends at a time or holds it; `starts`: that starts there. @pre a body.
  const Piece& pieceAt(int body, double time, bool starts) const;

 private:
  void deriveStretches(int body);
  void deriveActions();
  void act(const Action& action, Felt felt, int on, int from);
  void deriveGroups();
  std::size_t rootOf(std::size_t group);

  const BranchProof& proof_;
  const Run& run_;
  std::vector<Scales> scales_;
  std::vector<std::vector<const Joint*>> joints_;  // Of each body.
  std::vector<std::vector<Stretch>> stretches_;  // Of each body: jumps and steps, in order of time.
  std::vector<const Stretch*> members_;          // Those of a group follow each other.
  const Stretch* geared_ = nullptr;  // The last that a gear of the action at hand acts on.
  std::vector<Group> groups_;
  std::vector<std::size_t> root_;  // Of each group, another one that it is part of.
  std::vector<Finding> malformed_;
  std::vector<Duty> duties_;
};

}  // namespace rigor::verify::kernel
