// SPDX-License-Identifier: MIT
#include "advance/candidate_axes.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <variant>

#include "advance/heights.h"
#include "geom/vclip.h"

namespace rigor::advance {
namespace {

using geom::Feature;
using geom::Polytope;

constexpr int kEdgesPerVertex = 6;   // Of two vertices: at most 36 pairs are looked at.
constexpr int kScannedVertices = 32;  // Looked at one by one.
constexpr double kSteepFace = 0.02;  // Cosine to the closest direction below which a face is no candidate.

struct Proposals {
  struct Item {
    SeparatingAxis axis;
    double separation;
    bool face;
  };
  std::array<Item, 4 * CandidateAxes::kCapacity> items;
  int count = 0;

  void add(const SeparatingAxis& axis, double separation, bool face) {
    if (separation > 0 && count < static_cast<int>(items.size())) items[count++] = {axis, separation, face};
  }
  void keepAbove(double separation) {
    const auto end = std::remove_if(items.begin(), items.begin() + count,
                                    [&](const Item& item) { return !(item.separation >= separation); });
    count = static_cast<int>(end - items.begin());
  }
};

/// A vertex of the feature.
int vertexOf(const Polytope& P, Feature feature) {
  if (feature.kind == Feature::Kind::kVertex) return feature.index;
  return feature.kind == Feature::Kind::kEdge ? P.edge(feature.index).tail : P.faceVertices(feature.index)[0];
}

/// lowestHeight(), of large parts by climbing from the closest feature: what comes out is a proposal.
double lowestNear(const Polytope& P, Feature feature, const Eigen::Vector3d& direction) {
  if (P.round() || P.numVertices() <= kScannedVertices) return lowestHeight(P, direction);
  return direction.dot(P.vertex(geom::climb(P, -direction, vertexOf(P, feature))));
}

/// The faces of P next to `feature` that look along `outward` (both local), at most `capacity`.
int facesNextTo(const Polytope& P, Feature feature, const Eigen::Vector3d& outward, int* faces, int capacity) {
  if (P.round()) return 0;
  int count = 0;
  // The separation along n is at most n.outward times the distance.
  const auto add = [&](int f) {
    if (count < capacity && P.face(f).normal.dot(outward) > kSteepFace &&
        std::find(faces, faces + count, f) == faces + count)
      faces[count++] = f;
  };
  switch (feature.kind) {
    case Feature::Kind::kFace:
      add(feature.index);
      break;
    case Feature::Kind::kEdge:
      add(P.edge(feature.index).left);
      add(P.edge(feature.index).right);
      break;
    case Feature::Kind::kVertex:
      for (int e : P.vertexEdges(feature.index)) {
        add(P.edge(e).left);
        add(P.edge(e).right);
      }
  }
  return count;
}

double radiusOf(const Polytope& P) { return P.round() ? P.round()->radius : 0; }

struct Ends {  // Of an edge: corners.
  int tail, head;
};

/// The edge, or those at the vertex; none for a face. The core of a capsule or cylinder.
int edgesNextTo(const Polytope& P, Feature feature, Ends* edges) {
  if (P.round()) {
    edges[0] = {P.numVertices(), P.numVertices() + 1};
    return P.round()->core.cols() == 2 ? 1 : 0;
  }
  if (feature.kind == Feature::Kind::kFace) return 0;
  if (feature.kind == Feature::Kind::kEdge) {
    edges[0] = {P.edge(feature.index).tail, P.edge(feature.index).head};
    return 1;
  }
  int count = 0;
  for (int e : P.vertexEdges(feature.index))
    if (count < kEdgesPerVertex) edges[count++] = {P.edge(e).tail, P.edge(e).head};
  return count;
}

/// No neighbour of the edge reaches beyond it along n (local), up to rounding: P lies below, since it is convex.
bool supportsEdge(const Polytope& P, const Ends& edge, const Eigen::Vector3d& n) {
  if (P.round()) return true;
  for (const int end : {edge.tail, edge.head}) {
    const Eigen::Vector3d v = P.vertex(end);
    for (const int w : P.neighbours(end))
      if (!(n.dot(P.vertex(w) - v) <= P.epsilon())) return false;
  }
  return true;
}

struct Directions {  // From A to B, in either's frame.
  Eigen::Vector3d a, b;
};

void proposeFaces(const Polytope& A, const Polytope& B, const Eigen::Matrix3d& R_AB, const Eigen::Vector3d& p_AB,
                  const geom::Separation& separation, const Directions& along, Proposals& proposals) {
  int faces[CandidateAxes::kCapacity / 2];
  int count = facesNextTo(A, separation.feature_a, along.a, faces, CandidateAxes::kCapacity / 2);
  for (int i = 0; i < count; ++i) {
    const Polytope::Face& face = A.face(faces[i]);
    SeparatingAxis axis;
    axis.kind = AxisKind::kFixedInA;
    axis.axis = face.normal;
    const double lowest = lowestNear(B, separation.feature_b, R_AB.transpose() * face.normal);
    proposals.add(axis, face.normal.dot(p_AB) + lowest - face.offset, true);
  }
  count = facesNextTo(B, separation.feature_b, -along.b, faces, CandidateAxes::kCapacity / 2);
  for (int i = 0; i < count; ++i) {
    const Polytope::Face& face = B.face(faces[i]);
    SeparatingAxis axis;
    axis.kind = AxisKind::kFixedInB;
    axis.axis = -face.normal;
    const Eigen::Vector3d outward_a = R_AB * face.normal;
    proposals.add(axis, lowestNear(A, separation.feature_a, outward_a) - outward_a.dot(p_AB) - face.offset, true);
  }
}

void proposeEdges(const Polytope& A, const Polytope& B, const Eigen::Matrix3d& R_AB, const Eigen::Vector3d& p_AB,
                  const geom::Separation& separation, const Eigen::Vector3d& along_a, Proposals& proposals) {
  Ends edges_a[kEdgesPerVertex], edges_b[kEdgesPerVertex];
  const int count_a = edgesNextTo(A, separation.feature_a, edges_a),
            count_b = edgesNextTo(B, separation.feature_b, edges_b);
  for (int i = 0; i < count_a; ++i)
    for (int j = 0; j < count_b; ++j) {
      const Ends &ea = edges_a[i], &eb = edges_b[j];
      SeparatingAxis axis;
      axis.kind = AxisKind::kEdges;
      axis.a0 = ea.tail, axis.a1 = ea.head, axis.b0 = eb.tail, axis.b1 = eb.head;
      const Eigen::Vector3d a = A.corner(ea.head) - A.corner(ea.tail),
                            b = R_AB * (B.corner(eb.head) - B.corner(eb.tail));
      Eigen::Vector3d n = a.cross(b);
      const double length = n.norm();
      if (!(length > kParallelEdges * a.norm() * b.norm())) continue;
      n /= length;
      if (n.dot(along_a) < 0) {
        std::swap(axis.b0, axis.b1);
        n = -n;
      }
      if (supportsEdge(A, ea, n) && supportsEdge(B, eb, -(R_AB.transpose() * n)))
        proposals.add(axis, n.dot(p_AB + R_AB * B.corner(axis.b0) - A.corner(axis.a0)) - radiusOf(A) - radiusOf(B),
                      false);
    }
}

}  // namespace

CandidateAxes candidateAxes(const geom::Shape& shape_a, const geom::Pose& X_WA, const geom::Shape& shape_b,
                            const geom::Pose& X_WB, const geom::Separation& separation, Which which) {
  CandidateAxes result;
  if (const auto* half_space = std::get_if<geom::HalfSpace>(&shape_a)) {
    result.axis[0].axis = half_space->normal;
    result.separation[0] = separation.distance;
    result.count = 1;
    return result;
  }
  if (!(separation.distance > 0)) return result;
  const auto &A = std::get<Polytope>(shape_a), &B = std::get<Polytope>(shape_b);
  const Eigen::Matrix3d R_WA = X_WA.rotation(), R_WB = X_WB.rotation();
  const Eigen::Matrix3d R_AB = R_WA.transpose() * R_WB;
  const Eigen::Vector3d p_AB = R_WA.transpose() * (X_WB.p - X_WA.p);
  const Eigen::Vector3d along_a = -(R_WA.transpose() * separation.normal),
                        along_b = -(R_WB.transpose() * separation.normal);

  Proposals proposals;
  proposeFaces(A, B, R_AB, p_AB, separation, {along_a, along_b}, proposals);
  if (which == Which::kAll) {
    proposeEdges(A, B, R_AB, p_AB, separation, along_a, proposals);
    SeparatingAxis frozen;
    frozen.kind = AxisKind::kFixedInA;
    frozen.axis = along_a;
    proposals.add(frozen, separation.distance, false);
    frozen.kind = AxisKind::kFixedInB;
    frozen.axis = along_b;
    proposals.add(frozen, separation.distance, false);
  } else {
    proposals.keepAbove(kFacePreference * separation.distance);
  }

  // Preferred faces, then good edge pairs and frozen directions in the order above, then the rest.
  const auto rank = [&](const Proposals::Item& item) {
    if (!item.face) return item.separation >= kFacePreference * separation.distance ? 1 : 2;
    return item.separation >= kFacePreference * separation.distance ? 0 : 2;
  };
  // Insertion sort: stable, without allocation.
  for (int i = 1; i < proposals.count; ++i)
    for (int j = i; j > 0; --j) {
      Proposals::Item &x = proposals.items[j - 1], &y = proposals.items[j];
      const int rx = rank(x), ry = rank(y);
      if (!(ry < rx || (ry == rx && rx != 1 && y.separation > x.separation))) break;
      std::swap(x, y);
    }
  result.count = std::min(proposals.count, CandidateAxes::kCapacity);
  for (int i = 0; i < result.count; ++i) {
    result.axis[i] = proposals.items[i].axis;
    result.separation[i] = proposals.items[i].separation;
  }
  return result;
}

}  // namespace rigor::advance
