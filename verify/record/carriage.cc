// SPDX-License-Identifier: MIT
#include "verify/record/carriage.h"

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

}  // namespace

std::vector<Carriage> carriages(const kernel::Model& model) {
  std::vector<Carriage> list(model.bodies.size());
  std::vector<int> fixed_to(model.bodies.size(), -1);
  for (const kernel::Robot& robot : model.robots)
    for (const kernel::Joint& joint : robot.joints)
      if (joint.type == kernel::JointType::kFixed && !joint.loop && joint.parent >= 0 && joint.parent != joint.child)
        fixed_to[joint.child] = joint.parent;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const kernel::Body& body = model.bodies[i];
    std::size_t root = i;
    // A chain that is longer than there are bodies is a ring.
    for (std::size_t k = 0; k < list.size() && fixed_to[root] >= 0; ++k)
      root = static_cast<std::size_t>(fixed_to[root]);
    const kernel::Body& carrier = model.bodies[root];
    if (root == i || fixed_to[root] >= 0 || body.fixed || carrier.fixed) continue;
    Carriage& c = list[i];
    c.carrier = static_cast<int>(root);
    const double* q = carrier.orientation.data();
    const double back[4] = {q[0], -q[1], -q[2], -q[3]};
    double own[3], its[3], between[3];
    turned(body.orientation.data(), body.centre.data(), own);
    turned(q, carrier.centre.data(), its);
    for (int k = 0; k < 3; ++k) between[k] = (body.position[k] + own[k]) - (carrier.position[k] + its[k]);
    turned(back, between, c.offset);
    product(back, body.orientation.data(), c.turn);
  }
  return list;
}

void carry(const Carriage& c, const double* p, const double* q, const double* velocity, double* body_p, double* body_q,
           double* body_velocity) {
  double arm[3];
  turned(q, c.offset, arm);
  for (int k = 0; k < 3; ++k) body_p[k] = p[k] + arm[k];
  product(q, c.turn, body_q);
  const double* w = velocity + 3;
  body_velocity[0] = velocity[0] + (w[1] * arm[2] - w[2] * arm[1]);
  body_velocity[1] = velocity[1] + (w[2] * arm[0] - w[0] * arm[2]);
  body_velocity[2] = velocity[2] + (w[0] * arm[1] - w[1] * arm[0]);
  for (int k = 3; k < 6; ++k) body_velocity[k] = velocity[k];
}

}  // namespace rigor::verify::recorded
