// SPDX-License-Identifier: MIT
#include "sim/step/near_bodies.h"

#include <algorithm>

#include "sim/run/body_tree.h"

namespace rigor::sim {

using Eigen::Vector3d;

namespace {

/// What rounding may take from coordinates of that size, generously: the exact test comes after it.
constexpr double kRounding = 1e-12;
/// Up to so many others near a group are tried with each of its bodies, without the tree.
constexpr size_t kFewOthers = 4;

}  // namespace

std::span<const NearBodies::Pair> NearBodies::find(const StepWorld& world, std::span<const BodyBox> own,
                                                   double margin) {
  pairs_.clear();
  findOthers(world, own, margin);
  findOwn(world, own, margin);
  std::sort(pairs_.begin(), pairs_.end());
  return pairs_;
}

/// Whether a body of the group, with its box, comes near another one.
void NearBodies::tryOther(const StepWorld& world, int a, const BodyBox& box, int b, double margin) {
  const BodyRuntime& other = world.bodies[b];
  if (other.num_parts == 0 || !world.bodies[a].collidesWith(b)) return;
  BodyBox its;
  pieceBox(other.piece, other.radius, its.lower, its.upper);
  if (box.isNear(its, margin)) pairs_.emplace_back(a, b);
}

void NearBodies::findOthers(const StepWorld& world, std::span<const BodyBox> own, double margin) {
  const auto query = [&](const BodyBox& box, auto&& visit) {
    const Vector3d wider = (margin + kRounding * (box.lower.cwiseAbs() + box.upper.cwiseAbs()).array()).matrix();
    const BodyBox wide{box.lower - wider, box.upper + wider};
    world.looked.include(wide);
    world.tree->query(wide.lower, wide.upper, [&](int b) {
      if (world.slot_of[b] < 0) visit(b);
    });
  };
  if (own.empty()) return;
  // Most of what is near a robot's links is other links of it: what else there is near all of them is often a floor.
  BodyBox all = own[0];
  bool ordered = true;  // No NaN, which a union may lose.
  for (const BodyBox& box : own) {
    ordered = ordered && !box.lower.hasNaN() && !box.upper.hasNaN();
    all.lower = all.lower.cwiseMin(box.lower), all.upper = all.upper.cwiseMax(box.upper);
  }
  others_.clear();
  if (ordered) query(all, [&](int b) { others_.push_back(b); });
  const bool few = ordered && others_.size() <= kFewOthers;
  for (size_t s = 0; s < own.size(); ++s) {
    if (world.bodies[world.island[s]].num_parts == 0) continue;
    const auto visit = [&](int b) { tryOther(world, world.island[s], own[s], b, margin); };
    if (few) std::for_each(others_.begin(), others_.end(), visit);
    else query(own[s], visit);
  }
}

/// By a sweep along x.
void NearBodies::findOwn(const StepWorld& world, std::span<const BodyBox> own, double margin) {
  if (own.size() < 2) return;
  order_.clear();
  for (size_t s = 0; s < own.size(); ++s)
    if (world.bodies[world.island[s]].num_parts > 0) order_.push_back(static_cast<int>(s));
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
      if (own[s].isNear(own[t], margin) && world.bodies[a].collidesWith(b)) pairs_.emplace_back(a, b);
    }
}

}  // namespace rigor::sim
