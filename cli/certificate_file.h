// SPDX-License-Identifier: MIT
#pragma once
#include <iosfwd>
#include <string>

#include "impact/sets/certificate.h"

namespace rigor::cli {

/// A certificate as one JSON object; rational numbers are strings "p/q" (docs/impact-sets.md, "Certificate files").
void writeCertificate(const impact::SetCertificate& certificate, std::ostream& out);

/// The certificate of a file that writeCertificate() wrote. @throws std::runtime_error "FILE: what is wrong".
[[nodiscard]] impact::SetCertificate readCertificate(const std::string& path);

}  // namespace rigor::cli
