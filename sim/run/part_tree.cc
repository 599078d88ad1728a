// SPDX-License-Identifier: MIT
#include "sim/run/part_tree.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

namespace rigor::sim {

using Eigen::Vector3d;

std::shared_ptr<const PartTree> treeOfParts(std::span<const PartRuntime> parts, const geom::Pose& pose) {
  constexpr double kRounding = 1e-14;  // Of a rotation and a sum, relative to what enters them.
  auto tree = std::make_shared<PartTree>();
  tree->boxes.reset(parts.size());
  std::vector<const geom::Polytope*> solids;
  const Eigen::Matrix3d R = pose.rotation();
  for (std::size_t k = 0; k < parts.size(); ++k) {
    Vector3d lower = Vector3d::Constant(-HUGE_VAL), upper = -lower;  // A half-space is everywhere.
    if (const auto* polytope = std::get_if<geom::Polytope>(parts[k].shape)) {
      solids.push_back(polytope);
      std::swap(lower, upper);
      for (int v = 0; v < polytope->numCorners(); ++v) {
        const Vector3d x = pose.p + R * polytope->corner(v);
        const double reach = polytope->isRound(v) ? polytope->round()->radius : 0;
        lower = lower.cwiseMin((x.array() - reach).matrix()), upper = upper.cwiseMax((x.array() + reach).matrix());
      }
      const Vector3d rounding = Vector3d::Constant(kRounding * (pose.p.norm() + parts[k].radius));
      lower -= rounding, upper += rounding;
    }
    tree->boxes.update(static_cast<int>(k), lower, upper);
    tree->tight.emplace_back(lower, upper);
  }
  tree->has_skin = solids.size() == parts.size();
  if (tree->has_skin) tree->skin = geom::Skin(solids);
  return tree;
}

void partsNear(const PartTree& tree, const Vector3d& lower, const Vector3d& upper, std::vector<int>& found) {
  found.clear();
  tree.boxes.query(lower, upper, [&](int part) {
    const Eigen::AlignedBox3d& box = tree.tight[part];
    // NaN meets everything.
    if (!(box.min().array() > upper.array()).any() && !(box.max().array() < lower.array()).any()) found.push_back(part);
  });
  std::sort(found.begin(), found.end());
}

}  // namespace rigor::sim
