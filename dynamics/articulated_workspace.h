// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <cmath>
#include <vector>

#include "dynamics/articulated_model.h"

namespace rigor::dynamics {

/// Everything that the algorithms compute on the way, allocated once: no function that takes one allocates. One a
/// thread. What each function leaves in it is said there; callers read it through the functions of kinematics.h.
class ArticulatedWorkspace {
 public:
  explicit ArticulatedWorkspace(const ArticulatedModel& model);

  /// What the algorithms have left here since the positions changed; those that read it demand it (RIGOR_REQUIRE).
  enum Stage : unsigned { kPositions = 1, kVelocities = 2, kAccelerations = 4, kFactored = 8 };
  unsigned computed = 0;
  bool has(unsigned stages) const { return (computed & stages) == stages; }

  /// Of one node, about its origin, world axes.
  struct NodeData {
    // calcPositions
    Eigen::Vector4d q{1, 0, 0, 0};
    Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
    Eigen::Vector3d p{0, 0, 0}, r{0, 0, 0};  ///< Origin; from the parent's origin to it [m].
    Eigen::Vector3d axis{0, 0, 0};           ///< Of revolute and prismatic nodes,
    double coordinate = 0;                   ///< and where they stand [rad] or [m].
    double rate = 0;                         ///< calcVelocities: its derivative.
    RigidInertia body;
    // calcVelocities
    Eigen::Vector3d v{0, 0, 0}, w{0, 0, 0};
    Eigen::Vector3d bias_a{0, 0, 0}, bias_alpha{0, 0, 0};       ///< Accelerations over the parent's that v alone makes.
    Eigen::Vector3d bias_force{0, 0, 0}, bias_torque{0, 0, 0};  ///< m w x (w x c) and w x I w.
    // calcAccelerations
    Eigen::Vector3d a{0, 0, 0}, alpha{0, 0, 0};
    // factorInertia: projected on the directions that the node's joint leaves free; U = I S, about the node's origin.
    ArticulatedInertia inertia;
    Eigen::Vector3d U_force{0, 0, 0}, U_torque{0, 0, 0};
    double inverse_D = 0;
    // Recursions: wrench, acceleration, joint force.
    Eigen::Vector3d force{0, 0, 0}, torque{0, 0, 0}, solve_a{0, 0, 0}, solve_alpha{0, 0, 0};
    double u = 0;
    int block = -1;  ///< In `spherical` or `floating`.
  };
  /// Friction of joints is somebody else's: not regularised here, but left out.
  bool friction_apart = false;
  /// Damping and friction of a node's joint over its velocity [N m s] or [N s/m]. @pre calcVelocities where it has
  /// friction.
  double dissipation(const ArticulatedModel::Node& node, const NodeData& data) const {
    if (!(node.friction > 0) || friction_apart) return node.damping;
    return node.damping + node.friction / std::sqrt(data.rate * data.rate + kStictionSpeed * kStictionSpeed);
  }
  struct SphericalData {
    Eigen::Matrix3d axes;               ///< R_WJ: columns are the directions of the three velocities.
    Eigen::Matrix3d U_force, U_torque;  ///< World axes.
    SmallLdlt<3> D;
    Eigen::Vector3d u;
  };
  /// The recursions of four right-hand sides at once, side by side.
  struct Lanes {
    double force[3][4], torque[3][4], solve_a[3][4], solve_alpha[3][4];
    double u[3][4];  ///< The first one of joints of one freedom.
    bool feels;  ///< Whether something of it may not be zero.
  };
  std::vector<Lanes> lanes;
  std::vector<NodeData> nodes;
  std::vector<RigidInertia> composite;  ///< calcMassMatrix: of a node and all that hangs on it.
  std::vector<SphericalData> spherical;
  std::vector<SmallLdlt<6>> floating;
  /// Where joints follow others (ArticulatedModel::isCoupled): each node has velocities of its own, and node velocity k
  /// is own_ratio[k] times velocity own_v[k]. First one of each node; elsewhere the node's v.
  std::vector<int> own_first, own_v;
  std::vector<double> own_ratio;
  Eigen::MatrixXd own_mass,
      coupled_mass;  ///< Mass matrix of the nodes' own velocities; factorInertia: Lᵀ with M = Lᵀ L (coupled_factor.h):
  std::vector<int> coupled_rows, coupled_first;  ///< rows above the diagonal that are not zero, by column.
  std::vector<double> coupled_lanes;
  Eigen::VectorXd own_tau;
  /// Of the model's loops, G' and M^-1 G' a column a row; factorInertia: the factor of G M^-1 G' (loop_constraints.h).
  struct LoopData {
    Eigen::MatrixXd rows, response, gram;
    Eigen::VectorXd row, scale, force, solved, gaps, step, best;
    std::vector<int> order;  ///< Rows, the independent ones first,
    int rank = 0;            ///< of which there are so many.
  };
  LoopData loops;
  Eigen::VectorXd scratch;  ///< nv entries for callers, such as controllers; the algorithms leave it alone.
};

}  // namespace rigor::dynamics
