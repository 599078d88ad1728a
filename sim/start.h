// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "sim/runtime.h"
#include "sim/scales.h"

namespace rigor::sim {

/// Makes every pair of a start at least the nominal gap apart.
///
/// Pairs that are closer, touching up to rounding included (kTouchingShare of their size), are moved apart along their
/// normal, by at most kMaxPush each: the top of a stack by that for each body below it, a body in a corner along each
/// wall. Each moved body adds a warning.
/// @returns the smallest distance of any two parts after that [m]; +infinity if there is no pair.
/// @throws SceneError naming pair and depth where bodies overlap, or where they cannot be moved apart.
double separateStart(const Scene& scene, const Scales& scales, std::span<const PartRuntime> parts,
                   std::span<BodyRuntime> bodies, std::span<RobotRuntime> robots, std::vector<std::string>& warnings);

/// Refuses scenes whose impact model takes one restitution for all contacts (propagative) and which have several, of
/// bodies that may hit each other or of joint limits: two contacts of different ones may be hit at once.
/// @throws SceneError with two of them.
void requireOneRestitution(const Scene& scene);

}  // namespace rigor::sim
