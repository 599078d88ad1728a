// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <span>
#include <string_view>
#include <vector>

#include "dynamics/articulated_description.h"
#include "dynamics/spatial_inertia.h"

namespace rigor::dynamics {

/// One or more trees of rigid links in reduced coordinates; immutable, shared by any number of states and threads.
///
/// Guarantee: parents come before children; every link hangs on one joint; the mass matrix is positive definite at the
/// neutral configuration. Links joined by fixed joints are one rigid body of the algorithms (a node).
///
/// A free link is a RigidBody: the same coordinates (centre of mass, quaternion), velocity (v, w) and mass matrix.
class ArticulatedModel {
 public:
  /// A link and the node that carries it: p_N = link_in_node * p_L.
  struct Link : LinkDescription {
    int joint = 0;       ///< The joint whose child it is.
    int node = 0;        ///< 0 for what is fixed to the world.
    geom::Pose in_node;  ///< X_NL
  };
  /// A joint and its slices of q and v. One that follows another has none (num_q = num_v = 0): q and v are its
  /// leader's.
  struct Joint : JointDescription {
    int node = 0;  ///< The node that it moves; of a fixed joint, the one that it belongs to.
    int q = 0, num_q = 0, v = 0, num_v = 0;
    bool follows() const { return !leader.empty(); }
  };
  /// A rigid body of the algorithms. Node 0 is the world. Universal and planar joints are chains of simple ones with
  /// massless nodes between.
  struct Node {
    enum Kind { kWorldNode, kRevolute, kPrismatic, kSpherical, kFloating } kind = kWorldNode;
    int parent = 0, joint = -1, q = 0, v = 0;
    double ratio = 1, offset = 0;  ///< Of revolute and prismatic nodes: they stand at ratio q + offset.
    Eigen::Vector3d p{0, 0, 0};                            ///< p_PJ: J in the parent node [m].
    Eigen::Vector4d turn0{1, 0, 0, 0}, turn1{0, 0, 0, 0};  ///< X_PN turns by cos(q/2) turn0 + sin(q/2) turn1.
    Eigen::Matrix3d R = Eigen::Matrix3d::Identity();       ///< R_PJ
    Eigen::Vector3d axis{0, 0, 0};                         ///< Unit, axes of the parent node.
    double mass = 0;                                       ///< [kg]
    Eigen::Vector3d centre{0, 0, 0};                       ///< In the node [m]; zero where it floats.
    SymmetricMatrix3 inertia;                              ///< About the node's ORIGIN [kg m^2].
    double damping = 0, friction = 0, armature = 0, stiffness = 0, rest = 0;
  };

  /// @throws ModelError naming the element: names that repeat, links without a joint or with two, loops, masses or
  /// inertias that no body has, joints that move no mass, limits that leave no room, joints that follow each other.
  /// O(links^2) at most. `loops` close what the tree leaves open; its neutral configuration need not be closed.
  ArticulatedModel(std::vector<LinkDescription> links, std::vector<JointDescription> joints,
                   std::vector<LoopDescription> loops = {});

  int numPositions() const { return num_q_; }
  int numVelocities() const { return num_v_; }
  int numLinks() const { return static_cast<int>(links_.size()); }
  int numJoints() const { return static_cast<int>(joints_.size()); }
  const Link& link(int i) const { return links_[i]; }
  const Joint& joint(int j) const { return joints_[j]; }
  std::span<const Node> nodes() const { return nodes_; }
  std::span<const LoopDescription> loops() const { return loops_; }
  int numLoopRows() const;  ///< Equations of all loops: 3, 5 or 6 each, redundant ones included. O(loops)
  /// The node that floats and on which all others hang, where no loop joins them to the world: then nothing but gravity
  /// changes its momentum. Else -1. O(nodes + loops)
  int freeRoot() const;
  int findLink(std::string_view name) const;   ///< -1 if there is none. O(links)
  int findJoint(std::string_view name) const;  ///< -1 if there is none. O(joints)

  /// Velocities that move the link, ascending: the columns of its Jacobian that are not zero.
  std::span<const int> support(int link) const { return nodeSupport(links_[link].node); }
  std::span<const int> nodeSupport(int node) const {
    return {support_.data() + support_first_[node],
            static_cast<size_t>(support_first_[node + 1] - support_first_[node])};
  }

  /// For each velocity: its joint, and the index of its coordinate in q, -1 for those of quaternions.
  int jointOf(int dof) const { return dof_joint_[dof]; }
  int positionOf(int dof) const { return dof_q_[dof]; }

  double mass() const { return mass_; }  ///< Of everything that moves [kg].
  /// The longest of what lies between a link's frame and its joints, its centre and the frames of its loops [m].
  double longestArm() const { return longest_arm_; }
  /// Whether a joint follows another: one velocity then moves several nodes.
  bool isCoupled() const { return coupled_; }
  /// Zero coordinates and identity quaternions; floating links where their joints' origins put them.
  const Eigen::VectorXd& neutral() const { return neutral_; }

 private:
  void validate() const;
  void validateLoops() const;
  void resolveFollowers();
  void coupleNodes();
  void addJoint(int joint);
  int addNode(Node::Kind kind, int joint, const geom::Pose& X_PJ, const Eigen::Vector3d& axis_J);
  void placeMasses();
  void measureArms();
  void placeFloatingLinks();
  void listSupports();
  void requireInertia() const;

  std::vector<Link> links_;
  std::vector<Joint> joints_;
  std::vector<Node> nodes_;
  std::vector<LoopDescription> loops_;
  std::vector<int> support_, support_first_, dof_joint_, dof_q_;
  Eigen::VectorXd neutral_;
  int num_q_ = 0, num_v_ = 0;
  double mass_ = 0, longest_arm_ = 0;
  bool coupled_ = false;
};

}  // namespace rigor::dynamics
