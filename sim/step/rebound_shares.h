// SPDX-License-Identifier: MIT
#pragma once
#include <span>
#include <vector>

#include "sim/run/disjoint_sets.h"

namespace rigor::sim {

/// Shares of the restitution that are tried, in this order.
inline constexpr double kReboundShares[] = {1, 0.5, 0.25, 0};
/// Growth of the kinetic energy, of that of all bodies, that is rounding and the solver's tolerance.
inline constexpr double kJointEnergyRounding = 1e-12;

/// How much of their restitution the contacts of one impact keep. Friction may gain energy by restitution. What gains
/// it, bodies that push each other, leaves a share of it away; others of the same impact, on which they do not act,
/// keep theirs, and what they lose is nothing that the former may gain.
class ReboundShares {
 public:
  /// A contact's bodies, -1 for one that is fixed, and whether it pushed.
  struct Pushed {
    int a, b;
    bool pushed;
  };

  /// @param rebounds  By contact: the speed with which it leaves, or a plastic one's 0 [m/s].
  void begin(std::span<const double> rebounds);
  double of(size_t contact) const { return kReboundShares[level_[contact]]; }
  /// Whether any contact rebounds with what is left.
  bool any() const;
  /// Lowers the shares of contacts of bodies that gained energy together: @param before, after  by body [J]. @returns
  /// false if none did, or none of theirs has any left.
  [[nodiscard]] bool lessen(std::span<const Pushed> contacts, std::span<const double> before,
                            std::span<const double> after);
  /// All of them. @returns false if none is left. After `kMostTries` calls of the two, to zero at once.
  [[nodiscard]] bool lessenAll();

 private:
  bool lower(size_t contact);

  static constexpr int kMostTries = 8;
  std::vector<char> rebounds_;  // By contact.
  std::vector<int> level_;      // By contact: which of kReboundShares.
  DisjointSets groups_;         // Of bodies.
  std::vector<double> gain_;    // By group.
  int tries_ = 0;
};

}  // namespace rigor::sim
