// SPDX-License-Identifier: MIT
#include "sim/contact/contact_system.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "advance/feature_point.h"
#include "sim/contact/traced_solve.h"

namespace rigor::sim {

using advance::AxisKind;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using friction::ContactMode;
using friction::CoulombStatus;

namespace {

/// Rows of a projection whose pivot falls below this share of the largest are combinations of the others [-].
constexpr double kRankEpsilon = 1e-11;
/// Mobility of the heaviest pad of a brake, of the joint's [-].
constexpr double kHeaviestPad = 1e-6;
/// A force along a tangent that moves its contact less than this fraction of a normal force is rounding [-].
constexpr double kNoResponse = 1e-12;
/// How far an impulse of a projection may lie outside of its friction cone, with robots and of free bodies alone, of
/// m V of the lighter side [-], beyond what the contact's force does in the window. To take a slip of 1e-7 m/s away,
/// the two wheels of an axle would push each other along it by a thousand times their weight, and stop the car's roll
/// by it; of dice thrown together three would squeeze each other by a hundred m V.
constexpr double kOutside = 1e-3, kFreeOutside = 0.1;

/// A normal that turns by more than this within a window turns too fast to tell of its end [rad]: edges that are nearly
/// parallel would ask for an impact of fifty V, which nothing does.
constexpr double kFollowedTurn = 0.1;

/// By more of what contacts approach with rows of what sticks may not contradict each other.
// Points without slip from which on slow searches for what they do with large friction are not worth their time.
constexpr int kFewStuck = 8;
constexpr double kMostContradiction = 1e-3;

/// Impulses of a projection that are larger, in m V of the lighter side [-], and come from a pivot below this share of
/// the largest, cancel but for rounding: contacts that wedge a robot push each other apart by hundreds of m V to take
/// 1e-9 V away. What the row asks for is left to the step. Free bodies let go of each other instead: nuts in a heap
/// would be met again and again.
constexpr double kLargestPush = 10, kWeakPivot = 1e-6;

/// Factors the positive semidefinite S in place by Cholesky with diagonal pivoting: row i of pivot k's column is
/// S(i, k), for i that comes later in `order`. A column is worked out when its turn comes, so that dependent rows cost
/// little. @returns the numerical rank.
int factorSemidefinite(Eigen::Ref<Eigen::MatrixXd> S, std::vector<int>& order) {
  const int n = static_cast<int>(S.rows());
  order.resize(n);
  for (int i = 0; i < n; ++i) order[i] = i;
  double largest = 0;
  int rank = 0;
  for (; rank < n; ++rank) {
    int pivot = rank;
    for (int i = rank + 1; i < n; ++i)
      if (S(order[i], order[i]) > S(order[pivot], order[pivot])) pivot = i;
    std::swap(order[rank], order[pivot]);
    const int k = order[rank];
    const double d = S(k, k);
    if (rank == 0) largest = d;
    if (!(d > kRankEpsilon * largest)) break;
    const double root = std::sqrt(d);
    double* const column = &S(0, k);
    for (int j = 0; j < rank; ++j) {
      const double* const known = &S(0, order[j]);
      const double l = known[k];
      if (l == 0) continue;  // Most contacts share no body.
      for (int i = 0; i < n; ++i) column[i] -= l * known[i];
    }
    for (int i = 0; i < n; ++i) column[i] /= root;
    column[k] = root;
    for (int i = rank + 1; i < n; ++i) {
      const double l = column[order[i]];
      S(order[i], order[i]) -= l * l;
    }
  }
  return rank;
}

/// Solves S x = r in place with the factors of S; rows beyond the numerical rank get x = 0.
void solveSemidefinite(const Eigen::Ref<const Eigen::MatrixXd>& S, const std::vector<int>& order, int rank,
                       Eigen::Ref<Eigen::VectorXd> r) {
  for (int i = 0; i < rank; ++i) {
    double sum = r[order[i]];
    for (int j = 0; j < i; ++j) sum -= S(order[i], order[j]) * r[order[j]];
    r[order[i]] = sum / S(order[i], order[i]);
  }
  for (int i = rank - 1; i >= 0; --i) {
    double sum = r[order[i]];
    for (int j = i + 1; j < rank; ++j) sum -= S(order[j], order[i]) * r[order[j]];
    r[order[i]] = sum / S(order[i], order[i]);
  }
  for (int i = rank; i < static_cast<int>(r.size()); ++i) r[order[i]] = 0;
}

/// Rows of a contact at `r` from a body's centre: e, r x e.
void setRows(double sign, const Matrix3d& frame, const Vector3d& r, Eigen::Matrix<double, 3, 6>& J) {
  // By columns.
  const Vector3d s = sign * r;
  J.leftCols<3>() = sign * frame;
  J.col(3) = s.y() * frame.col(2) - s.z() * frame.col(1);
  J.col(4) = s.z() * frame.col(0) - s.x() * frame.col(2);
  J.col(5) = s.x() * frame.col(1) - s.y() * frame.col(0);
}

}  // namespace

void ContactSystem::place(SystemState& bodies, std::span<const Contact> contacts, std::span<const Placement> fixed_a,
                          std::span<const Placement> fixed_b, bool links) {
  num_sides_ = 0;
  if (!links && !bodies.robots.empty()) listTouched(bodies, contacts);
  updateRobots(bodies, links ? std::span<const unsigned char>() : touched_);
  placed_.resize(bodies.robots.size());
  for (size_t r = 0; r < placed_.size(); ++r) placed_[r] = bodies.robots[r].state;
  placement_.resize(bodies.size());
  inverse_inertia_.resize(bodies.size());
  for (size_t i = 0; i < bodies.size(); ++i) {
    if (bodies[i].robot >= 0) continue;  // Of links, those alone that touch something.
    placement_[i] = Placement(bodies[i].state.pose);
    inverse_inertia_[i] = dynamics::worldInverseInertia(*bodies[i].model, placement_[i].R);
  }
  for (const Contact& c : contacts)
    for (const int slot : {c.slot_a, c.slot_b})
      if (slot >= 0 && bodies[slot].robot >= 0) placement_[slot] = Placement(bodies[slot].state.pose);
  kinematics_.resize(contacts.size());
  for (size_t c = 0; c < contacts.size(); ++c) {
    const Contact& contact = contacts[c];
    Kinematics& k = kinematics_[c];
    if (contact.isLimit()) {
      contact.isBrake() ? updateBrake(bodies, contact, k) : updateLimit(bodies, contact, k);
      continue;
    }
    const bool moving_a = contact.slot_a >= 0, moving_b = contact.slot_b >= 0;
    placeFeature(contact, moving_a ? placement_[contact.slot_a] : fixed_a[c],
                 moving_b ? placement_[contact.slot_b] : fixed_b[c], k);
    k.side_a = k.side_b = -1;
    if (moving_a) setRows(-1, k.frame, k.r_a, k.Ja), placeBody(bodies, contact.slot_a, k.Ja, k.WJa, k.side_a);
    if (moving_b) setRows(1, k.frame, k.r_b, k.Jb), placeBody(bodies, contact.slot_b, k.Jb, k.WJb, k.side_b);
    // Damping that acts at the end of a step may change with the velocities: the responses are those of now.
    for (const int side : {k.side_a, k.side_b})
      if (side >= 0 && bodies.robots[sides_[side].robot].implicit_time > 0) respond(static_cast<int>(c));
  }
}

void ContactSystem::placeOne(const SystemState& bodies, const Contact& contact, int c, const Placement& fixed_a,
                             const Placement& fixed_b) {
  if (contact.isLimit()) return;  // Its row stays what it is.
  const auto at = [&](int slot, const Placement& fixed) {
    return slot >= 0 ? Placement(bodies[slot].state.pose) : fixed;
  };
  Kinematics& k = kinematics_[c];
  placeFeature(contact, at(contact.slot_a, fixed_a), at(contact.slot_b, fixed_b), k);
  if (contact.slot_a >= 0) setRows(-1, k.frame, k.r_a, k.Ja);
  if (contact.slot_b >= 0) setRows(1, k.frame, k.r_b, k.Jb);
}

/// What the rows of a contact do to a body.
void ContactSystem::placeBody(const SystemState& bodies, int slot, const Eigen::Matrix<double, 3, 6>& J,
                              Eigen::Matrix<double, 6, 3>& WJ, int& side) {
  if (bodies[slot].robot >= 0) return addSide(bodies, slot, J, side);
  WJ.topRows<3>() = bodies[slot].model->inverse_mass * J.leftCols<3>().transpose();
  WJ.bottomRows<3>().noalias() = inverse_inertia_[slot] * J.rightCols<3>().transpose();
}

namespace {

/// How fast the point of a round solid that touches moves over it: the rate of Round::reach(n) beyond that of the body.
/// @param a  Its axis, turned.  @param w  Of the body.  @param w_n  Of the normal.
Vector3d rolling(const geom::Round& round, const Vector3d& a, const Vector3d& n, const Vector3d& w,
                 const Vector3d& w_n) {
  if (!round.isCylinder()) return round.radius * (w_n - w).cross(n);
  const Vector3d across = n - n.dot(a) * a;
  const double sine = across.norm();
  if (!(sine > 0)) return Vector3d::Zero();
  const Vector3d d = across / sine, turned = (w_n - w).cross(n);  // With the body held, n turns and a stays.
  return round.radius / sine * (turned - turned.dot(a) * a - turned.dot(d) * d);
}

/// Rates of the point of a contact of kind kNearest and of its normal.
struct NearestMotion {
  Vector3d point, normal;
};

/// The nearest points are carried by their bodies, those of lines along them as well.
NearestMotion nearestMotion(const Contact& contact, const FeaturePlace& k, const Vector3d& v_A, const Vector3d& w_A,
                            const Vector3d& v_B, const Vector3d& w_B) {
  const bool on_a = !contact.a_edge.isZero(0), on_b = !contact.b_edge.isZero(0);
  const Vector3d n = k.frame.row(0), apart = k.core_b - k.core_a, point = k.point;
  const double distance = apart.norm();
  Vector3d x = v_A + w_A.cross(k.core_a - (point - k.r_a)), y = v_B + w_B.cross(k.core_b - (point - k.r_b));
  // d = y - x stays across the line e: d'.e + d.(w x e) = 0.
  const double along_a = (y - x).dot(k.edge_a) + apart.dot(w_A.cross(k.edge_a)), aa = k.edge_a.squaredNorm(),
               along_b = (y - x).dot(k.edge_b) + apart.dot(w_B.cross(k.edge_b)), bb = k.edge_b.squaredNorm();
  if (on_a && on_b) {
    const double ab = k.edge_a.dot(k.edge_b), det = aa * bb - ab * ab;
    x += (along_a * bb - along_b * ab) / det * k.edge_a;
    y += (along_a * ab - along_b * aa) / det * k.edge_b;
  } else if (on_a) {
    x += along_a / aa * k.edge_a;
  } else if (on_b) {
    y -= along_b / bb * k.edge_b;
  }
  const Vector3d u = y - x, turn = (u - n.dot(u) * n) / distance;
  if (advance::actsOnB(axisOf(contact.feature))) {
    if (contact.round_b) y -= contact.round_b->radius * turn;
    return {y, turn};
  }
  if (contact.round_a) x += contact.round_a->radius * turn;
  return {x, turn};
}

/// Mass of a body, or of the robot that it is a link of; infinite of what does not move [kg].
double massOf(const SystemState& bodies, int slot) {
  if (slot < 0) return HUGE_VAL;
  if (bodies[slot].robot < 0) return bodies[slot].model->mass;
  const SystemRobot& robot = bodies.robots[bodies[slot].robot];
  double mass = 0;
  for (size_t i = 0; i < robot.links.size(); ++i) mass += bodies[robot.first_slot + i].model->mass;
  return mass;
}

}  // namespace

/// J' u: the derivative of the contact velocity along the motion of the contact point, without body acceleration.
void ContactSystem::updateBias(const SystemState& bodies, const Contact& contact, Kinematics& k) const {
  static const Vector3d kStill = Vector3d::Zero();
  const bool moving_a = contact.slot_a >= 0, moving_b = contact.slot_b >= 0;
  const Vector3d& w_A = moving_a ? bodies[contact.slot_a].state.w : kStill;
  const Vector3d& w_B = moving_b ? bodies[contact.slot_b].state.w : kStill;
  const Vector3d& v_A = moving_a ? bodies[contact.slot_a].state.v : kStill;
  const Vector3d& v_B = moving_b ? bodies[contact.slot_b].state.v : kStill;
  Vector3d bias = kStill;
  double normal_extra = 0;
  k.turn_rate = k.turn_bias = 0;
  switch (contact.feature.kind) {
    case AxisKind::kFixedInA:
      if (moving_b) bias = w_B.cross(w_B.cross(k.r_b));
      if (moving_a) {
        const Vector3d u_B = v_B + w_B.cross(k.r_b), u_A = v_A + w_A.cross(k.r_a);
        bias -= w_A.cross(u_B - v_A);
        normal_extra = w_A.cross(Vector3d(k.frame.row(0))).dot(u_B - u_A);  // n' = w_A x n
      }
      break;
    case AxisKind::kFixedInB:
      if (moving_a) bias = -w_A.cross(w_A.cross(k.r_a));
      if (moving_b) {
        const Vector3d u_B = v_B + w_B.cross(k.r_b), u_A = v_A + w_A.cross(k.r_a);
        bias += w_B.cross(u_A - v_B);
        normal_extra = w_B.cross(Vector3d(k.frame.row(0))).dot(u_B - u_A);
      }
      break;
    case AxisKind::kNearest: {
      const NearestMotion motion = nearestMotion(contact, k, v_A, w_A, v_B, w_B);
      bias = w_B.cross(motion.point - v_B) - w_A.cross(motion.point - v_A);
      normal_extra = motion.normal.dot(v_B + w_B.cross(k.r_b) - v_A - w_A.cross(k.r_a));
      break;
    }
    case AxisKind::kEdges: {
      bias = w_B.cross(w_B.cross(k.r_b)) - w_A.cross(w_A.cross(k.r_a));
      // (c.d)'' / |c| at d ~ 0 along n, with d the difference of the closest points as material points:
      // c = a x b, c' = (w_A x a) x b + a x (w_B x b); 2 c'.u is what the sliding of the points along the edges adds.
      const Vector3d u = v_B + w_B.cross(k.r_b) - v_A - w_A.cross(k.r_a), n = k.frame.row(0);
      const double length = k.edge_a.cross(k.edge_b).norm();
      const Vector3d c1 = (w_A.cross(k.edge_a)).cross(k.edge_b) + k.edge_a.cross(w_B.cross(k.edge_b));
      k.turn_rate = (c1 - n * n.dot(c1)).norm() / length;
      k.turn_bias = normal_extra = 2 * c1.dot(u - n * n.dot(u)) / length;
      break;
    }
  }
  if (contact.feature.kind != AxisKind::kNearest && (contact.round_a || contact.round_b)) {
    // The point wanders over the round solid: both arms change by that. Edges keep their normals to first order.
    const Vector3d n = k.frame.row(0);
    const Vector3d w_n = contact.feature.kind == AxisKind::kFixedInA ? w_A : w_B;
    Vector3d wander = Vector3d::Zero();
    if (contact.feature.kind == AxisKind::kFixedInA) wander = rolling(*contact.round_b, k.round_axis, -n, w_B, w_n);
    else if (contact.feature.kind == AxisKind::kFixedInB) wander = rolling(*contact.round_a, k.round_axis, n, w_A, w_n);
    bias += (w_B - w_A).cross(wander);
  }
  k.bias = k.frame * bias;
  k.bias[0] += normal_extra;
}

Vector3d ContactSystem::addedVelocity(int c, double h) const {
  const Kinematics& k = kinematics_[c];
  Vector3d added = h * k.bias;
  if (k.turn_rate * h > kFollowedTurn) added[0] -= h * k.turn_bias;
  return added;
}

/// `links`: by body, which are asked for; empty: all.
void ContactSystem::updateRobots(SystemState& bodies, std::span<const unsigned char> links) {
  for (const SystemRobot& robot : bodies.robots) equations(robot).update(robot);
  for (const SystemRobot& robot : bodies.robots) equations(robot).writeLinks(robot, bodies.bodies, links);
}

void ContactSystem::listTouched(const SystemState& bodies, std::span<const Contact> contacts) {
  touched_.assign(bodies.size(), 0);
  for (const Contact& c : contacts)
    for (const int slot : {c.slot_a, c.slot_b})
      if (slot >= 0) touched_[slot] = 1;
  for (const SystemRobot& robot : bodies.robots)
    for (size_t i = robot.carried.size(); i-- > 0;) {  // Carriers come first.
      const CarriedLink& link = robot.carried[i];
      if (link.carrier >= 0 && touched_[robot.first_slot + link.place]) touched_[robot.first_slot + link.carrier] = 1;
    }
}

void ContactSystem::makeProblem(const SystemState& bodies, std::span<const Contact> contacts) {
  for (size_t c = 0; c < contacts.size(); ++c)
    if (!contacts[c].isLimit()) updateBias(bodies, contacts[c], kinematics_[c]);
  gather(bodies, contacts);
  assemble(contacts);
}

void ContactSystem::prepare(SystemState& bodies, std::span<const Contact> contacts) {
  updateRobots(bodies);
  makeProblem(bodies, contacts);
}

void ContactSystem::update(SystemState& bodies, std::span<const Contact> contacts, std::span<const Placement> fixed_a,
                           std::span<const Placement> fixed_b, bool links) {
  place(bodies, contacts, fixed_a, fixed_b, links);
  makeProblem(bodies, contacts);
}

RobotEquations& ContactSystem::equations(const SystemRobot& robot) {
  if (equations_.size() <= static_cast<size_t>(robot.id)) equations_.resize(robot.id + 1);
  return equations_[robot.id];
}

void ContactSystem::Side::findColumns() {
  columns.clear();
  for (int k = 0; k < rows.cols(); ++k)
    if (!rows.col(k).isZero(0)) columns.push_back(k);
}

void ContactSystem::Side::addProduct(const Eigen::MatrixXd& other, Matrix3d& block) const {
  Matrix3d sum = Matrix3d::Zero();
  for (const int k : columns)
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 3; ++i) sum(i, j) += rows(i, k) * other(k, j);
  block += sum;
}

double ContactSystem::Side::product(int row, const Eigen::MatrixXd& other, int column) const {
  double sum = 0;
  for (const int k : columns) sum += rows(row, k) * other(k, column);
  return sum;
}

/// Of a body that is a link.
void ContactSystem::addSide(const SystemState& bodies, int slot, const Eigen::Matrix<double, 3, 6>& J, int& number) {
  const SystemBody& body = bodies[slot];
  const SystemRobot& robot = bodies.robots[body.robot];
  number = num_sides_++;
  if (number == static_cast<int>(sides_.size())) sides_.emplace_back();
  Side& side = sides_[number];
  side.robot = body.robot, side.equations = robot.id, side.only = -1, side.responded = false;
  equations(robot).expandRows(robot, body.link, J, side.rows);
  side.findColumns();
}

ContactSystem::Side& ContactSystem::addJointSide(const SystemRobot& robot, int place, Kinematics& k) {
  k.bias.setZero();
  k.side_a = -1, k.side_b = num_sides_;
  if (num_sides_ == static_cast<int>(sides_.size())) sides_.emplace_back();
  Side& side = sides_[num_sides_++];
  side.robot = place, side.equations = robot.id, side.responded = false;
  side.rows.setZero(3, robot.model->numVelocities());
  return side;
}

/// Makes the responses of contact c known.
void ContactSystem::respond(int c) {
  for (const int number : {kinematics_[c].side_a, kinematics_[c].side_b}) {
    if (number < 0 || sides_[number].responded) continue;
    Side& side = sides_[number];
    equations_[side.equations].returnTo(placed_[side.robot]);
    side.response = side.rows.transpose();
    if (side.only < 0) equations_[side.equations].respondColumns(side.response);
    else equations_[side.equations].respond(side.response.col(side.only));
    side.responded = true;
  }
}

/// A joint's limit: one row on one velocity, none along the surface that it does not have.
void ContactSystem::updateLimit(const SystemState& bodies, const Contact& contact, Kinematics& k) {
  const SystemRobot& robot = bodies.robots[contact.robot];
  const RobotLimit& limit = robot.limits[contact.limit];
  k.gap = limit.gap(robot.state);
  Side& side = addJointSide(robot, contact.robot, k);
  side.rows(0, limit.limit.dof) = limit.limit.sign * limit.length;
  side.only = 0;
  side.columns.assign(1, limit.limit.dof);
  if (robot.implicit_time > 0) respond(static_cast<int>(&k - kinematics_.data()));
}

/// A joint's friction: one row along it. The normal has none, see pressBrakes().
void ContactSystem::updateBrake(const SystemState& bodies, const Contact& contact, Kinematics& k) {
  const SystemRobot& robot = bodies.robots[contact.robot];
  const RobotBrake& brake = robot.brakes[contact.limit - robot.limits.size()];
  k.gap = 0;
  Side& side = addJointSide(robot, contact.robot, k);
  side.rows(1, brake.dof) = brake.length;
  side.only = 1;
  side.columns.assign(1, brake.dof);
}

double ContactSystem::slipMobility(const Contact& contact, int c) {
  respond(c);
  return coupling(contact, kinematics_[c], contact, kinematics_[c]).diagonal().tail<2>().maxCoeff();
}

double ContactSystem::brakeMobility(int c) {
  respond(c);
  const Side& side = sides_[kinematics_[c].side_b];
  return side.rows.row(1).dot(side.response.col(1));
}

void ContactSystem::limitPlace(const SystemState& bodies, const Contact& contact, Vector3d& axis, Vector3d& point) {
  const SystemRobot& robot = bodies.robots[contact.robot];
  const dynamics::JointLimit& limit = robot.limits[contact.limit].limit;
  equations(robot).jointAxis(limit.dof, robot.model->joint(robot.model->jointOf(limit.dof)).child, axis, point);
  axis *= limit.sign;
}

/// J_a M^-1 J_b' of two contacts.
Matrix3d ContactSystem::coupling(const Contact& a, const Kinematics& ka, const Contact& b, const Kinematics& kb) const {
  Matrix3d block = Matrix3d::Zero();
  auto add = [&](int slot_i, int side_i, const Eigen::Matrix<double, 3, 6>& J, int slot_j, int side_j,
                 const Eigen::Matrix<double, 6, 3>& WJ) {
    if (side_i >= 0 || side_j >= 0) {
      if (side_i >= 0 && side_j >= 0 && sides_[side_i].robot == sides_[side_j].robot)
        sides_[side_i].addProduct(sides_[side_j].response, block);
    } else if (slot_i >= 0 && slot_i == slot_j) {
      block.noalias() += J * WJ;
    }
  };
  add(a.slot_a, ka.side_a, ka.Ja, b.slot_a, kb.side_a, kb.WJa);
  add(a.slot_a, ka.side_a, ka.Ja, b.slot_b, kb.side_b, kb.WJb);
  add(a.slot_b, ka.side_b, ka.Jb, b.slot_a, kb.side_a, kb.WJa);
  add(a.slot_b, ka.side_b, ka.Jb, b.slot_b, kb.side_b, kb.WJb);
  return block;
}

/// One entry of it.
double ContactSystem::coupling(const Contact& a, const Kinematics& ka, int row_a, const Contact& b,
                               const Kinematics& kb, int row_b) const {
  double sum = 0;
  auto add = [&](int slot_i, int side_i, const Eigen::Matrix<double, 3, 6>& J, int slot_j, int side_j,
                 const Eigen::Matrix<double, 6, 3>& WJ) {
    if (side_i >= 0 || side_j >= 0) {
      if (side_i >= 0 && side_j >= 0 && sides_[side_i].robot == sides_[side_j].robot)
        sum += sides_[side_i].product(row_a, sides_[side_j].response, row_b);
    } else if (slot_i >= 0 && slot_i == slot_j) {
      sum += J.row(row_a).dot(WJ.col(row_b));
    }
  };
  add(a.slot_a, ka.side_a, ka.Ja, b.slot_a, kb.side_a, kb.WJa);
  add(a.slot_a, ka.side_a, ka.Ja, b.slot_b, kb.side_b, kb.WJb);
  add(a.slot_b, ka.side_b, ka.Jb, b.slot_a, kb.side_a, kb.WJa);
  add(a.slot_b, ka.side_b, ka.Jb, b.slot_b, kb.side_b, kb.WJb);
  return sum;
}

void ContactSystem::addRobotRows(int c, int robot, Eigen::Ref<Eigen::MatrixXd> rows) const {
  for (const int side : {kinematics_[c].side_a, kinematics_[c].side_b})
    if (side >= 0 && sides_[side].robot == robot) rows += sides_[side].rows;
}

void ContactSystem::addRobotResponse(int c, int robot, const Vector3d& impulse, Eigen::VectorXd& v) {
  respond(c);
  for (const int side : {kinematics_[c].side_a, kinematics_[c].side_b})
    if (side >= 0 && sides_[side].robot == robot) v.noalias() += sides_[side].response * impulse;
}

void ContactSystem::setRobotVelocity(SystemState& bodies, int robot, const Eigen::VectorXd& v) {
  SystemRobot& r = bodies.robots[robot];
  r.state.v = v;
  velocities_.resize(bodies.size());
  equations(r).linkVelocities(r, v, velocities_);
  for (size_t i = 0; i < r.links.size(); ++i) bodies[r.first_slot + i].state.setVelocity(velocities_[r.first_slot + i]);
  for (const CarriedLink& link : r.carried)
    if (link.carrier >= 0)
      carryVelocity(link, r.state, bodies[r.first_slot + link.carrier].state, bodies[r.first_slot + link.place].state);
}

void ContactSystem::applyVelocities(SystemState& bodies) {
  for (size_t i = 0; i < bodies.size(); ++i) bodies[i].state.setVelocity(velocities_[i]);
  for (size_t r = 0; r < bodies.robots.size(); ++r) bodies.robots[r].state.v = robot_velocities_[r];
}

void ContactSystem::accelerateRobots(SystemState& bodies, const Vector3d& gravity) {
  for (SystemRobot& robot : bodies.robots) {
    equations(robot).update(robot);
    equations(robot).freeAcceleration(robot, gravity, robot.acceleration);
  }
}

double ContactSystem::fastestDecay(const SystemState& bodies) {
  double fastest = 0;
  for (const SystemRobot& robot : bodies.robots)
    fastest = std::max(fastest, equations(robot).fastestDecay(robot.locked));
  return fastest;
}

std::span<const Vector6d> ContactSystem::linkVelocities(const SystemState& bodies, const SystemRobot& robot,
                                                        const Eigen::VectorXd& v) {
  velocities_.resize(bodies.size());
  equations(robot).linkVelocities(robot, v, velocities_);
  return velocities_;
}

void ContactSystem::writeLinks(SystemState& bodies) {
  for (const SystemRobot& robot : bodies.robots) {
    equations(robot).update(robot, false);
    equations(robot).writeLinks(robot, bodies.bodies);
  }
}

void ContactSystem::placeLinks(SystemState& bodies) {
  for (const SystemRobot& robot : bodies.robots) {
    equations(robot).update(robot, false);
    equations(robot).placeLinks(robot, bodies.bodies);
  }
}

double ContactSystem::energy(const SystemState& bodies, const Vector3d& gravity) {
  double sum = 0;
  for (const SystemBody& b : bodies)
    if (b.robot < 0)
      sum += dynamics::kineticEnergy(*b.model, b.state) - b.model->mass * gravity.dot(b.state.pose.p);
  for (const SystemRobot& robot : bodies.robots) {
    equations(robot).update(robot, false);
    sum += equations(robot).energy(gravity);
  }
  return sum;
}

/// Which contacts the problem has. Brakes that slide are not of it: their force is known.
void ContactSystem::gather(const SystemState& bodies, std::span<const Contact> contacts) {
  held_.clear();
  row_of_.assign(contacts.size(), -1);
  applySliding(bodies, contacts);
  for (size_t c = 0; c < contacts.size(); ++c)
    if (contacts[c].held && !(contacts[c].isBrake() && contacts[c].slides)) {
      respond(static_cast<int>(c));
      row_of_[c] = static_cast<int>(held_.size());
      held_.push_back(static_cast<int>(c));
    }
}

/// Forces of the brakes that slide.
void ContactSystem::applySliding(const SystemState& bodies, std::span<const Contact> contacts) {
  braking_.resize(bodies.robots.size());
  for (size_t r = 0; r < braking_.size(); ++r) {
    if (bodies.robots[r].brakes.empty()) braking_[r].resize(0);
    else braking_[r].setZero(bodies.robots[r].model->numVelocities());
  }
  for (const Contact& c : contacts) {
    if (!c.held || !c.isBrake() || !c.slides) continue;
    const SystemRobot& robot = bodies.robots[c.robot];
    const RobotBrake& brake = robot.brakes[c.limit - robot.limits.size()];
    braking_[c.robot][brake.dof] -= brake.length * brake.hold * c.direction[0];
  }
}

/// The pad of a brake is a mass of its own that a force presses on: what stops it is a normal force as large.
/// `duration` 0: an impact, which a bounded force has no part in.
void ContactSystem::pressBrakes(std::span<const Contact> contacts, double duration) {
  for (size_t i = 0; i < held_.size(); ++i) {
    const Contact& c = contacts[held_[i]];
    if (!c.isBrake()) continue;
    const long row = 3 * static_cast<long>(i);
    // The pad's mass is free: one that lets it move no faster than the joint keeps the scale of the problem.
    const double press = c.hold * duration, mobility = A_(row + 1, row + 1);
    A_(row, row) = mobility;
    if (press * mobility > std::abs(b_[row + 1]))
      A_(row, row) = std::max(std::abs(b_[row + 1]) / press, kHeaviestPad * mobility);
    b_[row] = -A_(row, row) * press;
    if (!(duration > 0)) mu_[i] = 0;
  }
}

void ContactSystem::assemble(std::span<const Contact> contacts) {
  const int m = static_cast<int>(held_.size());
  if (A_.rows() < 3 * m) A_.resize(3 * m, 3 * m);
  for (int j = 0; j < m; ++j) {
    const Contact& cj = contacts[held_[j]];
    const Kinematics& kj = kinematics_[held_[j]];
    for (int i = j; i < m; ++i) {
      const Contact& ci = contacts[held_[i]];
      const Kinematics& ki = kinematics_[held_[i]];
      Matrix3d block = coupling(ci, ki, cj, kj);
      // A limit has no tangents; that its diagonal is not zero keeps the solver's scales.
      if (i == j && ci.isBrake()) block(0, 0) = block(2, 2) = block(1, 1);
      else if (i == j && ci.isLimit()) block(1, 1) = block(2, 2) = block(0, 0);
      A_.block<3, 3>(3 * i, 3 * j) = block;
      if (i != j) A_.block<3, 3>(3 * j, 3 * i) = block.transpose();
    }
  }
  leaveOutRounding(m);
}

/// Two links that can only approach each other have no response along a tangent, but its rounding, of either sign.
void ContactSystem::leaveOutRounding(int m) {
  for (int i = 0; i < 3 * m; ++i) {
    const double normal = A_(i - i % 3, i - i % 3);
    if (i % 3 == 0 || !(A_(i, i) <= kNoResponse * normal)) continue;  // NaN is the solver's to refuse.
    A_.row(i).head(3 * m).setZero(), A_.col(i).head(3 * m).setZero();
    A_(i, i) = normal;
  }
}

/// J u of a contact, for twist(slot) and velocity(robot) that belong together.
template <typename Twist, typename Velocity>
Vector3d ContactSystem::multiply(const Contact& contact, const Kinematics& k, Twist&& twist,
                                 Velocity&& velocity) const {
  if (contact.isLimit()) return sides_[k.side_b].rows.lazyProduct(velocity(contact.robot));
  Vector3d u = Vector3d::Zero();
  if (contact.slot_a >= 0) u.noalias() += k.Ja * twist(contact.slot_a);
  if (contact.slot_b >= 0) u.noalias() += k.Jb * twist(contact.slot_b);
  return u;
}

Vector3d ContactSystem::contactVelocity(const SystemState& bodies, const Contact& contact, int c) const {
  return multiply(contact, kinematics_[c], [&](int slot) { return bodies[slot].state.velocity(); },
                  [&](int robot) -> const Eigen::VectorXd& { return bodies.robots[robot].state.v; });
}

Vector3d ContactSystem::solvedVelocity(const Contact& contact, int c) const {
  return multiply(contact, kinematics_[c], [&](int slot) -> const Vector6d& { return velocities_[slot]; },
                  [&](int robot) -> const Eigen::VectorXd& { return robot_velocities_[robot]; });
}

/// `duration`: that of the window for impulses, 1 for forces; 0 for an impact, which has no guess.
CoulombStatus ContactSystem::solve(std::span<Contact> contacts, double duration, double contradiction) {
  const int m = static_cast<int>(held_.size());
  mu_.resize(m), slides_.resize(m), brakes_.resize(m), direction_.resize(m), direction_out_.resize(m), modes_.resize(m);
  if (f_.size() < 3 * m) f_.resize(3 * m);
  for (int i = 0; i < m; ++i) {
    const Contact& c = contacts[held_[i]];
    mu_[i] = c.slides && std::isinf(c.friction) ? kLargeFriction : c.friction;
    slides_[i] = c.slides;
    brakes_[i] = c.isBrake();
    direction_[i] = direction_out_[i] = c.direction;
    modes_[i] = c.mode;
    f_.segment<3>(3 * i) = duration * c.force;
  }
  pressBrakes(contacts, duration);
  const friction::CoulombProblem problem{
      A_.topLeftCorner(3 * m, 3 * m), b_.head(3 * m), mu_, slides_, direction_, brakes_};
  CoulombStatus status = solveTraced(solver_, problem, modes_, direction_out_, f_.head(3 * m));
  // `guessed`: the time over which the contacts' own forces are the guess; 0 for none.
  const auto solveAgain = [&](const friction::CoulombOptions& options, double guessed) {
    for (int i = 0; i < m; ++i) {
      modes_[i] = contacts[held_[i]].mode;
      f_.segment<3>(3 * i) = guessed * contacts[held_[i]].force;
    }
    return solveTraced(solver_, problem, modes_, direction_out_, f_.head(3 * m), options);
  };
  if (status == CoulombStatus::kFailed &&
      std::any_of(mu_.begin(), mu_.end(), [](double mu) { return std::isinf(mu); })) {
    // Sticking may need a pull where letting go needs a push: such a contact slips, with large friction. What many
    // points with so much of it do at once slow searches hardly ever find; a shorter step asks for less. The forces
    // before were found so, mostly: from none, every stage of a step would search for them again, or for others.
    for (double& mu : mu_) mu = std::isinf(mu) ? kLargeFriction : mu;
    friction::CoulombOptions options;
    options.persistent = m <= kFewStuck;
    status = solveAgain(options, duration);
  }
  if (status == CoulombStatus::kFailed && contradiction > 0) {
    // Points that stick may stand so that their rows say the same, and differ in what motion adds to second order: a
    // slider between two of them is at its nearest. Nothing that the forces can do makes them agree.
    for (int i = 0; i < m; ++i) mu_[i] = contacts[held_[i]].friction;
    friction::CoulombOptions options;
    options.loose_tolerance = std::min(kMostContradiction, contradiction / b_.head(3 * m).cwiseAbs().maxCoeff());
    if (options.loose_tolerance > options.tolerance) status = solveAgain(options, 0);
  }
  if (status == CoulombStatus::kFailed) return status;
  for (int i = 0; i < m; ++i) {
    Contact& c = contacts[held_[i]];
    c.mode = modes_[i];
    if (duration > 0) c.force = f_.segment<3>(3 * i) / duration;
    if (!c.slides && c.mode == ContactMode::kSlip) c.direction = direction_out_[i];
  }
  return status;
}

Vector6d ContactSystem::pushAcceleration(const SystemBody& body, size_t slot) const {
  return dynamics::stacked(body.model->inverse_mass * body.push.head<3>(),
                           inverse_inertia_[slot] * body.push.tail<3>());
}

CoulombStatus ContactSystem::solveAccelerations(SystemState& bodies, std::span<Contact> contacts,
                                                const Vector3d& gravity, bool links) {
  for (size_t i = 0; i < bodies.size(); ++i) {
    if (bodies[i].robot >= 0) continue;
    bodies[i].acceleration << gravity,
        dynamics::gyroscopicAcceleration(*bodies[i].model, placement_[i].R, bodies[i].state.w);
    if (bodies[i].isPushed()) bodies[i].acceleration += pushAcceleration(bodies[i], i);
  }
  const int m = static_cast<int>(held_.size());
  for (SystemRobot& robot : bodies.robots) {
    equations(robot).freeAcceleration(robot, gravity, robot.acceleration, braking_[&robot - bodies.robots.data()]);
    if (m > 0 || links) equations(robot).accelerate(robot.acceleration);
  }
  const auto moveLink = [&](int slot) {
    SystemBody& body = bodies[slot];
    if (body.robot >= 0) body.acceleration = equations(bodies.robots[body.robot]).linkAcceleration(body.link);
  };
  const auto moveLinks = [&] {
    for (size_t i = 0; i < bodies.size() && links; ++i) moveLink(static_cast<int>(i));
  };
  if (m == 0) {
    moveLinks();
    return CoulombStatus::kSolved;
  }
  for (const int c : held_)
    for (const int slot : {contacts[c].slot_a, contacts[c].slot_b})
      if (slot >= 0) moveLink(slot);
  if (b_.size() < 3 * m) b_.resize(3 * m);
  for (int i = 0; i < m; ++i) {
    const Contact& c = contacts[held_[i]];
    const Kinematics& k = kinematics_[held_[i]];
    b_.segment<3>(3 * i) =
        k.bias + multiply(
                     c, k, [&](int slot) -> const Vector6d& { return bodies[slot].acceleration; },
                     [&](int robot) -> const Eigen::VectorXd& { return bodies.robots[robot].acceleration; });
  }
  const CoulombStatus status = solve(contacts, 1);
  if (status == CoulombStatus::kFailed) return status;
  for (int i = 0; i < m; ++i) {
    const Contact& c = contacts[held_[i]];
    const Kinematics& k = kinematics_[held_[i]];
    const Vector3d f = f_.segment<3>(3 * i);
    if (c.slot_a >= 0 && k.side_a < 0) bodies[c.slot_a].acceleration.noalias() += k.WJa * f;
    if (c.slot_b >= 0 && k.side_b < 0) bodies[c.slot_b].acceleration.noalias() += k.WJb * f;
    for (const int side : {k.side_a, k.side_b})
      if (side >= 0) bodies.robots[sides_[side].robot].acceleration.noalias() += sides_[side].response * f;
  }
  if (!links) return status;
  for (const SystemRobot& robot : bodies.robots) equations(robot).accelerate(robot.acceleration);
  moveLinks();
  return status;
}

CoulombStatus ContactSystem::solveVelocities(const SystemState& bodies, std::span<Contact> contacts,
                                             const Vector3d& gravity, double h, bool with_bias,
                                             double contradiction) {
  velocities_.resize(bodies.size());
  robot_velocities_.resize(bodies.robots.size());
  for (size_t r = 0; r < bodies.robots.size(); ++r) {
    // J (v + h v'), to which the change of J adds over the window.
    const SystemRobot& robot = bodies.robots[r];
    equations(robot).freeAcceleration(robot, gravity, robot_velocities_[r], braking_[r]);
    if (with_bias) {
      link_bias_.resize(bodies.size());
      equations(robot).linkAccelerations(robot, robot_velocities_[r], velocities_, link_bias_);
      for (size_t k = 0; k < robot.links.size(); ++k) {
        const int i = robot.first_slot + static_cast<int>(k);
        velocities_[i] = bodies[i].state.velocity() + h * velocities_[i];
      }
    }
    robot_velocities_[r] = robot.state.v + h * robot_velocities_[r];
    // Without the change of J a link moves as its robot's coordinates say.
    if (!with_bias) equations(robot).linkVelocities(robot, robot_velocities_[r], velocities_);
  }
  for (size_t i = 0; i < bodies.size(); ++i) {
    if (bodies[i].robot >= 0) continue;
    velocities_[i] = bodies[i].state.velocity();
    velocities_[i].head<3>() += h * gravity;
    velocities_[i].tail<3>() +=
        h * dynamics::gyroscopicAcceleration(*bodies[i].model, placement_[i].R, bodies[i].state.w);
    if (bodies[i].isPushed()) velocities_[i] += h * pushAcceleration(bodies[i], i);
  }
  auto moveLinks = [&] {
    for (size_t r = 0; r < bodies.robots.size(); ++r)
      equations(bodies.robots[r]).linkVelocities(bodies.robots[r], robot_velocities_[r], velocities_);
    if (!with_bias) return;
    for (size_t i = 0; i < bodies.size(); ++i)
      if (bodies[i].robot >= 0) velocities_[i] += h * link_bias_[i];
  };
  const int m = static_cast<int>(held_.size());
  if (m == 0) {
    moveLinks();
    return CoulombStatus::kSolved;
  }
  if (b_.size() < 3 * m) b_.resize(3 * m);
  for (int i = 0; i < m; ++i) {
    const Contact& c = contacts[held_[i]];
    Vector3d u = solvedVelocity(c, held_[i]);
    if (with_bias) u += addedVelocity(held_[i], h);
    b_.segment<3>(3 * i) = u;
  }
  const CoulombStatus status = solve(contacts, h, contradiction);
  if (status == CoulombStatus::kFailed) return status;
  for (int i = 0; i < m; ++i) {
    const Contact& c = contacts[held_[i]];
    const Kinematics& k = kinematics_[held_[i]];
    const Vector3d f = f_.segment<3>(3 * i);
    if (c.slot_a >= 0 && k.side_a < 0) velocities_[c.slot_a].noalias() += k.WJa * f;
    if (c.slot_b >= 0 && k.side_b < 0) velocities_[c.slot_b].noalias() += k.WJb * f;
    for (const int side : {k.side_a, k.side_b})
      if (side >= 0) robot_velocities_[sides_[side].robot].noalias() += sides_[side].response * f;
  }
  moveLinks();
  return status;
}

Vector3d ContactSystem::impulse(int c) const {
  return row_of_[c] < 0 ? Vector3d::Zero() : Vector3d(f_.segment<3>(3 * row_of_[c]));
}

/// Couplings of rows_, factored.
void ContactSystem::factorRows(std::span<const Contact> contacts) {
  const int n = static_cast<int>(rows_.size());
  if (S_.rows() < n) S_.resize(n, n);
  for (const int row : rows_) respond(row / 3);
  // Rows of one contact follow one another.
  const auto endOf = [&](int i) {
    int end = i + 1;
    while (end < n && rows_[end] / 3 == rows_[i] / 3) ++end;
    return end;
  };
  for (int i = 0, i_end; i < n; i = i_end) {
    i_end = endOf(i);
    const int ci = rows_[i] / 3;
    for (int j = 0, j_end; j <= i; j = j_end) {
      j_end = endOf(j);
      const int cj = rows_[j] / 3;
      if (i_end == i + 1 && j_end == j + 1) {
        S_(i, j) = S_(j, i) =
            coupling(contacts[ci], kinematics_[ci], rows_[i] % 3, contacts[cj], kinematics_[cj], rows_[j] % 3);
        continue;
      }
      const Matrix3d block = coupling(contacts[ci], kinematics_[ci], contacts[cj], kinematics_[cj]);
      for (int a = i; a < i_end; ++a)
        for (int b = j; b < j_end; ++b) S_(a, b) = S_(b, a) = block(rows_[a] % 3, rows_[b] % 3);
    }
  }
  rank_ = factorSemidefinite(S_.topLeftCorner(n, n), pivots_);
}

/// Impulses that change rows_ by rhs_, into rhs_.
void ContactSystem::solveRows() {
  const int n = static_cast<int>(rows_.size());
  solveSemidefinite(S_.topLeftCorner(n, n), pivots_, rank_, rhs_.head(n));
}

/// Moves the bodies, or changes their velocities, so that rows_ change by rhs_.
void ContactSystem::applyRows(SystemState& bodies, std::span<const Contact> contacts, bool positions) {
  const int n = static_cast<int>(rows_.size());
  displacement_.resize(bodies.robots.size());
  for (size_t r = 0; r < bodies.robots.size(); ++r) displacement_[r].setZero(bodies.robots[r].model->numVelocities());
  for (int i = 0; i < n; ++i) {
    if (rhs_[i] == 0) continue;
    const int ci = rows_[i] / 3, ri = rows_[i] % 3;
    const Contact& c = contacts[ci];
    const Kinematics& k = kinematics_[ci];
    auto move = [&](SystemBody& body, const Vector6d& direction) {
      const Vector6d d = rhs_[i] * direction;
      if (positions) {
        body.state.pose.p += d.head<3>();
        body.state.pose.q += dynamics::quaternionRate(body.state.pose.q, d.tail<3>());
      } else {
        body.state.v += d.head<3>();
        body.state.w += d.tail<3>();
      }
    };
    if (c.slot_a >= 0 && k.side_a < 0) move(bodies[c.slot_a], k.WJa.col(ri));
    if (c.slot_b >= 0 && k.side_b < 0) move(bodies[c.slot_b], k.WJb.col(ri));
    for (const int side : {k.side_a, k.side_b})
      if (side >= 0) displacement_[sides_[side].robot] += rhs_[i] * sides_[side].response.col(ri);
  }
  for (size_t r = 0; r < bodies.robots.size(); ++r) {
    SystemRobot& robot = bodies.robots[r];
    if (positions) {
      dynamics::integrate(*robot.model, robot.state.q, displacement_[r], 1, robot.state.q);
    } else {
      displacement_[r] += robot.state.v;
      setRobotVelocity(bodies, static_cast<int>(r), displacement_[r]);
    }
  }
}

/// Counts the row with the least pivot as a combination of the others where that is small and impulses are too large
/// for what they do. @returns whether it was so.
bool ContactSystem::dropWeakest(const SystemState& bodies, std::span<const Contact> contacts, const Usual& usual) {
  if (bodies.robots.empty() || rank_ < 2) return false;
  const double largest = S_(pivots_[0], pivots_[0]), least = S_(pivots_[rank_ - 1], pivots_[rank_ - 1]);
  if (!(least * least < kWeakPivot * largest * largest)) return false;
  for (size_t i = 0; i < rows_.size(); ++i) {
    const Contact& contact = contacts[rows_[i] / 3];
    if (contact.isBrake() || !(std::abs(rhs_[i]) > kLargestPush * lighterSide(bodies, contact) * usual.speed)) continue;
    --rank_;
    return true;
  }
  return false;
}

double ContactSystem::lighterSide(const SystemState& bodies, const Contact& contact) const {
  return contact.isLimit() ? massOf(bodies, bodies.robots[contact.robot].first_slot)
                           : std::min(massOf(bodies, contact.slot_a), massOf(bodies, contact.slot_b));
}

/// Where an impulse lies too far outside of its cone, leaves out rows: of the brake that would bear most of what its
/// friction can within the window, if that is more than it can; else of the contact that is farthest outside: it slips;
/// where none does so, of the one that pulls most: it opens. Others are closed without it. @returns whether there was
/// one.
bool ContactSystem::letGo(const SystemState& bodies, std::span<const Contact> contacts, const Usual& usual) {
  const int n = static_cast<int>(rows_.size());
  const double outside = bodies.robots.empty() ? std::max(kOutside, usual.pulls * kFreeOutside) : kOutside;
  double slips = 0, pulls = 0, bears = 1;
  int slipping = -1, pulling = -1, bearing = -1;
  for (int i = 0, end; i < n; i = end) {
    const int c = rows_[i] / 3;
    const Contact& contact = contacts[c];
    Vector3d P = Vector3d::Zero();
    for (end = i; end < n && rows_[end] / 3 == c; ++end) P[rows_[end] % 3] = rhs_[end];
    if (contact.isBrake()) {
      const double share = std::abs(P[1]) / (usual.window * contact.hold);
      if (share > bears) bears = share, bearing = c;
      continue;
    }
    const double least = outside * lighterSide(bodies, contact) * usual.speed,
                 // A limit that pulls is none, however much it will push.
                 pressed = contact.isLimit() ? 0 : usual.window * std::max(contact.force[0], 0.0),
                 normal = pressed + std::max(P[0], 0.0), pull = -P[0] - pressed - least,
                 // Without slip there is no cone but of what pulls, and all of that is a pull: two contacts may push
                 // each other apart.
                 rough = P[0] < 0 ? P.tail<2>().norm() - least : 0,
                 slip = std::isinf(contact.friction) ? rough
                                                     : P.tail<2>().norm() - contact.friction * normal - least;
    if (slip > slips) slips = slip, slipping = c;
    if (pull > pulls) pulls = pull, pulling = c;
  }
  if (slipping < 0 && pulling < 0) return false;
  const bool opens = bearing < 0 && slipping < 0;
  const int gone = bearing >= 0 ? bearing : opens ? pulling : slipping;
  std::erase_if(rows_, [&](int row) { return row / 3 == gone && (opens || row % 3 > 0); });
  factorRows(contacts);
  return true;
}

void ContactSystem::projectVelocities(SystemState& bodies, std::span<const Contact> contacts, const Usual& usual,
                                      std::span<Vector3d> impulses) {
  rows_.clear();
  for (size_t c = 0; c < contacts.size(); ++c) {
    if (!contacts[c].held || contacts[c].mode == ContactMode::kFree) continue;
    const bool sticks = contacts[c].mode == ContactMode::kStick;
    if (!contacts[c].isBrake()) rows_.push_back(static_cast<int>(3 * c));
    else if (sticks) rows_.push_back(static_cast<int>(3 * c + 1));
    if (sticks && !contacts[c].isLimit()) {
      rows_.push_back(static_cast<int>(3 * c + 1));
      rows_.push_back(static_cast<int>(3 * c + 2));
    }
  }
  if (rows_.empty()) return;
  if (rhs_.size() < static_cast<long>(rows_.size())) rhs_.resize(rows_.size());
  const auto readVelocities = [&] {
    for (size_t i = 0; i < rows_.size();) {
      const int c = rows_[i] / 3;  // Rows of one contact follow one another.
      const Vector3d u = contactVelocity(bodies, contacts[c], c);
      for (; i < rows_.size() && rows_[i] / 3 == c; ++i) rhs_[i] = -u[rows_[i] % 3];
    }
  };
  readVelocities();
  if (rhs_.head(static_cast<long>(rows_.size())).isZero(0)) return;  // As in what rests: nothing to take away.
  factorRows(contacts);
  // The second pass removes what rounding and the rank cut of the first one left.
  for (int pass = 0; pass < 2; ++pass) {
    do {
      if (rows_.empty()) return;
      do {
        readVelocities();
        solveRows();
      } while (dropWeakest(bodies, contacts, usual));
    } while (letGo(bodies, contacts, usual));
    applyRows(bodies, contacts, false);
    if (impulses.empty()) continue;
    for (size_t i = 0; i < rows_.size(); ++i) impulses[rows_[i] / 3][rows_[i] % 3] += rhs_[i];
  }
}

double ContactSystem::projectGaps(SystemState& bodies, std::span<const Contact> contacts, double tolerance) {
  rows_.clear();
  double worst = 0;
  for (size_t c = 0; c < contacts.size(); ++c)
    if ((contacts[c].loaded || contacts[c].pressed) && !contacts[c].isBrake()) rows_.push_back(static_cast<int>(3 * c));
  if (rows_.empty()) return 0;
  if (rhs_.size() < static_cast<long>(rows_.size())) rhs_.resize(rows_.size());
  for (size_t i = 0; i < rows_.size(); ++i) {
    rhs_[i] = contacts[rows_[i] / 3].target - kinematics_[rows_[i] / 3].gap;
    worst = std::max(worst, std::abs(rhs_[i]));
  }
  if (worst <= tolerance) return worst;  // NaN moves, and shows.
  factorRows(contacts);
  solveRows();
  applyRows(bodies, contacts, true);
  return worst;
}

}  // namespace rigor::sim
