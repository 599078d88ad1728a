// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "verify/kernel/run.h"
#include "verify/record/blob.h"
#include "verify/record/carriage.h"

/// The column `motions` of the table `pieces`: the pieces of the bodies that share a step and an interval, without what
/// follows from other rows. Layout and formulas: docs/record-format.md.
namespace rigor::verify::recorded {

/// What a body's next piece may lean on: the end of its last one in the same branch.
struct BodyEnd {
  bool known = false;
  double p[3], q[4], velocity[6];
};

/// Inner control points of a motion with these ends, in doubles, in the documented order of operations. `p` and `q`
/// hold the points at their ends; those between are written. Degrees 0 and 1 have none.
void hermitePosition(double h, int degree, const double* v0, const double* v1, double (*p)[3]);
void hermiteOrientation(double h, int degree, const double* w0, const double* w1, double (*q)[4]);

/// Packs pieces of one row.
class MotionPacker {
 public:
  /// How the model's bodies hang on others; none do until this is said.
  void carry(std::vector<Carriage> carriages);
  /// The piece whose end is `end` follows it where its bits say so; `end` becomes that of `piece`.
  /// @param turning  Where the body turns about its carrier: of the joint at the end of the piece, as far as known.
  void add(const kernel::Piece& piece, BodyEnd& end, const Turning& turning = {});
  bool empty() const { return heads_.empty(); }
  const Bytes& finish();  ///< Valid until the next add(), which starts a new row.

 private:
  bool isCarried(const kernel::Piece& piece, std::uint32_t flags, const Turning& turning) const;
  void leaveOutHeld();
  std::vector<Carriage> carriages_;
  std::vector<std::vector<int>> held_;  // Of each body: those that fixed joints hold on it.
  std::vector<BodyEnd> ends_;  // Of each body: of its piece in the row.
  std::vector<std::uint32_t> heads_;
  bool held_follow_ = false;
  std::vector<double> numbers_;
  Bytes blob_;
  bool finished_ = false;
};

/// A body's entry of a row before it is put together.
struct PackedMotion {
  int body = 0;
  bool follows_pose = false, follows_velocity = false;
  bool hermite_position = false, hermite_orientation = false;
  bool carried = false;  ///< Its end follows from its carrier's, and is there.
  Turning turning;       ///< Where it turns about its carrier.
  kernel::Piece piece;  ///< Without what the flags leave out.
};

/// The entries of a row; t0 and t1 are its columns. Bodies have a carriage each. @throws BlobError.
void unpackMotions(std::span<const unsigned char> blob, double t0, double t1, std::span<const Carriage> bodies,
                   std::vector<PackedMotion>& out);

/// Adds how many entries of each body that row has. @param head  Of the blob: its numbers may be missing.
/// @throws BlobError.
void countMotions(std::span<const unsigned char> head, std::span<const Carriage> bodies,
                  std::span<std::size_t> counts);

/// Puts the piece together. @param end  Of the body's piece before; becomes this one's. @throws BlobError where it
/// needs one and there is none.
void complete(PackedMotion& motion, BodyEnd& end);

}  // namespace rigor::verify::recorded
