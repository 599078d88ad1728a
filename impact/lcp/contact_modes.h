// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <functional>
#include <vector>

#include "impact/lcp/contact_lcp.h"

namespace rigor::impact {

/// What an enumeration of contact modes did.
struct ModeSearch {
  bool tried = false;     ///< False where there are more than kMostModes modes: nothing was done.
  bool complete = false;  ///< Every solution's velocity was found: no mode with a solution left the velocity open.
  long modes = 0;         ///< Linear systems solved.
};

/// Most combinations of modes that are enumerated, a few microseconds each.
inline constexpr double kMostModes = 250'000;

/// All solutions of the Anitescu-Potra LCP at the present velocity of `lcp`, by what each contact does: it separates,
/// sticks, slides along one of its friction directions d_k, or (spatial) between two neighbouring ones.
///
/// In a mode the impulses span G and satisfy B v' = 0 (stick: both n, t; slide: B = n, G = n + mu d_k), so that its
/// velocity solves B A G x = -B J v, A = J M^-1 J'. Where redundant contacts make that singular, the velocity is still
/// unique for most modes and impulses within the friction cones that give it are sought as the nearest point of a cone
/// (a positive semidefinite LCP). A contact in `never_slides` has no sliding modes.
///
/// Guarantee: every LCP solution's velocity is visited, from each mode that it belongs to, if `complete`. Candidates
/// may fail ContactLcp::acceptImpact(), which the caller asks. @param visit  Gets impulses of J's rows, scaled.
[[nodiscard]] ModeSearch findModeSolutions(const ContactLcp& lcp, LemkeSolver& lemke,
                                           const std::vector<bool>& never_slides,
                                           const std::function<void(const Eigen::VectorXd& impulse)>& visit);

}  // namespace rigor::impact
