// SPDX-License-Identifier: MIT
#include "advance/round_manifold.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "advance/feature_point.h"
#include "advance/feature_region.h"
#include "advance/heights.h"
#include "advance/manifold.h"
#include "advance/solid_features.h"
#include "elementary/require.h"
#include "geom/gjk.h"

namespace rigor::advance {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Kind = geom::Feature::Kind;

/// A polytope R and a round part I, in the frame of R.
struct RoundContacts::Pair {
  const ManifoldSide &side_r, &side_i;
  bool reference_is_a;
  const geom::Polytope &R, &I;
  Relative X;
  double radius;
  int first;                 ///< Corner of I: the first point of its core.
  Vector3d start, line;      ///< Of the core; no line: a ball.
  bool isBall() const { return I.numCorners() == first + 1; }
  /// A feature of kind kNearest of corners or edges of both.
  ContactFeature nearest(int v, int w, int c, int d, const Vector3d& n_world) const {
    ContactFeature f;
    f.kind = AxisKind::kNearest, f.axis = n_world;
    f.a0 = reference_is_a ? v : c, f.a1 = reference_is_a ? w : d;
    f.b0 = reference_is_a ? c : v, f.b1 = reference_is_a ? d : w;
    return f;
  }
  /// The world's normal from A to B of n, which points from R to I in its frame.
  Vector3d fromAToB(const Vector3d& n) const { return side_r.X_W.rotation() * (reference_is_a ? n : Vector3d(-n)); }
};

namespace {

/// An end of a core nearer to a contact on its line than this share of the radius has none of its own.
constexpr double kOwnEnd = 0.01;
/// Lines that cross so flatly that they are apart at the ends of a length by no more than this share of `beyond` more
/// than at the crossing count as parallel: what lies over their ends carries, with a normal that does not turn as fast.
constexpr double kFlat = 0.01;

/// @param square  Of the cross product of two lines of these lengths, a distance apart.
bool areParallel(double square, double a, double b, double distance, double beyond) {
  const double sine = std::sqrt(square) / (a * b), aside = sine * std::min(a, b);
  return !(sine > kParallelSine) || aside * aside < 8 * kFlat * beyond * distance;
}

/// The feature of a polytope that is nearest to x, which lies outside; all in its frame. `known` carries the nearest
/// point, up to rounding; a face or an edge may give way to a larger feature that x is at most `rim` beyond.
geom::Feature nearestFeature(const geom::Polytope& P, geom::SkinPart solid, geom::Feature known, const Vector3d& x,
                             double rim, std::vector<int>& list) {
  geom::Feature best;
  double least = std::numeric_limits<double>::infinity();
  const auto consider = [&](Kind kind, int index, double beyond, double distance) {
    if (beyond <= rim && distance < least) least = distance, best = {kind, index};
  };
  facesOf(P, solid, known, list);
  for (const int f : list)
    if (const double height = P.face(f).normal.dot(x) - P.face(f).offset; height > 0)
      consider(Kind::kFace, f, beyondFace(P, f, x), -height);  // Of those that x is over, the one it is farthest above.
  if (std::isfinite(least)) return best;
  edgesOf(P, known, list);
  for (const int e : list) {
    const Vector3d tail = P.vertex(P.edge(e).tail), along = P.vertex(P.edge(e).head) - tail;
    const double length = along.norm(), s = (x - tail).dot(along) / (length * length);
    consider(Kind::kEdge, e, beyondEnds(s, length), (x - tail - s * along).norm());
  }
  if (std::isfinite(least)) return best;
  for (const int e : list)
    for (const int v : {P.edge(e).tail, P.edge(e).head}) consider(Kind::kVertex, v, 0, (x - P.vertex(v)).norm());
  return best;
}

/// How far along n the vertices next to one of a polytope reach beyond it [m].
double beyondAlong(const geom::Polytope& P, int vertex, const Vector3d& n) {
  double beyond = 0;
  for (const int w : P.neighbours(vertex)) beyond = std::max(beyond, n.dot(P.vertex(w) - P.vertex(vertex)));
  return beyond;
}

}  // namespace

/// The end of a core, or a ball.
void RoundContacts::overEnd(const Pair& pair, int corner, const geom::Separation& sep, double beyond,
                            std::vector<ContactFeature>& out) {
  const geom::Polytope& R = pair.R;
  const bool reference_is_a = pair.reference_is_a;
  const Vector3d x = pair.X.R * pair.I.corner(corner) + pair.X.p,
                 along = pair.side_r.X_W.rotation().transpose() * (reference_is_a ? Vector3d(-sep.normal) : sep.normal);
  const double rim = std::max(beyond, kRimShare * R.size());
  const geom::Feature feature =
      nearestFeature(R, pair.side_r.skin, reference_is_a ? sep.feature_a : sep.feature_b, x, rim, list_);
  ContactFeature f;
  Vector3d n = along;  // Where the core is inside: the way out.
  if (feature.kind == Kind::kFace) {
    n = R.face(feature.index).normal, f.face = feature.index;
  } else if (sep.distance > -pair.radius) {
    if (!((outward(R, pair.side_r.skin, feature, along, x) - along).norm() <= kParallelSine)) return;
    const bool edge = feature.kind == Kind::kEdge;
    const int v = edge ? R.edge(feature.index).tail : feature.index, w = edge ? R.edge(feature.index).head : v;
    const double length = pair.line.norm(), share = corner == pair.first ? 0 : 1;
    for (const Close& close : close_)
      if (std::abs(close.share - share) * length < kOwnEnd * pair.radius &&
          (close.v == v || close.v == w || close.w == v || close.w == w))
        return;
    out.push_back(pair.nearest(v, w, corner, corner, -sep.normal));
    return;
  }
  const double offset = heights(R, n).maxCoeff();
  if (reference_is_a) f.kind = AxisKind::kFixedInA, f.b0 = corner, f.axis = n, f.offset = offset;
  else f.kind = AxisKind::kFixedInB, f.a0 = corner, f.axis = -n, f.offset = -offset;
  out.push_back(f);
}

/// The edges of the faces around a feature, into edges_.
void RoundContacts::gather(const Pair& pair, geom::Feature feature) {
  facesOf(pair.R, {}, feature, faces_);
  edges_.clear();
  for (const int f : faces_)
    for (const int e : pair.R.faceEdges(f))
      if (std::find(edges_.begin(), edges_.end(), e) == edges_.end()) edges_.push_back(e);
}

/// The core's line over edges of the polytope, that of the nearest one and those over which it lies as flat, where they
/// cross by more than `rim` inside of their ends.
void RoundContacts::crossEdges(const Pair& pair, const Reach& within, double rim, std::vector<ContactFeature>& out) {
  const geom::Polytope& R = pair.R;
  const double length = pair.line.norm();
  for (const int e : edges_) {
    const int v = R.edge(e).tail, w = R.edge(e).head;
    const Vector3d d = R.vertex(w) - R.vertex(v), apart = pair.start - R.vertex(v), cross = d.cross(pair.line);
    const double edge = d.norm();
    if (areParallel(cross.squaredNorm(), edge, length, pair.radius, within.beyond)) continue;
    const double s = nearestOnLine(apart, pair.line, cross), t = nearestOnLine(apart, d, cross);
    if (!(beyondEnds(s, edge) < -rim && beyondEnds(t, length) < -rim)) continue;
    const Vector3d between = pair.start + t * pair.line - R.vertex(v) - s * d;
    const double distance = between.norm();
    if (!(distance > 0 && distance - pair.radius <= within.band)) continue;
    const Vector3d n = between / distance;
    if (!(std::max(beyondAlong(R, v, n), beyondAlong(R, w, n)) <= within.band)) continue;
    const Vector3d x = R.vertex(v) + s * d;
    if (!isSharp(R, pair.side_r.skin, v, w, x) ||
        !((outward(R, pair.side_r.skin, {Kind::kEdge, e}, n, x) - n).norm() <= kParallelSine))
      continue;
    // The order of corners makes the cross product point from A to B.
    const bool positive = (cross.dot(n) > 0);
    const int c = pair.first, last = pair.first + 1;
    ContactFeature f = pair.nearest(v, w, c, last, pair.fromAToB(n));
    if (!positive) std::swap(f.b0, f.b1);
    out.push_back(f);
    close_.push_back({v, w, t});
  }
}

/// The core's line over corners of the polytope that lie on no edge which it crosses.
void RoundContacts::crossVertices(const Pair& pair, const Reach& within, double rim,
                                  std::vector<ContactFeature>& out) {
  const geom::Polytope& R = pair.R;
  const double square = pair.line.squaredNorm();
  list_.clear();
  for (const int e : edges_)
    for (const int v : {R.edge(e).tail, R.edge(e).head}) {
      if (std::find(list_.begin(), list_.end(), v) != list_.end()) continue;
      list_.push_back(v);
      if (std::any_of(close_.begin(), close_.end(), [v](const Close& c) { return c.v == v || c.w == v; })) continue;
      const double t = (R.vertex(v) - pair.start).dot(pair.line) / square;
      if (!(beyondEnds(t, std::sqrt(square)) < -rim)) continue;
      const Vector3d between = pair.start + t * pair.line - R.vertex(v);
      const double distance = between.norm();
      if (!(distance > 0 && distance - pair.radius <= within.band)) continue;
      const Vector3d n = between / distance;
      if (!(beyondAlong(R, v, n) <= within.band) || !isSharp(R, pair.side_r.skin, v, v, R.vertex(v)) ||
          !((outward(R, pair.side_r.skin, {Kind::kVertex, v}, n, R.vertex(v)) - n).norm() <= kParallelSine))
        continue;
      out.push_back(pair.nearest(v, v, pair.first, pair.first + 1, pair.fromAToB(n)));
      close_.push_back({v, v, t});
    }
}

void RoundContacts::overPolytope(const Pair& pair, const geom::Separation& sep, const Reach& within,
                                 std::vector<ContactFeature>& out) {
  close_.clear();
  if (pair.isBall()) return overEnd(pair, pair.first, sep, within.beyond, out);
  const bool inside = !(sep.distance > -pair.radius);
  const double rim = std::max(within.beyond, kRimShare * pair.R.size());
  if (!inside) {
    gather(pair, pair.reference_is_a ? sep.feature_a : sep.feature_b);
    crossEdges(pair, within, rim, out);
    crossVertices(pair, within, rim, out);
  }
  const std::size_t before_ends = out.size();
  geom::Separation nearest = sep;
  int corner = pair.first;
  double least = std::numeric_limits<double>::infinity();
  for (int end = pair.first; end < pair.first + 2; ++end) {
    end_.col(0) = pair.I.corner(end);
    const geom::Pose &X_R = pair.side_r.X_W, &X_I = pair.side_i.X_W;
    geom::GjkResult found = geom::gjk(pair.R, X_R, end_, X_I);
    if (found.status == geom::GjkResult::Status::kUncertain) found = geom::gjkWide(pair.R, X_R, end_, X_I);
    geom::Separation own = sep;
    own.distance = -pair.radius;
    if (found.status != geom::GjkResult::Status::kTouching) {
      own.distance += found.distance;
      own.normal = pair.reference_is_a ? found.normal : Vector3d(-found.normal);
      (pair.reference_is_a ? own.feature_a : own.feature_b) =
          geom::carrierFeature(pair.R, found.vertex_a, found.count);
    }
    if (own.distance < least) least = own.distance, nearest = own, corner = end;
    if (own.distance <= within.band) overEnd(pair, end, own, within.beyond, out);
  }
  // Over a corner that an edge reaches beyond by a rounding it is neither over the edge nor over the corner.
  if (!inside && close_.empty() && out.size() == before_ends) crossEdges(pair, within, -rim, out);
  if (close_.empty() && out.size() == before_ends && !pair.side_r.skin.skin)
    overEnd(pair, corner, nearest, within.beyond, out);  // By rounding: keep the guarantee.
}

/// Balls and capsules: the lines of two cores where they cross, ends over lines, and ends that are nearest to ends.
void RoundContacts::ofCores(const ManifoldSide& A, const ManifoldSide& B, const Reach& within,
                            std::vector<ContactFeature>& out) {
  const auto &PA = std::get<geom::Polytope>(A.shape), &PB = std::get<geom::Polytope>(B.shape);
  const geom::Polytope* parts[] = {&PA, &PB};
  const geom::Pose* poses[] = {&A.X_W, &B.X_W};
  const int first[] = {PA.numVertices(), PB.numVertices()};
  Vector3d start[2], line[2];
  int count[2];
  double radii = 0, longest = 0;
  for (int side = 0; side < 2; ++side) {
    const Matrix3d R = poses[side]->rotation();
    count[side] = static_cast<int>(parts[side]->round()->core.cols());
    start[side] = R * parts[side]->corner(first[side]) + (poses[side]->p - A.X_W.p);
    line[side] = R * (parts[side]->corner(first[side] + count[side] - 1) - parts[side]->corner(first[side]));
    radii += parts[side]->round()->radius;
    longest = std::max(longest, line[side].norm());
  }
  const double rim = std::max(within.beyond, kRimShare * (longest + radii));
  double crossing[2] = {-1, -1};
  const auto push = [&](int a0, int a1, int b0, int b1, const Vector3d& apart) {
    ContactFeature f;
    f.kind = AxisKind::kNearest, f.axis = apart.normalized();
    f.a0 = first[0] + a0, f.a1 = first[0] + a1, f.b0 = first[1] + b0, f.b1 = first[1] + b1;
    out.push_back(f);
  };
  const Vector3d between = start[1] - start[0], cross = line[0].cross(line[1]);
  if (const double a = line[0].norm(), b = line[1].norm();
      !areParallel(cross.squaredNorm(), a, b, radii, within.beyond)) {
    const double s = nearestOnLine(between, line[1], cross), t = nearestOnLine(between, line[0], cross);
    const Vector3d apart = between + t * line[1] - s * line[0];
    if (beyondEnds(s, a) < -rim && beyondEnds(t, b) < -rim && apart.norm() - radii <= within.band) {
      const bool positive = cross.dot(apart) > 0;
      push(0, 1, positive ? 0 : 1, positive ? 1 : 0, apart);
      crossing[0] = s, crossing[1] = t;
    }
  }
  // Of each end the nearest of the other core: a share of its line, within its ends.
  const auto shareOf = [&](int side, int end) {
    const int other = 1 - side;
    if (count[other] == 1) return 0.0;
    const double length = line[other].norm(),
                 share = (start[side] + end * line[side] - start[other]).dot(line[other]) / (length * length);
    const double off = rim / length;
    return share <= off ? 0.0 : share >= 1 - off ? 1.0 : share;
  };
  const std::size_t before = out.size();
  double least = std::numeric_limits<double>::infinity();
  ContactFeature nearest;
  for (int side = 0; side < 2; ++side)
    for (int end = 0; end < count[side]; ++end) {
      const int other = 1 - side;
      const double share = shareOf(side, end);
      const Vector3d apart = start[other] + share * line[other] - start[side] - end * line[side];
      const double gap = apart.norm() - radii;
      if (crossing[side] >= 0 && std::abs(crossing[side] - end) * line[side].norm() < kOwnEnd * radii) continue;
      const bool to_end = share == 0 || share == 1;
      const int at = share == 1 ? count[other] - 1 : 0;
      const bool mutual = shareOf(other, at) == end;
      const int c0 = to_end ? at : 0, c1 = to_end ? at : 1;
      const std::size_t size = out.size();
      if (side == 0) push(end, end, c0, c1, apart);
      else push(c0, c1, end, end, -apart);
      if (gap < least) least = gap, nearest = out.back();
      const bool twice = side == 1 && to_end;  // Of two ends the first one names both.
      if (!(gap <= within.band) || (to_end && !mutual) || twice) out.resize(size);
    }
  if (out.size() == before && crossing[0] < 0) out.push_back(nearest);  // By rounding: keep the guarantee.
}

void RoundContacts::find(const ManifoldSide& A, const ManifoldSide& B, const geom::Separation& sep, const Reach& within,
                         std::vector<ContactFeature>& out) {
  const auto &PA = std::get<geom::Polytope>(A.shape), &PB = std::get<geom::Polytope>(B.shape);
  RIGOR_REQUIRE(PA.round() || PB.round());
  if (PA.round() && PB.round()) return ofCores(A, B, within, out);
  const bool reference_is_a = !PA.round();
  const ManifoldSide &side_r = reference_is_a ? A : B, &side_i = reference_is_a ? B : A;
  const geom::Polytope &R = reference_is_a ? PA : PB, &I = reference_is_a ? PB : PA;
  const Relative X = relativePose(side_r.X_W, side_i.X_W);
  const int first = I.numVertices();
  const Vector3d start = X.R * I.corner(first) + X.p, end = X.R * I.corner(I.numCorners() - 1) + X.p;
  overPolytope({side_r, side_i, reference_is_a, R, I, X, I.round()->radius, first, start, end - start}, sep, within,
               out);
}

}  // namespace rigor::advance
