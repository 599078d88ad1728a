// SPDX-License-Identifier: MIT
#pragma once
#include <span>
#include <vector>

#include "advance/certificate.h"
#include "advance/piece_polynomials.h"
#include "geom/separation.h"
#include "sim/step/near_bodies.h"
#include "sim/step/step.h"
#include "sim/step/step_world.h"

namespace rigor::sim {

/// Candidate axes of one pair: seldom more.
inline constexpr size_t kAxesOfPair = 128;

/// Two parts that may meet in a step, and what is known of both their motions.
struct NearPair {
  int part_a, part_b;   // Indices into parts.
  int slot_a, slot_b;   // Moving bodies of the group, -1 for others.
  int next_of_b = -1;   // Next pair with the same part_b.
  int first_contact = -1;  // Of the contacts, where a crowd looks for them.
  geom::SeparationCache cache;
  double tb = 0;        // End of what is known of both motions, at most the end of the step [s].
  advance::MovingPart A, B;  // On [t0, tb].
  advance::PiecePolynomials own_a, own_b;  // Where the shared ones of the step do not fit.
  std::vector<advance::SeparatingAxis> axes;  // Candidates for the certificate, in the order in which they were found.
};

/// The pairs of parts that may come near each other in a step.
class NearPairs {
 public:
  explicit NearPairs(const StepWorld& world) : x_(world) {}

  int size() const { return num_pairs_; }
  NearPair& operator[](int p) { return pairs_[p]; }
  const NearPair& operator[](int p) const { return pairs_[p]; }
  int indexOf(const NearPair& pair) const { return static_cast<int>(&pair - pairs_.data()); }
  /// Every pair's part_a is a half-space: held vertices are no part of the search for events.
  bool onlyPlanes() const { return only_planes_; }

  /// All whose boxes meet within `horizon` [s], around where the bodies can get to when no contact accelerates them.
  /// Those that the motion brings near beyond that are added when it is certified. Axes of the step before are the
  /// first that are tried.
  void collect(double horizon, std::span<const KnownAxis> known);
  /// Adds the pair of two parts, a half-space or else the body with the smaller number first. @returns its index.
  int add(int i, int j);
  /// -1: there is none.
  int find(int i, int j) const;
  /// Motions of a pair over the part of the step in which both are known. @returns false if there is none.
  bool prepare(NearPair& pair);

 private:
  const StepWorld& x_;
  NearBodies near_;
  std::vector<BodyBox> boxes_;
  std::vector<int> found_;
  std::vector<NearPair> pairs_;  // The first num_pairs_ are in use.
  int num_pairs_ = 0;
  bool only_planes_ = true;
  std::vector<int> pair_of_b_;  // First pair of each part_b, -1: none.
};

}  // namespace rigor::sim
