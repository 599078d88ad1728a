// SPDX-License-Identifier: MIT
#include "verify/filter/branch_filter.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "verify/filter/ball_vector.h"

namespace rigor::verify::filter {
namespace {

/// Products above this are certainly positive.
constexpr double kLeastProduct = 1e-300;
/// How often an interval is halved before the kernel has to decide: control points come nearer to their curve, by a
/// quarter of their distance with each half. The simulator's certificates halve as well.
constexpr int kHalvings = 4;

// Every control point of q lies on the first one's side of the origin, and with them q.
bool turnsLittle(const Piece& piece) {
  for (int i = 0; i <= piece.q_degree; ++i) {
    Ball product;
    for (int k = 0; k < 4; ++k) addProduct(Ball(piece.q[0][k]), Ball(piece.q[i][k]), product);
    if (!isAtLeast(product, kLeastProduct)) return false;
  }
  return true;
}

// Of a half-space and a body whose part stays within a ball around its centre, as kernel::aboveHalfSpace(); or within
// a box that turns little.
class PartAbove {
 public:
  PartAbove(const kernel::Body& owner, const kernel::Part& plane, const Piece& pose, const kernel::Body& body,
            const kernel::Part& part, double gap) {
    const BallPose at = ballPoseOf(pose, pose.t0);
    normal_ = at.turn(BallVector(plane.normal));
    length_ = upperRootOf(dot(normal_, normal_));
    for (const kernel::Vector3& point : part.core.empty() ? part.vertices : part.core) {
      const BallVector arm = BallVector(point) - BallVector(body.centre);
      reach_ = std::max(reach_, upperRootOf(dot(arm, arm)));
      for (int k = 0; k < 3; ++k)
        low_[k] = std::min(low_[k], -(-arm[k]).upper()), high_[k] = std::max(high_[k], arm[k].upper());
    }
    Ball apart = part.radius;
    apart += gap, apart *= length_;
    floor_ = plane.offset;
    floor_ += apart, floor_ += dot(normal_, at.p - at.turn(BallVector(owner.centre)));
  }
  bool proves(const Piece& piece) const {
    Ball most = reach_;
    most *= length_;
    return isHigher(piece, most) || isHigher(piece, depthOf(piece));
  }

 private:
  // All control points of the centre are by `depth` above where the part may be.
  bool isHigher(const Piece& piece, Ball depth) const {
    bool above = true;
    depth += floor_;
    for (int i = 0; i <= piece.p_degree && above; ++i) above = isAtLeast(dot(normal_, BallVector(piece.p[i])), depth);
    return above;
  }
  // No less than what of the part lies below its centre: that of its box at the start, and by what it turns from there.
  // A turn from one quaternion to another takes y away by twice the sine of the angle between them, times |y|, and this
  // sine is at most their distance over the length of one. So far no point of a curve is that no control point is.
  Ball depthOf(const Piece& piece) const {
    const BallVector down = ballPoseOf(piece, piece.t0).turnBack(normal_);
    Ball depth, farthest_sq, length_sq;
    for (int k = 0; k < 3; ++k) {
      Ball low = -down[k], high = low;
      low *= low_[k], high *= high_[k];
      depth += std::max(low.upper(), high.upper());
      if (!(low.upper() == low.upper() && high.upper() == high.upper())) return HUGE_VAL;
    }
    for (int k = 0; k < 4; ++k) addProduct(Ball(piece.q[0][k]), Ball(piece.q[0][k]), length_sq);
    for (int i = 1; i <= piece.q_degree; ++i) {
      Ball square;
      for (int k = 0; k < 4; ++k) {
        Ball off = piece.q[i][k];
        off -= piece.q[0][k], addProduct(off, off, square);
      }
      farthest_sq = std::max(farthest_sq.value, square.upper());
    }
    Ball turned = 2 * upperRootOf(farthest_sq);
    turned *= inverse(Ball(lowerRootOf(length_sq)));
    turned *= reach_, turned *= length_;
    return depth += turned;
  }

  BallVector normal_;
  double length_ = 0, reach_ = 0;  // Of the normal and of the part about its centre, or more.
  double low_[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high_[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};  // Its box.
  Ball floor_;
};

std::vector<Trajectory> trajectoriesOf(const kernel::BranchProof& proof) {
  std::vector<Trajectory> trajectories;
  const std::vector<kernel::Body>& bodies = proof.run().model.bodies;
  for (int b = 0; b < static_cast<int>(bodies.size()); ++b)
    bodies[b].parts.empty() ? trajectories.emplace_back() : trajectories.emplace_back(proof.piecesOf(b));
  return trajectories;
}

}  // namespace

BranchFilter::BranchFilter(const kernel::BranchProof& proof, const std::vector<Solid>& solids)
    : proof_(proof),
      solids_(solids),
      trajectories_(trajectoriesOf(proof)),
      boxes_(proof.run().model.bodies, trajectories_) {}

bool BranchFilter::proves(const kernel::Obligation& obligation, ClaimFilter& workspace) const {
  switch (obligation.kind) {
    case kernel::Obligation::Kind::kOrientation: return turnsLittle(proof_.rows().pieces[obligation.number]);
    case kernel::Obligation::Kind::kClaim: return provesClaim(proof_.rows().claims[obligation.number], workspace);
    case kernel::Obligation::Kind::kCoverage: return provesCoverage(proof_.pairs()[obligation.number]);
    default: return false;
  }
}

bool BranchFilter::provesClaim(const kernel::Claim& claim, ClaimFilter& workspace) const {
  const kernel::Run& run = proof_.run();
  if (!findFault(claim, run.model.bodies).empty() || !(claim.gap >= proof_.branch().min_gap) ||
      !(claim.gap >= run.gap_floor))
    return false;
  kernel::PieceRange a = proof_.piecesIn(claim.body_a, claim.t0, claim.t1),
                     b = proof_.piecesIn(claim.body_b, claim.t0, claim.t1);
  const kernel::Body &A = run.model.bodies[claim.body_a], &B = run.model.bodies[claim.body_b];
  std::optional<PartAbove> above;
  if (const kernel::Part& plane = A.parts[claim.part_a]; plane.half_space && a.first != a.last)
    above.emplace(A, plane, *a.first, B, B.parts[claim.part_b], claim.gap);
  while (a.first != a.last && b.first != b.last) {
    const double from = std::max({claim.t0, a.first->t0, b.first->t0}),
                 to = std::min({claim.t1, a.first->t1, b.first->t1});
    const bool proved = !(from < to) || (above && above->proves(*b.first)) ||
                        provesOver(claim, *a.first, *b.first, from, to, kHalvings, workspace);
    if (!proved) return false;
    a.first->t1 < b.first->t1 ? ++a.first : ++b.first;
  }
  return true;
}

bool BranchFilter::provesOver(const kernel::Claim& claim, const Piece& a, const Piece& b, double from, double to,
                              int halvings, ClaimFilter& workspace) const {
  if (workspace.proves(claim, solids_[claim.body_a], a, solids_[claim.body_b], b, from, to)) return true;
  const double middle = from + 0.5 * (to - from);
  if (halvings == 0 || !(from < middle && middle < to)) return false;
  return provesOver(claim, a, b, from, middle, halvings - 1, workspace) &&
         provesOver(claim, a, b, middle, to, halvings - 1, workspace);
}

bool BranchFilter::provesCoverage(const kernel::BranchProof::Pair& pair) const {
  double where;
  for (const auto& [from, to] : proof_.holesOf(pair))
    if (!boxes_.apart(pair.body_a, pair.part_a, pair.body_b, pair.part_b, from, to, proof_.branch().min_gap, where))
      return false;
  return true;
}

}  // namespace rigor::verify::filter
