// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "verify/arithmetic.h"
#include "verify/record_file.h"
#include "verify/vertex_set.h"

namespace rigor::verify {

/// A body and, for each of its parts, what the provers compute once from the vertices.
struct Solid {
  explicit Solid(const Body& body);
  const Body* body;
  std::vector<VertexSet> vertices;
};

struct Verdict {
  Proof proof = Proof::kProved;
  double time = 0;     ///< Where it failed [s].
  std::string reason;  ///< Empty if proved.
};

/// A body's published motion over an interval: p = position / denominator in units of the common length (balls:
/// metres), q in any unit, because rotations are homogeneous in it.
template <typename Arithmetic>
struct Motion {
  using Polynomial = typename Arithmetic::Polynomial;
  Polynomial p[3], q[4];
  typename Arithmetic::Number denominator;  ///< > 0
  Polynomial norm;                          ///< |q|^2
  Polynomial matrix[3][3];                  ///< M(q); R = M / |q|^2
};

/// The formulas of the witnesses' claims, for both arithmetics. The object is the workspace; one thread per object.
template <typename Arithmetic>
class ClaimProver {
 public:
  /// As WitnessProver::prove.
  Verdict prove(const Witness& w, const Solid& A, const Piece& motion_a, const Solid& B, const Piece& motion_b,
                double from, double to);
  /// |q|^2 > 0 on the whole piece.
  Verdict proveOrientation(const Piece& piece) requires(Arithmetic::kUnits);

 private:
  using Number = typename Arithmetic::Number;
  using Polynomial = typename Arithmetic::Polynomial;
  using Number3 = Number[3];
  struct Cached {
    const Piece* piece = nullptr;
    double from = 0, to = 0;
  };
  void setLengthUnit(const Witness& w, const Solid& A, const Piece& motion_a, const Solid& B, const Piece& motion_b);
  void setMotion(const Piece& piece, double from, double to, int slot);
  void setPosition(const Piece& piece, int slot);
  void restrict(Number* control, int n);
  bool setRestriction(const Piece& piece, double from, double to);
  void setDifference(int owner, int other, int degree);
  void setVertex(const Vector3& vertex, const Vector3& centre, Number3& out);
  Verdict proveFace(const Witness& w, const Solid& A, const Solid& B);
  Verdict proveEdges(const Witness& w, const Solid& A, const Solid& B);
  bool proveVertex(const Polynomial& base, const Polynomial (&weight)[3], const Solid& solid, int part, int vertex);
  int findNegative(const Polynomial& base, const Polynomial (&weight)[3], const Solid& solid, int part);
  void findBeforeEdge(int side, const Solid& solid, int part, std::int64_t end, std::int64_t other_end);
  Verdict check(const Polynomial& f, const char* reason);
  Verdict checkVertex(const Polynomial& f, int vertex, const Solid& solid);

  typename Arithmetic::Signs sign_;
  Motion<Arithmetic> motion_[2];
  Cached cached_[2];
  int length_exponent_ = 0;  // The unit; balls have none.
  double from_ = 0, to_ = 0;
  // Restriction of [t0, t1] to [from, to]: (from - t0) / h = start_ / h_, (to - t0) / h = end_ / h_.
  Number start_, end_, h_;
  Number control_[4], blossom_[4], product_, sum_;
  Polynomial difference_[3], axis_[3], other_axis_[3], cross_[3], weight_[2][3];
  Polynomial edge_[2], side_[2][3], lowest_, norms_, base_, test_, scratch_;
  Number3 integer_axis_, a_, b_, point_, vertex_cross_;
  Number support_, length_, limit_;
  std::vector<int> open_;       // Vertices that doubles do not decide.
  std::vector<int> before_[2];  // Those that may lie before their edge.
};

extern template class ClaimProver<ExactArithmetic>;
extern template class ClaimProver<BallArithmetic>;

}  // namespace rigor::verify
