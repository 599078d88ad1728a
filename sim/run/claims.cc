// SPDX-License-Identifier: MIT
#include "sim/run/claims.h"

#include "advance/certificate.h"
#include "advance/piece_polynomials.h"
#include "elementary/require.h"

namespace rigor::sim {

bool provesAnew(const WitnessRecord& claim, const advance::MotionPiece& motion_a, const advance::MotionPiece& motion_b,
                std::span<const BodyRuntime> bodies, std::span<const PartRuntime> parts, std::span<const double> levels,
                std::vector<advance::Witness>& found) {
  const PairKey& pair = claim.pair;
  const advance::Witness& witness = claim.witness;
  RIGOR_REQUIRE(motion_a.t0 <= witness.t0 && witness.t1 <= motion_a.t1);
  RIGOR_REQUIRE(motion_b.t0 <= witness.t0 && witness.t1 <= motion_b.t1);
  const BodyRuntime &a = bodies[pair.body_a], &b = bodies[pair.body_b];
  const advance::PiecePolynomials curve_a(motion_a, witness.t0, witness.t1), curve_b(motion_b, witness.t0, witness.t1);
  return std::any_of(levels.begin(), levels.end(), [&](double level) {
    return advance::certify({parts[a.first_part + pair.part_a].shape, a.centre, &curve_a},
                            {parts[b.first_part + pair.part_b].shape, b.centre, &curve_b}, {&witness.axis, 1}, level,
                            found) == advance::CertifyStatus::kCertified;
  });
}

}  // namespace rigor::sim
