// SPDX-License-Identifier: MIT
#include "verify/record/carriage.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace rigor::verify::recorded {
namespace {

/// M(q)/(q.q) x.
void turned(const double* q, const double* x, double* out) {
  const double s = 2 / ((q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3]));
  const double t[3] = {s * (q[2] * x[2] - q[3] * x[1]), s * (q[3] * x[0] - q[1] * x[2]),
                       s * (q[1] * x[1] - q[2] * x[0])};
  out[0] = x[0] + (q[0] * t[0] + (q[2] * t[2] - q[3] * t[1]));
  out[1] = x[1] + (q[0] * t[1] + (q[3] * t[0] - q[1] * t[2]));
  out[2] = x[2] + (q[0] * t[2] + (q[1] * t[1] - q[2] * t[0]));
}

void product(const double* a, const double* b, double* out) {
  out[0] = (a[0] * b[0] - a[1] * b[1]) - (a[2] * b[2] + a[3] * b[3]);
  out[1] = (a[0] * b[1] + a[1] * b[0]) + (a[2] * b[3] - a[3] * b[2]);
  out[2] = (a[0] * b[2] + a[2] * b[0]) + (a[3] * b[1] - a[1] * b[3]);
  out[3] = (a[0] * b[3] + a[3] * b[0]) + (a[1] * b[2] - a[2] * b[1]);
}

void crossed(const double* a, const double* b, double* out) {
  out[0] = a[1] * b[2] - a[2] * b[1], out[1] = a[2] * b[0] - a[0] * b[2], out[2] = a[0] * b[1] - a[1] * b[0];
}

/// x / |x|.
template <std::size_t N>
void unit(const std::array<double, N>& x, double* out) {
  const double last = N == 4 ? x[2] * x[2] + x[N - 1] * x[N - 1] : x[2] * x[2];
  const double length = std::sqrt((x[0] * x[0] + x[1] * x[1]) + last);
  for (std::size_t k = 0; k < N; ++k) out[k] = x[k] / length;
}

/// A body that fixed joints hold on another.
void hold(const kernel::Body& body, const kernel::Body& carrier, Carriage& c) {
  const double* q = carrier.orientation.data();
  const double back[4] = {q[0], -q[1], -q[2], -q[3]};
  double own[3], its[3], between[3];
  turned(body.orientation.data(), body.centre.data(), own);
  turned(q, carrier.centre.data(), its);
  for (int k = 0; k < 3; ++k) between[k] = (body.position[k] + own[k]) - (carrier.position[k] + its[k]);
  turned(back, between, c.offset);
  product(back, body.orientation.data(), c.turn);
}

/// A body that turns about a joint on another.
void hang(const kernel::Joint& joint, const kernel::Body& body, const kernel::Body& carrier, Carriage& c) {
  c.turns = true;
  for (int k = 0; k < 3; ++k) c.offset[k] = joint.parent_point[k] - carrier.centre[k];
  unit(joint.parent_frame, c.turn);
  unit(joint.axis, c.axis);
  turned(c.turn, c.axis, c.axis_there);
  std::copy_n(body.centre.data(), 3, c.arm);
}

}  // namespace

std::vector<Carriage> carriages(const kernel::Model& model) {
  std::vector<Carriage> list(model.bodies.size());
  std::vector<int> fixed_to(model.bodies.size(), -1);
  std::vector<const kernel::Joint*> turning(model.bodies.size(), nullptr);
  for (const kernel::Robot& robot : model.robots)
    for (const kernel::Joint& joint : robot.joints) {
      if (joint.loop || joint.parent < 0 || joint.parent == joint.child) continue;
      const auto child = static_cast<std::size_t>(joint.child);
      if (joint.type == kernel::JointType::kFixed) fixed_to[child] = joint.parent;
      if (joint.type == kernel::JointType::kRevolute) turning[child] = &joint;
    }
  for (std::size_t i = 0; i < list.size(); ++i) {
    std::size_t root = i;
    // A chain that is longer than there are bodies is a ring.
    for (std::size_t k = 0; k < list.size() && fixed_to[root] >= 0; ++k)
      root = static_cast<std::size_t>(fixed_to[root]);
    const bool held = root != i && fixed_to[root] < 0;
    if (!held && (!turning[i] || fixed_to[i] >= 0)) continue;
    const std::size_t on = held ? root : static_cast<std::size_t>(turning[i]->parent);
    const kernel::Body &body = model.bodies[i], &carrier = model.bodies[on];
    if (body.fixed || carrier.fixed) continue;
    list[i].carrier = static_cast<int>(on);
    if (held) hold(body, carrier, list[i]);
    else hang(*turning[i], body, carrier, list[i]);
  }
  return list;
}

void carry(const Carriage& c, const Turning& turning, const double* p, const double* q, const double* velocity,
           double* body_p, double* body_q, double* body_velocity) {
  const double* w = velocity + 3;
  double* body_w = body_velocity + 3;
  double arm[3], added[3];
  turned(q, c.offset, arm);
  crossed(w, arm, added);
  for (int k = 0; k < 3; ++k) body_velocity[k] = velocity[k] + added[k], body_w[k] = w[k];
  if (c.turns) {
    double axis[3], frame[4], own[3];
    const double turn[4] = {turning.cosine, turning.sine * c.axis[0], turning.sine * c.axis[1],
                            turning.sine * c.axis[2]};
    product(c.turn, turn, frame);
    product(q, frame, body_q);
    turned(body_q, c.arm, own);
    turned(q, c.axis_there, axis);
    for (int k = 0; k < 3; ++k) body_w[k] = w[k] + turning.rate * axis[k];
    crossed(body_w, own, added);
    for (int k = 0; k < 3; ++k) arm[k] += own[k], body_velocity[k] += added[k];
  } else {
    product(q, c.turn, body_q);
  }
  for (int k = 0; k < 3; ++k) body_p[k] = p[k] + arm[k];
}

}  // namespace rigor::verify::recorded
