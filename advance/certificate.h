// SPDX-License-Identifier: MIT
#pragma once
#include <span>
#include <vector>

#include "advance/gap_polynomial.h"
#include "advance/piece_polynomials.h"
#include "advance/witness.h"

namespace rigor::advance {

struct CertifyOptions {
  int max_splits = 24;        ///< Depth of halvings of the time interval, each half with its own axis.
  int max_intervals = 128;    ///< Intervals looked at, a bound of the work and of the witnesses of one call.
  int max_subdivisions = 12;  ///< Halvings of a polynomial with one axis; they need no further witness.
  bool propose = true;        ///< Two polytopes: where the given axes fail, try those of candidateAxes() at the middle.
  int max_exact = 4;          ///< Exact proofs that one call may try (some 0.1 ms each, for boxes); 0: filter alone.
};

enum class CertifyStatus : unsigned char {
  kCertified,     ///< The witnesses cover [ta, tb].
  kNotCertified,  ///< Not proved: too close, no axis of the list separates, a limit of the options, or NaN. Nothing
                  ///< appended.
};

/// Counters of certify(), added to.
struct CertifyStats {
  long calls = 0, axes = 0, subdivisions = 0, proposals = 0, splits = 0, exact = 0, failed = 0;
};

/// The gap to all of the tested part that the coefficients prove, rounded down where it is positive, else merely
/// rounded [m]. Of a cylinder as if it were round in all directions.
double provedGap(const FaceGap& gap);
/// The same to some points in its place, no farther from its frame's origin than it is. @pre it is not round.
double provedGap(const FaceGap& gap, const Eigen::Matrix3Xd& points);

/// Proves that A and B are at least `floor` apart at every instant of the motions' interval, and says why.
///
/// Guarantee: with kCertified, `out` has got witnesses that follow each other from ta to tb without hole, each of them
/// true in exact arithmetic for the pieces' control points, the vertices and the times taken as exact numbers, with gap
/// >= floor. Their `gap` is the largest that the coefficients of the unsubdivided polynomials prove, rounded down.
///
/// For each axis in turn: floating-point filter (coefficients of the numerators less a running error bound), subdivided
/// where some are not above the floor; where the filter cannot decide, exact arithmetic (GMP) for gap = floor. Where no
/// given axis holds on the whole interval, axes are proposed at its middle (one distance query), and where these fail
/// too it is halved. Fails early where the pair is closer than the floor at an end or the middle of an interval.
///
/// @param A,B    Their motions must have the same [ta, tb]. A half-space is A, and all its axes are its normal.
/// @param axes   Candidates, the most promising first, of the last step say: see candidate_axes.h. May be empty if
///               options.propose. An axis of length zero proves nothing. Vertex numbers must exist.
/// @param floor  [m] > 0.
/// @param out    Appended to; allocation-free while its capacity lasts (and no exact proof is needed).
/// About 0.3 us for a box over a half-space, 0.3 us for two boxes with a face axis, 0.7 us with an edge pair, 0.5 us
/// more where axes are proposed; O(vertices).
[[nodiscard]] CertifyStatus certify(const MovingPart& A, const MovingPart& B, std::span<const SeparatingAxis> axes,
                                    double floor, std::vector<Witness>& out, const CertifyOptions& options = {},
                                    CertifyStats* stats = nullptr);

/// Proves one claim in exact arithmetic: `witness.gap`, and for kEdges `cross` and `cosine`, over the interval of the
/// motions.
/// @returns false: not true, or not provable within `max_depth` halvings. Allocates; some 0.1 ms for boxes.
[[nodiscard]] bool proveExactly(const MovingPart& A, const MovingPart& B, const Witness& witness, int max_depth = 40);

}  // namespace rigor::advance
