// SPDX-License-Identifier: MIT
#pragma once
#include <iosfwd>
#include <string>

#include "impact/sets/outer_proofs.h"

namespace rigor::cli {

/// What a certificate file holds.
struct CertificateFile {
  impact::SetCertificate certificate;
  impact::OuterProofs outer;  ///< Where the set is not known whole.
  bool as_written = true;     ///< Does its digest (SHA-256 of all the rest) fit?
};

/// A certificate as one JSON object; rational numbers are strings "p/q" (docs/impact-sets.md, "Certificate files").
void writeCertificate(const CertificateFile& file, std::ostream& out);

/// The certificate of a file that writeCertificate() wrote. @throws std::runtime_error "FILE: what is wrong".
[[nodiscard]] CertificateFile readCertificate(const std::string& path);

}  // namespace rigor::cli
