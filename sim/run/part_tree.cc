// SPDX-License-Identifier: MIT
#include "sim/run/part_tree.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

namespace rigor::sim {

using Eigen::Vector3d;

StillBoxes::StillBoxes(std::vector<Eigen::AlignedBox3d> boxes) : boxes_(std::move(boxes)) {
  std::vector<int> bounded;
  for (int k = 0; k < static_cast<int>(boxes_.size()); ++k)
    (boxes_[k].min().allFinite() && boxes_[k].max().allFinite() ? bounded : unbounded_).push_back(k);
  if (bounded.empty()) return;
  nodes_.reserve(2 * bounded.size() - 1);
  build(bounded);
}

/// By halves, along the side on which their centres are farthest apart.
void StillBoxes::build(std::span<int> parts) {
  const int own = static_cast<int>(nodes_.size());
  nodes_.emplace_back();
  Eigen::AlignedBox3d all, centres;
  for (const int k : parts) all.extend(boxes_[k]), centres.extend(boxes_[k].center());
  if (parts.size() == 1) {
    nodes_[own].part = parts[0];
  } else {
    int side = 0;
    centres.sizes().maxCoeff(&side);
    const auto half = static_cast<std::ptrdiff_t>(parts.size() / 2);
    const auto key = [&](int k) { return std::pair(boxes_[k].min()[side] + boxes_[k].max()[side], k); };
    std::nth_element(parts.begin(), parts.begin() + half, parts.end(), [&](int i, int j) { return key(i) < key(j); });
    build(parts.first(static_cast<std::size_t>(half)));
    build(parts.subspan(static_cast<std::size_t>(half)));
  }
  nodes_[own].box = all, nodes_[own].next = static_cast<int>(nodes_.size());
}

namespace {

/// Null where it would be no solid.
std::shared_ptr<const geom::Shape> boxAround(std::span<const PartRuntime> parts) {
  constexpr double kThin = 1e-9;
  Eigen::AlignedBox3d box;
  for (const PartRuntime& part : parts) box.extend(part.box);
  if (!(box.sizes().minCoeff() > kThin * box.sizes().maxCoeff())) return nullptr;
  std::vector<Vector3d> corners;
  for (int k = 0; k < 8; ++k) corners.push_back(box.corner(static_cast<Eigen::AlignedBox3d::CornerType>(k)));
  return std::make_shared<const geom::Shape>(geom::Polytope::fromPoints(corners));
}

}  // namespace

std::shared_ptr<const PartTree> treeOfParts(std::span<const PartRuntime> parts, const geom::Pose& pose) {
  constexpr double kRounding = 1e-14;  // Of a rotation and a sum, relative to what enters them.
  auto tree = std::make_shared<PartTree>();
  std::vector<Eigen::AlignedBox3d> boxes;
  bool bounded = true;
  const Eigen::Matrix3d R = pose.rotation();
  for (std::size_t k = 0; k < parts.size(); ++k) {
    Vector3d lower = Vector3d::Constant(-HUGE_VAL), upper = -lower;  // A half-space is everywhere.
    if (const auto* polytope = std::get_if<geom::Polytope>(parts[k].shape)) {
      std::swap(lower, upper);
      for (int v = 0; v < polytope->numCorners(); ++v) {
        const Vector3d x = pose.p + R * polytope->corner(v);
        const double reach = polytope->isRound(v) ? polytope->round()->radius : 0;
        lower = lower.cwiseMin((x.array() - reach).matrix()), upper = upper.cwiseMax((x.array() + reach).matrix());
      }
      const Vector3d rounding = Vector3d::Constant(kRounding * (pose.p.norm() + parts[k].radius));
      lower -= rounding, upper += rounding;
    } else {
      bounded = false;
    }
    boxes.emplace_back(lower, upper);
  }
  tree->boxes = StillBoxes(std::move(boxes));
  if (bounded) tree->around = boxAround(parts);
  return tree;
}

LazySkin::LazySkin(std::span<const PartRuntime> parts) {
  for (const PartRuntime& part : parts)
    if (const auto* polytope = std::get_if<geom::Polytope>(part.shape)) solids_.push_back(polytope);
  if (solids_.size() < parts.size()) solids_.clear();
}

const geom::Skin* LazySkin::get() const {
  std::call_once(once_, [this] { skin_ = geom::Skin(solids_); });
  return skin_.hidesFaces() ? &skin_ : nullptr;
}

void partsNear(const PartTree& tree, const Vector3d& lower, const Vector3d& upper, std::vector<int>& found) {
  found.clear();
  tree.boxes.visit(
      {lower, upper}, [](const Eigen::AlignedBox3d&) { return false; }, [&](int part) { found.push_back(part); });
  std::sort(found.begin(), found.end());
}

}  // namespace rigor::sim
