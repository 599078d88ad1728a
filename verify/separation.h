// SPDX-License-Identifier: MIT
#pragma once
#include <memory>

#include "verify/claim_prover.h"

namespace rigor::verify {

/// Proves witnesses against the published motions, and that a piece's quaternion never vanishes: in doubles that enclose
/// every rounding where they suffice, in exact arithmetic everywhere else. The object is the workspace; one thread per
/// object. @pre Pieces stay where they are while it lives.
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
  ClaimProver<ExactArithmetic>& exact();
  ClaimProver<BallArithmetic> balls_;
  std::unique_ptr<ClaimProver<ExactArithmetic>> exact_;  // Made when it is needed first.
};

}  // namespace rigor::verify
