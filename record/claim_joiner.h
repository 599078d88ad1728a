// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "verify/record/rows.h"

namespace rigor::record {

/// Joins claims that go on from step to step: those of a pair about the same axis become one, over all of their time,
/// with the smallest gap. Claims about edges are joined only where their bounds are the same.
///
/// What comes out depends on the claims alone, not on when it is asked for.
class ClaimJoiner {
 public:
  using Claim = verify::recorded::PackedClaim;

  void add(const Claim& claim);
  /// Ended claims that are no row yet, in the order in which they ended.
  const std::vector<Claim>& closed() const { return closed_; }
  void clearClosed() { closed_.clear(); }
  /// Those that may go on, in the order of their pairs' first claim.
  const std::vector<Claim>& open() const { return open_; }
  /// Ends all claims.
  void closeAll();
  /// As it was.
  void restore(std::vector<Claim> closed, std::vector<Claim> open);

 private:
  std::vector<Claim> closed_, open_;
  std::unordered_map<std::uint32_t, std::size_t> open_of_pair_;
};

}  // namespace rigor::record
