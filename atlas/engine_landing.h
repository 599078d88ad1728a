// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <string>
#include <vector>

#include "atlas/study.h"

namespace rigor::atlas {

/// Velocities of the problem after the impact as an engine has them, with the bodies handed over in either order: two
/// outcomes. None where the engine loses a body. The engine runs for kEngineEnd without gravity, long enough for soft
/// contacts to end; nothing hits again. @throws std::runtime_error where rigor-peers fails.
std::vector<Eigen::VectorXd> engineOutcomes(const StudyOptions& options, const std::string& engine,
                                            const Family& family, double x, double y);

inline constexpr double kEngineStep = 1e-3, kEngineEnd = 0.3;  ///< [s]

}  // namespace rigor::atlas
