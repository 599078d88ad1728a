// SPDX-License-Identifier: MIT
#include "sim/contact/contact_system.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "advance/feature_point.h"

namespace rigor::sim {

using advance::AxisKind;
using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

/// A normal that turns by more than this within a window turns too fast to tell of its end [rad]: edges that are nearly
/// parallel would ask for an impact of fifty V, which nothing does.
constexpr double kFollowedTurn = 0.1;

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

}  // namespace rigor::sim
