// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "verify/kernel/motion.h"

namespace rigor::verify::kernel {

/// What became of an obligation. Everything but a proof leaves it open.
struct Verdict {
  Answer answer = Answer::kYes;  ///< kNo: refuted.
  double time = 0;               ///< A place to name [s].
  std::string reason;            ///< Empty if proved.
};

/// Why a claim is none that could be proved, whatever the motion; empty if there is nothing.
std::string findFault(const Claim& claim, const std::vector<Body>& bodies);

inline bool isCylinder(const Part& part) { return !part.core.empty() && part.axis != Vector3{}; }
/// Whether a round part's core, radius and axis make a solid, and its vertices lie inside. @pre all are finite.
bool roundIsSound(const Part& part);

/// The claim on [from, to], an interval inside the pieces of its bodies: n.(y - x) >= gap |n| for all vertices (points
/// of round solids) x of A and y of B, n the claim's axis as the bodies carry it. @pre findFault() finds none; from <
/// to; pieces finite.
Verdict proveClaim(const Claim& claim, const std::vector<Body>& bodies, const Piece& a, const Piece& b, double from,
                   double to);

struct PieceRange {
  const Piece* first;
  const Piece* last;  ///< One past.
};

/// B's motion lies `apart` above the half-space A, at all its control points. @pre A's pose stands still.
bool aboveHalfSpace(const Body& body_a, const Part& plane, const Piece& pose, PieceRange b, const Number& apart);
Number radiusOf(const Body& body, const Part& part);  ///< How far it reaches from the body's centre, rounded up.
/// Without a claim: boxes around the parts' motions are `gap` apart along a world axis over [from, to], or B's motion
/// lies that far above the half-space A; intervals of several pieces are split where that helps. The pieces, in order,
/// cover the interval. @returns false where that is not shown; `where` is then a time in a piece.
bool boxesApart(const Body& body_a, const Part& part_a, PieceRange a, const Body& body_b, const Part& part_b,
                PieceRange b, double gap, double& where);

}  // namespace rigor::verify::kernel
