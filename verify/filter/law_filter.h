// SPDX-License-Identifier: MIT
#pragma once
#include <span>
#include <vector>

#include "verify/filter/ball_vector.h"
#include "verify/kernel/laws.h"

namespace rigor::verify::filter {

/// The laws of motion of what acts (kernel::Laws) in doubles that carry a bound of all roundings. One per thread: it
/// remembers where bodies were last.
class LawFilter {
 public:
  /// @pre Both outlive this object.
  LawFilter(const kernel::BranchProof& proof, const kernel::Laws& laws);

  /// "True" is a proof that nothing of the duty is open, and `worst` then holds no less than its residuals. Balance,
  /// contacts and energy; false of everything else.
  bool proves(const kernel::Laws::Duty& duty, kernel::Residuals& worst) const;
  /// The same of balances and energies, step by step: links of a robot ask for each other's instants.
  /// @param proved  Of each: whether it is.
  void prove(std::span<const kernel::Laws::Duty> duties, kernel::Residuals& worst, std::vector<char>& proved) const;

  using Stretch = kernel::Laws::Stretch;
  /// As kernel::Laws::Missing, from above.
  struct Missing {
    BallVector P, K;
    double pull = 0, lag = 0;
    void add(const Missing& other);
  };
  /// @param exact  What the kernel says.
  Missing missingOf(const Stretch& s, bool exact) const;
  /// Whether that much may be missing of a body over a window.
  bool mayBeMissing(int body, const Missing& sum, double time, kernel::Residuals& worst) const;

 private:
  using Group = kernel::Laws::Group;
  /// m, and V and l from below.
  struct Size {
    double mass = 0, speed = 0, length = 0, shown = 0, share = 1;
    bool frame = false;  ///< No mass: only what acts on it counts.
  };
  struct Point {
    BallVector x, gap, n;
  };
  struct Remembered {
    const kernel::Piece* piece = nullptr;
    double time = 0;
    BallInstant at;
    bool moves = false;  ///< v and w are known.
  };
  /// Of a body: the piece that was asked for last, and its start, its end and two instants between.
  struct Memory {
    const kernel::Piece* last = nullptr;
    Remembered slots[4];
    BallVector spins[2];  ///< I w at the ends of a piece,
    const kernel::Piece* spins_of[2] = {};
  };
  const kernel::Piece& pieceAt(int body, double time, bool starts) const;
  Remembered& remember(int body, double time, bool starts) const;
  const BallVector& spinAtEnd(const kernel::Piece& piece, bool end) const;
  const BallPose& poseAt(int body, double time, bool starts) const;
  const BallInstant& at(int body, double time, bool starts) const;
  BallVector worldPoint(const BallPose& at, int body, const kernel::Vector3& vertex) const;
  BallVector cornerOf(const BallPose& at, int body, int part, int corner) const;
  static bool addReach(const BallPose& at, const kernel::Part& shape, const BallVector& n, BallVector& x);
  bool touchingPoint(const BallPose& at, int body, int part, int corner, const BallVector& n, BallVector& x) const;
  bool pointOf(const kernel::Facing& contact, const BallPose& a, const BallPose& b, Point& point,
               bool with_gap = true) const;
  double extentOf(const BallPose& at, int body, int part, const BallVector& n) const;
  bool leans(const kernel::Facing& contact, const BallPose& a, const BallPose& b, const BallVector& n) const;
  bool nearestOfPart(int body, int part, const BallPose& at, const BallVector& x, const BallVector& n,
                     BallVector& y) const;
  void velocities(const Stretch& s, bool end, BallVector& v, BallVector& w) const;
  BallVector spinOf(int body, const BallPose& at, const BallVector& w) const;
  bool missing(const Stretch& s, Missing& off) const;
  bool isWithin(int body, const Missing& off, double share, double of_mass, double time,
                kernel::Residuals& worst) const;
  /// As kernel::LawProof::Late.
  struct Late {
    BallVector P, K;
    bool touches = false;
  };
  double lagOf(const Stretch& s, const Late& late) const;
  double amiss(const Stretch& s, const kernel::Laws::Felt& felt, const Point& at_impulse) const;
  BallVector turnOf(int body, const BallPose& at, const BallVector& spin) const;
  struct Window;
  Window windowOf(const kernel::Laws::Duty& duty) const;
  bool advance(Window& window, double until, kernel::Residuals& worst) const;
  bool balances(Window& window, const Stretch& s, kernel::Residuals& worst) const;
  bool contactHolds(const kernel::Contact& contact, const kernel::Action& action, kernel::Residuals& worst) const;
  bool impulseHolds(const kernel::Facing& contact, const kernel::Action& action, const kernel::Impulse& impulse,
                    kernel::Residuals& worst) const;
  double outside(const kernel::Facing& contact, const BallPose& a, const BallPose& b, const BallVector& P,
                 const Point& point) const;
  double risingAt(const kernel::Facing& contact, const BallVector& P, double end) const;
  double slipOff(const kernel::Facing& contact, const BallVector& P, const BallVector& n, BallVector u) const;
  /// The joint that carries a body, and its axis in the parent's frame.
  struct Carrier {
    const kernel::Joint* joint = nullptr;
    bool shared = false;        ///< With another joint; then nothing is proved.
    BallVector axis, from, to;  ///< Two perpendicular to it that lie on each other at coordinate 0, in the links.
  };
  Carrier carrierOf(int body) const;
  Ball rateOf(const Carrier& carrier, const BallInstant& parent, const BallInstant& child) const;
  Ball rateOf(const Carrier& carrier, double time, bool starts) const;
  bool staysWithin(const Stretch& s, const Carrier& carrier) const;
  bool reachesLimit(const Stretch& s, const Carrier& carrier, const Ball& push) const;
  bool addSpring(const Stretch& s, const Carrier& carrier, double near, Ball& acts) const;
  bool coordinateOf(const Carrier& carrier, double time, bool starts, double near, Ball& q) const;
  BallInstant endOf(Stretch s, int body, bool end) const;
  bool addKept(const Stretch& s, Ball& gain) const;
  bool ballHolds(const Stretch& s, const kernel::Joint& joint, BallVector& all, kernel::Residuals& worst) const;
  /// What joints do along their axes that is not explained: of one axis, or of all three.
  struct Acts {
    Ball along;
    BallVector turning;
  };
  /// A duty that sums up over a window, and how far it is proved.
  struct Window {
    std::span<const Stretch> stretches;
    std::span<const Group> groups;
    std::size_t next = 0;
    Missing off;
    Acts acts;
    double gain = 0;
    bool held = true;
    /// Infinity behind the last.
    double nextEnd() const;
  };
  bool loopHolds(const Stretch& s, const kernel::Laws::Felt& felt) const;
  bool wrenchesHold(const Stretch& s, Acts& all, kernel::Residuals& worst) const;
  bool unexplained(const Stretch& s, const Carrier& carrier, Ball& acts) const;
  bool takeFriction(const Ball& start, const Ball& end, const Ball& brake, double speed, Ball& acts) const;
  BallVector pointOf(const kernel::Wrench& wrench, double time) const;
  bool energyHolds(Window& window, const Group& group, kernel::Residuals& worst) const;
  double gainOf(const Group& group, double& scale) const;
  bool fallsBack(const Group& group, kernel::Residuals& worst) const;
  bool risesByRestitution(const Group& group, const Stretch& s, const kernel::Facing& contact, const Point& point,
                          kernel::Residuals& worst) const;
  bool returnsNoMore(const Group& group, kernel::Residuals& worst) const;
  bool hold(kernel::Law law, double residual, double scale, double time, kernel::Residuals& worst) const;

  const kernel::BranchProof& proof_;
  const kernel::Laws& laws_;
  const kernel::Run& run_;
  const bool crowd_;
  const double still_;  ///< Of V: what is slower may stick.
  std::vector<Size> sizes_;
  std::vector<Carrier> carriers_;  // By body.
  BallInstant world_;
  mutable std::vector<Memory> memory_;  // By body.
};

}  // namespace rigor::verify::filter
