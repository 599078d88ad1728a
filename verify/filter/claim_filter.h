// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "verify/filter/ball_algebra.h"
#include "verify/filter/ball_motion.h"
#include "verify/filter/vertex_set.h"

namespace rigor::verify::filter {

/// A body and, for each of its parts, what is computed once from the vertices.
struct Solid {
  explicit Solid(const kernel::Body& owner);
  const kernel::Body* body;
  std::vector<VertexSet> vertices;
};

/// The claims of kernel::proveClaim() in doubles that carry a bound of all roundings: "true" is a proof, "false" says
/// nothing. The object is the workspace; one thread per object. @pre Pieces stay where they are while it lives.
class ClaimFilter {
 public:
  /// @pre as proveClaim().
  bool proves(const kernel::Claim& claim, const Solid& A, const kernel::Piece& motion_a, const Solid& B,
              const kernel::Piece& motion_b, double from, double to);

 private:
  using Pieces = const kernel::Piece* const (&)[2];
  /// What claims of one axis of a face over one time have of the two motions, whatever their parts and gaps. Of bodies
  /// of many parts there are hundreds of such claims.
  struct FaceView {
    const kernel::Piece *owner = nullptr, *other = nullptr;
    double from = 0, to = 0;
    kernel::Vector3 axis{};
    BallPolynomial base, norms, weight[3];
    Ball length;
    int part = -1;      // Of the other one, which is proved to stay
    double proved = 0;  // this far above.
  };
  struct Cached {
    const kernel::Piece* piece = nullptr;
    double from = 0, to = 0;
  };
  void setMotion(const kernel::Piece& piece, double from, double to, int slot);
  void setPosition(const kernel::Piece& piece, int slot);
  void setMotions(Pieces pieces);
  void restrict(Ball* control, int n);
  bool setRestriction(const kernel::Piece& piece, double from, double to);
  void setDifference(int owner, int other, int degree);
  bool provesFace(const kernel::Claim& claim, const Solid& A, const Solid& B, Pieces pieces);
  FaceView& viewOf(const kernel::Vector3& axis, int owner, Pieces pieces, bool of_many);
  void setView(const kernel::Vector3& axis, int owner, Pieces pieces, FaceView& view);
  bool provesCylinder(const Solid& T, int number, const BallPolynomial3& weight);
  bool provesEdges(const kernel::Claim& claim, const Solid& A, const Solid& B);
  bool boundsLength(const kernel::Claim& claim, Ball& both);
  void setEdgeBase(const kernel::Claim& claim, const Ball& both, const Solid& A, const Solid& B);
  bool provesVertex(const BallPolynomial& base, const BallPolynomial3& weight, const Solid& solid, int part,
                    int vertex);
  void findBeforeEdge(int side, const Solid& solid, int part, int end, int other_end);

  std::vector<FaceView> views_;  // By hash, the latest of each.
  BallMotion motion_[2];
  Cached cached_[2];
  double from_ = 0, to_ = 0;
  // Restriction of [t0, t1] to [from, to]: (from - t0) / h = start_ / h_, (to - t0) / h = end_ / h_.
  Ball start_, end_, h_;
  Ball control_[4], blossom_[4];
  BallPolynomial difference_[3], axis_[3], other_axis_[3], cross_[3], weight_[2][3];
  BallPolynomial edge_[2], side_[2][3], lowest_, norms_, base_, test_, rim_, scratch_;
  Ball3 a_, b_, point_;
  Ball length_;
  std::vector<int> open_;       // Vertices that are not decided all at once.
  std::vector<int> before_[2];  // Those that may lie before their edge.
};

}  // namespace rigor::verify::filter
