// SPDX-License-Identifier: MIT
#include "dynamics/controllers/quadruped.h"

#include <algorithm>
#include <variant>

#include "dynamics/kinematics.h"

namespace rigor::dynamics {
namespace {

constexpr double kLeastBend = 0.5, kMostStretch = 0.95, kStance = 0.8;  // Of a leg's length.
constexpr double kSmallShare = 0.5;  // Of its distance from the knee: a part that is smaller is a foot, not a shank.
constexpr double kWeightGain = 2, kGainRatio = 50;                       // kp / (m g l), kp / kd [1/s].

double radiusOf(const std::vector<geom::Shape>& shapes) {
  double radius = 0;
  for (const geom::Shape& shape : shapes)
    if (const auto* solid = std::get_if<geom::Polytope>(&shape)) radius = std::max(radius, solid->radius());
  return radius;
}

/// Joints of a leg, and its foot, in the base's frame.
struct LegPoints {
  Eigen::Vector3d thigh, knee, foot;
};

LegPoints legPoints(const ArticulatedModel& model, const ArticulatedWorkspace& workspace, int base_link,
                    const Foot& foot) {
  const geom::Pose X_WB = linkPose(model, workspace, base_link);
  const Eigen::Matrix3d R = X_WB.rotation().transpose();
  const auto inBase = [&](const Eigen::Vector3d& p) { return Eigen::Vector3d(R * (p - X_WB.p)); };
  const int knee = model.link(foot.link).node, thigh = model.nodes()[knee].parent;
  return {inBase(workspace.nodes[thigh].p), inBase(workspace.nodes[knee].p),
          inBase(footPoint(model, workspace, foot))};
}

/// Where a part ends, farthest from its link's origin: the core of a round one; the middle of a small one; a vertex.
Foot endOf(const geom::Polytope& part, int link) {
  Foot end{link};
  double farthest = -1;
  for (int c = 0; c < part.numCorners(); ++c) {
    if (part.round() && !part.isRound(c)) continue;  // Points that stand for it.
    const double distance = part.corner(c).norm();
    if (distance > farthest) farthest = distance, end.point = part.corner(c);
  }
  if (part.round()) end.radius = part.round()->radius;
  else if (part.size() < kSmallShare * farthest) end.point = part.centre(), end.radius = part.radiusAbout(end.point);
  return end;
}

}  // namespace

Foot footOf(const ArticulatedModel& model, const std::vector<std::vector<geom::Shape>>& shapes, int link) {
  if (!model.link(link).in_node.p.isZero(0)) return {link, Eigen::Vector3d::Zero(), radiusOf(shapes[link])};
  Foot foot{link};
  double farthest = -1;
  for (const geom::Shape& shape : shapes[link]) {
    const auto* part = std::get_if<geom::Polytope>(&shape);
    if (!part) continue;
    const Foot end = endOf(*part, link);
    if (const double reach = end.point.norm() + end.radius; reach > farthest) farthest = reach, foot = end;
  }
  return foot;
}

std::vector<Foot> findFeet(const ArticulatedModel& model, const std::vector<std::vector<geom::Shape>>& shapes,
                           int base_link) {
  const std::span<const ArticulatedModel::Node> nodes = model.nodes();
  std::vector<bool> ends(nodes.size(), true);
  for (size_t n = 1; n < nodes.size(); ++n) ends[nodes[n].parent] = false;
  std::vector<Foot> feet;
  for (size_t n = 1; n < nodes.size(); ++n) {
    int depth = 0, above = static_cast<int>(n);
    while (depth < 4 && above != model.link(base_link).node && nodes[above].kind == ArticulatedModel::Node::kRevolute)
      above = nodes[above].parent, ++depth;
    if (!ends[n] || depth != 3 || above != model.link(base_link).node) continue;
    int foot = -1;
    double farthest = -1;
    for (int l = 0; l < model.numLinks(); ++l) {
      const double distance = model.link(l).in_node.p.norm();
      if (model.link(l).node == static_cast<int>(n) && !shapes[l].empty() && distance > farthest)
        foot = l, farthest = distance;
    }
    if (foot >= 0) feet.push_back(footOf(model, shapes, foot));
  }
  return feet;
}

Quadruped describeQuadruped(const ArticulatedModel& model, int base_link, const std::vector<Foot>& feet,
                            const ArticulatedState& start, double gravity) {
  Quadruped result;
  ArticulatedWorkspace workspace(model);
  std::vector<LegPoints> legs, now;
  for (const bool starts : {false, true}) {
    calcPositions(model, starts ? start.q : model.neutral(), workspace);
    for (const Foot& foot : feet) (starts ? now : legs).push_back(legPoints(model, workspace, base_link, foot));
  }
  Eigen::Vector2d middle(0, 0);
  for (const LegPoints& leg : legs) middle += leg.thigh.head<2>() / legs.size();
  double low = 0;
  std::array<bool, 4> found{};
  for (size_t i = 0; i < legs.size(); ++i) {
    const LegPoints& leg = legs[i];
    const int place = (leg.thigh[0] > middle[0] ? 0 : 2) + (leg.thigh[1] > middle[1] ? 0 : 1);
    if (found[place])
      throw ModelError("link " + model.link(feet[i].link).name, "four legs stand left and right, in front and behind");
    found[place] = true;
    result.feet[place] = feet[i];
    const double length = (leg.knee - leg.thigh).norm() + (leg.foot - leg.knee).norm();
    const double below = now[i].thigh[2] - now[i].foot[2];
    const bool stands = below >= kLeastBend * length && below <= kMostStretch * length;
    result.stance[place] = {leg.thigh[0], leg.foot[1], stands ? now[i].foot[2] : leg.thigh[2] - kStance * length};
    low += result.stance[place][2] / 4, result.leg += length / 4;
    result.radius = std::max(result.radius, feet[i].radius);
  }
  for (Eigen::Vector3d& stance : result.stance) stance[2] = low;  // Level ground.
  result.kp = kWeightGain * model.mass() * gravity * result.leg;
  result.kd = result.kp / kGainRatio;
  return result;
}

}  // namespace rigor::dynamics
