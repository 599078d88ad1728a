// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "verify/exact.h"
#include "verify/record_file.h"
#include "verify/vertex_set.h"

namespace rigor::verify {

/// A body and, for each of its parts, what the prover computes once from the vertices.
struct Solid {
  explicit Solid(const Body& body);
  const Body* body;
  std::vector<VertexSet> vertices;
};

/// A body's published motion over an interval, in integers: p = position / denominator in units of 2^length_exponent,
/// q in any unit, because rotations are homogeneous in it.
struct ExactMotion {
  Polynomial p[3], q[4];
  mpz_class denominator;    ///< > 0
  Polynomial norm;          ///< |q|^2
  Polynomial matrix[3][3];  ///< M(q); R = M / |q|^2
};

struct Verdict {
  Proof proof = Proof::kProved;
  double time = 0;     ///< Where it failed [s].
  std::string reason;  ///< Empty if proved.
};

/// Proves witnesses against the published motions, and that a piece's quaternion never vanishes. All arithmetic is
/// exact. The object is the workspace; one thread per object.
class WitnessProver {
 public:
  /// The claim of `w` on [from, to], an interval inside the pieces of A and B. @pre from < to, all numbers finite,
  /// part and vertex numbers in range,
  /// w.gap > 0, the axis (kinds 0, 1) not zero; a half-space is part_a.
  Verdict prove(const Witness& w, const Solid& A, const Piece& motion_a, const Solid& B, const Piece& motion_b,
                double from, double to);

  /// |q|^2 > 0 on the whole piece.
  Verdict proveOrientation(const Piece& piece);

 private:
  using Integer3 = mpz_class[3];
  struct Cached {
    const Piece* piece = nullptr;
    double from = 0, to = 0;
  };
  void setMotion(const Piece& piece, double from, double to, int slot);
  void setPosition(const Piece& piece, int slot);
  void restrict(mpz_class* control, int n);
  bool setRestriction(const Piece& piece, double from, double to);
  void setDifference(int owner, int other, int degree);
  void setVertex(const Vector3& vertex, const Vector3& centre, Integer3& out);
  Verdict proveFace(const Witness& w, const Solid& A, const Solid& B);
  Verdict proveEdges(const Witness& w, const Solid& A, const Solid& B);
  bool proveVertex(const Polynomial& base, const Polynomial (&weight)[3], const Solid& solid, int part, int vertex);
  int findNegative(const Polynomial& base, const Polynomial (&weight)[3], const Solid& solid, int part);
  Verdict check(const Polynomial& f, const std::string& reason);

  SignProver sign_;
  ExactMotion motion_[2];
  Cached cached_[2];
  int length_exponent_ = 0;
  double from_ = 0, to_ = 0;
  // Restriction of [t0, t1] to [from, to]: (from - t0) / h = start_ / h_, (to - t0) / h = end_ / h_.
  mpz_class start_, end_, h_;
  mpz_class control_[4], blossom_[4], product_, sum_;
  Polynomial difference_[3], axis_[3], other_axis_[3], cross_[3], weight_[2][3], norms_, base_, test_, scratch_;
  Polynomial edge_[2], side_[2][3], lowest_;
  Integer3 integer_axis_, a_, b_, point_, other_point_, vertex_cross_;
  mpz_class support_, length_, limit_;
  std::vector<int> open_;       // Vertices that doubles do not decide.
  std::vector<int> before_[2];  // Those that may lie before their edge.
};

}  // namespace rigor::verify
