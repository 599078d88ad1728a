// SPDX-License-Identifier: MIT
#pragma once
#include "impact/sets/certificate.h"
#include "impact/sets/exact_set.h"
#include "impact/sets/polytope_union.h"

namespace rigor::impact {

/// The proof of an exact set, for checkCertificate(): chains of forces to every vertex; of a complete set also the
/// closed list of its polytopes, with the reasons why no motion leaves it. `complete` of the result is false where a
/// reason is missing. Cost: a small linear program for every half-space a step leads to; some ms to some s.
[[nodiscard]] SetCertificate certify(const ExactSet& set, const ImpactProblem& problem);

/// The proof that a complete set holds every outcome, alone: for relaxed friction, where the set holds more than the
/// outcomes. Its bounds have no chains.
[[nodiscard]] SetCertificate certifyOutside(const ExactSet& set, const ImpactProblem& problem);

/// What a certificate says of its problem.
[[nodiscard]] SetCertificate::Problem certifiedProblem(const ImpactProblem& problem, const ExactFriction& friction);

/// Chains of forces that end in points of a set (docs/impact-sets.md, "Proofs").
class ChainFinder {
 public:
  explicit ChainFinder(const ExactSet& set) : set_(&set) {}
  /// A chain to `point` (homogeneous), in one of `pieces`. @returns false where none was found.
  [[nodiscard]] bool find(const ExactVector& point, const std::vector<int>& pieces, SetCertificate::Chain& chain) const;

 private:
  struct Move {
    int step = 0;                  ///< of set_->steps()
    std::vector<mpq_class> weights;
    ExactVector from;
  };
  bool decompose(const ExactVector& point, const std::vector<ExactVector>& sources, int face, Move& move) const;
  int stepOf(const ExactVector& point, const std::vector<int>& pieces) const;
  bool findBeside(const std::vector<Move>& moves, SetCertificate::Chain& chain) const;
  bool approaches(const ExactVector& point, int face) const;
  std::vector<SetCertificate::Force> forcesOf(int face, const std::vector<mpq_class>& weights) const;

  const ExactSet* set_;
};

/// Adds the outer part. @returns false where a reason was not found.
[[nodiscard]] bool certifyFromOutside(const ExactSet& set, SetCertificate& certificate);

/// Signs of all rows on a face.
[[nodiscard]] SetCertificate::Signs rowSigns(const ExactFaces& faces, const ExactFaces::Signs& signs);

}  // namespace rigor::impact
