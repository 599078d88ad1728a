// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "verify/kernel/prove.h"

/// Runs in the kernel's plain data whose motion and forces are known in closed form: everything balances to rounding.
namespace rigor::verify::kernel::made {

struct Made {
  Run run;
  std::vector<BranchRows> rows;
};

inline Result proveAll(const Made& made, bool laws = true) {
  return prove(made.run, [&](std::size_t branch) { return made.rows[branch]; }, laws);
}

constexpr double kSize = 0.5, kGravity = 9.8125, kGap = 1e-8;

inline Body table() {
  Body body;
  body.name = "table";
  body.fixed = true;
  body.friction = 0.25;
  Part plane;
  plane.half_space = true;
  plane.normal = {0, 0, 1};
  body.parts = {plane};
  return body;
}

inline Body cube(const std::string& name, const Vector3& position, const Vector3& velocity, const Vector3& spin = {}) {
  Body body;
  body.name = name;
  body.mass = 2;
  body.inertia = {kSize * kSize / 3, kSize * kSize / 3, kSize * kSize / 3, 0, 0, 0};
  body.friction = 0.25;
  body.position = position;
  body.velocity = velocity;
  body.angular_velocity = spin;
  Part part;
  for (int i = 0; i < 8; ++i)
    part.vertices.push_back(
        {i & 1 ? kSize / 2 : -kSize / 2, i & 2 ? kSize / 2 : -kSize / 2, i & 4 ? kSize / 2 : -kSize / 2});
  body.parts = {part};
  return body;
}

inline Made onTable(const Body& body, double until) {
  Made made;
  made.run.model.gravity = {0, 0, -kGravity};
  made.run.model.bodies = {table(), body};
  made.run.gap_nominal = kGap, made.run.gap_floor = kGap / 2;
  made.run.until = until;
  made.run.done = true;
  made.run.actions_known = true;
  Bounds& b = made.run.bounds;
  b[Law::kMomentum] = b[Law::kAngularMomentum] = 1e-13;
  b[Law::kKinematics] = b[Law::kClosure] = 1e-3;
  b[Law::kCone] = b[Law::kEnergy] = b[Law::kJoints] = 1e-13;
  b[Law::kSupport] = 3;
  b[Law::kSlip] = 1e-12;
  Branch branch;
  branch.id = "0";
  branch.end_time = until;
  branch.min_gap = kGap * 0.9;
  made.run.branches = {branch};
  made.rows.resize(1);
  return made;
}

/// A piece with acceleration `a` that does not turn, or turns by the cubic that starts and ends with the spin w.
inline Piece parabola(int body, double t0, double t1, const double* p0, const Vector3& v0, const Vector3& a) {
  Piece piece{};
  piece.body = body;
  piece.t0 = t0;
  piece.t1 = t1;
  piece.p_degree = 2;
  piece.q[0][0] = 1;
  const double h = t1 - t0;
  for (int k = 0; k < 3; ++k) {
    piece.velocity[k] = v0[k];
    piece.velocity[6 + k] = v0[k] + h * a[k];
    piece.p[0][k] = p0[k];
    piece.p[1][k] = p0[k] + h / 2 * v0[k];
    piece.p[2][k] = p0[k] + h * v0[k] + h * h / 2 * a[k];
  }
  return piece;
}

inline Claim aboveTable(double t0, double t1, double gap) {
  Claim claim;
  claim.body_a = claim.part_a = claim.part_b = claim.kind = 0;
  claim.body_b = 1;
  claim.axis = {0, 0, 1};
  claim.t0 = t0;
  claim.t1 = t1;
  claim.gap = gap;
  return claim;
}

/// The force F on a lower corner of the body over [t0, t1], at the instants of Simpson's rule.
inline Contact pushed(int vertex, double t0, double t1, const Vector3& F) {
  Contact contact;
  contact.facing = std::make_shared<const Facing>(Facing{0, 0, 1, 0, 0, {0, 0, 1}, vertex});
  const double h = t1 - t0;
  const double times[] = {t0, t0 + h / 2, t1}, weights[] = {h / 6, 2 * h / 3, h / 6};
  for (int i = 0; i < 3; ++i)
    contact.impulses.push_back({times[i], {F[0] * weights[i], F[1] * weights[i], F[2] * weights[i]}});
  return contact;
}

inline void number(Made& made) {
  for (BranchRows& rows : made.rows) {
    std::int64_t id = 1;
    for (Piece& piece : rows.pieces) piece.id = piece.step = id++;
    for (Claim& claim : rows.claims) claim.id = id++;
    for (Action& action : rows.actions) action.id = id++;
  }
}

/// Thrown over the table, two steps.
inline Made flight() {
  Body body = cube("die", {0, 0, 4}, {1, 0.5, 2});
  Made made = onTable(body, 0.5);
  BranchRows& rows = made.rows[0];
  rows.pieces.push_back(parabola(1, 0, 0.25, body.position.data(), body.velocity, {0, 0, -kGravity}));
  const double* v = rows.pieces[0].velocity + 6;
  rows.pieces.push_back(parabola(1, 0.25, 0.5, rows.pieces[0].p[2], {v[0], v[1], v[2]}, {0, 0, -kGravity}));
  rows.claims = {aboveTable(0, 0.5, 3)};
  number(made);
  return made;
}

/// It lies on the table for a second, one piece.
inline Made rest() {
  const double z = kSize / 2 + kGap;
  Made made = onTable(cube("die", {0.125, 0, z}, {}), 1);
  BranchRows& rows = made.rows[0];
  Piece piece{};
  piece.body = 1;
  piece.t1 = 1;
  piece.q[0][0] = 1;
  piece.p[0][0] = 0.125;
  piece.p[0][2] = z;
  rows.pieces = {piece};
  rows.claims = {aboveTable(0, 1, kGap * 0.95)};
  Action action;
  action.t1 = 1;
  for (int v = 0; v < 4; ++v) action.contacts.push_back(pushed(v, 0, 1, {0, 0, 2 * kGravity / 4}));
  rows.actions = {action};
  number(made);
  return made;
}

/// It slides flat along x and slows down by friction: its front corners carry more.
inline Made slide() {
  const double z = kSize / 2 + kGap, m = 2, mu = 0.25;
  const Vector3 v0{2, 0, 0}, a{-mu * kGravity, 0, 0};
  const Body body = cube("die", {0, 0, z}, v0);
  Made made = onTable(body, 0.25);
  BranchRows& rows = made.rows[0];
  rows.pieces = {parabola(1, 0, 0.25, body.position.data(), v0, a)};
  rows.claims = {aboveTable(0, 0.25, kGap * 0.95)};
  Action action;
  action.t1 = 0.25;
  const double N = m * kGravity, shift = mu * N * (kSize / 2) / (kSize / 2);
  for (int v = 0; v < 4; ++v) {
    const double n = (v & 1 ? N + shift : N - shift) / 4;
    action.contacts.push_back(pushed(v, 0, 0.25, {-mu * n, 0, n}));
  }
  rows.actions = {action};
  number(made);
  return made;
}

/// It falls flat, bounces without loss, and rises.
inline Made bounce() {
  const double fall = 0.25, z1 = kSize / 2 + kGap;
  const Vector3 v0{0.5, 0, -1}, g{0, 0, -kGravity};
  Body body = cube("die", {0, 0, z1 - v0[2] * fall + kGravity * fall * fall / 2}, v0);
  body.restitution = 1;
  Made made = onTable(body, 2 * fall);
  BranchRows& rows = made.rows[0];
  rows.pieces.push_back(parabola(1, 0, fall, body.position.data(), v0, g));
  const Piece down = rows.pieces[0];
  const double* v = down.velocity + 6;
  rows.pieces.push_back(parabola(1, fall, 2 * fall, down.p[2], {v[0], v[1], -v[2]}, g));
  rows.claims = {aboveTable(0, 2 * fall, kGap * 0.95)};
  Action action;
  action.t0 = action.t1 = fall;
  const double P = 2 * 2 * -v[2] / 4;
  for (int vertex = 0; vertex < 4; ++vertex) {
    action.contacts.push_back(pushed(vertex, fall, fall, {}));
    action.contacts.back().impulses = {{fall, {0, 0, P}}};
  }
  rows.actions = {action};
  number(made);
  return made;
}

/// A rod that turns about a pin at the origin without gravity, `steps` short cubic steps; the pin's wrench is what
/// balances.
inline Made pendulum(int steps = 4) {
  const double h = 0x1p-10, w = 2, r = 1;
  Body rod = cube("r/rod", {0, 0, 0}, {}, {0, 0, w}), base = table();
  base.name = "r/base";
  base.parts.clear();
  base.robot = rod.robot = 0;
  rod.centre = {r, 0, 0};
  Made made = onTable(rod, steps * h);
  made.run.model.gravity = {};
  made.run.model.bodies = {base, rod};
  Joint pin;
  pin.name = "pin";
  pin.type = JointType::kRevolute;
  pin.parent = 0;
  pin.child = 1;
  made.run.model.robots = {{"r", {pin}, true}};
  made.run.model.ignored_pairs = {{0, 1}};
  for (const Law law : {Law::kMomentum, Law::kAngularMomentum, Law::kEnergy, Law::kJoints}) made.run.bounds[law] = 1e-9;
  BranchRows& rows = made.rows[0];
  for (int i = 0; i < steps; ++i) {
    Piece piece{};
    piece.body = 1;
    piece.t0 = i * h;
    piece.t1 = (i + 1) * h;
    piece.p_degree = piece.q_degree = 3;
    for (const bool end : {false, true}) {
      const double angle = w * (end ? piece.t1 : piece.t0), c = std::cos(angle), s = std::sin(angle);
      const double qc = std::cos(angle / 2), qs = std::sin(angle / 2), third = end ? -h / 3 : h / 3;
      const double v[3] = {-w * r * s, w * r * c, 0}, p[3] = {r * c, r * s, 0};
      const double q[4] = {qc, 0, 0, qs}, rate[4] = {-w / 2 * qs, 0, 0, w / 2 * qc};
      for (int k = 0; k < 3; ++k) {
        piece.p[end ? 3 : 0][k] = p[k];
        piece.p[end ? 2 : 1][k] = p[k] + third * v[k];
        piece.velocity[(end ? 6 : 0) + k] = v[k];
      }
      for (int k = 0; k < 4; ++k) {
        piece.q[end ? 3 : 0][k] = q[k];
        piece.q[end ? 2 : 1][k] = q[k] + third * rate[k];
      }
      piece.velocity[(end ? 9 : 3) + 2] = w;
    }
    Action action;
    action.t0 = piece.t0;
    action.t1 = piece.t1;
    Wrench wrench;
    wrench.robot = wrench.joint = 0;
    Twisting impulse{{piece.t0 + h / 2}};
    for (int k = 0; k < 3; ++k) impulse.P[k] = rod.mass * (piece.velocity[6 + k] - piece.velocity[k]);
    wrench.impulses = {impulse};
    action.wrenches = {wrench};
    rows.pieces.push_back(piece);
    rows.actions.push_back(action);
  }
  number(made);
  return made;
}

/// The flight, cut at its middle into a root and two children, the second pushed sideways by nothing known.
inline Made tree() {
  Made made = flight();
  made.run.actions_known = false;
  made.run.bounds = {};
  Branch& root = made.run.branches[0];
  root.end_time = 0.25;
  root.min_gap = 2;
  BranchRows all = made.rows[0];
  made.rows.assign(3, {});
  made.rows[0].pieces = {all.pieces[0]};
  made.rows[0].claims = {aboveTable(0, 0.25, 3)};
  for (int child = 1; child <= 2; ++child) {
    Branch branch = made.run.branches[0];
    branch.id = child == 1 ? "0/0" : "0/1";
    branch.parent = 0;
    branch.fork_time = 0.25;
    branch.end_time = 0.5;
    made.run.branches.push_back(branch);
    made.rows[child].pieces = {all.pieces[1]};
    made.rows[child].claims = {aboveTable(0.25, 0.5, 3)};
  }
  made.rows[2].pieces = {parabola(1, 0.25, 0.5, all.pieces[0].p[2], {0, 0.5, 1}, {0, 0, -kGravity})};
  number(made);
  return made;
}

}  // namespace rigor::verify::kernel::made
