// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "geom/round.h"

namespace rigor::geom {

/// Thrown for geometry that no solid body can have; what() gives the reason in words for the user.
struct GeometryError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// The solid half-space { x : normal.x <= offset }; normal need not be a unit vector, but is finite and not zero.
struct HalfSpace {
  Eigen::Vector3d normal{0, 0, 1};
  double offset = 0;  ///< [m] times |normal|
};

/// An immutable convex polytope with its face lattice.
///
/// Guarantee: the vertices are input points, bit for bit and in input order (duplicates and points that are not extreme
/// are dropped); every vertex satisfies normal.v <= offset + epsilon() for every face; coplanar hull facets are
/// merged; face loops run counter-clockwise seen from outside; V - E + F = 2.
class Polytope {
 public:
  struct Face {
    Eigen::Vector3d normal;  ///< Unit, outward.
    double offset;           ///< normal.v of the face's plane [m].
    int first, count;        ///< The face's slice of the loop arrays.
  };
  struct Edge {
    int tail, head;   ///< Vertices.
    int left, right;  ///< Faces; the left one runs tail -> head counter-clockwise.
  };

  /// Convex hull of `points` [m] by Qhull. @throws GeometryError with the reason: no points, a coordinate that is not
  /// finite, or a set that is flat, straight or a single point relative to its size. O(n log n).
  static Polytope fromPoints(std::span<const Eigen::Vector3d> points);

  /// Box of full edge lengths `size` [m] centred on the origin; vertices are exactly +-size/2. @throws GeometryError.
  static Polytope box(const Eigen::Vector3d& size);

  /// The polytope of `points` as what stands for a round solid where only points count (pictures, other engines); they
  /// lie inside of it. Its corners are the vertices, then the points of the core. @throws GeometryError.
  static Polytope inscribed(std::span<const Eigen::Vector3d> points, const Round& round);
  /// The solid that this polytope stands for; null: itself.
  const Round* round() const { return round_.get(); }
  int numCorners() const { return numVertices() + (round_ ? static_cast<int>(round_->core.cols()) : 0); }
  bool isRound(int corner) const { return corner >= numVertices(); }
  Eigen::Vector3d corner(int c) const { return isRound(c) ? round_->core.col(c - numVertices()) : vertex(c); }

  int numVertices() const { return static_cast<int>(vertices_.cols()); }
  int numEdges() const { return static_cast<int>(edges_.size()); }
  int numFaces() const { return static_cast<int>(faces_.size()); }

  const Eigen::Matrix3Xd& vertices() const { return vertices_; }
  Eigen::Vector3d vertex(int v) const { return vertices_.col(v); }
  const Edge& edge(int e) const { return edges_[e]; }
  const Face& face(int f) const { return faces_[f]; }
  std::span<const Edge> edges() const { return edges_; }
  std::span<const Face> faces() const { return faces_; }

  /// Vertices of face f, counter-clockwise; edge i of faceEdges joins vertex i to vertex i + 1 of the loop.
  std::span<const int> faceVertices(int f) const { return slice(loop_vertices_, faces_[f].first, faces_[f].count); }
  std::span<const int> faceEdges(int f) const { return slice(loop_edges_, faces_[f].first, faces_[f].count); }
  /// Vertices that share an edge with v, and those edges, in the same order.
  std::span<const int> neighbours(int v) const { return slice(neighbours_, star_[v], star_[v + 1] - star_[v]); }
  std::span<const int> vertexEdges(int v) const { return slice(vertex_edges_, star_[v], star_[v + 1] - star_[v]); }

  /// In-face unit normals of edge e, pointing into its left (side 0) and right (side 1) face.
  auto edgeInward(int e, int side) const { return inward_.col(2 * e + side); }
  /// The same for the i-th edge of the loop of face f.
  auto faceInward(int f, int i) const { return inward_.col(2 * numEdges() + faces_[f].first + i); }

  double radius() const { return radius_; }  ///< Largest distance of the solid's points from the local origin [m].
  /// The same about another point [m].
  double radiusAbout(const Eigen::Vector3d& point) const;
  double size() const { return size_; }                    ///< Diagonal of the vertices' axis-aligned box [m].
  const Eigen::Vector3d& centre() const { return centre_; }  ///< An interior point: mean of the vertices [m].
  /// A copy about its own centre where the local origin lies far outside (radius > 4 sizes), else null: its vertices
  /// are v - centre(), rounded relative to the size. Distance queries run on it, of which most of a terrain's parts see
  /// none: it is made at the first call, from any thread.
  const Polytope* centred() const { return centred_ ? madeCentred() : nullptr; }
  double epsilon() const;  ///< Rounding of plane tests: kPlaneRounding * (size + radius) [m].

 private:
  struct Centred;
  struct Lattice;  // Which vertices, edges and faces meet: prisms share one.
  static std::span<const int> slice(std::span<const int> all, int first, int count) {
    return {all.data() + first, static_cast<size_t>(count)};
  }
  static std::shared_ptr<const Lattice> latticeOf(const std::vector<std::vector<int>>& loops, int num_vertices);
  static Polytope uprightPrism(std::span<const Eigen::Vector3d> points);
  Polytope(std::span<const Eigen::Vector3d> vertices, const std::vector<std::vector<int>>& loops,
           std::shared_ptr<const Lattice> lattice, std::span<const Eigen::Vector3d> normals = {});
  void allowCentred();
  const Polytope* madeCentred() const;
  Eigen::Matrix3Xd vertices_;
  std::vector<Face> faces_;
  std::shared_ptr<const Lattice> lattice_;  // What the next six are of.
  std::span<const Edge> edges_;
  std::span<const int> loop_vertices_, loop_edges_;        // Face loops, one after the other.
  std::span<const int> star_, neighbours_, vertex_edges_;  // Compressed rows: star_[v] .. star_[v + 1].
  Eigen::Matrix3Xd inward_;  // Of edges, then along the loops: stored twice, as both walks read them in order.
  double radius_ = 0, size_ = 0;
  Eigen::Vector3d centre_{0, 0, 0};
  std::shared_ptr<Centred> centred_;
  std::shared_ptr<const Round> round_;
};

}  // namespace rigor::geom
