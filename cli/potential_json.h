// SPDX-License-Identifier: MIT
#pragma once
#include <nlohmann/json.hpp>

#include "impact/sets/outer_proofs.h"

namespace rigor::cli {

/// Potentials of certificate files. Their problem and coordinates are those of the certificate that they belong to.
[[nodiscard]] nlohmann::ordered_json potentialsToJson(const impact::PotentialProofs& proofs);

/// The same read again. @throws std::runtime_error, and nlohmann's errors, for JSON that is something else.
[[nodiscard]] impact::PotentialProofs readPotentials(const nlohmann::ordered_json& json,
                                                     const impact::SetCertificate& certificate);

}  // namespace rigor::cli
