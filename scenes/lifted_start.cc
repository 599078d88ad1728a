// SPDX-License-Identifier: MIT
#include "scenes/lifted_start.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <limits>

#include "dynamics/kinematics.h"

namespace rigor::scenes {
namespace {

using dynamics::kWorld;
using Eigen::Vector3d;

constexpr double kRounding = 1e-9;  // Of a tree's size: what sinks in by less touches.

struct Plane {
  int link;
  Vector3d normal;  // Unit, out of the solid.
  double offset;
};

/// How far the lowest point of a solid at X is along n.
double lowest(const geom::Polytope& solid, const geom::Pose& X, const Vector3d& n) {
  const geom::Round* const round = solid.round();
  const Eigen::Matrix3Xd& points = round ? round->core : solid.vertices();
  double least = std::numeric_limits<double>::infinity();
  for (long i = 0; i < points.cols(); ++i) least = std::min(least, n.dot(X * Vector3d(points.col(i))));
  return round ? least - n.dot(round->reach(n, X.rotation() * round->axis)) : least;
}

class Lifter {
 public:
  explicit Lifter(dynamics::Robot& robot) : robot_(robot), model_(*robot.model), workspace_(model_) {
    dynamics::calcPositions(model_, robot.start.q, workspace_);
    for (int link = 0; link < model_.numLinks(); ++link) listPlanes(link);
  }

  bool hasPlanes() const { return !planes_.empty(); }

  /// @returns by how much the tree of that root was lifted.
  double lift(int root) {
    const double size = sizeOf(root);
    Vector3d lifted(0, 0, 0);
    for (const Plane& plane : planes_) {
      const double depth = -lowestOf(root, plane) - lifted.dot(plane.normal);
      if (depth > kRounding * size && depth <= kMostSunk * size) lifted += depth * plane.normal;
    }
    robot_.start.q.segment<3>(model_.nodes()[model_.link(root).node].q) += lifted;
    return lifted.norm();
  }

  /// Whether a tree floats, and no loop ties it to anything else.
  bool isFree(int root) const {
    if (model_.joint(model_.link(root).joint).type != dynamics::JointType::kFloating) return false;
    const auto isIn = [&](int link) { return link != kWorld && robot_.trees[link] == root; };
    return std::ranges::all_of(model_.loops(), [&](const dynamics::LoopDescription& loop) {
      return isIn(loop.link_a) == isIn(loop.link_b);
    });
  }

 private:
  void listPlanes(int link) {
    if (robot_.trees[link] != kWorld) return;
    const geom::Pose X = dynamics::linkPose(model_, workspace_, link);
    for (const geom::Shape& shape : robot_.shapes[link]) {
      const auto* plane = std::get_if<geom::HalfSpace>(&shape);
      if (!plane) continue;
      const double length = plane->normal.norm();
      const Vector3d n = X.rotation() * plane->normal / length;
      planes_.push_back({link, n, plane->offset / length + n.dot(X.p)});
    }
  }

  template <typename Visit>
  void eachSolid(int root, const Visit& visit) const {
    for (int link = 0; link < model_.numLinks(); ++link) {
      if (robot_.trees[link] != root) continue;
      const geom::Pose X = dynamics::linkPose(model_, workspace_, link);
      for (const geom::Shape& shape : robot_.shapes[link])
        if (const auto* solid = std::get_if<geom::Polytope>(&shape)) visit(link, *solid, X);
    }
  }

  double sizeOf(int root) const {
    Eigen::AlignedBox3d box;
    eachSolid(root, [&](int, const geom::Polytope& solid, const geom::Pose& X) {
      for (long i = 0; i < solid.vertices().cols(); ++i) box.extend(X * Vector3d(solid.vertices().col(i)));
    });
    return box.isEmpty() ? 0 : box.diagonal().norm();
  }

  /// Height above a plane of what of a tree may meet it.
  double lowestOf(int root, const Plane& plane) const {
    double least = std::numeric_limits<double>::infinity();
    eachSolid(root, [&](int link, const geom::Polytope& solid, const geom::Pose& X) {
      if (mayCollide(robot_, link, plane.link)) least = std::min(least, lowest(solid, X, plane.normal) - plane.offset);
    });
    return least;
  }

  dynamics::Robot& robot_;
  const dynamics::ArticulatedModel& model_;
  dynamics::ArticulatedWorkspace workspace_;
  std::vector<Plane> planes_;
};

}  // namespace

std::vector<std::string> liftOutOfPlanes(dynamics::Robot& robot) {
  std::vector<std::string> done;
  Lifter lifter(robot);
  if (!lifter.hasPlanes()) return done;
  for (int root = 0; root < robot.model->numLinks(); ++root) {
    if (robot.trees[root] != root || !lifter.isFree(root)) continue;
    if (const double by = lifter.lift(root); by > 0)
      done.push_back(fmt::format("{} and what hangs on it sank into planes of the file; they start {:.3g} m higher",
                                 robot.model->link(root).name, by));
  }
  return done;
}

}  // namespace rigor::scenes
