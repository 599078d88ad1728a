// SPDX-License-Identifier: MIT
#include "advance/manifold.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "advance/feature_point.h"
#include "advance/feature_region.h"
#include "advance/heights.h"
#include "advance/solid_features.h"

namespace rigor::advance {

using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

/// A face is the contact plane when its separation reaches this share of the distance; below it the closest features
/// are a vertex or an edge beyond the face's rim.
constexpr double kFaceShare = 0.95;
/// Cosine of the angle between the normals of two faces that touch, above which their planes are two different ones.
constexpr double kSteepFaces = -0.99;
/// What a vector that was normalised, and turned by a rotation, is off by in length.
constexpr double kUnitRounding = 0x1p-48;
/// Edges that cross are a contact where along their normal the parts reach past each other by at most this share of the
/// smaller, and so are corners over a face: edges that are nearly parallel lean, by roundings of the rim.
constexpr double kLeanShare = 1e-4;
/// A cylinder whose axis is off a plane's normal by less stands on it: the vertices that stand for its rim carry it.
constexpr double kStandsSine = 1e-6;

/// What a plane has to separate the parts by, to be the one that they touch at.
double enough(double distance) { return distance > 0 ? kFaceShare * distance : distance / kFaceShare; }

/// Drops those features from `first` on that `drops` names.
template <class Drops>
void dropIf(std::vector<ContactFeature>& features, std::size_t first, const Drops& drops) {
  features.erase(std::remove_if(features.begin() + static_cast<std::ptrdiff_t>(first), features.end(), drops),
                 features.end());
}

/// Where two edges are nearest, in the frames of their parts.
std::pair<Vector3d, Vector3d> crossingOf(const geom::Polytope& PA, int a0, int a1, const geom::Polytope& PB, int b0,
                                         int b1, const Relative& X_AB) {
  const Vector3d a = PA.vertex(a0), b = PB.vertex(b0);
  const NearestPoints nearest =
      nearestPoints(a, PA.vertex(a1) - a, X_AB.R * b + X_AB.p, X_AB.R * (PB.vertex(b1) - b));
  return {nearest.x, X_AB.R.transpose() * (nearest.y - X_AB.p)};
}

/// Drops points that no corner or edge of the solids carries.
void dropSeams(const geom::Polytope& PA, geom::SkinPart solid_a, const geom::Polytope& PB, geom::SkinPart solid_b,
               const Relative& X_AB, std::size_t first, std::vector<ContactFeature>& features) {
  if (!solid_a.skin && !solid_b.skin) return;
  const auto isSeam = [&](const ContactFeature& f) {
    if (f.kind == AxisKind::kFixedInA) return !isSharp(PB, solid_b, f.b0, f.b0, PB.vertex(f.b0));
    if (f.kind == AxisKind::kFixedInB) return !isSharp(PA, solid_a, f.a0, f.a0, PA.vertex(f.a0));
    const auto [x_A, x_B] = crossingOf(PA, f.a0, f.a1, PB, f.b0, f.b1, X_AB);
    return !isSharp(PA, solid_a, f.a0, f.a1, x_A) || !isSharp(PB, solid_b, f.b0, f.b1, x_B);
  };
  dropIf(features, first, isSeam);
}

/// Separation along the outward normal of a face of R: the lowest vertex of I over it.
double faceSeparation(const geom::Polytope& R, int face, const geom::Polytope& I, const Relative& X_RI) {
  const Vector3d& n = R.face(face).normal;
  return lowestHeight(I, X_RI.R.transpose() * n) + n.dot(X_RI.p) - R.face(face).offset;
}

/// The points of B in the band over a half-space. @returns the lowest one's height.
double overPlane(const geom::HalfSpace& H, const geom::Pose& X_WA, const geom::Polytope& PB, const geom::Pose& X_WB,
                 double band, std::vector<ContactFeature>& out) {
  // A unit vector keeps its bits: what says where a contact acts names the half-space's own normal.
  const double norm = H.normal.norm(), length = std::abs(norm - 1) <= kUnitRounding ? 1 : norm;
  const Vector3d axis = H.normal / length;
  const Matrix3d R_A = X_WA.rotation();
  const Vector3d n = R_A * axis, n_B = X_WB.rotation().transpose() * n;
  const double offset = H.offset / length, base = n.dot(X_WB.p - X_WA.p) - offset;
  double least = std::numeric_limits<double>::infinity();
  const geom::Round* round = PB.round();
  const bool stands = round && round->isCylinder() && round->axis.cross(n_B).norm() < kStandsSine;
  const int vertices = round && !stands ? 0 : PB.numVertices();
  for (int k = 0; k < vertices + (round ? static_cast<int>(round->core.cols()) : 0); ++k) {
    const int v = k < vertices ? k : PB.numVertices() + k - vertices;
    const bool is_round = PB.isRound(v);
    const double gap = base + n_B.dot(PB.corner(v) + (is_round ? round->reach(-n_B, round->axis) : Vector3d(0, 0, 0)));
    least = std::min(least, gap);
    if (!(gap > band) && !(is_round && stands)) {
      ContactFeature f;
      f.b0 = v, f.axis = axis, f.offset = offset;
      out.push_back(f);
    }
  }
  return least;
}

/// Whether two edges pass each other between their ends, or no farther beyond them than `rim`. @param apart  From the
/// start of a to that of b.
bool passBetweenEnds(const Vector3d& a, const Vector3d& b, const Vector3d& apart, double rim) {
  const Vector3d n = a.cross(b);
  return beyondEnds(nearestOnLine(apart, b, n), a.norm()) <= rim &&
         beyondEnds(nearestOnLine(apart, a, n), b.norm()) <= rim;
}

/// Of the edges of A and B those whose normal separates most; seams of a solid are no edges of it. Of those that
/// separate by `enough` such as cross come first: an edge in a face's plane has that face's normal with all of its
/// edges. @param overlap  Where the parts overlap, and the edges have passed each other: the direction out of A in
/// its frame; else zero. @param rim  As areParallel() has it. @returns by how much; -infinity for none.
double separatingEdges(const ManifoldSide& A, std::span<const int> edges_a, const ManifoldSide& B,
                       std::span<const int> edges_b, const Relative& X_AB, const Vector3d& overlap, double enough,
                       double rim, ContactFeature& found) {
  const auto &PA = std::get<geom::Polytope>(A.shape), &PB = std::get<geom::Polytope>(B.shape);
  double best = -std::numeric_limits<double>::infinity();
  bool best_crosses = false;
  for (int ea : edges_a)
    for (int eb : edges_b) {
      const auto& EA = PA.edge(ea);
      const auto& EB = PB.edge(eb);
      const Vector3d a = PA.vertex(EA.head) - PA.vertex(EA.tail);
      const Vector3d b = X_AB.R * (PB.vertex(EB.head) - PB.vertex(EB.tail));
      Vector3d n = a.cross(b);
      const double sine = n.norm();
      if (areParallel(a, b, sine, rim)) continue;
      n /= sine;
      const Vector3d d = X_AB.R * PB.vertex(EB.tail) + X_AB.p - PA.vertex(EA.tail);
      const bool positive = n.dot(overlap.isZero(0) ? d : overlap) > 0;
      if (!positive) n = -n;
      const Vector3d m = -(X_AB.R.transpose() * n);
      if (A.skin.skin || B.skin.skin) {
        const auto [x_A, x_B] = crossingOf(PA, EA.tail, EA.head, PB, EB.tail, EB.head, X_AB);
        if (outward(PA, A.skin, {geom::Feature::Kind::kEdge, ea}, n, x_A) != n) continue;
        if (outward(PB, B.skin, {geom::Feature::Kind::kEdge, eb}, m, x_B) != m) continue;
      }
      const double s = lowestHeight(PB, -m) + n.dot(X_AB.p) - heights(PA, n).maxCoeff();
      const bool crosses = s >= enough && passBetweenEnds(a, b, d, rim);
      if (crosses == best_crosses ? s <= best : best_crosses) continue;
      best = s, best_crosses = crosses;
      found.kind = AxisKind::kEdges;
      found.a0 = EA.tail, found.a1 = EA.head;
      found.b0 = positive ? EB.tail : EB.head, found.b1 = positive ? EB.head : EB.tail;
    }
  return best;
}

/// A face of a polytope by its vertices in order.
struct RimOf {
  const geom::Polytope& P;
  std::span<const int> loop;
};

struct CrossingReach {
  double band, rim;
  bool steep;  ///< The incident face looks elsewhere than against the reference.
};

/// Whether the parts reach past each other along n, out of R, too far for a contact.
bool reachPast(const geom::Polytope& R, const geom::Polytope& I, const Relative& X, const Vector3d& n, double band) {
  return !(overlapAlong(R, I, X, n) <= std::max(band, kLeanShare * std::min(R.size(), I.size())));
}

/// Whether edges a and b, given with `det` their triple product with the normal of the face whose rim a is, keep the
/// parts apart: those that meet at an end of one, where another side of the part is, may not, whatever their gap.
bool keepApart(const geom::Polytope& R, const geom::Polytope& I, const Relative& X, const Vector3d& a,
               const Vector3d& b, double det, const CrossingReach& within) {
  const Vector3d n = a.cross(b).normalized();
  return !reachPast(R, I, X, det > 0 ? n : Vector3d(-n), within.band);
}

/// An edge u0 u1 of the reference that crosses v0 v1 of the incident part. @param positive  u0 u1 x v0 v1 points from
/// the reference to the other.
ContactFeature crossing(int u0, int u1, int v0, int v1, bool positive, bool reference_is_a) {
  ContactFeature f;
  f.kind = AxisKind::kEdges;
  // The edge order makes the cross product point from A to B: b x a = -(a x b).
  if (reference_is_a) f.a0 = u0, f.a1 = u1, f.b0 = positive ? v0 : v1, f.b1 = positive ? v1 : v0;
  else f.a0 = v0, f.a1 = v1, f.b0 = positive ? u0 : u1, f.b1 = positive ? u1 : u0;
  return f;
}

/// Adds the crossings of the rims of a reference face and an incident one that are at most `within.band` over the
/// former, and not within `within.rim` of their ends, where vertices are. But a corner of the reference over a steep
/// incident face keeps off that face's plane, and not the edges from each other. @param X  Frame of the incident part
/// in that of the reference.
void addCrossings(const RimOf& reference, const RimOf& incident, const Relative& X, const geom::Polytope::Face& face,
                  const CrossingReach& within, bool reference_is_a, std::vector<ContactFeature>& out) {
  const Vector3d n = face.normal;
  const double offset = heights(reference.P, n).maxCoeff();
  const size_t corners = incident.loop.size(), sides = reference.loop.size();
  for (size_t i = 0; i < corners; ++i) {
    const int v0 = incident.loop[i], v1 = incident.loop[(i + 1) % corners];
    const Vector3d y0 = X.R * incident.P.vertex(v0) + X.p, y1 = X.R * incident.P.vertex(v1) + X.p, b = y1 - y0;
    for (size_t side = 0; side < sides; ++side) {
      const int u0 = reference.loop[side], u1 = reference.loop[(side + 1) % sides];
      const Vector3d x0 = reference.P.vertex(u0), a = reference.P.vertex(u1) - x0;
      const double det = n.dot(a.cross(b));
      if (areParallel(a, b, std::abs(det), within.rim)) continue;
      const double s = n.dot((y0 - x0).cross(b)) / det, t = n.dot((y0 - x0).cross(a)) / det;
      const double rim_s = within.rim / a.norm(), rim_t = within.rim / b.norm();
      const double end_s = within.steep ? -rim_s : rim_s;
      if (!(s > end_s && s < 1 - end_s && t > rim_t && t < 1 - rim_t)) continue;
      if (!(n.dot(y0 + t * b) - offset <= within.band)) continue;
      if (!keepApart(reference.P, incident.P, X, a, b, det, within)) continue;
      out.push_back(crossing(u0, u1, v0, v1, det > 0, reference_is_a));
    }
  }
}

/// A vertex of one part over a face of the other, whose plane is n.x = offset in its own frame.
ContactFeature vertexOver(int face, const Vector3d& n, double offset, int vertex, bool face_is_of_a) {
  ContactFeature f;
  f.face = face;
  if (face_is_of_a) f.kind = AxisKind::kFixedInA, f.b0 = vertex, f.axis = n, f.offset = offset;
  else f.kind = AxisKind::kFixedInB, f.a0 = vertex, f.axis = -n, f.offset = -offset;
  return f;
}

/// The lowest vertex of I over a face of R.
ContactFeature lowestOver(const geom::Polytope& R, int face, const geom::Polytope& I, const Relative& X,
                          bool reference_is_a) {
  const Vector3d n = R.face(face).normal;
  int lowest = 0;
  heights(I, X.R.transpose() * n).minCoeff(&lowest);
  return vertexOver(face, n, heights(R, n).maxCoeff(), lowest, reference_is_a);
}

/// The vertex of a feature that is nearest to x, in the part's frame, and how far it is.
std::pair<int, double> vertexAt(const geom::Polytope& P, geom::Feature feature, const Vector3d& x) {
  using Kind = geom::Feature::Kind;
  const auto distance = [&](int v) { return (P.vertex(v) - x).norm(); };
  int nearest = feature.index;
  if (feature.kind == Kind::kFace) {
    nearest = *std::ranges::min_element(P.faceVertices(feature.index), {}, distance);
  } else if (feature.kind == Kind::kEdge) {
    const auto& edge = P.edge(feature.index);
    nearest = distance(edge.tail) < distance(edge.head) ? edge.tail : edge.head;
  }
  return {nearest, distance(nearest)};
}

/// An edge y0 y1 of the incident part in the reference's frame, and its vertices.
struct EdgeOf {
  int v0, v1;
  Vector3d y0, y1;
};

/// Where an edge enters or leaves what is over a face: there, or at its own end.
struct RimEnd {
  double t;       ///< Share of the edge.
  int side = -1;  ///< Of the face's rim; -1: the edge ends there.
};

/// Adds both ends of what an edge has over a reference face, where they are in the band; not the crossing with the edge
/// u v of the face, which is known. An edge that lies nearly in the face would rock from one end to the other if each
/// were a contact only while it is the nearest.
void addEndsOver(const geom::Polytope& R, int face, int u, int v, const geom::Polytope& I, const Relative& X,
                 const EdgeOf& edge, const CrossingReach& within, bool reference_is_a,
                 std::vector<ContactFeature>& out) {
  const Vector3d n = R.face(face).normal, b = edge.y1 - edge.y0;
  const auto loop = R.faceVertices(face);
  const int sides = static_cast<int>(loop.size());
  RimEnd ends[] = {{0}, {1}};
  for (int side = 0; side < sides; ++side) {
    const Vector3d x = R.vertex(loop[side]), inward = R.faceInward(face, side);
    const double at = inward.dot(edge.y0 - x), along = inward.dot(b), t = -at / along;
    if (along > 0 && t > ends[0].t) ends[0] = {t, side};
    if (along < 0 && t < ends[1].t) ends[1] = {t, side};
    if (along == 0 && at < 0) return;
  }
  if (!((ends[1].t - ends[0].t) * b.norm() > 2 * within.rim)) return;
  const double offset = heights(R, n).maxCoeff();
  for (const RimEnd& end : ends) {
    const double height = n.dot(edge.y0 + end.t * b) - offset;
    if (!(height > 0 && height <= within.band)) continue;  // Below it the edge is on another side of the part.
    if (end.side < 0) {
      if (!reachPast(R, I, X, n, within.band))
        out.push_back(vertexOver(face, n, offset, end.t == 0 ? edge.v0 : edge.v1, reference_is_a));
      continue;
    }
    const int u0 = loop[end.side], u1 = loop[(end.side + 1) % sides];
    const Vector3d a = R.vertex(u1) - R.vertex(u0);
    const double det = n.dot(a.cross(b));
    if (std::minmax(u0, u1) == std::minmax(u, v) || areParallel(a, b, std::abs(det), within.rim)) continue;
    if (!keepApart(R, I, X, a, b, det, within)) continue;
    out.push_back(crossing(u0, u1, edge.v0, edge.v1, det > 0, reference_is_a));
  }
}

/// Adds what the faces beside two edges that cross have of the other edge: addEndsOver(). @param faces  Scratch.
void addEndsBeside(const ManifoldSide& A, const ManifoldSide& B, const ContactFeature& edges,
                   const CrossingReach& within, std::vector<int>& faces, std::vector<ContactFeature>& out) {
  const auto &PA = std::get<geom::Polytope>(A.shape), &PB = std::get<geom::Polytope>(B.shape);
  const auto add = [&](const geom::Polytope& R, geom::SkinPart solid, int u, int v, const geom::Polytope& I, int v0,
                       int v1, const Relative& X, bool reference_is_a) {
    facesOf(R, solid, {geom::Feature::Kind::kEdge, edgeBetween(R, u, v)}, faces);
    const EdgeOf edge{v0, v1, X.R * I.vertex(v0) + X.p, X.R * I.vertex(v1) + X.p};
    for (const int face : faces) addEndsOver(R, face, u, v, I, X, edge, within, reference_is_a, out);
  };
  add(PA, A.skin, edges.a0, edges.a1, PB, edges.b0, edges.b1, relativePose(A.X_W, B.X_W), true);
  add(PB, B.skin, edges.b0, edges.b1, PA, edges.a0, edges.a1, relativePose(B.X_W, A.X_W), false);
}

/// How far x is from the edge between two vertices.
double fromEdge(const geom::Polytope& P, int v, int w, const Vector3d& x) {
  const Vector3d start = P.vertex(v), d = P.vertex(w) - start;
  return (x - start - std::clamp((x - start).dot(d) / d.squaredNorm(), 0.0, 1.0) * d).norm();
}

/// Where two parts are nearest along no common direction of their solids: the vertex of either that is there, along n
/// (their frames). The lowest one along n may be far beside it.
ContactFeature atNearestPoints(const ManifoldSide& A, const ManifoldSide& B, const Vector3d& n_A, const Vector3d& n_B,
                               const geom::Separation& sep) {
  const auto &PA = std::get<geom::Polytope>(A.shape), &PB = std::get<geom::Polytope>(B.shape);
  const Vector3d x_B = B.X_W.rotation().transpose() * (sep.point_b - B.X_W.p);
  const auto [a, a_beside] = vertexAt(PA, sep.feature_a, A.X_W.rotation().transpose() * (sep.point_a - A.X_W.p));
  const auto [b, b_beside] = vertexAt(PB, sep.feature_b, x_B);
  ContactFeature f;
  if (b_beside <= a_beside) f.b0 = b, f.axis = n_A, f.offset = heights(PA, n_A).maxCoeff();
  else f.kind = AxisKind::kFixedInB, f.a0 = a, f.axis = n_B, f.offset = n_B.dot(x_B);
  return f;
}

/// Whether the parts are nearest, to within `reach`, at a contact's vertex, where the other one lies behind its plane,
/// or at its edges.
bool isAtNearest(const ManifoldSide& A, const ManifoldSide& B, const geom::Separation& sep, double reach,
                 const ContactFeature& f) {
  const auto &PA = std::get<geom::Polytope>(A.shape), &PB = std::get<geom::Polytope>(B.shape);
  const Vector3d x_A = A.X_W.rotation().transpose() * (sep.point_a - A.X_W.p),
                 x_B = B.X_W.rotation().transpose() * (sep.point_b - B.X_W.p);
  switch (f.kind) {
    case AxisKind::kFixedInA:
      return std::max((PB.vertex(f.b0) - x_B).norm(), heights(PA, f.axis).maxCoeff() - f.axis.dot(x_A)) <= reach;
    case AxisKind::kFixedInB:
      return std::max((PA.vertex(f.a0) - x_A).norm(), f.axis.dot(x_B) - lowestHeight(PB, f.axis)) <= reach;
    default: return std::max(fromEdge(PA, f.a0, f.a1, x_A), fromEdge(PB, f.b0, f.b1, x_B)) <= reach;
  }
}

/// Whether parts of solids touch there. Else a neighbour in the solid is nearer.
bool touchesAt(const ManifoldSide& A, const ManifoldSide& B, const geom::Separation& sep, double reach,
               const ContactFeature& f) {
  return (!A.skin.skin && !B.skin.skin) || isAtNearest(A, B, sep, reach, f);
}

/// Drops points whose plane the part that has it reaches far through: its edge there is not outermost along the solids'
/// direction.
void dropBehind(const ManifoldSide& A, const ManifoldSide& B, double deepest, std::size_t first,
                std::vector<ContactFeature>& features) {
  if (!A.skin.skin && !B.skin.skin) return;
  dropIf(features, first, [&](const ContactFeature& f) {
    return contactGap(f, A.shape, A.X_W, B.shape, B.X_W) < deepest;
  });
}

double radiusOfCorner(const geom::Polytope& part, int corner) {
  return part.isRound(corner) ? part.round()->radius : 0;
}

}  // namespace

double contactGap(const ContactFeature& f, const geom::Shape& A, const geom::Pose& X_WA, const geom::Shape& B,
                  const geom::Pose& X_WB, Vector3d* normal) {
  const Matrix3d R_A = X_WA.rotation(), R_B = X_WB.rotation();
  switch (f.kind) {
    case AxisKind::kFixedInA: {
      const Vector3d n = R_A * f.axis;
      if (normal) *normal = n;
      const Vector3d y =
          R_B * std::get<geom::Polytope>(B).corner(f.b0) + reachOfCorner(B, f.b0, R_B, -n) + (X_WB.p - X_WA.p);
      return n.dot(y) - f.offset;
    }
    case AxisKind::kFixedInB: {
      const Vector3d n = R_B * f.axis;
      if (normal) *normal = n;
      const Vector3d x =
          R_A * std::get<geom::Polytope>(A).corner(f.a0) + reachOfCorner(A, f.a0, R_A, n) + (X_WA.p - X_WB.p);
      return f.offset - n.dot(x);
    }
    default: break;
  }
  const auto& PA = std::get<geom::Polytope>(A);
  const auto& PB = std::get<geom::Polytope>(B);
  if (f.kind == AxisKind::kNearest) {
    const auto edgeOf = [](const geom::Polytope& P, int v, int w) { return Vector3d(P.corner(w) - P.corner(v)); };
    const NearestPoints nearest =
        nearestPoints(R_A * PA.corner(f.a0), R_A * edgeOf(PA, f.a0, f.a1),
                      R_B * PB.corner(f.b0) + (X_WB.p - X_WA.p), R_B * edgeOf(PB, f.b0, f.b1));
    if (normal) *normal = nearest.normal;
    return nearest.distance - radiusOfCorner(PA, f.a0) - radiusOfCorner(PB, f.b0);
  }
  const Vector3d a = R_A * (PA.corner(f.a1) - PA.corner(f.a0)), b = R_B * (PB.corner(f.b1) - PB.corner(f.b0));
  const Vector3d n = a.cross(b).normalized();
  if (normal) *normal = n;
  return n.dot(R_B * PB.corner(f.b0) + reachOfCorner(B, f.b0, R_B, -n) - R_A * PA.corner(f.a0) -
               reachOfCorner(A, f.a0, R_A, n) + (X_WB.p - X_WA.p));
}

Vector3d reachOfCorner(const geom::Shape& shape, int corner, const Matrix3d& R, const Vector3d& n) {
  const auto& part = std::get<geom::Polytope>(shape);
  return reachOf(part.round(), part.numVertices(), corner, R, n);
}

void ManifoldFinder::touchingFaces(const geom::Polytope& R, const geom::Pose& X_WR, int face, const geom::Polytope& I,
                               const geom::Pose& X_WI, double band, double beyond, bool reference_is_a,
                               std::vector<ContactFeature>& out) {
  const Relative X = relativePose(X_WR, X_WI);
  const auto& F = R.face(face);
  const Vector3d n = F.normal;
  const double offset = heights(R, n).maxCoeff();
  // Incident face: of those around the lowest vertex, the one most opposed to the reference normal.
  const Vector3d n_I = X.R.transpose() * n;
  int support = 0;
  heights(I, n_I).minCoeff(&support);
  int incident = -1;
  double most_opposed = 2;
  for (int e : I.vertexEdges(support))
    for (int g : {I.edge(e).left, I.edge(e).right})
      if (const double c = n_I.dot(I.face(g).normal); c < most_opposed) most_opposed = c, incident = g;

  const auto loop = I.faceVertices(incident);
  const double rim = std::max(beyond, kRimShare * R.size());
  const auto rim_loop = R.faceVertices(face);
  const int sides = static_cast<int>(rim_loop.size());
  auto overFace = [&](const Vector3d& x) {
    for (int side = 0; side < sides; ++side) {
      const Vector3d a = R.vertex(rim_loop[side]), b = R.vertex(rim_loop[(side + 1) % sides]);
      if (!((x - a).dot((b - a).cross(n).normalized()) <= rim)) return false;
    }
    return true;
  };

  auto height = [&](const Vector3d& x) { return n.dot(x) - offset; };
  const size_t first = out.size();
  for (int v : loop) {
    const Vector3d y = X.R * I.vertex(v) + X.p;
    if (height(y) <= band && overFace(y)) out.push_back(vertexOver(face, n, offset, v, reference_is_a));
  }

  const size_t last = out.size();

  // Vertices of the reference face over the incident face.
  const auto& G = I.face(incident);
  const Vector3d m = G.normal;
  const double m_offset = heights(I, m).maxCoeff();
  for (int v : rim_loop) {
    const Vector3d x = X.R.transpose() * (R.vertex(v) - X.p);
    if (!(m.dot(x) - m_offset <= band)) continue;
    bool inside = true, corner = false;
    for (size_t i = 0; i < loop.size() && inside; ++i) {
      const Vector3d a = I.vertex(loop[i]), b = I.vertex(loop[(i + 1) % loop.size()]);
      const double d = (x - a).dot((b - a).cross(m).normalized());
      inside = d <= rim;
    }
    // Where two corners coincide, the vertex of I stands for both if it was added.
    for (size_t k = first; k < last; ++k)
      corner = corner || (I.vertex(reference_is_a ? out[k].b0 : out[k].a0) - x).norm() <= 2 * rim;
    if (!inside || corner) continue;
    out.push_back(vertexOver(incident, m, m_offset, v, !reference_is_a));
  }

  // Where the incident face leans parts are on both sides of its plane: edges that cross keep them apart, not corners.
  const bool leans = reachPast(I, R, relativePose(X_WI, X_WR), m, band);
  const std::size_t crossings = out.size();
  addCrossings({R, rim_loop}, {I, loop}, X, F, {band, rim, leans || most_opposed > kSteepFaces}, reference_is_a, out);
  const auto at = [&](std::size_t k) { return out.begin() + static_cast<std::ptrdiff_t>(k); };
  if (leans && out.size() > crossings) out.erase(at(last), at(crossings));
}

/// Vertices of either over edges of the other, along a direction n: from B to A, in their frames.
void ManifoldFinder::overEdges(const ManifoldSide& side_a, const ManifoldSide& side_b, const Vector3d& n_A,
                               const Vector3d& n_B, const Reach& within, std::vector<ContactFeature>& out) const {
  const auto &PA = std::get<geom::Polytope>(side_a.shape), &PB = std::get<geom::Polytope>(side_b.shape);
  const Relative X_AB = relativePose(side_a.X_W, side_b.X_W), X_BA = relativePose(side_b.X_W, side_a.X_W);
  const double band = within.band, beyond = within.beyond;
  const double top = heights(PA, n_A).maxCoeff(), bottom = lowestHeight(PB, n_B);
  const double slack = std::max(0.5 * beyond, kRimShare * (PA.size() + PB.size()));
  // Whether x lies over one of the edges along n; `inside`: not over an end of it, which has a vertex of its own.
  const double reach = 2 * band;
  auto overEdge = [&](const geom::Polytope& P, const std::vector<int>& candidates, const Vector3d& n, const Vector3d& x,
                      bool inside) {
    for (int e : candidates) {
      const Vector3d start = P.vertex(P.edge(e).tail), d = P.vertex(P.edge(e).head) - start;
      const double s = (x - start).dot(d) / d.squaredNorm(), rim = 2 * beyond / d.norm();
      if (inside ? !(s > rim && s < 1 - rim) : !(s > -rim && s < 1 + rim)) continue;
      const Vector3d apart = x - start - s * d;
      if (apart.norm() <= reach && n.cross(apart).norm() <= 2 * beyond) return true;
    }
    return false;
  };
  for (int v = 0; v < PB.numVertices(); ++v) {
    if (n_B.dot(PB.vertices().col(v)) - bottom > slack) continue;
    if (!overEdge(PA, list_a_, n_A, X_AB.R * PB.vertex(v) + X_AB.p, false)) continue;
    ContactFeature f;
    f.b0 = v, f.axis = n_A, f.offset = top;
    out.push_back(f);
  }
  for (int v = 0; v < PA.numVertices(); ++v) {
    if (top - n_A.dot(PA.vertices().col(v)) > slack) continue;
    if (!overEdge(PB, list_b_, n_B, X_BA.R * PA.vertex(v) + X_BA.p, true)) continue;
    ContactFeature f;
    f.kind = AxisKind::kFixedInB;
    f.a0 = v, f.axis = n_B, f.offset = bottom;
    out.push_back(f);
  }
}

/// Adds the edges that part the two, and what lies over the faces beside them. @pre list_a_ and list_b_ are those of
/// the closest features. @param overlap  As separatingEdges() has it. @returns whether edges do.
bool ManifoldFinder::touchingEdges(const ManifoldSide& side_a, const ManifoldSide& side_b, const Relative& X_AB,
                                   const geom::Separation& sep, const Vector3d& overlap, const Reach& within,
                                   std::vector<ContactFeature>& out) {
  const auto &PA = std::get<geom::Polytope>(side_a.shape), &PB = std::get<geom::Polytope>(side_b.shape);
  const double rim = std::max(within.beyond, kRimShare * std::max(PA.size(), PB.size()));
  const double reach = 2 * std::max(within.band, within.beyond);
  ContactFeature edges;
  const double least = enough(sep.distance);
  if (!(separatingEdges(side_a, list_a_, side_b, list_b_, X_AB, overlap, least, rim, edges) >= least) ||
      !touchesAt(side_a, side_b, sep, reach, edges))
    return false;
  out.push_back(edges);
  if (!(sep.distance > 0)) return true;
  const std::size_t first = out.size();
  const CrossingReach over{std::min(within.band, sep.distance + within.beyond), rim, false};
  addEndsBeside(side_a, side_b, edges, over, list_a_, out);
  dropSeams(PA, side_a.skin, PB, side_b.skin, X_AB, first, out);
  return true;
}

double ManifoldFinder::find(const ManifoldSide& side_a, const ManifoldSide& side_b, double band,
                            geom::SeparationCache& cache, std::vector<ContactFeature>& out, double beyond) {
  const geom::Shape &A = side_a.shape, &B = side_b.shape;
  const geom::Pose &X_WA = side_a.X_W, &X_WB = side_b.X_W;
  if (!(beyond >= 0)) beyond = band;
  const auto& PB = std::get<geom::Polytope>(B);
  if (const auto* H = std::get_if<geom::HalfSpace>(&A)) return overPlane(*H, X_WA, PB, X_WB, band, out);

  const auto& PA = std::get<geom::Polytope>(A);
  const geom::Separation sep = geom::separation(PA, X_WA, PB, X_WB, cache);
  if (sep.distance > band) return sep.distance;
  if (PA.round() || PB.round()) {
    rounds_.find(side_a, side_b, sep, {band, beyond}, out);
    return sep.distance;
  }

  // Which plane separates: a face of A, a face of B, else a pair of edges, else the frozen direction. Of overlapping
  // parts: the least.
  const double reach = 2 * std::max(band, beyond);
  const Relative X_AB = relativePose(X_WA, X_WB), X_BA = relativePose(X_WB, X_WA);
  double best = -std::numeric_limits<double>::infinity();
  int face_a = -1, face_b = -1;
  facesOf(PA, side_a.skin, sep.feature_a, list_a_);
  for (int f : list_a_)
    if (const double s = faceSeparation(PA, f, PB, X_AB); s > best) best = s, face_a = f;
  facesOf(PB, side_b.skin, sep.feature_b, list_b_);
  for (int f : list_b_)
    if (const double s = faceSeparation(PB, f, PA, X_BA); s > best) best = s, face_b = f, face_a = -1;
  if (best >= enough(sep.distance)) {
    const std::size_t first = out.size();
    if (face_a >= 0) touchingFaces(PA, X_WA, face_a, PB, X_WB, band, beyond, true, out);
    else touchingFaces(PB, X_WB, face_b, PA, X_WA, band, beyond, false, out);
    // Nothing: at the very rim, by rounding; or the lowest vertex lies beyond it, at the end of an edge that touches
    // and that no face in view has, or that lies nearly in the face's plane and meets a corner of it.
    const auto isEdge = [](geom::Feature f) { return f.kind == geom::Feature::Kind::kEdge; };
    bool touches = out.size() > first || !(isEdge(sep.feature_a) && isEdge(sep.feature_b));
    if (touches && out.size() == first) {
      const ContactFeature f =
          face_a >= 0 ? lowestOver(PA, face_a, PB, X_AB, true) : lowestOver(PB, face_b, PA, X_BA, false);
      touches = sep.distance > 0 ? isAtNearest(side_a, side_b, sep, reach, f)
                                 : touchesAt(side_a, side_b, sep, reach, f);
      if (touches) out.push_back(f);
    }
    dropSeams(PA, side_a.skin, PB, side_b.skin, X_AB, first, out);
    if (touches) return sep.distance;
  }

  edgesOf(PA, sep.feature_a, list_a_);
  edgesOf(PB, sep.feature_b, list_b_);
  Vector3d n_A = -(X_WA.rotation().transpose() * sep.normal), n_B = -(X_WB.rotation().transpose() * sep.normal);
  const Vector3d overlap = sep.distance > 0 ? Vector3d(0, 0, 0) : n_A;
  if (touchingEdges(side_a, side_b, X_AB, sep, overlap, {band, beyond}, out)) return sep.distance;

  // Vertex-vertex, vertex-edge, parallel edges: the direction between the closest points, frozen in A.
  if (side_a.skin.skin) {
    n_A = outward(PA, side_a.skin, sep.feature_a, n_A, X_WA.rotation().transpose() * (sep.point_a - X_WA.p));
    n_B = X_AB.R.transpose() * n_A;
  } else if (side_b.skin.skin) {
    n_B = -outward(PB, side_b.skin, sep.feature_b, -n_B, X_WB.rotation().transpose() * (sep.point_b - X_WB.p));
    n_A = X_AB.R * n_B;
  }
  const std::size_t first = out.size();
  overEdges(side_a, side_b, n_A, n_B, {band, beyond}, out);
  dropBehind(side_a, side_b, std::min(0.0, sep.distance) - reach, first, out);
  if (out.size() == first)
    if (const ContactFeature f = atNearestPoints(side_a, side_b, n_A, n_B, sep);
        touchesAt(side_a, side_b, sep, reach, f))
      out.push_back(f);
  dropSeams(PA, side_a.skin, PB, side_b.skin, X_AB, first, out);
  return sep.distance;
}

}  // namespace rigor::advance
