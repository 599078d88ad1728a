// SPDX-License-Identifier: MIT
#include "dynamics/joint_curve.h"

#include "dynamics/quaternion.h"
#include "dynamics/rigid_body.h"

namespace rigor::dynamics {
namespace {

using Node = ArticulatedModel::Node;

/// Weights of (value, rate, second derivative) at the start and at the end, for a value at u or one of its derivatives.
struct Weights {
  double c[6];

  template <typename Value>
  Value of(const Value (&start)[3], const Value (&end)[3]) const {
    return c[0] * start[0] + c[1] * start[1] + c[2] * start[2] + c[3] * end[0] + c[4] * end[1] + c[5] * end[2];
  }
};

struct Basis {
  Weights value, rate, second;

  /// Quintic Hermite polynomials in time over an interval h, at the share u.
  Basis(double h, double u) {
    const double u2 = u * u, u3 = u2 * u, u4 = u3 * u, u5 = u4 * u;
    const double step = 10 * u3 - 15 * u4 + 6 * u5;
    value = {{1 - step, h * (u - 6 * u3 + 8 * u4 - 3 * u5), h * h / 2 * (u2 - 3 * u3 + 3 * u4 - u5), step,
              h * (-4 * u3 + 7 * u4 - 3 * u5), h * h / 2 * (u3 - 2 * u4 + u5)}};
    const double slope = (30 * u2 - 60 * u3 + 30 * u4) / h;
    rate = {{-slope, 1 - 18 * u2 + 32 * u3 - 15 * u4, h / 2 * (2 * u - 9 * u2 + 12 * u3 - 5 * u4), slope,
             -12 * u2 + 28 * u3 - 15 * u4, h / 2 * (3 * u2 - 8 * u3 + 5 * u4)}};
    const double bend = (60 * u - 180 * u2 + 120 * u3) / (h * h);
    second = {{-bend, (-36 * u + 96 * u2 - 60 * u3) / h, (2 - 18 * u + 36 * u2 - 20 * u3) / 2, bend,
               (-24 * u + 84 * u2 - 60 * u3) / h, (6 * u - 24 * u2 + 20 * u3) / 2}};
  }
};

void interpolateQuaternion(const Basis& basis, const AcceleratedState& start, const AcceleratedState& end, int q, int v,
                           ArticulatedState& state, Eigen::VectorXd& dv) {
  Eigen::Vector4d at[2][3];
  const AcceleratedState* ends[2] = {&start, &end};
  for (int i = 0; i < 2; ++i) {
    const Eigen::Vector3d w = ends[i]->state.v.segment<3>(v);
    at[i][0] = ends[i]->state.q.segment<4>(q);
    at[i][1] = quaternionRate(at[i][0], w);
    // q'' = 1/2 (0, w') q + 1/2 (0, w) q'
    at[i][2] = quaternionRate(at[i][0], ends[i]->dv.segment<3>(v)) + quaternionRate(at[i][1], w);
  }
  const Eigen::Vector4d value = basis.value.of(at[0], at[1]), rate = basis.rate.of(at[0], at[1]),
                        second = basis.second.of(at[0], at[1]);
  // w = 2 vec(q' q*) / |q|^2, whatever the length of q; w' is its derivative, to which q' q'* adds nothing.
  const double inverse = 1 / value.squaredNorm();
  const Eigen::Vector3d w = 2 * inverse * multiply(rate, conjugate(value)).tail<3>();
  state.q.segment<4>(q) = value.normalized();
  state.v.segment<3>(v) = w;
  dv.segment<3>(v) = 2 * inverse * (multiply(second, conjugate(value)).tail<3>() - value.dot(rate) * w);
}

}  // namespace

void interpolateJoints(const ArticulatedModel& model, const AcceleratedState& start, const AcceleratedState& end,
                       double h, double u, ArticulatedState& state, Eigen::VectorXd& dv) {
  const Basis basis(h, u);
  const auto coordinate = [&](int q, int v) {
    const double from[3] = {start.state.q[q], start.state.v[v], start.dv[v]};
    const double to[3] = {end.state.q[q], end.state.v[v], end.dv[v]};
    state.q[q] = basis.value.of(from, to);
    state.v[v] = basis.rate.of(from, to);
    dv[v] = basis.second.of(from, to);
  };
  for (const Node& node : model.nodes().subspan(1)) {
    switch (node.kind) {
      case Node::kFloating:
        for (int k = 0; k < 3; ++k) coordinate(node.q + k, node.v + k);
        interpolateQuaternion(basis, start, end, node.q + 3, node.v + 3, state, dv);
        break;
      case Node::kSpherical:
        interpolateQuaternion(basis, start, end, node.q, node.v, state, dv);
        break;
      default:
        coordinate(node.q, node.v);
    }
  }
}

}  // namespace rigor::dynamics
