// SPDX-License-Identifier: MIT
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "verify/checked_record.h"
#include "verify/trajectory.h"

namespace rigor::verify {

using Pose = std::array<double, 7>;  ///< p, q: compared bit for bit.
Pose poseOf(const Piece& m, bool at_end);
bool sameBits(const Pose& a, const Pose& b);

/// The motion of all bodies in the branch at hand. Fixed bodies keep their poses from branch '0' on.
class BranchMotion {
 public:
  /// Pieces of each body together, in order of time; false if one is malformed.
  bool sort(CheckedRecord& record, const Branch& branch, std::vector<Piece>& rows);
  /// Each piece by itself, and joined to the one before it. False where the rest cannot be checked.
  bool check(CheckedRecord& record, const Branch& branch) const;

  const std::vector<Trajectory>& trajectories() const { return trajectories_; }  ///< Of each body.
  std::span<const Piece> of(std::size_t body) const { return trajectories_[body].pieces(); }
  bool movesNothing(const std::vector<Body>& bodies) const;
  /// Row of the piece in which a body is at a time; -1 if there is none.
  std::int64_t pieceAt(int body, double time) const;

 private:
  std::vector<Piece> pieces_;
  std::vector<Trajectory> trajectories_;
  std::map<int, Piece> fixed_;
};

}  // namespace rigor::verify
