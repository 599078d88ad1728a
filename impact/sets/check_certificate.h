// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "impact/problem/impact_problem.h"
#include "impact/sets/certificate.h"

namespace rigor::impact {

struct CertificateVerdict {
  bool inner =
      false;  ///< Every chain is a motion, or a limit of motions, of the inclusion; the inner bounds are attained.
  bool outer =
      false;  ///< The list of elements holds the start and no motion leaves it; the outer bounds hold for its outcomes.
  std::string failure;  ///< The first thing that was not so.
};

/// Checks a certificate with sums and products of rational numbers alone: no polyhedra, no linear programs, nothing of
/// what made it. All numbers must be exactly right, and there must be a reason for everything that needs one and for
/// nothing else: a certificate in which any factor of a reason was changed is refused (of a barrier's, where the factor
/// then has a sign it must not have). What is proved of which motions: docs/impact-sets.md, "Proofs". Cost O(reasons *
/// rank * half-spaces).
[[nodiscard]] CertificateVerdict checkCertificate(const SetCertificate& certificate);

/// Is this the problem that the certificate is about? Its numbers are those that the problem's print as.
[[nodiscard]] bool isAbout(const SetCertificate& certificate, const ImpactProblem& problem);

}  // namespace rigor::impact
