// SPDX-License-Identifier: MIT
#include "dynamics/articulated_model.h"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <map>

#include "dynamics/articulated_workspace.h"
#include "dynamics/forward_dynamics.h"
#include "dynamics/inertia_repair.h"
#include "dynamics/kinematics.h"
#include "dynamics/mass_matrix.h"
#include "dynamics/quaternion.h"
#include "elementary/elementary.h"
#include "geom/mass_properties.h"

namespace rigor::dynamics {
namespace {

/// Sine of the least angle between the axes of a universal joint: below it, their directions are rounding.
constexpr double kParallelEpsilon = 1e-9;
/// Share of the inertia of locked joints below which what a joint moves has none: it is rounding.
constexpr double kInertiaEpsilon = 1e-13;

geom::Pose compose(const geom::Pose& X_AB, const geom::Pose& X_BC) { return {multiply(X_AB.q, X_BC.q), X_AB * X_BC.p}; }

bool isFinite(const geom::Pose& X) { return X.p.allFinite() && X.q.allFinite() && std::isnormal(X.q.squaredNorm()); }

}  // namespace

void planarAxes(const Eigen::Vector3d& axis, Eigen::Vector3d& first, Eigen::Vector3d& second) {
  // Of two coordinate axes, the one farther from `axis` gives the direction: z keeps x and y.
  const Eigen::Vector3d n = axis.normalized();
  const Eigen::Vector3d guide = std::abs(n[0]) <= 0.8 ? Eigen::Vector3d::UnitX() : Eigen::Vector3d::UnitY();
  first = (guide - n.dot(guide) * n).normalized();
  second = n.cross(first);
}

ArticulatedModel::ArticulatedModel(std::vector<LinkDescription> links, std::vector<JointDescription> joints,
                                   std::vector<LoopDescription> loops)
    : loops_(std::move(loops)) {
  for (LinkDescription& link : links) static_cast<LinkDescription&>(links_.emplace_back()) = std::move(link);
  for (JointDescription& joint : joints) static_cast<JointDescription&>(joints_.emplace_back()) = std::move(joint);
  validate();
  validateLoops();
  resolveFollowers();
  nodes_.resize(1);
  // Depth first, children in the order of the joints: a limb's coordinates stand together.
  std::vector<int> pending;
  const auto push = [&](int parent) {
    for (int j = numJoints() - 1; j >= 0; --j) {
      if (joints_[j].parent == parent) pending.push_back(j);
    }
  };
  push(kWorld);
  while (!pending.empty()) {
    const int j = pending.back();
    pending.pop_back();
    addJoint(j);
    push(joints_[j].child);
  }
  coupleNodes();
  placeMasses();
  placeFloatingLinks();
  measureArms();
  listSupports();
  requireInertia();
}

void ArticulatedModel::validate() const {
  const auto failJoint = [](const Joint& joint, const std::string& reason) {
    throw ModelError("joint " + joint.name, reason);
  };
  std::map<std::string_view, int> names;
  for (const Link& link : links_) {
    const std::string element = "link " + link.name;
    if (link.name.empty()) throw ModelError("link", "a name that is empty");
    if (!names.emplace(link.name, 0).second) throw ModelError(element, "a second link of this name");
    if (!(link.mass >= 0 && std::isfinite(link.mass))) throw ModelError(element, "a mass below zero or not finite");
    if (!link.centre.allFinite() || !link.inertia.allFinite()) throw ModelError(element, "it is not finite");
    if (link.mass == 0 && !link.inertia.isZero(0)) throw ModelError(element, "an inertia without a mass");
  }
  names.clear();
  std::vector<int> joint_of(links_.size(), -1);
  for (int j = 0; j < numJoints(); ++j) {
    const Joint& joint = joints_[j];
    if (joint.name.empty()) throw ModelError("joint", "a name that is empty");
    if (!names.emplace(joint.name, 0).second) failJoint(joint, "a second joint of this name");
    if (joint.parent < kWorld || joint.parent >= numLinks()) failJoint(joint, "its parent is no link");
    if (joint.child < 0 || joint.child >= numLinks()) failJoint(joint, "its child is no link");
    if (joint_of[joint.child] >= 0) {
      failJoint(joint, "link " + links_[joint.child].name + " hangs on joint " + joints_[joint_of[joint.child]].name +
                           " already: loops are not supported");
    }
    joint_of[joint.child] = j;
    if (!isFinite(joint.origin)) failJoint(joint, "an origin that is not finite");
    const bool one = joint.type == JointType::kRevolute || joint.type == JointType::kPrismatic ||
                     joint.type == JointType::kPlanar,
               two = joint.type == JointType::kUniversal;
    if ((one || two) && !std::isnormal(joint.axis.squaredNorm())) failJoint(joint, "an axis of length zero");
    if (two) {
      const double area = joint.axis.cross(joint.axis2).norm();
      if (!(area > kParallelEpsilon * joint.axis.norm() * joint.axis2.norm()))
        failJoint(joint, "axes that are parallel");
    }
    if (!(joint.lower <= joint.upper)) failJoint(joint, "a lower limit above the upper one");  // NaN -> refused
    if (!(joint.effort >= 0)) failJoint(joint, "an effort limit below zero");
    if (!(joint.speed >= 0)) failJoint(joint, "a speed limit below zero");
    const bool passive = joint.type == JointType::kFloating || joint.type == JointType::kFixed;
    for (double value : {joint.damping, joint.armature, joint.friction}) {
      if (!(value >= 0 && std::isfinite(value)))
        failJoint(joint, "damping, armature or friction below zero or not finite");
      if (passive && value > 0) failJoint(joint, "damping, armature or friction where no axle turns");
    }
    if (joint.friction > 0 && joint.type == JointType::kSpherical) failJoint(joint, "friction of a spherical joint");
    const bool springs = joint.type == JointType::kRevolute || joint.type == JointType::kPrismatic;
    if (!(joint.stiffness >= 0 && std::isfinite(joint.stiffness) && std::isfinite(joint.rest)))
      failJoint(joint, "a spring below zero or not finite");
    if (joint.stiffness > 0 && !springs) failJoint(joint, "a spring where there is not one coordinate");
  }
  for (int i = 0; i < numLinks(); ++i) {
    if (joint_of[i] < 0) throw ModelError("link " + links_[i].name, "no joint carries it");
    int ancestor = i;
    for (int depth = 0; ancestor != kWorld; ++depth) {
      if (depth > numLinks()) throw ModelError("link " + links_[i].name, "its joints form a loop");
      ancestor = joints_[joint_of[ancestor]].parent;
    }
  }
}

void ArticulatedModel::validateLoops() const {
  const auto isLink = [&](int link) { return link >= kWorld && link < numLinks(); };
  for (const LoopDescription& loop : loops_) {
    const std::string element = "loop " + loop.name;
    if (!isLink(loop.link_a) || !isLink(loop.link_b)) throw ModelError(element, "it joins what is no link");
    if (loop.link_a == loop.link_b) throw ModelError(element, "it joins a link to itself");
    if (!isFinite(loop.frame_a) || !isFinite(loop.frame_b)) throw ModelError(element, "a frame that is not finite");
  }
}

int ArticulatedModel::numLoopRows() const {
  int rows = 0;
  for (const LoopDescription& loop : loops_)
    rows += loop.type == LoopType::kPoint ? 3 : loop.type == LoopType::kHinge ? 5 : 6;
  return rows;
}

void ArticulatedModel::measureArms() {
  const auto reach = [&](int link, const geom::Pose& frame) {
    if (link != kWorld) longest_arm_ = std::max(longest_arm_, frame.p.norm());
  };
  for (const Link& link : links_) longest_arm_ = std::max(longest_arm_, link.centre.norm());
  for (const Joint& joint : joints_) reach(joint.parent, joint.origin);
  for (const LoopDescription& loop : loops_) reach(loop.link_a, loop.frame_a), reach(loop.link_b, loop.frame_b);
}

int ArticulatedModel::freeRoot() const {
  int root = -1;
  for (int i = 1; i < static_cast<int>(nodes_.size()); ++i) {
    const bool floats = nodes_[i].kind == Node::kFloating;
    if (!floats && nodes_[i].parent != 0) continue;
    if (!floats || root >= 0) return -1;
    root = i;
  }
  const auto isOfWorld = [&](int link) { return link == kWorld || links_[link].node == 0; };
  const bool held = std::any_of(loops_.begin(), loops_.end(), [&](const LoopDescription& loop) {
    return isOfWorld(loop.link_a) || isOfWorld(loop.link_b);
  });
  return held ? -1 : root;
}

int ArticulatedModel::addNode(Node::Kind kind, int joint, const geom::Pose& X_PJ, const Eigen::Vector3d& axis_J) {
  const Joint& owner = joints_[joint];
  Node node;
  node.kind = kind;
  node.joint = joint;
  node.q = num_q_, node.v = num_v_;
  node.p = X_PJ.p;
  node.turn0 = X_PJ.q.normalized();
  node.R = X_PJ.rotation();
  const Eigen::Vector3d axis = axis_J.normalized();
  node.axis = node.R * axis;
  if (kind == Node::kRevolute) node.turn1 = multiply(node.turn0, Eigen::Vector4d(0, axis[0], axis[1], axis[2]));
  node.damping = owner.damping, node.friction = owner.friction, node.armature = owner.armature;
  node.stiffness = owner.stiffness, node.rest = owner.rest;
  if (owner.follows()) {  // coupleNodes() does the rest.
    nodes_.push_back(node);
    return static_cast<int>(nodes_.size()) - 1;
  }
  const int dofs = kind == Node::kFloating ? 6 : kind == Node::kSpherical ? 3 : 1;
  for (int k = 0; k < dofs; ++k) dof_joint_.push_back(joint), dof_q_.push_back(dofs == 1 ? num_q_ : -1);
  num_v_ += dofs;
  num_q_ += dofs == 1 ? 1 : dofs + 1;
  nodes_.push_back(node);
  return static_cast<int>(nodes_.size()) - 1;
}

void ArticulatedModel::addJoint(int j) {
  Joint& joint = joints_[j];
  Link& child = links_[joint.child];
  geom::Pose X_NJ = joint.origin;
  int parent = 0;
  if (joint.parent != kWorld) {
    parent = links_[joint.parent].node;
    X_NJ = compose(links_[joint.parent].in_node, joint.origin);
  }
  joint.q = num_q_, joint.v = num_v_;
  child.joint = j;
  const geom::Pose none;
  const auto chain = [&](Node::Kind kind, const geom::Pose& X_PJ, const Eigen::Vector3d& axis) {
    const int node = addNode(kind, j, X_PJ, axis);
    nodes_[node].parent = parent;
    parent = node;
  };
  switch (joint.type) {
    case JointType::kFixed:
      child.in_node = X_NJ;
      break;
    case JointType::kRevolute:
      chain(Node::kRevolute, X_NJ, joint.axis);
      break;
    case JointType::kPrismatic:
      chain(Node::kPrismatic, X_NJ, joint.axis);
      break;
    case JointType::kUniversal:
      chain(Node::kRevolute, X_NJ, joint.axis);
      chain(Node::kRevolute, none, joint.axis2);
      break;
    case JointType::kPlanar: {
      Eigen::Vector3d first, second;
      planarAxes(joint.axis, first, second);
      chain(Node::kPrismatic, X_NJ, first);
      chain(Node::kPrismatic, none, second);
      chain(Node::kRevolute, none, joint.axis);
      break;
    }
    case JointType::kSpherical:
      chain(Node::kSpherical, X_NJ, {1, 0, 0});
      break;
    case JointType::kFloating:
      parent = 0;
      chain(Node::kFloating, none, {1, 0, 0});
      break;
  }
  child.node = joint.node = parent;
  joint.num_q = num_q_ - joint.q, joint.num_v = num_v_ - joint.v;
}

/// Joints that follow one that follows another follow the last; the limits of all become those of the last.
void ArticulatedModel::resolveFollowers() {
  const auto simple = [](const Joint& joint) {
    return joint.type == JointType::kRevolute || joint.type == JointType::kPrismatic;
  };
  for (Joint& joint : joints_) {
    if (!joint.follows()) continue;
    coupled_ = true;
    const std::string element = "joint " + joint.name;
    if (!simple(joint)) throw ModelError(element, "only revolute and prismatic joints follow others");
    if (!std::isfinite(joint.ratio) || !std::isfinite(joint.offset))
      throw ModelError(element, "a ratio that is not finite");
    int leader = findJoint(joint.leader);
    for (int steps = 0; leader >= 0 && joints_[leader].follows(); ++steps) {
      const Joint& next = joints_[leader];
      if (steps > numJoints()) throw ModelError(element, "joints that follow each other");
      joint.offset += joint.ratio * next.offset, joint.ratio *= next.ratio, joint.leader = next.leader;
      leader = findJoint(joint.leader);
    }
    if (leader < 0) throw ModelError(element, "no joint is called " + joint.leader + ", which it follows");
    Joint& last = joints_[leader];
    if (!simple(last)) throw ModelError(element, "joint " + last.name + ", which it follows, has not one coordinate");
    if (joint.ratio == 0) continue;  // It stands still.
    double low = (joint.lower - joint.offset) / joint.ratio, high = (joint.upper - joint.offset) / joint.ratio;
    if (joint.ratio < 0) std::swap(low, high);
    last.lower = std::max(last.lower, low), last.upper = std::min(last.upper, high);
    if (!(last.lower <= last.upper))  // NaN -> refused
      throw ModelError(element, "its limits leave no room to joint " + last.name + ", which it follows");
  }
}

/// After all nodes are there: those of followers take the coordinates of their leaders.
void ArticulatedModel::coupleNodes() {
  if (!coupled_) return;
  for (Joint& joint : joints_) {
    if (!joint.follows()) continue;
    const Joint& leader = joints_[findJoint(joint.leader)];
    Node& node = nodes_[joint.node];
    joint.q = node.q = leader.q, joint.v = node.v = leader.v;
    node.ratio = joint.ratio, node.offset = joint.offset;
  }
}

void ArticulatedModel::placeMasses() {
  std::vector<std::vector<geom::MassProperties>> parts(nodes_.size());
  for (const Link& link : links_) {
    if (link.mass > 0) parts[link.node].push_back(transformed({link.mass, link.centre, link.inertia}, link.in_node));
  }
  for (size_t n = 1; n < nodes_.size(); ++n) {
    Node& node = nodes_[n];
    const geom::MassProperties body = geom::composed(parts[n]);
    node.mass = body.mass;
    mass_ += body.mass;
    if (!(body.mass > 0)) continue;
    if (const std::string reason = impossibleInertia(body.inertia); !reason.empty())
      throw ModelError("link " + links_[joints_[node.joint].child].name, reason);
    node.centre = body.centre;
    if (node.kind == Node::kFloating) {
      // The node's origin moves to the centre of mass; everything given in it moves back.
      for (Link& link : links_) {
        if (link.node == static_cast<int>(n)) link.in_node.p -= body.centre;
      }
      for (Node& child : nodes_) {
        if (child.parent == static_cast<int>(n) && &child != &node) child.p -= body.centre;
      }
      node.centre.setZero();
      node.inertia = SymmetricMatrix3::of(body.inertia);
    } else {
      node.inertia = SymmetricMatrix3::of(geom::inertiaAbout(body, Eigen::Vector3d::Zero()));
    }
  }
}

void ArticulatedModel::placeFloatingLinks() {
  neutral_ = Eigen::VectorXd::Zero(num_q_);
  std::vector<geom::Pose> X_WN(nodes_.size());
  for (size_t n = 1; n < nodes_.size(); ++n) {
    const Node& node = nodes_[n];
    geom::Pose X_PN{node.turn0, node.p};
    X_WN[n] = compose(X_WN[node.parent], X_PN);
    if (node.kind == Node::kRevolute && node.offset != 0) {
      const elementary::SineCosine half = elementary::sineCosine(0.5 * node.offset);
      X_WN[n].q = multiply(X_WN[node.parent].q, half.cosine * node.turn0 + half.sine * node.turn1);
    }
    if (node.kind == Node::kPrismatic && node.offset != 0)
      X_WN[n].p += node.offset * (X_WN[node.parent].rotation() * node.axis);
    if (node.kind == Node::kSpherical) neutral_[node.q] = 1;
    if (node.kind != Node::kFloating) continue;
    const Joint& joint = joints_[node.joint];
    geom::Pose X_WL = joint.origin;
    if (joint.parent != kWorld) {
      const Link& parent = links_[joint.parent];
      X_WL = compose(compose(X_WN[parent.node], parent.in_node), joint.origin);
    }
    // The child's frame stands still in its node but for the shift to the centre of mass.
    X_WN[n] = {X_WL.q, X_WL * (-links_[joint.child].in_node.p)};
    neutral_.segment<3>(node.q) = X_WN[n].p;
    neutral_.segment<4>(node.q + 3) = X_WN[n].q;
  }
}

void ArticulatedModel::listSupports() {
  support_first_ = {0, 0};
  for (size_t n = 1; n < nodes_.size(); ++n) {
    const std::span<const int> inherited = nodeSupport(nodes_[n].parent);
    std::vector<int> own(inherited.begin(), inherited.end());
    const int dofs = nodes_[n].kind == Node::kFloating ? 6 : nodes_[n].kind == Node::kSpherical ? 3 : 1;
    for (int k = 0; k < dofs; ++k) own.push_back(nodes_[n].v + k);
    if (coupled_) {
      std::sort(own.begin(), own.end());
      own.erase(std::unique(own.begin(), own.end()), own.end());
    }
    support_.insert(support_.end(), own.begin(), own.end());
    support_first_.push_back(static_cast<int>(support_.size()));
  }
}

void ArticulatedModel::requireInertia() const {
  ArticulatedWorkspace workspace(*this);
  calcPositions(*this, neutral_, workspace);
  factorInertia(*this, workspace);
  Eigen::MatrixXd M(num_v_, num_v_);
  calcMassMatrix(*this, workspace, M);
  const auto definite = [](const Eigen::Matrix3d& m) {
    const Eigen::Vector3d moments =
        Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(m, Eigen::EigenvaluesOnly).eigenvalues();
    return moments[0] > kInertiaEpsilon * moments[2];
  };
  for (size_t n = nodes_.size(); --n > 0;) {  // Leaves first: what they lack spreads inwards.
    const Node& node = nodes_[n];
    const ArticulatedWorkspace::NodeData& data = workspace.nodes[n];
    bool moves = false;
    if (node.kind == Node::kFloating) {
      const ArticulatedInertia& I = data.inertia;
      const Eigen::Matrix3d A = I.A.full();
      moves = definite(A) && definite(I.C.full() - I.B.transpose() * A.inverse() * I.B);
    } else if (node.kind == Node::kSpherical) {
      moves = definite(workspace.spherical[data.block].U_torque + node.armature * Eigen::Matrix3d::Identity());
    } else {
      // What the joint moves, the joints beyond it free, over what it would be were they locked. A follower moves with
      // its leader, whose own entry holds the ratios' squares.
      const double locked = coupled_ ? M(node.v, node.v) / std::max(node.ratio * node.ratio, 1.0) : M(node.v, node.v);
      moves = joints_[node.joint].follows() || 1 / data.inverse_D > kInertiaEpsilon * locked;
    }
    if (!moves) throw ModelError("joint " + joints_[node.joint].name, "what it moves has no mass or inertia");
  }
}

int ArticulatedModel::findLink(std::string_view name) const {
  for (int i = 0; i < numLinks(); ++i) {
    if (links_[i].name == name) return i;
  }
  return -1;
}

int ArticulatedModel::findJoint(std::string_view name) const {
  for (int j = 0; j < numJoints(); ++j) {
    if (joints_[j].name == name) return j;
  }
  return -1;
}

}  // namespace rigor::dynamics
