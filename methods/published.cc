// SPDX-License-Identifier: MIT
#include "methods/published.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

#include "advance/feature_point.h"
#include "advance/heights.h"
#include "advance/safe_step.h"
#include "dynamics/kinematics.h"
#include "geom/separation.h"
#include "methods/libccd_distance.h"

namespace rigor::methods {

using advance::Twist;
using dynamics::ArticulatedModel;
using Eigen::Vector3d;

namespace {

constexpr double kPublishedResidual = 1e-11;  // Of V: contacts at rest must not creep.
constexpr double kStillShare = 1e-9;      // Of V: slower contacts do not leave.
constexpr double kPublishedSunkShare = 0.8;        // Of delta: a contact that is nearer is moved back.
constexpr double kDriftShare = 0.25;      // Of delta: what a touching vertex may move off its plane in a step.
constexpr double kSmallShare = 1e-5;      // Of sqrt(L / g): the step after which what leaves has left.
constexpr double kLeastShare = 1e-12;     // Of sqrt(L / g): shorter steps end the run.
constexpr int kPublishedHalvings = 60;

Twist twistOf(const World& world, int part) {
  const int slot = world.slotOf(world.parts()[part].body);
  if (slot < 0) return {};
  const dynamics::RigidBodyState& s = world.state[slot].state;
  return {s.v, s.w};
}

bool isMovingLink(const World& world, int part) {
  const int slot = world.slotOf(world.parts()[part].body);
  return slot >= 0 && world.isLink(slot);
}

Vector3d centreOf(const World& world, int part) {
  const int body = world.parts()[part].body, slot = world.slotOf(body);
  return slot < 0 ? world.scene().bodies[body].pose.p : world.state[slot].state.pose.p;
}

}  // namespace

Stepped Published::step(World& world, double until, StateSink& sink) {
  Stepped result;
  const double end =
      std::min(world.control(world.time), until);  // Forces of controllers are held up to their next sample.
  const double horizon = std::min(end - world.time, max_step_);
  if (!started_) {
    started_ = true;
    world.findContacts(world.state, 0, contacts_);
    world.freeVelocities(world.state, 0, u_, v_);
    sink.state(world);
    constrain(world, result);
  }
  workspaces_.clear();
  for (const sim::SystemRobot& robot : world.state.robots)
    dynamics::calcKinematics(*robot.model, robot.state, workspaces_.emplace_back(*robot.model));
  double h = safeStep(world, horizon);
  const double least = kLeastShare * world.scales().time;
  while (!certified(world, h)) {
    ++refused_;
    h /= 2;
    if (!(h >= least))
      return {StepStatus::kFailed,
              fmt::format("t = {:.9g} s: no step keeps all bodies {:.3g} m apart", world.time, world.scales().floor),
              0};
  }
  ++steps_, full_ += h == max_step_;
  world.state = moved_;
  world.time = h == end - world.time ? end : world.time + h;
  world.freeVelocities(world.state, h, u_, v_);
  world.findContacts(world.state, 0, contacts_);
  constrain(world, result);
  return result;
}

/// v = k(v*), from the velocities u_ and v_.
void Published::constrain(World& world, Stepped& result) {
  world.setVelocities(world.state, u_, v_);
  std::vector<double> wanted(contacts_.size(), 0.0);
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const double approach = -contacts_.velocity(world.state, c)[0];
    if (!(approach > world.scales().capture_speed)) continue;
    ++result.impacts;
    wanted[c] = contacts_[c].restitution * approach;
  }
  if (!solver_.solve(
          world, world.state, contacts_, [&](std::size_t c) { return -wanted[c]; }, FrictionLaw::kCoulomb,
          kPublishedResidual * world.scales().speed, u_, v_))
    ++unsolved_;
  world.setVelocities(world.state, u_, v_);
}

/// r(q, v) of Algorithm 1, no longer than `horizon`.
double Published::safeStep(World& world, double horizon) {
  std::vector<std::vector<int>> touching(world.pairs().size());
  for (std::size_t c = 0; c < contacts_.size(); ++c)
    if (!contacts_[c].isLimit()) touching[contacts_[c].pair_index].push_back(static_cast<int>(c));
  double h = horizon;
  for (std::size_t p = 0; p < touching.size(); ++p)
    h = touching[p].empty() ? stepApart(world, world.pairs()[p], h)
                            : stepTouching(world, world.pairs()[p], touching[p], h);
  return stepStill(world, h);
}

double Published::stepApart(World& world, World::Pair& pair, double horizon) {
  const sim::PartRuntime &A = world.parts()[pair.part_a], &B = world.parts()[pair.part_b];
  const geom::Pose X_A = world.originPose(world.state, pair.part_a), X_B = world.originPose(world.state, pair.part_b);
  const auto& PB = std::get<geom::Polytope>(*B.shape);
  Vector3d d;
  double distance;
  if (const auto* plane = std::get_if<geom::HalfSpace>(A.shape)) {
    const double length = plane->normal.norm();
    d = X_A.rotation() * plane->normal / length;
    distance = advance::lowestOf(PB, X_B.rotation().transpose() * d) + d.dot(X_B.p - X_A.p) - plane->offset / length;
  } else if (distance_ == DistanceSource::kLibccd) {
    distance = libccdDistance(std::get<geom::Polytope>(*A.shape), X_A, PB, X_B);
    d.setZero();
  } else {
    const geom::Separation found = geom::separation(std::get<geom::Polytope>(*A.shape), X_A, PB, X_B, pair.cache);
    distance = found.distance, d = -found.normal;
  }
  const advance::SafeStep step =
      advance::firstOrderStep(distance - world.scales().gap, speedTowards(world, d, pair), horizon);
  return step.status == advance::StepStatus::kTouching ? std::min(horizon, kSmallShare * world.scales().time)
                                                       : step.step;
}

/// The denominator of Eq. (4), the terms of links exchanged for Eq. (11); d = 0: over all directions.
double Published::speedTowards(const World& world, const Vector3d& d, const World::Pair& pair) {
  const Twist A = twistOf(world, pair.part_a), B = twistOf(world, pair.part_b);
  const double radius_a = std::isfinite(world.parts()[pair.part_a].radius) ? world.parts()[pair.part_a].radius : 0;
  const double radius_b = world.parts()[pair.part_b].radius;
  if (d.isZero(0))
    return (A.velocity - B.velocity).norm() + A.angular_velocity.norm() * radius_a +
           B.angular_velocity.norm() * radius_b;
  const bool link_a = isMovingLink(world, pair.part_a), link_b = isMovingLink(world, pair.part_b);
  if (!link_a && !link_b) return advance::approachSpeed(d, A, radius_a, B, radius_b);
  const auto of = [&](bool link, int part, const Twist& twist, double radius) {
    return link ? linkSpeed(world, part, d)
                : std::abs(d.dot(twist.velocity)) + twist.angular_velocity.cross(d).norm() * radius;
  };
  return of(link_a, pair.part_a, A, radius_a) + of(link_b, pair.part_b, B, radius_b);
}

/// Eq. (11)-(14). The base's velocity is taken where the first joint is, and 2 r covers a joint outside the link's
/// sphere: both are left open there.
double Published::linkSpeed(const World& world, int part, const Vector3d& d) {
  const sim::PartRuntime& link = world.parts()[part];
  const sim::SystemBody& body = world.state[world.slotOf(link.body)];
  const ArticulatedModel& model = *world.state.robots[body.robot].model;
  const auto& nodes = workspaces_[body.robot].nodes;
  std::vector<advance::ChainJoint> joints;  // From the link inwards.
  Twist base;
  Vector3d outer = centreOf(world, part);
  double radius = link.radius;
  for (int n = model.link(body.link).node; n > 0; n = model.nodes()[n].parent) {
    const ArticulatedModel::Node& node = model.nodes()[n];
    if (node.kind == ArticulatedModel::Node::kFloating) {
      base = {nodes[n].v + nodes[n].w.cross(outer - nodes[n].p), nodes[n].w};
      break;
    }
    advance::ChainJoint joint;
    joint.prismatic = node.kind == ArticulatedModel::Node::kPrismatic;
    joint.position = std::abs(nodes[n].coordinate);
    joint.speed = node.kind == ArticulatedModel::Node::kSpherical ? (nodes[n].w - nodes[node.parent].w).norm()
                                                                  : std::abs(nodes[n].rate);
    joint.length = (outer - nodes[n].p).norm();
    if (joints.empty()) radius = std::max(radius, (joint.length + radius) / 2);
    joints.push_back(joint);
    outer = nodes[n].p;
  }
  std::reverse(joints.begin(), joints.end());
  return advance::chainSpeed(d, base, joints, radius);
}

/// How fast a part turns as Eq. (7) and (15) count it [1/s]: their denominators, of one body and a metre from it.
double Published::turningSpeed(const World& world, int part, const Vector3d& n) const {
  if (!isMovingLink(world, part))
    return advance::pivotSpeed(n, twistOf(world, part).angular_velocity, Vector3d::Zero(), 1);
  const sim::SystemBody& body = world.state[world.slotOf(world.parts()[part].body)];
  const ArticulatedModel& model = *world.state.robots[body.robot].model;
  const auto& nodes = workspaces_[body.robot].nodes;
  std::vector<advance::ChainJoint> joints;
  double base = 0;
  for (int k = model.link(body.link).node; k > 0; k = model.nodes()[k].parent) {
    const auto kind = model.nodes()[k].kind;
    if (kind == ArticulatedModel::Node::kFloating) base = nodes[k].w.norm();
    else
      joints.push_back({kind == ArticulatedModel::Node::kPrismatic, 0,
                        kind == ArticulatedModel::Node::kSpherical ? nodes[k].w.norm() : std::abs(nodes[k].rate), 0});
  }
  return advance::chainPivotSpeed(n, base, joints, Vector3d::Zero(), 1);
}

/// Eq. (8): over the vertices of both that are off the separating plane. A small step where a touching one leaves it.
double Published::stepTouching(World& world, const World::Pair& pair, std::span<const int> touching, double horizon) {
  const auto& first = contacts_.kinematics(touching[0]);
  const Vector3d n = first.frame.row(0).transpose();  // From A to B.
  // The planes of the two sides, `first.gap` apart: what lies on one is that far from the other.
  const advance::ContactFeature& feature = contacts_[touching[0]].feature;
  const bool on_b = feature.kind == advance::AxisKind::kFixedInA ||
                    (feature.kind == advance::AxisKind::kNearest && advance::actsOnB(advance::axisOf(feature)));
  const double sigma_a = n.dot(first.point) - (on_b ? first.gap : 0), sigma_b = sigma_a + first.gap;
  const double gap = world.scales().gap;
  bool leaves = false;
  for (const int c : touching)
    leaves = leaves || contacts_.velocity(world.state, c)[0] > kStillShare * world.scales().speed;
  // The plane is no longer that of the contact where one leaves: what is off it is bounded as by Eq. (4).
  const double approach = leaves ? speedTowards(world, n, pair) : 0;
  const double turning = turningSpeed(world, pair.part_a, n) + turningSpeed(world, pair.part_b, n);
  double h = leaves ? std::min(horizon, kSmallShare * world.scales().time) : horizon;
  for (const auto& [part, side] : {std::pair{pair.part_a, -1.0}, std::pair{pair.part_b, 1.0}}) {
    const auto* polytope = std::get_if<geom::Polytope>(world.parts()[part].shape);
    if (!polytope) continue;
    const geom::Pose X = world.originPose(world.state, part);
    const Eigen::Matrix3d R = X.rotation();
    for (int k = 0; k < polytope->numVertices(); ++k) {
      const Vector3d r = R * polytope->vertex(k) + X.p;
      const double height = side > 0 ? n.dot(r) - sigma_a : sigma_b - n.dot(r);
      if (!(height > world.scales().band)) continue;  // It touches.
      double reach = 0;
      for (const int c : touching) reach = std::max(reach, (r - contacts_.kinematics(c).point).norm());
      const advance::SafeStep step = advance::firstOrderStep(height - gap, leaves ? approach : turning * reach, h);
      if (step.status != advance::StepStatus::kTouching) h = step.step;
    }
  }
  return h;
}

/// Halved until no touching vertex moves off its plane by more than a share of delta, as constant twists move it.
double Published::stepStill(World& world, double horizon) {
  if (contacts_.empty()) return horizon;
  const double allowed = kDriftShare * world.scales().gap, speed = kStillShare * world.scales().speed;
  moved_contacts_.clear();
  for (std::size_t c = 0; c < contacts_.size(); ++c)
    moved_contacts_.add(contacts_[c], contacts_.fixedA(c), contacts_.fixedB(c));
  double h = horizon;
  for (int k = 0; k < kPublishedHalvings; ++k) {
    moved_ = world.state;
    world.drift(moved_, h);
    moved_contacts_.place(moved_);
    bool still = true;
    for (std::size_t c = 0; c < contacts_.size() && still; ++c) {
      const bool leaves = contacts_.velocity(world.state, c)[0] > speed;
      still = leaves || std::abs(moved_contacts_.kinematics(c).gap - contacts_.kinematics(c).gap) <= allowed;
    }
    if (still) break;
    h /= 2;
  }
  return h;
}

/// q + h v; contacts that have come nearer than delta are moved back to it, which changes positions alone.
void Published::move(World& world, double h) {
  moved_ = world.state;
  bool sunk = false;
  for (std::size_t c = 0; c < contacts_.size(); ++c)
    sunk = sunk || contacts_.kinematics(c).gap < kPublishedSunkShare * world.scales().gap;
  if (!sunk) return world.drift(moved_, h);
  world.freeVelocities(moved_, 0, u_, v_);
  const std::vector<sim::Vector6d> u = u_;
  const std::vector<Eigen::VectorXd> v = v_;
  const auto offset = [&](std::size_t c) { return (contacts_.kinematics(c).gap - world.scales().gap) / h; };
  unsolved_ += !solver_.solve(world, world.state, contacts_, offset, FrictionLaw::kCoulomb,
                              kDriftShare * world.scales().gap / h, u_, v_);
  world.setVelocities(moved_, u_, v_);
  world.drift(moved_, h);
  world.setVelocities(moved_, u, v);
}

bool Published::certified(World& world, double h) {
  move(world, h);
  pieces_.resize(world.bodies().size());
  std::vector<advance::PiecePolynomials> motions(world.bodies().size());
  for (std::size_t b = 0; b < pieces_.size(); ++b) {
    const int slot = world.slotOf(static_cast<int>(b));
    advance::MotionPiece& piece = pieces_[b];
    if (slot < 0) {
      piece = advance::MotionPiece::constant(world.scene().bodies[b].pose, world.time, world.time + h);
    } else {
      const geom::Pose &from = world.state[slot].state.pose, &to = moved_[slot].state.pose;
      piece.t0 = world.time, piece.t1 = world.time + h;
      piece.p_degree = from.p == to.p ? 0 : 1, piece.q_degree = from.q == to.q ? 0 : 1;
      piece.p[0] = from.p, piece.p[1] = to.p, piece.q[0] = from.q,
      piece.q[1] = from.q.dot(to.q) < 0 ? Eigen::Vector4d(-to.q) : to.q;
    }
    if (!(piece.t1 > piece.t0)) return false;
    motions[b] = advance::PiecePolynomials(piece, piece.t0, piece.t1);
  }
  axes_.resize(world.pairs().size());
  for (std::size_t p = 0; p < axes_.size(); ++p) {
    const World::Pair& pair = world.pairs()[p];
    const sim::PartRuntime &A = world.parts()[pair.part_a], &B = world.parts()[pair.part_b];
    const auto moving = [&](const sim::PartRuntime& part) {
      const int slot = world.slotOf(part.body);
      return advance::MovingPart{part.shape, slot < 0 ? Vector3d(0, 0, 0) : world.centreOf(slot), &motions[part.body]};
    };
    witnesses_.clear();
    const auto* plane = std::get_if<geom::HalfSpace>(A.shape);
    if (plane) axes_[p].assign(1, {advance::AxisKind::kFixedInA, plane->normal});
    if (advance::certify(moving(A), moving(B), axes_[p], world.scales().floor, witnesses_) !=
        advance::CertifyStatus::kCertified)
      return false;
    axes_[p].assign(1, witnesses_.back().axis);
  }
  return true;
}

std::string Published::counters() const {
  return fmt::format(R"({{"steps":{},"full_steps":{},"refused":{},"unsolved":{}}})", steps_, full_, refused_,
                     unsolved_);
}

}  // namespace rigor::methods
