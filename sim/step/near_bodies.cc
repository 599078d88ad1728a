// SPDX-License-Identifier: MIT
#include "sim/step/near_bodies.h"

#include <algorithm>

#include "sim/run/body_tree.h"

namespace rigor::sim {

using Eigen::Vector3d;

namespace {

/// What rounding may take from coordinates of that size, generously: the exact test comes after it.
constexpr double kRounding = 1e-12;

}  // namespace

std::span<const NearBodies::Pair> NearBodies::find(const StepWorld& world, std::span<const BodyBox> own,
                                                   double margin) {
  pairs_.clear();
  findOthers(world, own, margin);
  findOwn(world, own, margin);
  std::sort(pairs_.begin(), pairs_.end());
  return pairs_;
}

void NearBodies::findOthers(const StepWorld& world, std::span<const BodyBox> own, double margin) {
  for (size_t s = 0; s < own.size(); ++s) {
    const int a = world.island[s];
    const BodyBox& box = own[s];
    const Vector3d wider = (margin + kRounding * (box.lower.cwiseAbs() + box.upper.cwiseAbs()).array()).matrix();
    world.tree->query(box.lower - wider, box.upper + wider, [&](int b) {
      const BodyRuntime& other = world.bodies[b];
      if (world.slot_of[b] >= 0 || !world.bodies[a].collidesWith(b)) return;
      BodyBox its;
      pieceBox(other.piece, other.radius, its.lower, its.upper);
      if (box.isNear(its, margin)) pairs_.emplace_back(a, b);
    });
  }
}

/// By a sweep along x.
void NearBodies::findOwn(const StepWorld& world, std::span<const BodyBox> own, double margin) {
  if (own.size() < 2) return;
  order_.resize(own.size());
  for (size_t s = 0; s < own.size(); ++s) order_[s] = static_cast<int>(s);
  const bool ordered = std::all_of(own.begin(), own.end(),
                                   [](const BodyBox& box) { return !box.lower.hasNaN() && !box.upper.hasNaN(); });
  if (ordered)
    std::sort(order_.begin(), order_.end(), [&](int i, int j) {
      return own[i].lower.x() != own[j].lower.x() ? own[i].lower.x() < own[j].lower.x() : i < j;
    });
  for (size_t i = 0; i < order_.size(); ++i)
    for (size_t j = i + 1; j < order_.size(); ++j) {
      const int s = order_[i], t = order_[j];
      if (ordered && own[t].lower.x() - own[s].upper.x() > margin) break;
      const int a = world.island[std::min(s, t)], b = world.island[std::max(s, t)];
      if (world.bodies[a].collidesWith(b) && own[s].isNear(own[t], margin)) pairs_.emplace_back(a, b);
    }
}

}  // namespace rigor::sim
