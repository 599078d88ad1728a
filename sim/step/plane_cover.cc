// SPDX-License-Identifier: MIT
#include "sim/step/plane_cover.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "advance/certificate.h"
#include "advance/far_parts.h"
#include "geom/separation.h"
#include "sim/step/heights.h"

namespace rigor::sim {

using advance::AxisKind;
using Eigen::Vector3d;

namespace {

constexpr double kHeightRounding = 0x1p-47;  // Of heights and their differences, relative to what enters them.
constexpr double kBelow = 4;           // Deltas below the part's lowest point: where a plane is tried first.
constexpr int kProposals = 2;          // Ways to a plane between two parts.
constexpr int kMostFailed = 16;        // Parts that no plane keeps off, until the others are left, too.
constexpr double kSameNormal = 1 - 1e-9;
constexpr double kAboveLevel = 1 + 1e-3;

}  // namespace

void PlaneCover::begin(const TreeField& field, std::span<const int> found) {
  covered_.clear(), left_.clear(), alone_.clear();
  const PartRuntime& part = x_.parts[field.part];
  const BodyRuntime &still = x_.bodies[field.body], &body = x_.bodies[part.body];
  for (const int k : found) left_.push_back(still.first_part + k);
  const int slot = x_.slot_of[part.body];
  const advance::MotionPiece& piece = x_.pieces[slot];
  still_motion_ = advance::PiecePolynomials(still.piece, piece.t0, piece.t1);
  still_ = {&below_, still.centre, &still_motion_};
  moving_ = {part.shape, body.centre, &x_.motion[slot]};
  still_pose_ = x_.originPose(still.first_part, -1, piece.t0);
  start_ = x_.originPose(field.part, slot, piece.t0), end_ = x_.originPose(field.part, slot, piece.t1);
  middle_ = x_.originPose(field.part, slot, 0.5 * (piece.t0 + piece.t1));
}

advance::FaceGap PlaneCover::gapOver(const Vector3d& normal, double height) {
  below_ = geom::HalfSpace{normal, height};
  return {still_, moving_, {AxisKind::kFixedInA, normal}};
}

PlaneCover::Plane PlaneCover::planeOf(const Vector3d& normal) {
  Plane plane{normal, lowestHeight(*moving_.shape, start_, still_pose_, normal), -HUGE_VAL};
  double height = std::min(plane.start, lowestHeight(*moving_.shape, end_, still_pose_, normal)) -
                  kBelow * x_.scales.gap;
  // Once more where the motion comes lower between its ends.
  for (int k = 0; k < 2 && std::isfinite(height); ++k) {
    const double gap = advance::provedGap(gapOver(normal, height));
    if (gap > 0) {
      plane.proved = height + gap - kHeightRounding * (std::abs(height) + gap);
      break;
    }
    height += kAboveLevel * gap - x_.scales.gap;
  }
  return plane;
}

/// Covers what lies below the height that reached(plane) gives.
template <typename Reached>
void PlaneCover::cover(TreeField& field, double least, const Reached& reached) {
  for (size_t p = 0; !left_.empty() && (p < field.planes.size() || propose(field, reached)); ++p) {
    const Plane plane = planeOf(field.planes[p]);
    heights_.clear();
    for (const int part : left_) heights_.push_back(supportAlong(*x_.parts[part].shape, plane.normal));
    const double height = reached(plane);
    size_t kept = 0;
    for (size_t i = 0; i < left_.size(); ++i) {
      const double rounding =
          kHeightRounding * (2 * x_.parts[left_[i]].radius + std::abs(plane.proved) + std::abs(heights_[i]));
      const double gap = plane.proved - heights_[i] - rounding;
      if (heights_[i] <= height && gap >= least) covered_.push_back({left_[i], static_cast<int>(p), gap});
      else left_[kept++] = left_[i];
    }
    left_.resize(kept);
  }
  left_.insert(left_.end(), alone_.begin(), alone_.end());
  std::sort(left_.begin(), left_.end());
}

/// A plane over what lies in the middle of what is left, where most of it is below one that is. What has an axis of its
/// own is left alone.
template <typename Reached>
bool PlaneCover::propose(TreeField& field, const Reached& reached) {
  if (field.planes.size() >= TreeField::kMostPlanes) return false;
  for (int failed = 0; failed < kMostFailed && !left_.empty(); ++failed) {
    const size_t seed = left_.size() / 2;
    const int part = left_[seed], known = x_.pairs.find(part, field.part);
    if (known < 0 || x_.pairs[known].axes.empty())
      for (int kind = 0; kind < kProposals; ++kind) {
        Vector3d normal;
        if (!normalOf(part, kind, normal)) continue;
        heights_.assign(1, supportAlong(*x_.parts[part].shape, normal));
        if (!(heights_[0] <= reached(planeOf(normal)))) continue;
        field.planes.push_back(normal);
        return true;
      }
    alone_.push_back(part);
    left_.erase(left_.begin() + static_cast<std::ptrdiff_t>(seed));
  }
  return false;
}

/// Towards the moving part, in the middle of the motion: of the face that keeps its ball farthest off, or from nearest
/// point to nearest point. @returns false where there is none.
bool PlaneCover::normalOf(int part, int kind, Vector3d& normal) const {
  const geom::Shape& shape = *x_.parts[part].shape;
  if (!std::holds_alternative<geom::Polytope>(shape)) return false;
  if (kind == 0) {
    advance::SeparatingAxis axis;
    if (!advance::farFace(shape, still_pose_, *moving_.shape, middle_, axis)) return false;
    if (axis.kind != AxisKind::kFixedInA) return false;
    normal = axis.axis;
  } else {
    geom::SeparationCache cache;
    const geom::Separation sep = geom::separation(std::get<geom::Polytope>(shape), still_pose_,
                                                  std::get<geom::Polytope>(*moving_.shape), middle_, cache);
    if (!(sep.distance > 0)) return false;
    normal = still_pose_.rotation().transpose() * -sep.normal;
  }
  normal.normalize();
  return normal.allFinite();
}

void PlaneCover::prove(TreeField& field, std::span<const int> found, double floor) {
  begin(field, found);
  cover(field, floor, [&](const Plane& plane) { return plane.proved - floor; });
}

void PlaneCover::findClear(TreeField& field, std::span<const int> found, const Levels& levels) {
  begin(field, found);
  cover(field, -HUGE_VAL, [&](const Plane& plane) {
    const double free = plane.proved - kAboveLevel * levels.highest();
    // What the part touches at the start: as deep as it lies under the plane, if no point comes lower.
    double touched = -HUGE_VAL;
    for (const double height : heights_)
      if (height > free && height <= plane.start - levels.floor) touched = std::max(touched, height);
    return touched > free && staysOver(field, plane.normal, touched, levels) ? touched : free;
  });
}

/// As on a half-space: whether no point comes down to its level over a plane.
bool PlaneCover::staysOver(const TreeField& field, const Vector3d& normal, double height, const Levels& levels) {
  const advance::FaceGap gap = gapOver(normal, height);
  if (!gap.valid || gap.hasCylinder()) return false;
  const advance::FaceGap::Bound bound = gap.bound();
  for (int v = gap.firstVertex(); v < gap.numVertices(); ++v) {
    if (gap.staysAbove(bound, v, levels.highest())) continue;
    const double lowest =
        isHeld(field, normal, v) ? Levels::kHeld * levels.gap : levels.of(gap.startGap(v));
    if (!gap.staysAbove(v, lowest)) return false;
  }
  return true;
}

/// Whether a contact with the body holds the vertex at such a plane.
bool PlaneCover::isHeld(const TreeField& field, const Vector3d& normal, int vertex) const {
  const PartRuntime& part = x_.parts[field.part];
  return std::any_of(x_.contacts.begin(), x_.contacts.end(), [&](const Contact& c) {
    if (!(c.held || !c.in_patch) || c.isLimit()) return false;
    const auto of = [&](int body, int number) { return body == part.body && number == part.part; };
    if (c.feature.kind == AxisKind::kFixedInA)
      return c.pair.body_a == field.body && of(c.pair.body_b, c.pair.part_b) && c.feature.b0 == vertex &&
             c.feature.axis.dot(normal) > kSameNormal;
    return c.feature.kind == AxisKind::kFixedInB && c.pair.body_b == field.body &&
           of(c.pair.body_a, c.pair.part_a) && c.feature.a0 == vertex && -c.feature.axis.dot(normal) > kSameNormal;
  });
}

}  // namespace rigor::sim
