// SPDX-License-Identifier: MIT
#pragma once
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "verify/kernel/branch_proof.h"
#include "verify/kernel/rational.h"

namespace rigor::verify::kernel {

/// What is proved of the motion besides its gaps (docs/proof.md), each residual in its own unit:
enum class Law {
  kMomentum,         ///< |m dv - m g h - sum P| / (m V), a body and step, or a jump; of sums over windows kSumShare
  kAngularMomentum,  ///< the same of the angular momentum, / (m V l)
  kKinematics,       ///< |p' - v| h / 3 at the ends of pieces, / gap_nominal
  kCone,             ///< how far an impulse lies outside the friction cone, and all of a window, / (m V)
  kSupport,          ///< the gap of a contact that acts, where it is least in its step, / gap_nominal
  kSlip,             ///< what velocities at a contact would have to be off by for friction to be Coulomb's, / V
  kClosure,          ///< how far a joint is open, / gap_nominal; its axis, in radians times l
  kEnergy  ///< what bodies that act on each other gain beyond actuators and springs, / (m V^2); of windows kSumShare
};
constexpr std::size_t kLaws = 8;
/// Above these a bound says nothing, in the order of the laws.
constexpr double kLargestBounds[kLaws] = {0.1, 0.1, 1e6, 1e3, 1e6, 1e3, 1e6, 0.1};
const char* lawName(Law law);  ///< As in `rigor verify --json`.

/// The largest residual of each law that was proved, rounded to a double for people; decisions are exact.
struct Worst {
  double value = 0, time = 0;
};
using Residuals = std::array<Worst, kLaws>;

/// Of what is missing over a window of l / V, step by step from its start, this share counts: many short steps may not
/// add up to a body that floats.
constexpr double kSumShare = 0.25;

/// No impulse of a contact acts farther from the other body than this share of l.
constexpr double kFarthest = 0.1;

/// What a velocity column and its curve may differ by: roundings of control points, relative to them, and of the length
/// of a step, relative to its times and to itself.
constexpr double kControlRounding = 0x1p-45, kTimeRounding = 0x1p-52, kRateRounding = 1e-9;

/// The laws of motion in one branch. Kinematics and closure are proved of every record; the others where it says what
/// acted. Everything is rational in the record's doubles; the motion is the published one, momentum that of the
/// recorded velocities. discharge() may be called from any thread.
class Laws {
 public:
  /// @pre The proof is of well-formed rows, and outlives this object.
  explicit Laws(const BranchProof& proof);

  struct Duty {
    enum class Kind { kKinematics, kClosure, kBalance, kContact, kWrench, kEnergy } kind;
    std::uint32_t number, part = 0;  ///< kBalance: a body, and a window's first stretch; kEnergy: the first group.
  };
  const std::vector<Finding>& malformed() const { return malformed_; }
  const std::vector<Duty>& duties() const { return duties_; }
  /// Instants that were found: contacts and joints of a step ask for the same ones.
  using Instants = std::map<std::pair<const Piece*, double>, Instant>;
  /// What is open of it; the residuals of what is not go to `worst`.
  /// @param known  Empty, or what earlier calls of this object left in it; of one thread.
  std::vector<Finding> discharge(const Duty& duty, Residuals& worst, Instants& known) const;

  /// The record's, or that of all records of its kind; NaN where there is none.
  double boundOf(Law law) const;
  /// l of a body, rounded up: its size, that turns angles into lengths [m].
  double lengthOf(int body) const;

  // For filters, which prove some duties faster.
  /// What acts on a body, in 8 bytes (crowds have millions): a wrench or contact of an action, or the opposite of it.
  struct Source {
    std::uint32_t action, number : 30, is_wrench : 1, positive : 1;
    bool operator==(const Source&) const = default;
  };
  /// An impulse as one body felt it, of a wrench or of a contact.
  struct Felt {
    const Impulse* impulse;
    const Wrench* wrench;
    const Contact* contact;
    bool positive;  ///< As recorded, or the opposite.
    const Vector3& moment() const { return static_cast<const Twisting*>(impulse)->moment; }  ///< @pre wrench.
  };
  /// A body over a step: pieces [first, last]; or a jump: from the end of `first` to the start of `last`, either of
  /// which may be missing at the branch's ends.
  struct Stretch {
    int body = -1;
    bool jump = false;
    const Piece *first = nullptr, *last = nullptr;
    double t0 = 0, t1 = 0;
    std::vector<Source> sources;
    std::size_t group = 0;  ///< Of stretches that act on each other.
    bool holds(double time, const Action& action) const;
  };
  std::vector<Felt> feltBy(const Stretch& s) const;
  struct Scales {
    Rational mass, speed_sq, length;  ///< m, V^2, l
    Rational momentum_sq, spin_sq;    ///< (m V)^2 and (m V l)^2
    Rational grid, spin_grid;         ///< What sums of momenta and of spins are rounded to.
  };
  /// Of a duty to balance: those of a window, in order of time.
  std::span<const Stretch> window(const Duty& duty) const;
  /// What no impulse explains of the momentum and of the angular momentum about the body's first centre, and how far
  /// all impulses of contacts lie outside of their cones. @returns how often K was rounded to its grid.
  int missing(const Stretch& s, Rational3& P, Rational3& K, Rational& pull, Instants& known) const;
  using Group = std::span<const Stretch* const>;
  /// Of a duty about energy: those of a window of their first body, in order of time.
  std::span<const Group> groups(const Duty& duty) const;
  const Scales& scalesOf(int body) const { return scales_[static_cast<std::size_t>(body)]; }
  const Joint& jointOf(const Wrench& wrench) const;
  bool works(const Wrench& wrench) const;  ///< Its work counts: an actuator, or a joint with a spring.
  /// The one that ends at a time or holds it; `starts`: that starts there. @pre a body.
  const Piece& pieceAt(int body, double time, bool starts) const;

 private:
  /// Where it acts; the point of the other body nearest to it that is known; the normal, A to B.
  struct Point {
    Rational3 x, other, n;
  };

  void derive();
  void deriveStretches(int body);
  void deriveActions();
  /// Of a run that was killed: what acts on it may not be there yet.
  double windowOf(const Stretch& s) const;
  bool isOpen(const Stretch& s) const { return s.t1 > proof_.horizon() || (s.jump && s.t1 == proof_.horizon()); }
  void act(int on, int from, Source source, const Impulse& impulse);
  std::size_t rootOf(std::size_t group);
  Scales findScales(int body) const;
  /// At the ends of pieces the velocities are those of the record.
  const Instant& at(int body, double time, Instants& known, bool starts = false) const;
  Point pointOf(const Facing& contact, double time, Instants& known, bool with_other = true) const;
  Rational3 pointOf(const Wrench& wrench, double time, Instants& known) const;
  Rational3 velocityAt(const Facing& contact, const Rational3& x, double time, bool starts, Instants& known) const;
  Rational outside(const Facing& contact, const Rational3& P, const Rational3& n) const;
  Rational slipOff(const Facing& contact, const Rational3& P, const Rational3& n, Rational3 u,
                   const Rational& e_sq) const;
  Rational rebound(const Group& group, Instants& known) const;
  Rational beyondRestitution(const Group& group, Instants& known) const;
  std::optional<Rational3> response(int body, const Instant& at, const Rational3& x, const Rational3& P) const;
  Rational3 startVelocity(int body, Rational3& w) const;
  Rational3 spinOf(int body, const Instant& at, const Rational3& w) const;
  Rational energyOf(int body, const Instant& at, const Rational3& v, const Rational3& w) const;
  void velocities(const Stretch& s, bool end, Rational3& v, Rational3& w) const;
  /// residual^2 / scale^2 against the law's bound.
  std::optional<Finding> hold(Law law, const Rational& residual_sq, const Rational& scale_sq, double time, int a, int b,
                              Residuals& worst) const;

  using Findings = std::vector<Finding>;
  void kinematics(const Piece& piece, Findings& open, Residuals& worst) const;
  void closure(const Piece& child, std::size_t number, Findings& open, Residuals& worst) const;
  void balance(std::span<const Stretch> window, Findings& open, Residuals& worst, Instants& known) const;
  void contact(const Action& action, std::size_t number, Findings& open, Residuals& worst, Instants& known) const;
  void wrench(const Action& action, std::size_t number, Findings& open, Residuals& worst, Instants& known) const;
  void energy(std::span<const Group> groups, Findings& open, Residuals& worst, Instants& known) const;

  const BranchProof& proof_;
  const Run& run_;
  std::vector<Scales> scales_;
  std::vector<std::vector<Stretch>> stretches_;  // Of each body: jumps and steps, in order of time.
  std::vector<const Stretch*> members_;  // Those of a group follow each other.
  std::vector<Group> groups_;
  std::vector<std::size_t> root_;  // Of each group, another one that it is part of.
  std::vector<Finding> malformed_;
  std::vector<Duty> duties_;
};

}  // namespace rigor::verify::kernel
