// SPDX-License-Identifier: MIT
// Proves: what is shown between the ends of steps is what the velocities there say, a contact acts along a normal of
// its parts, nothing that keeps energy hides a motor, jumps and short steps are held to friction and restitution as
// steps and jumps are, and links to their own weight. Forged runs that keep the laws at the ends of their steps are
// refuted; the true runs beside them are proved. Oracle: motions in closed form. What the filter proves the kernel
// does.
#include <gtest/gtest.h>

#include <cmath>

#include "filter_against_kernel.h"
#include "hand_made_run.h"

namespace rigor::verify::forged {
namespace {

using kernel::JointType;
using kernel::Law;
using kernel::Piece;
using kernel::Wrench;
using kernel::made::kGap;
using kernel::made::kGravity;
using kernel::made::kSize;
using kernel::made::Made;

/// The bounds of a run of one body, as it declares them by default.
Made declared(Made made) {
  kernel::Bounds& b = made.run.bounds;
  b[Law::kMomentum] = b[Law::kAngularMomentum] = 2.6e-3, b[Law::kKinematics] = 100;
  b[Law::kCone] = b[Law::kSlip] = 0.2, b[Law::kSupport] = 10, b[Law::kEnergy] = 6.8e-6;
  return made;
}

std::string reasons(const Made& made, const char* name) {
  compareWithKernel(made, name);
  std::string text;
  for (const auto& open : kernel::made::proveAll(made).open) text += open.reason + "\n";
  return text;
}

void expectRefuted(const Made& made, const char* why, const char* name) {
  const std::string found = reasons(made, name);
  EXPECT_NE(found.find(why), std::string::npos) << name << '\n' << found;
}

const char* const kOffItsVelocities = "moves as its velocities do not say";

// -- Between the ends of steps.

/// The same curve with cubic pieces.
void elevate(Piece& p) {
  ASSERT_EQ(p.p_degree, 2);
  p.p_degree = 3;
  for (int k = 0; k < 3; ++k) {
    const double middle = p.p[1][k];
    p.p[3][k] = p.p[2][k];
    p.p[1][k] = (p.p[0][k] + 2 * middle) / 3, p.p[2][k] = (2 * middle + p.p[3][k]) / 3;
  }
}

/// It lies still at both ends of its only step, and moves in between.
Made shifted(const kernel::Vector3& by) {
  Made made = declared(kernel::made::rest());
  Piece& p = made.rows[0].pieces[0];
  p.p_degree = 3;
  for (int i = 1; i < 4; ++i)
    for (int k = 0; k < 3; ++k) p.p[i][k] = p.p[0][k] + (i > 1 ? by[k] : 0);
  return made;
}

Made turned(double angle) {
  Made made = declared(kernel::made::rest());
  Piece& p = made.rows[0].pieces[0];
  p.q_degree = 3;
  for (int i = 0; i < 4; ++i)
    p.q[i][0] = i < 2 ? 1 : std::cos(angle / 2), p.q[i][3] = i < 2 ? 0 : std::sin(angle / 2);
  return made;
}

/// The same by a quaternion that changes its sign in between: its rate is 0 at the middle, too.
Made swungRound(double angle) {
  Made made = turned(angle);
  Piece& p = made.rows[0].pieces[0];
  for (double& x : p.q[1]) x = -x;
  for (double& x : p.q[2]) x = -x;
  return made;
}

/// Thrown straight up; at the end of its last step it is `off` higher than its velocities say.
Made thrown(double off) {
  Made made = declared(kernel::made::flight());
  kernel::Body& die = made.run.model.bodies[1];
  die.velocity = {0, 0, 2};
  kernel::BranchRows& rows = made.rows[0];
  rows.pieces[0] = kernel::made::parabola(1, 0, 0.25, die.position.data(), die.velocity, {0, 0, -kGravity});
  rows.pieces[1] = kernel::made::parabola(1, 0.25, 0.5, rows.pieces[0].p[2], {0, 0, rows.pieces[0].velocity[8]},
                                          {0, 0, -kGravity});
  for (Piece& piece : rows.pieces) elevate(piece);
  rows.pieces[1].p[2][2] += off, rows.pieces[1].p[3][2] += off;
  rows.claims[0].gap = 1;
  kernel::made::number(made);
  return made;
}

/// A turn about the vertical at an even rate, or one that dawdles and hurries: at both ends its rate is the same.
Made spinning(double rate, double dawdles) {
  Made made = thrown(0);
  const double h = 0.25, angle = rate * h / 2;
  made.run.model.bodies[1].angular_velocity = {0, 0, rate};
  double from = 0;
  for (Piece& p : made.rows[0].pieces) {
    p.q_degree = 3;
    const double third = rate * h / 6, to = from + angle, c0 = std::cos(from), s0 = std::sin(from), c1 = std::cos(to),
                 s1 = std::sin(to), longer = 1 + dawdles;
    const double q[4][2] = {{c0, s0}, {longer * c0 - third * s0, longer * s0 + third * c0},
                            {c1 + third * s1, s1 - third * c1}, {c1, s1}};
    for (int i = 0; i < 4; ++i) p.q[i][0] = q[i][0], p.q[i][3] = q[i][1];
    p.velocity[5] = p.velocity[11] = rate, from = to;
  }
  return made;
}

/// Friction that pushes at the start of its only step and brakes at the end moves it in between.
Made jerked(double share) {
  Made made = shifted({0.25 * share * kGravity / 2, 0, 0});
  auto& contacts = made.rows[0].actions[0].contacts;
  for (std::size_t v = 0; v < 4; ++v) {
    const double n = kGravity / 2 / 2, t = 0.25 * share * n;
    contacts[v].impulses = {{0, {t, 0, n}}, {1, {-t, 0, n}}};
  }
  return made;
}

TEST(ForgedMotion, StepsGoWhereTheirVelocitiesLead) {
  for (const Made& honest : {shifted({0, 0, 0}), turned(0), thrown(0), spinning(4, 0)})
    EXPECT_EQ(reasons(honest, "honest"), "");
  expectRefuted(shifted({0.5, 0, 0}), kOffItsVelocities, "it walks without a velocity");
  expectRefuted(shifted({0, 0.03, 0}), kOffItsVelocities, "it creeps");
  expectRefuted(jerked(1), kOffItsVelocities, "it is pushed to and fro");
  expectRefuted(turned(0.7), kOffItsVelocities, "it turns without a velocity");
  expectRefuted(turned(0.05), kOffItsVelocities, "it turns a little");
  for (const double angle : {0.05, 0.7, 2.8})
    expectRefuted(swungRound(angle), "turns farther within its step", "it turns with a rate of 0 at three instants");
  expectRefuted(thrown(-0.2), kOffItsVelocities, "it falls farther than its velocities say");
  expectRefuted(thrown(0.2), kOffItsVelocities, "it hangs in the air");
  expectRefuted(spinning(4, 1), kOffItsVelocities, "it turns unevenly");
}

// -- Normals.

/// The table as a box, and its contacts along another axis.
Made alongAxis(Made made, const kernel::Vector3& axis) {
  kernel::Part& top = made.run.model.bodies[0].parts[0];
  top = {};
  for (int i = 0; i < 8; ++i) top.vertices.push_back({i & 1 ? 5.0 : -5.0, i & 2 ? 5.0 : -5.0, i & 4 ? 0.0 : -1.0});
  for (kernel::Action& action : made.rows[0].actions)
    for (kernel::Contact& contact : action.contacts) {
      kernel::Facing facing = *contact.facing;
      facing.axis = axis;
      contact.facing = std::make_shared<const kernel::Facing>(facing);
    }
  return made;
}

/// It hangs below the table: what held it up pulls it now.
Made hanging() {
  Made made = declared(kernel::made::rest());
  made.run.model.gravity[2] = kGravity;
  for (kernel::Action& action : made.rows[0].actions)
    for (kernel::Contact& contact : action.contacts)
      for (kernel::Impulse& impulse : contact.impulses) impulse.P[2] = -impulse.P[2];
  return made;
}

/// It lies still although gravity leans and nothing rubs; its front corners carry more.
Made onSlope(double slope) {
  Made made = declared(kernel::made::rest());
  made.run.model.bodies[1].friction = 0;
  made.run.model.gravity = {kGravity * slope, 0, -kGravity};
  for (kernel::Action& action : made.rows[0].actions)
    for (std::size_t v = 0; v < 4; ++v)
      for (kernel::Impulse& impulse : action.contacts[v].impulses)
        impulse.P[2] *= v & 1 ? 1 + slope : 1 - slope, impulse.P[0] = -slope * impulse.P[2];
  return made;
}

TEST(ForgedMotion, ContactsActAlongNormalsOfTheirParts) {
  EXPECT_EQ(reasons(alongAxis(declared(kernel::made::rest()), {0, 0, 1}), "on a box"), "");
  expectRefuted(alongAxis(hanging(), {0, 0, 1}), "cone", "it hangs");
  expectRefuted(alongAxis(hanging(), {0.1, 0.1, -1}), "cone", "it hangs along an axis that points away");
  expectRefuted(alongAxis(onSlope(0.5), {0, 0, 1}), "cone", "it does not slide");
  expectRefuted(alongAxis(onSlope(0.5), {-0.5, 0, 1}), "cone", "it does not slide, and the slope is said to be level");
}

// -- Jumps and short steps.

/// It slides over the table in hops so low that it touches all along: all that acts does so at jumps. Friction is
/// `share` of what would brake it.
Made hopping(double share) {
  Made made = declared(kernel::made::slide());
  kernel::Body& die = made.run.model.bodies[1];
  const double h = 0x1p-11, mass = die.mass, rub = share * 0.25, rise = kGravity * h / 2;
  const int hops = 1024;
  made.run.until = made.run.branches[0].end_time = hops * h;
  kernel::BranchRows& rows = made.rows[0];
  rows.pieces.clear(), rows.actions.clear();
  kernel::Vector3 p = die.position;
  double fast = die.velocity[0], falls = 0;
  for (int i = 0; i < hops; ++i) {
    const double t = i * h, push = mass * (rise + falls);
    kernel::Action jump;
    jump.t0 = jump.t1 = t;
    for (int v = 0; v < 4; ++v) {
      const double n = push * (v & 1 ? 1 + rub : 1 - rub) / 4;
      jump.contacts.push_back(kernel::made::pushed(v, t, t, {}));
      jump.contacts.back().impulses = {{t, {-rub * n, 0, n}}};
    }
    rows.actions.push_back(jump);
    fast -= rub * push / mass, falls = rise;
    rows.pieces.push_back(kernel::made::parabola(1, t, t + h, p.data(), {fast, 0, rise}, {0, 0, -kGravity}));
    for (int k = 0; k < 3; ++k) p[k] = rows.pieces.back().p[2][k];
  }
  rows.claims[0].t1 = hops * h, rows.claims[0].gap = made.run.branches[0].min_gap = kGap * 0.8;
  kernel::made::number(made);
  return made;
}

/// It falls flat and rises with `share` of its speed: what turns it about acts over a step of 2^-32 s.
Made bouncedInAStep(double share) {
  Made made = declared(kernel::made::bounce());
  made.run.model.bodies[1].restitution = 0;
  kernel::BranchRows& rows = made.rows[0];
  const double h = 0x1p-32, from = rows.pieces[0].t1, v = -rows.pieces[0].velocity[8], mass = 2;
  Piece turn{};
  turn.body = 1, turn.t0 = from, turn.t1 = from + h, turn.p_degree = 3, turn.q[0][0] = 1;
  const double x = rows.pieces[0].velocity[6];
  for (int i = 0; i < 4; ++i) {
    for (int k = 0; k < 3; ++k) turn.p[i][k] = rows.pieces[0].p[2][k];
    turn.p[i][0] += i * h / 3 * x, turn.p[i][2] -= i == 1 ? h / 3 * v : i == 2 ? h / 3 * share * v : 0;
  }
  turn.velocity[0] = turn.velocity[6] = x, turn.velocity[2] = -v, turn.velocity[8] = share * v;
  const double end = made.run.until = made.run.branches[0].end_time = rows.claims[0].t1 = from + 0x1p-5;
  Piece up = kernel::made::parabola(1, turn.t1, end, turn.p[3], {x, 0, share * v}, {0, 0, -kGravity});
  rows.pieces = {rows.pieces[0], turn, up};
  kernel::Action& action = rows.actions[0];
  action.t1 = turn.t1;
  for (kernel::Contact& contact : action.contacts)
    contact.impulses = {{from + h / 2, {0, 0, mass * ((1 + share) * v + kGravity * h) / 4}}};
  rows.claims[0].gap = made.run.branches[0].min_gap = kGap * 0.8;
  kernel::made::number(made);
  return made;
}

/// It glides on a table without slip, in steps so short that each impulse is below what momentum may miss.
Made glidingInSteps(int steps) {
  Made made = declared(kernel::made::slide());
  kernel::Body& die = made.run.model.bodies[1];
  die.no_slip = true;
  const double h = made.run.until / steps, fast = die.velocity[0];
  kernel::BranchRows& rows = made.rows[0];
  rows.pieces.clear(), rows.actions.clear();
  kernel::Vector3 p = die.position;
  for (int i = 0; i < steps; ++i) {
    rows.pieces.push_back(kernel::made::parabola(1, i * h, (i + 1) * h, p.data(), {fast, 0, 0}, {}));
    kernel::Action action;
    action.t0 = i * h, action.t1 = (i + 1) * h;
    for (int v = 0; v < 4; ++v)
      action.contacts.push_back(kernel::made::pushed(v, action.t0, action.t1, {0, 0, die.mass * kGravity / 4}));
    rows.actions.push_back(action);
    p[0] = rows.pieces.back().p[2][0];
  }
  kernel::made::number(made);
  return made;
}

TEST(ForgedMotion, JumpsAndShortStepsKeepFrictionAndRestitution) {
  EXPECT_EQ(reasons(hopping(1), "honest"), "");
  for (const double share : {0.0, 0.5, -1.0}) expectRefuted(hopping(share), "cone", "it glides in low hops");
  for (const double share : {0.3, 1.0}) expectRefuted(bouncedInAStep(share), "slip", "it rebounds within a step");
  expectRefuted(glidingInSteps(2048), "cone", "it glides although nothing slips");
}

/// A step that goes on past what is known of a run that is still written is held to the laws all the same.
TEST(ForgedMotion, NothingFloatsWhileARunIsWritten) {
  Made made = declared(kernel::made::flight());
  made.run.done = false, made.run.branches[0].running = true, made.run.branches[0].end_time = 0.4;
  EXPECT_EQ(reasons(made, "thrown"), "");
  for (Piece& piece : made.rows[0].pieces) {
    piece.p_degree = 0;
    std::copy_n(made.run.model.bodies[1].position.data(), 3, piece.p[0]), std::fill_n(piece.velocity, 12, 0.0);
  }
  made.run.model.bodies[1].velocity = {};
  expectRefuted(made, "momentum", "it floats");
  made.rows[0].pieces.pop_back(), made.rows[0].pieces[0].t1 = 0.5;
  expectRefuted(made, "momentum", "it floats in one step");
}

// -- Robots.

/// Cubes beside each other on balls, which fall by `share` of what gravity says; nothing acts.
Made row(int links, double share) {
  Made made = kernel::made::onTable(kernel::made::cube("r/0", {0, 0, 4}, {}), 0.25);
  made.run.model.bodies.clear();
  kernel::Robot robot;
  robot.name = "r";
  for (int i = 0; i < links; ++i) {
    kernel::Body cube = kernel::made::cube("r/" + std::to_string(i), {1.0 * i, 0, 4}, {});
    cube.robot = 0;
    made.run.model.bodies.push_back(cube);
    kernel::Joint joint;
    joint.name = std::to_string(i), joint.child = i, joint.parent = i - 1;
    joint.type = i == 0 ? JointType::kOther : JointType::kSpherical;
    joint.parent_point = {0.5, 0, 0}, joint.child_point = {-0.5, 0, 0};
    robot.joints.push_back(joint);
  }
  made.run.model.robots = {robot};
  for (const Law law : {Law::kMomentum, Law::kAngularMomentum}) made.run.bounds[law] = 0.026;
  made.run.bounds[Law::kEnergy] = 0.03, made.run.bounds[Law::kJoints] = 0.013;
  kernel::BranchRows& rows = made.rows[0];
  const double h = 0x1p-9;
  for (int i = 0; i < links; ++i) {
    kernel::Vector3 p = made.run.model.bodies[static_cast<std::size_t>(i)].position;
    double falls = 0;
    for (int k = 0; k < 128; ++k) {
      rows.pieces.push_back(
          kernel::made::parabola(i, k * h, (k + 1) * h, p.data(), {0, 0, falls}, {0, 0, -share * kGravity}));
      p[2] = rows.pieces.back().p[2][2], falls = rows.pieces.back().velocity[8];
    }
  }
  kernel::made::number(made);
  return made;
}

/// The weight of a link is little beside that of its robot, and that of all is not.
TEST(ForgedMotion, NoRobotOfManyLinksFloats) {
  EXPECT_EQ(reasons(row(30, 1), "it falls"), "");
  for (const double share : {0.0, 0.5}) expectRefuted(row(30, share), "momentum", "it floats");
}

TEST(ForgedMotion, LinksThatMayPassThroughEachOtherDoNotPush) {
  Made made = declared(kernel::made::rest());
  made.run.model.robots = {{"r", {}}};
  for (kernel::Body& body : made.run.model.bodies) body.robot = 0;
  EXPECT_EQ(reasons(made, "links"), "");
  made.run.model.ignored_pairs = {{0, 1}};
  expectRefuted(made, "at no feature of a pair that may collide", "links that ignore each other");
}

// -- Joints.

/// A rod on a pin, whose own wrench speeds it up evenly from rest to `rate`.
Made spunUp(double rate) {
  Made made = kernel::made::pendulum();
  const double h = 0x1p-10, steps = 4, a = rate / (steps * h), inertia = kSize * kSize / 3 + 2;
  made.run.model.bodies[1].angular_velocity = {};
  for (std::size_t i = 0; i < 4; ++i) {
    Piece& p = made.rows[0].pieces[i];
    Wrench& wrench = made.rows[0].actions[i].wrenches[0];
    for (const bool end : {false, true}) {
      const double t = end ? p.t1 : p.t0, w = a * t, angle = a * t * t / 2, c = std::cos(angle), s = std::sin(angle),
                   qc = std::cos(angle / 2), qs = std::sin(angle / 2), third = end ? -h / 3 : h / 3;
      const double v[3] = {-w * s, w * c, 0}, at[3] = {c, s, 0}, q[4] = {qc, 0, 0, qs},
                   turns[4] = {-w / 2 * qs, 0, 0, w / 2 * qc};
      for (int k = 0; k < 3; ++k)
        p.p[end ? 3 : 0][k] = at[k], p.p[end ? 2 : 1][k] = at[k] + third * v[k], p.velocity[(end ? 6 : 0) + k] = v[k];
      for (int k = 0; k < 4; ++k) p.q[end ? 3 : 0][k] = q[k], p.q[end ? 2 : 1][k] = q[k] + third * turns[k];
      p.velocity[end ? 11 : 5] = w;
    }
    for (int k = 0; k < 3; ++k) wrench.impulses[0].P[k] = 2 * (p.velocity[6 + k] - p.velocity[k]);
    wrench.impulses[0].moment[2] = inertia * (p.velocity[11] - p.velocity[5]);
  }
  for (const Law law : {Law::kMomentum, Law::kAngularMomentum, Law::kEnergy}) made.run.bounds[law] = 1e-4;
  made.run.bounds[Law::kClosure] = 1;
  return made;
}

TEST(ForgedMotion, NoMotorHidesInWhatKeepsEnergy) {
  const auto alter = [](const char* why, const char* name, auto&& change) {
    Made made = spunUp(0.5);
    change(made.run.model.robots[0].joints[0]);
    expectRefuted(made, why, name);
  };
  alter("joints", "a bare joint", [](kernel::Joint&) {});
  alter("energy", "a gear", [](kernel::Joint& j) { j.coupled = true; });
  alter("energy", "a gear with a rotor", [](kernel::Joint& j) { j.coupled = true, j.armature = 1; });
  alter("energy", "a gear with a spring",
        [](kernel::Joint& j) { j.coupled = true, j.stiffness = 1, j.lower = -1, j.upper = 1; });
  alter("energy", "a ball with a rotor", [](kernel::Joint& j) { j.type = JointType::kSpherical, j.armature = 1; });
}

/// A spring that is let go: with E = I w^2 / 2 it gives k (rest^2 - (q - rest)^2) / 2.
TEST(ForgedMotion, SpringsGiveBackWhatTheyKeep) {
  Made made = spunUp(0.5);
  const double inertia = kSize * kSize / 3 + 2, end = 0.5 * 4 * 0x1p-10 / 2;
  kernel::Joint& joint = made.run.model.robots[0].joints[0];
  joint.coupled = true, joint.lower = -1, joint.upper = 1, joint.rest = 0.5;
  joint.stiffness = inertia * 0.25 / (0.25 - (end - 0.5) * (end - 0.5));
  EXPECT_EQ(reasons(made, "a spring"), "");
  joint.stiffness /= 2;
  expectRefuted(made, "energy", "half of that spring");
}

/// A rod on a pin that stops at once, and stays.
Made stopped(double friction) {
  Made made = kernel::made::pendulum();
  made.run.model.robots[0].joints[0].friction = friction;
  kernel::BranchRows& rows = made.rows[0];
  const Piece before = rows.pieces[1];
  for (std::size_t i = 2; i < 4; ++i) {
    Piece& p = rows.pieces[i];
    p.p_degree = p.q_degree = 0;
    std::copy_n(before.p[3], 3, p.p[0]), std::copy_n(before.q[3], 4, p.q[0]), std::fill_n(p.velocity, 12, 0.0);
  }
  kernel::Action& jump = rows.actions[2];
  rows.actions.pop_back();
  jump.t1 = jump.wrenches[0].impulses[0].time = jump.t0;
  for (int k = 0; k < 3; ++k) jump.wrenches[0].impulses[0].P[k] = -2 * before.velocity[6 + k];
  jump.wrenches[0].impulses[0].moment[2] = -(kSize * kSize / 3 + 2) * before.velocity[11];
  return made;
}

TEST(ForgedMotion, FrictionOfJointsHasNoImpulse) {
  for (const double friction : {0.0, 1e-9, 0.5}) expectRefuted(stopped(friction), "joints", "it stops at once");
  // One so strong stops it while an event lasts, if it slid so slowly before that it may not have.
  Made strong = stopped(1e6);
  strong.run.bounds[Law::kSlip] = 1e3;
  EXPECT_EQ(reasons(strong, "a strong brake"), "");
}

/// What its own wrench would do comes from a limit that is far away, in so many pushes that each is below what momentum
/// may miss.
TEST(ForgedMotion, LimitsThatAreFarDoNotPushALittle) {
  Made made = spunUp(0.1);
  kernel::Joint& joint = made.run.model.robots[0].joints[0];
  joint.lower = -1, joint.upper = 1;
  made.run.bounds[Law::kEnergy] = 0.1;
  for (kernel::Action& action : made.rows[0].actions) {
    Wrench limit = action.wrenches[0];
    limit.source = Wrench::Source::kLimit;
    kernel::Twisting push = limit.impulses[0];
    push.P = {}, push.moment[2] /= 4096;
    limit.impulses.assign(4096, push);
    action.wrenches[0].impulses[0].moment[2] = 0;
    action.wrenches.push_back(limit);
  }
  expectRefuted(made, "joints", "a limit that is far");
}

TEST(ForgedMotion, LimitsActAlongOneAxis) {
  for (const JointType type : {JointType::kSpherical, JointType::kUniversal, JointType::kPlanar, JointType::kFixed}) {
    Made made = kernel::made::pendulum();
    made.run.model.robots[0].joints[0].type = type;
    Wrench limit = made.rows[0].actions[0].wrenches[0];
    limit.source = Wrench::Source::kLimit;
    limit.impulses[0].P = {}, limit.impulses[0].moment = {};
    made.rows[0].actions[0].wrenches.push_back(limit);
    EXPECT_NE(reasons(made, "a limit of several axes").find("at no limit"), std::string::npos);
  }
}

}  // namespace
}  // namespace rigor::verify::forged
