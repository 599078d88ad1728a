// SPDX-License-Identifier: MIT
#include "dynamics/articulated_state.h"

#include <Eigen/Geometry>
#include <cmath>

#include "dynamics/quaternion.h"
#include "dynamics/rigid_body.h"
#include "elementary/elementary.h"
#include "elementary/require.h"

namespace rigor::dynamics {

using Node = ArticulatedModel::Node;

Eigen::Vector3d rotationVector(const Eigen::Vector4d& q) {
  const Eigen::Vector3d axis = q[0] < 0 ? Eigen::Vector3d(-q.tail<3>()) : Eigen::Vector3d(q.tail<3>());
  const double sine = axis.norm(), cosine = std::abs(q[0]);
  if (!(sine > 0)) return Eigen::Vector3d::Zero();
  return 2 * elementary::atan2(sine, cosine) / sine * axis;
}

void calcConfigurationRate(const ArticulatedModel& model, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                           Eigen::VectorXd& rate) {
  for (const Node& node : model.nodes().subspan(1)) {
    switch (node.kind) {
      case Node::kFloating:
        rate.segment<3>(node.q) = v.segment<3>(node.v);
        rate.segment<4>(node.q + 3) = quaternionRate(q.segment<4>(node.q + 3), v.segment<3>(node.v + 3));
        break;
      case Node::kSpherical:
        rate.segment<4>(node.q) = quaternionRate(q.segment<4>(node.q), v.segment<3>(node.v));
        break;
      default:
        rate[node.q] = v[node.v];
    }
  }
}

void integrate(const ArticulatedModel& model, const Eigen::VectorXd& q, const Eigen::VectorXd& v, double h,
               Eigen::VectorXd& end) {
  for (const Node& node : model.nodes().subspan(1)) {
    switch (node.kind) {
      case Node::kFloating:
        end.segment<3>(node.q) = q.segment<3>(node.q) + h * v.segment<3>(node.v);
        end.segment<4>(node.q + 3) = rotate(q.segment<4>(node.q + 3), h * v.segment<3>(node.v + 3));
        break;
      case Node::kSpherical:
        end.segment<4>(node.q) = rotate(q.segment<4>(node.q), h * v.segment<3>(node.v));
        break;
      default:
        if (model.joint(node.joint).follows()) break;  // `end` may be `q`: once a coordinate.
        end[node.q] = q[node.q] + h * v[node.v];
    }
  }
}

void difference(const ArticulatedModel& model, const Eigen::VectorXd& q0, const Eigen::VectorXd& q1,
                Eigen::VectorXd& v) {
  const auto turn = [](const Eigen::Vector4d& from, const Eigen::Vector4d& to) {
    return rotationVector(multiply(to, conjugate(from)));
  };
  for (const Node& node : model.nodes().subspan(1)) {
    switch (node.kind) {
      case Node::kFloating:
        v.segment<3>(node.v) = q1.segment<3>(node.q) - q0.segment<3>(node.q);
        v.segment<3>(node.v + 3) = turn(q0.segment<4>(node.q + 3), q1.segment<4>(node.q + 3));
        break;
      case Node::kSpherical:
        v.segment<3>(node.v) = turn(q0.segment<4>(node.q), q1.segment<4>(node.q));
        break;
      default:
        v[node.v] = q1[node.q] - q0[node.q];
    }
  }
}

void setFloating(const ArticulatedModel& model, int link, const geom::Pose& X_WL, const Eigen::Vector3d& v_WL,
                 const Eigen::Vector3d& w, ArticulatedState& state) {
  const ArticulatedModel::Link& body = model.link(link);
  const ArticulatedModel::Joint& joint = model.joint(body.joint);
  RIGOR_REQUIRE(joint.type == JointType::kFloating);
  const Eigen::Vector3d shift = X_WL.rotation() * -body.in_node.p;  // From the link's origin to the centre of mass.
  state.q.segment<3>(joint.q) = X_WL.p + shift;
  state.q.segment<4>(joint.q + 3) = X_WL.q;
  state.v.segment<3>(joint.v) = v_WL + w.cross(shift);
  state.v.segment<3>(joint.v + 3) = w;
}

}  // namespace rigor::dynamics
