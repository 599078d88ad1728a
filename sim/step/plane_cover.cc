// SPDX-License-Identifier: MIT
#include "sim/step/plane_cover.h"

#include <algorithm>
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
constexpr double kBelow = 4;           // Deltas below the part's ball: where a plane is tried first.
constexpr size_t kWalked = 3;          // Planes that stay with which the tree is gone through.
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
  still_rotation_ = still_pose_.rotation();
  start_ = x_.originPose(field.part, slot, piece.t0), end_ = x_.originPose(field.part, slot, piece.t1);
  middle_ = x_.originPose(field.part, slot, 0.5 * (piece.t0 + piece.t1));
  start_centre_ = start_.p + start_.rotation() * body.centre, end_centre_ = end_.p + end_.rotation() * body.centre;
}

advance::FaceGap PlaneCover::gapOver(const Vector3d& normal, double height) {
  below_ = geom::HalfSpace{normal, height};
  return {still_, moving_, {AxisKind::kFixedInA, normal}};
}

PlaneCover::Plane PlaneCover::planeOf(const TreeField& field, const Vector3d& normal) {
  Plane plane{normal, still_rotation_ * normal};
  // Heights are proved over a plane that is below the part's ball at both ends: what is left is a gap.
  const double start_height = plane.world.dot(start_centre_ - still_pose_.p),
               end_height = plane.world.dot(end_centre_ - still_pose_.p);
  double height = std::min(start_height, end_height) - x_.parts[field.part].radius - kBelow * x_.scales.gap;
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
  if (!levels_ || !touches(field)) return plane;
  const double start = lowestHeight(*moving_.shape, start_, still_pose_, normal),
               own = touched(field, normal, start - levels_->floor);
  if (own > plane.covers && staysOver(field, normal, own)) plane.covers = own;
  return plane;
}

const PlaneCover::Plane& PlaneCover::plane(const TreeField& field, size_t number) {
  while (planes_.size() <= number) planes_.push_back(planeOf(field, field.planes[planes_.size()]));
  return planes_[number];
}

const PlaneCover::OwnPlane& PlaneCover::own(const TreeField& field, size_t number) {
  while (own_.size() <= number) {
    OwnPlane own{gapUnder(field, field.own[own_.size()]), {Vector3d(), Vector3d()}, {0, 0}};
    for (const int end : {0, 1}) {
      const int k = end * own.gap.degree;
      const Vector3d row(own.gap.row[0][k], own.gap.row[1][k], own.gap.row[2][k]);
      own.row[end] = still_rotation_ * row;
      own.base[end] = own.gap.base[k] - row.dot(own.gap.tested_centre) - own.row[end].dot(still_pose_.p);
    }
    own_.push_back(own);
  }
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
  const double floor = floor_ * gap.axis_norm;
  for (const int k : {0, gap.degree}) {
    const Vector3d row(gap.row[0][k], gap.row[1][k], gap.row[2][k]);
    const double lowest = row.transpose().lazyProduct(polytope.vertices()).minCoeff() - row.dot(gap.tested_centre);
    if (!(gap.base[k] + lowest >= floor * gap.scale[k])) return -HUGE_VAL;
  }
  return advance::provedGap(gap, polytope.vertices());
}

/// What a plane has to keep off [m].
double PlaneCover::least() const { return levels_ ? kAboveLevel * levels_->highest() : floor_; }

/// As on a half-space: whether none of a part's points comes up to its level under a plane that moves with the other.
bool PlaneCover::staysUnder(const advance::FaceGap& gap, int part) const {
  const auto& polytope = std::get<geom::Polytope>(*x_.parts[part].shape);
  if (polytope.round() || !gap.valid) return false;
  for (int v = 0; v < polytope.numVertices(); ++v) {
    const Vector3d y = polytope.vertex(v);
    if (!gap.staysAbove(y, levels_->highest()) && !gap.staysAbove(y, levels_->of(gap.startGap(y)))) return false;
  }
  return true;
}

/// Whether a part lies below a plane, which then keeps it off by a gap.
bool PlaneCover::isUnder(const TreeField& field, Covered& covered) {
  if (covered.moves) {
    const advance::FaceGap& gap = own(field, covered.plane).gap;
    if (levels_) return staysUnder(gap, covered.part);
    covered.gap = gapUnder(gap, covered.part);
    return covered.gap >= floor_;
  }
  const Plane& its = plane(field, covered.plane);
  const double height = supportAlong(*x_.parts[covered.part].shape, its.normal);
  if (!(height <= its.covers)) return false;
  covered.gap = its.proved - height -
                kHeightRounding * (2 * x_.parts[covered.part].radius + std::abs(its.proved) + std::abs(height));
  return levels_ || covered.gap >= floor_;
}

void PlaneCover::note(const Covered& covered) {
  auto& list = covered.moves ? of_own_ : of_plane_;
  if (list.size() <= covered.plane) list.resize(covered.plane + 1);
  list[covered.plane].push_back(covered);
}

/// Whether a plane keeps a part off; what is proved of it is noted.
bool PlaneCover::isCovered(const TreeField& field, int part, size_t number, bool moves) {
  Covered covered{part, number, moves};
  if (!isUnder(field, covered)) return false;
  last_ = covered;
  if (!levels_) note(covered);
  return true;
}

/// The same of all known planes.
bool PlaneCover::isCovered(const TreeField& field, int part) {
  const auto is_under = [&](size_t number, bool moves) { return isCovered(field, part, number, moves); };
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

/// Whether all that a box in the world holds lies below one of the known planes: nearly all that is near does, in few
/// boxes. In proofs, by the nominal gap at least, so that what is proved of the nearest parts is their own.
bool PlaneCover::isBoxCovered(const TreeField& field, const Eigen::AlignedBox3d& box) {
  const double least = levels_ ? this->least() : std::max(floor_, x_.scales.gap);
  const Vector3d centre = box.center(), half = 0.5 * box.sizes();
  const double rounding = kHeightRounding * (centre.norm() + half.norm() + still_pose_.p.norm());
  for (size_t p = 0; p < std::min(kWalked, field.planes.size()); ++p) {
    const Plane& its = plane(field, p);
    const double height = its.world.dot(centre - still_pose_.p) + its.world.cwiseAbs().dot(half),
                 gap = its.proved - height - rounding;
    if (!(levels_ ? height <= its.covers : gap >= least)) continue;
    last_ = {-1, p, false, gap};
    return true;
  }
  if (!x_.bodies[field.body].part_tree->around) return false;
  for (size_t p = 0; p < field.own.size(); ++p) {
    const OwnPlane& its = own(field, p);
    const advance::FaceGap& gap = its.gap;
    const auto isNear = [&](int end) {
      return !(its.base[end] + its.row[end].dot(centre) - its.row[end].cwiseAbs().dot(half) >=
               least * gap.axis_norm * gap.scale[end * gap.degree]);
    };
    if (isNear(0) || isNear(1)) continue;
    for (int corner = 0; corner < 8; ++corner) {
      const Vector3d sign((corner & 1) ? 1 : -1, (corner & 2) ? 1 : -1, (corner & 4) ? 1 : -1);
      corners_.col(corner) = still_rotation_.transpose() * (centre + half.cwiseProduct(sign) - still_pose_.p);
    }
    const double proved = advance::provedGap(gap, corners_) - rounding;
    if (!(proved >= least)) continue;
    last_ = {-1, p, true, proved};
    return true;
  }
  return false;
}

/// Of what meets the box, what lies below no known plane.
void PlaneCover::walk(const TreeField& field, const Eigen::AlignedBox3d& box) {
  const BodyRuntime& still = x_.bodies[field.body];
  const auto covers = [&](const Eigen::AlignedBox3d& all) { return isBoxCovered(field, all); };
  const auto lookAt = [&](int part) {
    if (!isCovered(field, part)) left_.push_back(part);
  };
  if (levels_)
    still.part_tree->boxes.visit(box, covers, [&](int number) { lookAt(still.first_part + number); });
  else
    still.part_tree->boxes.visitAll(box, covers, [&](int number, bool covered) {
      if (covered) note({still.first_part + number, last_.plane, last_.moves, last_.gap});
      else lookAt(still.first_part + number);
    });
}

/// By new planes.
void PlaneCover::coverLeft(TreeField& field) {
  while (!left_.empty() && propose(field)) {
    const Covered newest = last_;  // Below the others nothing lies that is left.
    std::erase_if(left_, [&](int part) { return isCovered(field, part, newest.plane, newest.moves); });
  }
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

/// The part of the field's body that a contact is with; -1 where it is of another part, or another body.
int PlaneCover::touchedPart(const TreeField& field, const Contact& c) const {
  if (c.isLimit()) return -1;
  const bool first = c.pair.body_a == field.body;
  const auto [still, own] = first ? std::pair(c.pair.part_a, c.pair.part_b) : std::pair(c.pair.part_b, c.pair.part_a);
  const int body = first ? c.pair.body_b : c.pair.body_a;
  if ((first ? c.pair.body_a : c.pair.body_b) != field.body || x_.bodies[body].first_part + own != field.part)
    return -1;
  return x_.bodies[field.body].first_part + still;
}

bool PlaneCover::touches(const TreeField& field) const {
  return std::any_of(x_.contacts.begin(), x_.contacts.end(),
                     [&](const Contact& c) { return touchedPart(field, c) >= 0; });
}

/// How deep what the part touches at the start lies along a plane: of such parts, the highest of those at most so high.
double PlaneCover::touched(const TreeField& field, const Vector3d& normal, double most) const {
  double highest = -HUGE_VAL;
  for (const Contact& c : x_.contacts) {
    const int part = touchedPart(field, c);
    if (part < 0) continue;
    const double height = supportAlong(*x_.parts[part].shape, normal);
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
