// SPDX-License-Identifier: MIT
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>
/// What the kernel proves about: a recorded run as plain data (docs/proof.md). Who fills these structs has only read;
/// the kernel relies on nothing about their values, and takes each double as the rational it is. SI units, world axes
/// unless said otherwise, quaternions [w x y z] that mean M(q)/(q.q). Bodies, parts, joints, branches: by index.
namespace rigor::verify::kernel {

using Vector3 = std::array<double, 3>;
using Quaternion = std::array<double, 4>;
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();  ///< A number that the record does not give.

/// A convex part in the body's frame: the hull of its vertices, or { x : normal.x <= offset } of a fixed body. Or a
/// round solid: all within `radius` of a core, a point or a segment; with an axis, in planes across it (a cylinder).
/// Its vertices lie inside.
struct Part {
  bool half_space = false;
  std::vector<Vector3> vertices;
  std::vector<Vector3> core;  ///< Not empty: round. Contacts number its points after the vertices: corner().
  double radius = 0;
  Vector3 axis{};  ///< Any length; zero: none.
  Vector3 normal{};
  double offset = 0;
  const Vector3& corner(int i) const { return i < std::ssize(vertices) ? vertices[i] : core[i - std::ssize(vertices)]; }
};

struct Body {
  std::string name;
  bool fixed = false;
  double mass = 0;                  ///< [kg]
  std::array<double, 6> inertia{};  ///< About the centre, body axes: xx yy zz xy xz yz [kg m^2].
  Vector3 centre{};                 ///< Body-fixed point that pieces follow, body frame. Fixed bodies: 0, their origin.
  double friction = 0, restitution = 0;
  bool no_slip = false;
  Vector3 position{};  ///< Of the body's origin at t = 0; of a fixed body for ever.
  Quaternion orientation{1, 0, 0, 0};
  Vector3 velocity{}, angular_velocity{};  ///< Of the origin at t = 0, before anything acts there.
  int robot = -1;                          ///< Number in Model::robots; -1: none.
  std::vector<Part> parts;
};

/// kUniversal turns about `axis`, then about `axis2`; kPlanar moves across `axis`; kOther with parent -1 floats freely.
enum class JointType { kFixed, kRevolute, kPrismatic, kSpherical, kUniversal, kPlanar, kOther };

/// Two links share a frame but for one coordinate: child frame = parent frame, then turned about or moved along `axis`.
struct Joint {
  std::string name;
  JointType type = JointType::kFixed;
  int parent = -1, child = -1;  ///< Bodies; parent -1: the world.
  Vector3 parent_point{};       ///< The joint's frame in the parent's body frame [m].
  Quaternion parent_frame{1, 0, 0, 0};
  Vector3 child_point{};  ///< The same frame, at coordinate 0, in the child's.
  Quaternion child_frame{1, 0, 0, 0};
  Vector3 axis{0, 0, 1};   ///< In the joint's frame, any length but zero. The coordinate is along axis/|axis|.
  Vector3 axis2{0, 0, 1};  ///< kUniversal: the same, in the child's frame.
  double lower = -std::numeric_limits<double>::infinity(), upper = std::numeric_limits<double>::infinity();
  double effort = std::numeric_limits<double>::infinity();  ///< Largest of its actuator [N m] or [N].
  bool coupled = false;  ///< It hands on what another joint does.
  bool loop = false;    ///< It closes a loop: the child hangs on another joint, too, and no coordinate is this one's.
  double damping = 0, friction = 0, armature = 0, stiffness = 0, rest = 0;  ///< What acts along its axis, too.
};

struct Robot {
  std::string name;
  std::vector<Joint> joints;
  bool driven = false;  ///< By a controller: else its actuators do nothing.
};

struct Model {
  Vector3 gravity{};
  std::vector<Body> bodies;
  std::vector<Robot> robots;
  std::vector<std::array<int, 2>> ignored_pairs;  ///< Links of one robot that may pass through each other.
};

/// A body's motion over [t0, t1]: Bezier control points of its centre and of its quaternion, the first degree + 1 each.
struct Piece {
  std::int64_t id = 0;    ///< Row of the record, for messages.
  std::int64_t step = 0;  ///< Of the event loop: for tables.
  int body = -1, p_degree = 0, q_degree = 0;
  double t0 = 0, t1 = 0;
  double p[4][3], q[4][4];
  double velocity[12];  ///< v of the centre and w at the start; the same at the end.
  bool still() const { return p_degree == 0 && q_degree == 0; }
};

/// Two parts and an axis from A to B: kind 0 fixed in A, 1 fixed in B, 2 the normal of two edges. A half-space is A.
struct Facing {
  int body_a = -1, part_a = -1, body_b = -1, part_b = -1, kind = -1;
  Vector3 axis{};                      ///< Kinds 0 and 1.
  int a0 = 0, a1 = 0, b0 = 0, b1 = 0;  ///< Kind 2: vertices of the parts.
};

/// A separating axis over [t0, t1] (docs/record-format.md).
struct Claim : Facing {
  std::int64_t id = 0;
  double t0 = 0, t1 = 0;
  double gap = 0;                ///< [m]
  double cross = 0, cosine = 0;  ///< Kind 2 [m^2].
};

/// P [N s] at an instant.
struct Impulse {
  double time = 0;
  Vector3 P{};
};
/// Of a wrench: also a moment [N m s] about the joint's point (of the child).
struct Twisting : Impulse {
  Vector3 moment{};
};

/// What one contact did. P acts on B and -P on A, both at one point: kind 0: vertex `a0` of B, against A along `axis`
/// (in A's frame); kind 1: vertex `a0` of A, against B along `axis` (in B's frame); kind 2: the point of A's edge a0 a1
/// nearest to B's edge b0 b1. The contact's normal is the axis, from A to B, as that of a claim.
struct Contact {
  std::shared_ptr<const Facing> facing;  ///< Contacts of many steps share one: crowds have hundreds of thousands.
  std::vector<Impulse> impulses;
};

/// What one joint did: on the child at the joint's point, the opposite on the parent. kJoint: what keeps it together,
/// damping and friction included.
struct Wrench {
  enum class Source { kJoint, kActuator, kLimit };
  Source source = Source::kJoint;
  int robot = -1, joint = -1;
  std::vector<Twisting> impulses;
};

/// Everything that acted besides gravity over a step (t0 < t1), or at a jump (t0 = t1): impacts, projections, stops.
/// All instants lie in [t0, t1]. An instant belongs to the piece that ends there or holds it; that of t0 < t1 to the
/// one that starts there. Of a jump all rows at its time count together, between the pieces that end and start there.
struct Action {
  std::int64_t id = 0;
  double t0 = 0, t1 = 0;
  std::vector<Contact> contacts;
  std::vector<Wrench> wrenches;
};

/// An impact as it was decided; what acted is an Action at its time.
struct Impact {
  std::int64_t id = 0;
  double time = 0;
  std::vector<std::int64_t> bodies;
  std::vector<double> before, after;  ///< v of the centre and w, 6 a body.
};

struct Branch {
  std::string id;
  int parent = -1;  ///< Branch; -1: none. kLost: one that is not there.
  static constexpr int kLost = -2;
  double fork_time = 0, end_time = 0, min_gap = 0;
  bool running = false;  ///< Still written, or killed: its pieces may go past end_time.
  double start() const { return parent == -1 ? 0 : fork_time; }
};

/// The rows of one branch, in any order.
struct BranchRows {
  std::vector<Piece> pieces;  ///< Of moving bodies alone.
  std::vector<Claim> claims;
  std::vector<Action> actions;
  std::vector<Impact> impacts;
};

/// What is proved of the motion besides its gaps. docs/proof.md says how each residual is measured, and in what unit.
enum class Law { kMomentum, kAngularMomentum, kKinematics, kCone, kSupport, kSlip, kClosure, kEnergy, kJoints };
constexpr std::size_t kLaws = 9;
template <typename T>
struct PerLaw : std::array<T, kLaws> {
  using std::array<T, kLaws>::operator[];
  constexpr T& operator[](Law law) { return (*this)[static_cast<std::size_t>(law)]; }
  constexpr const T& operator[](Law law) const { return (*this)[static_cast<std::size_t>(law)]; }
};
/// Their names in records and in what `rigor verify` prints.
constexpr PerLaw<const char*> kLawNames{
    {"momentum", "angular_momentum", "kinematics", "cone", "support", "slip", "closure", "energy", "joints"}};

/// Of residuals, as the record declares it; kUnknown: not. Of all: 100 gaps of lift, one gap at joints.
struct Bounds : PerLaw<double> {
  Bounds() { fill(kUnknown), (*this)[Law::kKinematics] = 100, (*this)[Law::kClosure] = 1; }
};

/// All of a record but the rows of its branches, which are looked at one branch after the other.
struct Run {
  Model model;
  double gap_nominal = 0, gap_floor = 0, until = 0;
  bool done = false;           ///< Its status says that every branch reached `until`.
  long unexplored = 0;         ///< Outcomes of forks that no branch follows yet.
  bool actions_known = false;  ///< It says what acted: the laws of motion are to be proved.
  Bounds bounds;
  std::vector<Branch> branches;  ///< Parents before their children.
};

}  // namespace rigor::verify::kernel
