// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <string>

#include "check/check.h"
#include "check/trajectory.h"
#include "sim/world.h"

namespace rigor::cli {

/// Writes the motions that `rigor check` looks at as a record, for the viewer and for `verify`.
///
/// It says of itself that its motions were given (`"origin": "check"` in its options): bodies follow their samples, no
/// law of motion holds. What can be proved is in it as of a run: witnesses for every pair and interval at least
/// kClaimedGap apart. Where bodies touch or overlap there are none, and `verify` says "refuted" or "unproved" there.
/// Every body is followed at its origin, and the record holds no scene text: `verify` notes that shapes were not held
/// against a scene.
class CheckRecord : public check::MotionSink {
 public:
  static constexpr double kClaimedGap = 1e-12;  ///< Of the largest body's size: above the rounding of poses.

  /// Why there can be no record of this; empty: there can.
  static std::string refusal(const sim::Scene& scene, const check::Trajectory& trajectory);

  /// @param trajectory  Its quaternions' signs and, if it does not begin at 0, its times are changed so that pieces
  /// join.
  /// @pre refusal() is empty. @throws record::RecordError where no record can be written.
  CheckRecord(const std::string& path, bool replace, const std::string& source, sim::Scene scene,
              check::Trajectory& trajectory, check::Interpolation interpolation);
  ~CheckRecord() override;

  void piece(int body, const advance::MotionPiece& piece) override;
  void near(int body_a, int part_a, int body_b, int part_b, const advance::MovingPart& A, const advance::MovingPart& B,
            const check::PairMemory& memory) override;
  void done(double time) override;
  double reach() const override;

  /// Ends the record. `summary`: what the command prints as JSON.
  void finish(const std::string& summary);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rigor::cli
