// SPDX-License-Identifier: MIT
#include "sim/step/plane_cover.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

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
constexpr size_t kWalked = 3;          // Planes with which the tree is gone through.
constexpr int kProposals = 3;          // Ways to a plane between two parts.
constexpr int kMostFailed = 16;        // Parts that no plane keeps off, until the others are left, too.
constexpr double kSameNormal = 1 - 1e-9;
constexpr double kAboveLevel = 1 + 1e-3;

}  // namespace

void PlaneCover::begin(const TreeField& field) {
  planes_.clear(), own_.clear(), covered_.clear(), left_.clear(), alone_.clear();
  for (auto& covered : of_plane_) covered.clear();
  for (auto& covered : of_own_) covered.clear();
  last_.part = -1;
  const PartRuntime& part = x_.parts[field.part];
  const BodyRuntime &still = x_.bodies[field.body], &body = x_.bodies[part.body];
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

PlaneCover::Plane PlaneCover::planeOf(const TreeField& field, const Vector3d& normal) {
  Plane plane{normal, lowestHeight(*moving_.shape, start_, still_pose_, normal), -HUGE_VAL, -HUGE_VAL};
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
  plane.covers = plane.proved - least();
  if (!levels_) return plane;
  const double own = touched(field, plane, plane.start - levels_->floor);
  if (own > plane.covers && staysOver(field, normal, own)) plane.covers = own;
  return plane;
}

const PlaneCover::Plane& PlaneCover::plane(const TreeField& field, size_t number) {
  while (planes_.size() <= number) planes_.push_back(planeOf(field, field.planes[planes_.size()]));
  return planes_[number];
}

const advance::FaceGap& PlaneCover::own(const TreeField& field, size_t number) {
  while (own_.size() <= number) own_.push_back(gapUnder(field, field.own[own_.size()]));
  return own_[number];
}

/// Of all points below a plane that moves with the part; what is tested is a box around them, which bounds roundings.
advance::FaceGap PlaneCover::gapUnder(const TreeField& field, const Vector3d& own) {
  return {{x_.bodies[field.body].part_tree->around.get(), still_.centre, &still_motion_},
          moving_,
          {AxisKind::kFixedInB, own}};
}

/// What is proved of a part below such a plane [m]; not where it is round, or comes too near at an end of the motion.
double PlaneCover::gapUnder(const advance::FaceGap& gap, int part) const {
  const auto& polytope = std::get<geom::Polytope>(*x_.parts[part].shape);
  if (polytope.round()) return -HUGE_VAL;
  const double floor = least() * gap.axis_norm;
  for (const int k : {0, gap.degree}) {
    const Vector3d row(gap.row[0][k], gap.row[1][k], gap.row[2][k]);
    const double lowest = row.transpose().lazyProduct(polytope.vertices()).minCoeff() - row.dot(gap.tested_centre);
    if (!(gap.base[k] + lowest >= floor * gap.scale[k])) return -HUGE_VAL;
  }
  return advance::provedGap(gap, polytope.vertices());
}

/// What a plane has to keep off [m].
double PlaneCover::least() const { return levels_ ? kAboveLevel * levels_->highest() : floor_; }

/// Whether a part lies below a plane, which then keeps it off by a gap.
bool PlaneCover::isUnder(const TreeField& field, Covered& covered) {
  if (covered.moves) {
    covered.gap = gapUnder(own(field, covered.plane), covered.part);
    return covered.gap >= least();
  }
  const Plane& its = plane(field, covered.plane);
  const double height = supportAlong(*x_.parts[covered.part].shape, its.normal);
  if (!(height <= its.covers)) return false;
  covered.gap = its.proved - height -
                kHeightRounding * (2 * x_.parts[covered.part].radius + std::abs(its.proved) + std::abs(height));
  return levels_ || covered.gap >= floor_;
}

/// Whether one of the known planes keeps a part off; what is proved of it is noted.
bool PlaneCover::isCovered(const TreeField& field, int part) {
  const auto is_under = [&](size_t number, bool moves) {
    Covered covered{part, number, moves};
    if (!isUnder(field, covered)) return false;
    last_ = covered;
    auto& list = moves ? of_own_ : of_plane_;
    if (levels_) return true;
    if (list.size() <= number) list.resize(number + 1);
    list[number].push_back(covered);
    return true;
  };
  const size_t first = std::min(kWalked, field.planes.size()),
               moving = x_.bodies[field.body].part_tree->around ? field.own.size() : 0;
  // Not in proofs: claims of one plane go on from step to step.
  if (levels_ && last_.part >= 0 && is_under(last_.plane, last_.moves)) return true;
  for (size_t p = 0; p < first; ++p)
    if (is_under(p, false)) return true;
  for (size_t p = 0; p < moving; ++p)
    if (is_under(p, true)) return true;
  for (size_t p = first; p < field.planes.size(); ++p)
    if (is_under(p, false)) return true;
  return false;
}

/// Of what meets the box, what lies below no known plane; in the search for events whole boxes of parts lie below one
/// of the first.
void PlaneCover::walk(const TreeField& field, const Eigen::AlignedBox3d& box) {
  const size_t first = levels_ ? std::min(kWalked, field.planes.size()) : 0;  // Claims are for each part.
  std::array<Vector3d, kWalked> world;
  std::array<double, kWalked> most;
  for (size_t p = 0; p < first; ++p) {
    world[p] = still_pose_.rotation() * plane(field, p).normal;
    most[p] = planes_[p].covers + world[p].dot(still_pose_.p);
  }
  const auto lies_below = [&](const Eigen::AlignedBox3d& all) {
    const Vector3d twice = all.min() + all.max(), sizes = all.sizes();
    for (size_t p = 0; p < first; ++p)
      if (0.5 * (world[p].dot(twice) + world[p].cwiseAbs().dot(sizes)) <= most[p]) return true;
    return false;
  };
  const BodyRuntime& still = x_.bodies[field.body];
  still.part_tree->boxes.visit(box, lies_below, [&](int number) {
    if (!isCovered(field, still.first_part + number)) left_.push_back(still.first_part + number);
  });
}

/// By new planes.
void PlaneCover::coverLeft(TreeField& field) {
  while (!left_.empty() && propose(field))
    std::erase_if(left_, [&](int part) {
      last_.part = part;
      return isCovered(field, part);
    });
  left_.insert(left_.end(), alone_.begin(), alone_.end());
  std::sort(left_.begin(), left_.end());
}

/// A plane over what lies in the middle of what is left, where most of it is below one that is. What has an axis of its
/// own is left alone.
bool PlaneCover::propose(TreeField& field) {
  if (!x_.bodies[field.body].part_tree->around) return false;
  for (int failed = 0; failed < kMostFailed && !left_.empty(); ++failed) {
    const size_t seed = left_.size() / 2;
    const int part = left_[seed], known = x_.pairs.find(part, field.part);
    if (known < 0 || x_.pairs[known].axes.empty())
      for (int kind = 0; kind < kProposals; ++kind) {
        Proposed proposed;
        if (!normalOf(part, kind, proposed)) continue;
        if ((proposed.moves ? field.own : field.planes).size() >= TreeField::kMostPlanes) continue;
        (proposed.moves ? field.own : field.planes).push_back(proposed.normal);
        Covered covered{part, (proposed.moves ? field.own : field.planes).size() - 1, proposed.moves};
        if (!isUnder(field, covered)) {
          proposed.moves ? (field.own.pop_back(), own_.pop_back()) : (field.planes.pop_back(), planes_.pop_back());
          continue;
        }
        last_ = covered;
        return true;
      }
    alone_.push_back(part);
    left_.erase(left_.begin() + static_cast<std::ptrdiff_t>(seed));
  }
  return false;
}

/// Towards the moving part, in the middle of the motion: of the face that keeps its ball farthest off, or from nearest
/// point to nearest point. @returns false where there is none.
bool PlaneCover::normalOf(int part, int kind, Proposed& proposed) const {
  const geom::Shape& shape = *x_.parts[part].shape;
  if (!std::holds_alternative<geom::Polytope>(shape)) return false;
  if (kind == 0) {
    advance::SeparatingAxis axis;
    if (!advance::farFace(shape, still_pose_, *moving_.shape, middle_, axis)) return false;
    proposed = {axis.axis, axis.kind == AxisKind::kFixedInB};
  } else {
    geom::SeparationCache cache;
    const geom::Separation sep = geom::separation(std::get<geom::Polytope>(shape), still_pose_,
                                                  std::get<geom::Polytope>(*moving_.shape), middle_, cache);
    if (!(sep.distance > 0)) return false;
    proposed.moves = kind == 2;
    proposed.normal = (proposed.moves ? middle_ : still_pose_).rotation().transpose() * -sep.normal;
  }
  proposed.normal.normalize();
  return proposed.normal.allFinite();
}

void PlaneCover::prove(TreeField& field, const Eigen::AlignedBox3d& box, double floor) {
  levels_.reset(), floor_ = floor;
  begin(field);
  walk(field, box);
  coverLeft(field);
  for (const auto* list : {&of_own_, &of_plane_})
    for (const auto& covered : *list) covered_.insert(covered_.end(), covered.begin(), covered.end());
}

void PlaneCover::findClear(TreeField& field, const Eigen::AlignedBox3d& box, const Levels& levels) {
  levels_ = levels;
  begin(field);
  walk(field, box);
  coverLeft(field);
}

/// How deep what the part touches at the start lies under a plane: of such parts, the highest of those at most so high.
double PlaneCover::touched(const TreeField& field, const Plane& plane, double most) const {
  double highest = -HUGE_VAL;
  for (const Contact& c : x_.contacts) {
    if (c.isLimit()) continue;
    const bool first = c.pair.body_a == field.body;
    const auto [still, own] = first ? std::pair(c.pair.part_a, c.pair.part_b) : std::pair(c.pair.part_b, c.pair.part_a);
    const int body = first ? c.pair.body_b : c.pair.body_a;
    if ((first ? c.pair.body_a : c.pair.body_b) != field.body || x_.bodies[body].first_part + own != field.part)
      continue;
    const double height = supportAlong(*x_.parts[x_.bodies[field.body].first_part + still].shape, plane.normal);
    if (height <= most) highest = std::max(highest, height);
  }
  return highest;
}

/// As on a half-space: whether no point comes down to its level over a plane.
bool PlaneCover::staysOver(const TreeField& field, const Vector3d& normal, double height) {
  const Levels& levels = *levels_;
  const advance::FaceGap gap = gapOver(normal, height);
  if (!gap.valid || gap.hasCylinder()) return false;
  const advance::FaceGap::Bound bound = gap.bound();
  for (int v = gap.firstVertex(); v < gap.numVertices(); ++v) {
    if (gap.staysAbove(bound, v, levels.highest())) continue;
    const double lowest =
        isHeld(field, normal, v) ? levels.ofHeld(gap.startGap(v)) : levels.of(gap.startGap(v));
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
