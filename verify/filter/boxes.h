// SPDX-License-Identifier: MIT
#pragma once
#include <span>
#include <vector>

#include "verify/kernel/run.h"

namespace rigor::verify::filter {

using kernel::Body;
using kernel::Piece;

struct Box {
  double low[3], high[3];
  void include(const double* point);
  void include(const Box& other);
  static Box empty();
};

/// The pieces of one body in one branch, in order of time, with boxes around their position control points.
class Trajectory {
 public:
  Trajectory() = default;
  /// @pre pieces are sorted by t0 and consecutive (checked elsewhere), and outlive this object.
  explicit Trajectory(std::span<const Piece> pieces);

  std::span<const Piece> pieces() const { return pieces_; }
  bool empty() const { return pieces_.empty(); }
  double start() const { return pieces_.front().t0; }
  double end() const { return pieces_.back().t1; }
  /// Numbers [first, last) of the pieces that meet the open interval (from, to). O(log n).
  void range(double from, double to, std::size_t& first, std::size_t& last) const;
  /// Box of all position control points of pieces [first, last). O(log n).
  Box box(std::size_t first, std::size_t last) const;

 private:
  std::span<const Piece> pieces_;
  std::vector<Box> tree_;  // Node i covers nodes 2i and 2i + 1; leaf k of piece k is node size + k.
};

/// Proofs without witnesses: boxes of two parts are at least `gap` apart. Computed in doubles with rounding bounds on
/// the safe side, so that "true" is a proof; "false" says nothing.
class BoxProver {
 public:
  BoxProver(const std::vector<Body>& bodies, const std::vector<Trajectory>& trajectories);

  /// @returns true if parts of the pair are apart during all of [from, to]; else `unproved_at` is a time in a piece
  /// where neither boxes nor planes prove it.
  bool apart(int body_a, int part_a, int body_b, int part_b, double from, double to, double gap,
             double& unproved_at) const;

 private:
  Box partBox(int body, int part, std::size_t first, std::size_t last) const;
  bool aboveHalfSpace(int body_a, int part_a, int body_b, int part_b, std::size_t first, std::size_t last,
                      double gap) const;

  const std::vector<Body>& bodies_;
  const std::vector<Trajectory>& trajectories_;
  std::vector<std::vector<double>> radius_;  // Upper bound of |vertex - centre| of each part [m].
};

}  // namespace rigor::verify::filter
