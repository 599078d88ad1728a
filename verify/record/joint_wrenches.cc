// SPDX-License-Identifier: MIT
#include "verify/record/joint_wrenches.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <set>
#include <utility>

namespace rigor::verify::recorded {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::Vector4d;

/// M(q)/(q.q).
Matrix3d turnOf(const Vector4d& q) { return Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized().matrix(); }

Matrix3d inertiaOf(const kernel::Body& body) {
  const auto& [xx, yy, zz, xy, xz, yz] = body.inertia;
  return (Matrix3d() << xx, xy, xz, xy, yy, yz, xz, yz, zz).finished();
}

template <int N>
Eigen::Matrix<double, N, 1> curveAt(const double (*points)[N], int degree, double u) {
  Eigen::Matrix<double, N, 1> list[4];
  for (int i = 0; i <= degree; ++i) list[i] = Eigen::Map<const Eigen::Matrix<double, N, 1>>(points[i]);
  for (int k = degree; k > 0; --k)
    for (int i = 0; i < k; ++i) list[i] += u * (list[i + 1] - list[i]);
  return list[0];
}

}  // namespace

JointWrenches::JointWrenches(const kernel::Model& model) : model_(model), links_(model.bodies.size()) {
  const auto moves = [&](int body) { return !model.bodies[static_cast<std::size_t>(body)].fixed; };
  std::vector<int> depth(model.bodies.size(), 0);  // Joints between a link and the root of its robot.
  for (int r = 0; r < std::ssize(model.robots); ++r) {
    const auto& joints = model.robots[static_cast<std::size_t>(r)].joints;
    // A link's depth follows from its parent's, in any order of joints; a ring of them ends as well.
    bool changed = true;
    for (std::size_t round = 0; changed && round <= joints.size(); ++round) {
      changed = false;
      for (const kernel::Joint& joint : joints) {
        if (joint.loop || joint.parent < 0) continue;
        int& own = depth[static_cast<std::size_t>(joint.child)];
        const int from_parent = depth[static_cast<std::size_t>(joint.parent)] + 1;
        changed |= own != from_parent, own = from_parent;
      }
    }
    for (int j = 0; j < std::ssize(joints); ++j) {
      const kernel::Joint& joint = joints[static_cast<std::size_t>(j)];
      if (!joint.loop && joint.type != kernel::JointType::kOther && moves(joint.child) && joint.parent != joint.child)
        joints_.push_back({r, j});
    }
  }
  std::stable_sort(joints_.begin(), joints_.end(), [&](JointNumber a, JointNumber b) {
    return depth[static_cast<std::size_t>(jointOf(a).child)] > depth[static_cast<std::size_t>(jointOf(b).child)];
  });
  for (const JointNumber n : joints_) links_[static_cast<std::size_t>(jointOf(n).child)].hangs = true;
  if (joints_.empty()) return;
  for (int i = 0; i < std::ssize(model.bodies); ++i)
    if (moves(i) && model.bodies[static_cast<std::size_t>(i)].robot >= 0) moving_links_.push_back(i);
}

void JointWrenches::start(double t0, double t1, const PieceOf& piece_of) {
  t0_ = t0, t1_ = t1;
  for (const int i : moving_links_) {
    Link& link = links_[static_cast<std::size_t>(i)];
    link.piece = piece_of(i);
    link.follows = false;
  }
  for (const JointNumber n : joints_) {
    const auto child = static_cast<std::size_t>(jointOf(n).child);
    if (!links_[child].piece) continue;
    links_[child].follows = true;
    begin(model_.bodies[child], links_[child]);
    links_[child].held = pointOf(jointOf(n), middle());
  }
}

/// What a link's momentum, and its angular momentum about its centre at the start, change by besides gravity.
void JointWrenches::begin(const kernel::Body& body, Link& link) const {
  const kernel::Piece& piece = *link.piece;
  link.start = Vector3d(piece.p[0]);
  link.P = link.K = Vector3d::Zero();
  link.force_scale = link.moment_scale = 0;
  if (body.mass == 0 && body.inertia == decltype(body.inertia){}) return;  // A mere frame.
  const double h = t1_ - t0_, m = body.mass;
  const Vector3d gravity(model_.gravity.data()), v0(piece.velocity), w0(piece.velocity + 3), v1(piece.velocity + 6),
      w1(piece.velocity + 9);
  const Matrix3d I = inertiaOf(body), R0 = turnOf(Vector4d(piece.q[0])),
                 R1 = turnOf(Vector4d(piece.q[piece.q_degree]));
  const Vector3d end = Vector3d(piece.p[piece.p_degree]) - link.start;
  Vector3d mean = Vector3d::Zero();
  for (int i = 0; i <= piece.p_degree; ++i) mean += Vector3d(piece.p[i]) - link.start;
  mean /= piece.p_degree + 1;
  const Vector3d spin0 = R0 * (I * (R0.transpose() * w0)), spin1 = R1 * (I * (R1.transpose() * w1));
  link.P = m * (v1 - v0) - m * h * gravity;
  link.K = spin1 - spin0 + m * end.cross(v1) - m * h * mean.cross(gravity);
  const double weight = m * h * gravity.norm();
  link.force_scale = m * (v0.norm() + v1.norm()) + weight;
  link.moment_scale = spin0.norm() + spin1.norm() + m * end.norm() * v1.norm() + weight * mean.norm();
}

/// The joint's point, of its child; world. @pre the child has a piece.
Vector3d JointWrenches::pointOf(const kernel::Joint& joint, double time) const {
  const auto child = static_cast<std::size_t>(joint.child);
  const kernel::Piece& piece = *links_[child].piece;
  const double u = (time - t0_) / (t1_ - t0_);
  return curveAt<3>(piece.p, piece.p_degree, u) + turnOf(curveAt<4>(piece.q, piece.q_degree, u)) *
                                                      (Vector3d(joint.child_point.data()) -
                                                       Vector3d(model_.bodies[child].centre.data()));
}

void JointWrenches::act(JointNumber number, double time, const Vector3d& P, const Vector3d& moment) {
  const kernel::Joint& joint = jointOf(number);
  const Link& child = links_[static_cast<std::size_t>(joint.child)];
  const bool placed = child.piece != nullptr;
  const bool known = child.hangs && !joint.loop && time == middle();
  const Vector3d x = !placed ? Vector3d(Vector3d::Zero()) : known ? child.held : pointOf(joint, time);
  const auto feel = [&](int body, double sign) {
    if (body < 0) return;
    Link& link = links_[static_cast<std::size_t>(body)];
    link.follows = link.follows && placed;
    if (!link.follows) return;
    const Vector3d arm = x - link.start;
    link.P -= sign * P;
    link.K -= sign * (moment + arm.cross(P));
    link.force_scale += P.norm();
    link.moment_scale += moment.norm() + arm.norm() * P.norm();
  };
  feel(joint.child, 1);
  feel(joint.parent, -1);
}

bool JointWrenches::balance(JointNumber number, Wrench& out) const {
  const kernel::Joint& joint = jointOf(number);
  const Link& link = links_[static_cast<std::size_t>(joint.child)];
  if (!link.follows) return false;
  const Vector3d arm = link.held - link.start;
  out.P = link.P, out.moment = link.K - arm.cross(link.P);
  out.force_scale = link.force_scale, out.moment_scale = link.moment_scale + arm.norm() * link.force_scale;
  return true;
}

namespace {

/// The pieces of links, by body and start. Lookups that go on in time cost O(1).
class PiecesByStart {
 public:
  PiecesByStart(const kernel::Model& model, std::span<const kernel::Piece> pieces) : of_(model.bodies.size()) {
    for (const kernel::Piece& piece : pieces)
      if (model.bodies[static_cast<std::size_t>(piece.body)].robot >= 0)
        of_[static_cast<std::size_t>(piece.body)].list.push_back(&piece);
  }
  const kernel::Piece* find(int body, double t0, double t1) {
    auto& [list, next] = of_[static_cast<std::size_t>(body)];
    if (next >= list.size() || list[next]->t0 != t0)
      next = static_cast<std::size_t>(std::lower_bound(list.begin(), list.end(), t0,
                                                       [](const auto* piece, double t) { return piece->t0 < t; }) -
                                      list.begin());
    if (next >= list.size() || list[next]->t0 != t0) return nullptr;
    const kernel::Piece* piece = list[next++];
    return piece->t1 == t1 ? piece : nullptr;
  }

 private:
  struct Body {
    std::vector<const kernel::Piece*> list;
    std::size_t next = 0;
  };
  std::vector<Body> of_;
};

void addTo(kernel::Action& action, JointWrenches& wrenches, const JointWrenches::PieceOf& piece_of) {
  wrenches.start(action.t0, action.t1, piece_of);
  for (const kernel::Contact& contact : action.contacts)
    wrenches.touch(contact.facing->body_a), wrenches.touch(contact.facing->body_b);
  action.wrenches.reserve(action.wrenches.size() + wrenches.joints().size());
  std::set<std::pair<int, int>> listed;
  for (const kernel::Wrench& wrench : action.wrenches) {
    if (wrench.source == kernel::Wrench::Source::kJoint) listed.insert({wrench.robot, wrench.joint});
    for (const kernel::Twisting& impulse : wrench.impulses)
      wrenches.act({wrench.robot, wrench.joint}, impulse.time, Vector3d(impulse.P.data()),
                Vector3d(impulse.moment.data()));
  }
  for (const JointWrenches::JointNumber n : wrenches.joints()) {
    JointWrenches::Wrench held;
    if (listed.contains({n.robot, n.joint}) || !wrenches.balance(n, held)) continue;
    wrenches.act(n, wrenches.middle(), held.P, held.moment);
    kernel::Wrench& wrench = action.wrenches.emplace_back();
    wrench.robot = n.robot, wrench.joint = n.joint;
    kernel::Twisting& impulse = wrench.impulses.emplace_back();
    impulse.time = wrenches.middle();
    Eigen::Map<Vector3d>(impulse.P.data()) = held.P, Eigen::Map<Vector3d>(impulse.moment.data()) = held.moment;
  }
}

}  // namespace

void addJointWrenches(const kernel::Model& model, std::span<const kernel::Piece> pieces,
                      std::vector<ActionRow>& actions) {
  if (std::none_of(actions.begin(), actions.end(), [](const ActionRow& row) { return row.joints_follow; })) return;
  PiecesByStart starts(model, pieces);
  JointWrenches wrenches(model);
  for (ActionRow& row : actions)
    if (row.joints_follow)
      addTo(row.action, wrenches,
            [&](int body) -> const kernel::Piece* {
              // Robots of other groups may step over the same interval.
              const kernel::Piece* piece = starts.find(body, row.action.t0, row.action.t1);
              return piece && piece->step == row.step ? piece : nullptr;
            });
}

}  // namespace rigor::verify::recorded
