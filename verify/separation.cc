// SPDX-License-Identifier: MIT
#include "verify/separation.h"

namespace rigor::verify {
namespace {

/// Products above this are certainly positive.
constexpr double kLeastProduct = 1e-300;

// Every control point of q lies on the first one's side of the origin, and with them q: decided in doubles, on the safe side.
bool turnsLittle(const Piece& piece) {
  for (int i = 0; i <= piece.q_degree; ++i) {
    Ball product;
    for (int k = 0; k < 4; ++k) addProduct(Ball(piece.q[0][k]), Ball(piece.q[i][k]), product);
    if (!isAtLeast(product, kLeastProduct)) return false;
  }
  return true;
}

}  // namespace

ClaimProver<ExactArithmetic>& WitnessProver::exact() {
  if (!exact_) exact_ = std::make_unique<ClaimProver<ExactArithmetic>>();
  return *exact_;
}

Verdict WitnessProver::prove(const Witness& w, const Solid& A, const Piece& motion_a, const Solid& B,
                             const Piece& motion_b, double from, double to) {
  if (balls_.prove(w, A, motion_a, B, motion_b, from, to).proof == Proof::kProved) return {};
  return exact().prove(w, A, motion_a, B, motion_b, from, to);
}

Verdict WitnessProver::proveOrientation(const Piece& piece) {
  return turnsLittle(piece) ? Verdict() : exact().proveOrientation(piece);
}

}  // namespace rigor::verify
