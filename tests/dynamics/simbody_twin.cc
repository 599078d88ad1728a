// SPDX-License-Identifier: MIT
#include "simbody_twin.h"

#ifdef RIGOR_HAS_SIMBODY
#include <Simbody.h>

#include <Eigen/Geometry>

namespace rigor::dynamics {
namespace {

SimTK::Vec3 vec(const Eigen::Vector3d& a) { return {a[0], a[1], a[2]}; }
Eigen::Vector3d vec(const SimTK::Vec3& a) { return {a[0], a[1], a[2]}; }
SimTK::Transform transform(const Eigen::Matrix3d& R, const Eigen::Vector3d& p) {
  SimTK::Mat33 m;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) m(i, j) = R(i, j);
  }
  return {SimTK::Rotation(m, true), vec(p)};
}

int count(JointType type, bool position) {
  switch (type) {
    case JointType::kFixed:
      return 0;
    case JointType::kRevolute:
    case JointType::kPrismatic:
      return 1;
    case JointType::kUniversal:
      return 2;
    case JointType::kPlanar:
      return 3;
    case JointType::kSpherical:
      return position ? 4 : 3;
    default:
      return position ? 7 : 6;
  }
}

/// Simbody's place of coordinate k of a joint.
int place(JointType type, int k, bool position) {
  if (type == JointType::kPlanar) return (k + 1) % 3;
  if (type == JointType::kFloating && position) return (k + 4) % 7;
  if (type == JointType::kFloating) return (k + 3) % 6;
  return k;
}

}  // namespace

struct SimbodyTwin::Impl {
  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter{system};
  std::vector<LinkDescription> links;
  std::vector<JointDescription> joints;
  Eigen::Vector3d gravity;
  std::vector<SimTK::MobilizedBody> mobods;
  std::vector<int> column;      // Simbody's index of each velocity.
  std::vector<double> damping;  // Of each velocity.
  SimTK::State state;

  void add(const JointDescription& joint, const Eigen::Vector3d& floating_centre) {
    const LinkDescription& link = links[joint.child];
    const Eigen::Vector3d z = joint.axis.normalized();
    const SimTK::Inertia inertia(link.inertia(0, 0), link.inertia(1, 1), link.inertia(2, 2), link.inertia(0, 1),
                                 link.inertia(0, 2), link.inertia(1, 2));
    const SimTK::Vec3 centre = vec(link.centre);
    const SimTK::Body::Rigid body(
        SimTK::MassProperties(link.mass, centre, inertia.shiftFromMassCenter(centre, link.mass)));
    SimTK::MobilizedBody parent = matter.updGround();
    if (joint.parent != kWorld) parent = mobods[joint.parent];
    Eigen::Matrix3d F = Eigen::Matrix3d::Identity();  // Simbody's joint frame in J.
    if (joint.type == JointType::kRevolute)
      F.col(2) = z, F.col(0) = z.unitOrthogonal(), F.col(1) = F.col(2).cross(F.col(0));
    if (joint.type == JointType::kPrismatic)
      F.col(0) = z, F.col(1) = z.unitOrthogonal(), F.col(2) = F.col(0).cross(F.col(1));
    if (joint.type == JointType::kUniversal)
      F.col(0) = z, F.col(1) = joint.axis2.normalized(), F.col(2) = F.col(0).cross(F.col(1));
    if (joint.type == JointType::kPlanar) {
      F.col(0) = (z.cross(Eigen::Vector3d::Unit(std::abs(z[0]) <= 0.8 ? 0 : 1))).cross(z).normalized();
      F.col(1) = z.cross(F.col(0)), F.col(2) = z;
    }
    const SimTK::Transform inboard = transform(joint.origin.rotation() * F, joint.origin.p);
    const SimTK::Transform outboard = transform(F, Eigen::Vector3d::Zero());
    SimTK::MobilizedBody& mobod = mobods[joint.child];
    switch (joint.type) {
      case JointType::kFixed:
        mobod = SimTK::MobilizedBody::Weld(parent, inboard, body, outboard);
        break;
      case JointType::kRevolute:
        mobod = SimTK::MobilizedBody::Pin(parent, inboard, body, outboard);
        break;
      case JointType::kPrismatic:
        mobod = SimTK::MobilizedBody::Slider(parent, inboard, body, outboard);
        break;
      case JointType::kUniversal:
        mobod = SimTK::MobilizedBody::Universal(parent, inboard, body, outboard);
        break;
      case JointType::kPlanar:
        mobod = SimTK::MobilizedBody::Planar(parent, inboard, body, outboard);
        break;
      case JointType::kSpherical:
        mobod = SimTK::MobilizedBody::Ball(parent, inboard, body, outboard);
        break;
      case JointType::kFloating:
        mobod = SimTK::MobilizedBody::Free(matter.updGround(), SimTK::Transform(), body,
                                           transform(Eigen::Matrix3d::Identity(), floating_centre));
    }
  }

  SimTK::Vector toSim(const Eigen::VectorXd& x) const {
    SimTK::Vector y(static_cast<int>(column.size()));
    for (size_t i = 0; i < column.size(); ++i) y[column[i]] = x[i];
    return y;
  }
  Eigen::VectorXd fromSim(const SimTK::Vector& y) const {
    Eigen::VectorXd x(column.size());
    for (size_t i = 0; i < column.size(); ++i) x[i] = y[column[i]];
    return x;
  }
  /// Gravity and damping, as applied forces.
  SimTK::Vector_<SimTK::SpatialVec> bodyForces() const {
    SimTK::Vector_<SimTK::SpatialVec> forces(matter.getNumBodies(), SimTK::SpatialVec(SimTK::Vec3(0), SimTK::Vec3(0)));
    for (size_t i = 0; i < links.size(); ++i) {
      matter.addInStationForce(state, mobods[i].getMobilizedBodyIndex(), vec(links[i].centre),
                               vec(Eigen::Vector3d(links[i].mass * gravity)), forces);
    }
    return forces;
  }
  Eigen::VectorXd dampingForces() const {
    Eigen::VectorXd u = fromSim(state.getU());
    for (size_t i = 0; i < damping.size(); ++i) u[i] *= -damping[i];
    return u;
  }
};

SimbodyTwin::SimbodyTwin(const std::vector<LinkDescription>& links, const std::vector<JointDescription>& joints,
                         const Eigen::Vector3d& floating_centre, const Eigen::Vector3d& gravity)
    : impl_(new Impl) {
  impl_->links = links, impl_->joints = joints, impl_->gravity = gravity;
  impl_->mobods.resize(links.size());
  for (const JointDescription& joint : joints) impl_->add(joint, floating_centre);  // Parents first.
  impl_->state = impl_->system.realizeTopology();
  impl_->matter.setUseEulerAngles(impl_->state, false);
  impl_->system.realizeModel(impl_->state);
  for (const JointDescription& joint : joints) {
    for (int k = 0; k < count(joint.type, false); ++k) {
      impl_->column.push_back(impl_->mobods[joint.child].getFirstUIndex(impl_->state) + place(joint.type, k, false));
      impl_->damping.push_back(joint.damping);
    }
  }
}

SimbodyTwin::~SimbodyTwin() = default;

void SimbodyTwin::set(const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  int q_index = 0, v_index = 0;
  for (const JointDescription& joint : impl_->joints) {
    const SimTK::MobilizedBody& mobod = impl_->mobods[joint.child];
    const int num_q = count(joint.type, true);
    for (int k = 0; k < num_q; ++k) {
      const bool turn = num_q >= 4 && k >= num_q - 4;  // Simbody wants unit quaternions.
      const double length = turn ? q.segment<4>(q_index + num_q - 4).norm() : 1;
      mobod.setOneQ(impl_->state, place(joint.type, k, true), q[q_index + k] / length);
    }
    for (int k = 0; k < count(joint.type, false); ++k) {
      mobod.setOneU(impl_->state, place(joint.type, k, false), v[v_index + k]);
    }
    q_index += num_q, v_index += count(joint.type, false);
  }
  impl_->system.realize(impl_->state, SimTK::Stage::Velocity);
}

Eigen::MatrixXd SimbodyTwin::massMatrix() const {
  SimTK::Matrix M;
  impl_->matter.calcM(impl_->state, M);
  Eigen::MatrixXd result(impl_->column.size(), impl_->column.size());
  for (size_t i = 0; i < impl_->column.size(); ++i) {
    for (size_t j = 0; j < impl_->column.size(); ++j) result(i, j) = M(impl_->column[i], impl_->column[j]);
  }
  return result;
}

Eigen::VectorXd SimbodyTwin::inverseDynamics(const Eigen::VectorXd& dv) const {
  SimTK::Vector residual;
  impl_->matter.calcResidualForceIgnoringConstraints(impl_->state, impl_->toSim(impl_->dampingForces()),
                                                     impl_->bodyForces(), impl_->toSim(dv), residual);
  return impl_->fromSim(residual);
}

Eigen::VectorXd SimbodyTwin::forwardDynamics(const Eigen::VectorXd& tau) const {
  SimTK::Vector dv;
  SimTK::Vector_<SimTK::SpatialVec> unused;
  impl_->system.realize(impl_->state, SimTK::Stage::Dynamics);
  impl_->matter.calcAccelerationIgnoringConstraints(impl_->state, impl_->toSim(tau + impl_->dampingForces()),
                                                    impl_->bodyForces(), dv, unused);
  return impl_->fromSim(dv);
}

Eigen::Vector3d SimbodyTwin::point(int link, const Eigen::Vector3d& local) const {
  return vec(impl_->mobods[link].findStationLocationInGround(impl_->state, vec(local)));
}

Eigen::VectorXd SimbodyTwin::velocity(int link, const Eigen::Vector3d& local) const {
  Eigen::VectorXd result(6);
  result << vec(impl_->mobods[link].findStationVelocityInGround(impl_->state, vec(local))),
      vec(impl_->mobods[link].getBodyAngularVelocity(impl_->state));
  return result;
}

Eigen::MatrixXd SimbodyTwin::pointJacobian(int link, const Eigen::Vector3d& local) const {
  SimTK::RowVector_<SimTK::Vec3> J;
  impl_->matter.calcStationJacobian(impl_->state, impl_->mobods[link].getMobilizedBodyIndex(), vec(local), J);
  Eigen::MatrixXd result(3, impl_->column.size());
  for (size_t i = 0; i < impl_->column.size(); ++i) result.col(i) = vec(J[impl_->column[i]]);
  return result;
}

Eigen::Vector3d SimbodyTwin::pointBias(int link, const Eigen::Vector3d& local) const {
  return vec(
      impl_->matter.calcBiasForStationJacobian(impl_->state, impl_->mobods[link].getMobilizedBodyIndex(), vec(local)));
}

}  // namespace rigor::dynamics
#endif
