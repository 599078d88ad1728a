// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "check/check.h"
#include "record/writer.h"

namespace rigor::compare {

/// Proves what it can of motions that rigor::check looks at, and writes them as a record, for the viewer and for
/// `verify`.
///
/// What is proved is in the record as of a run: witnesses for every pair and interval at least `info.gap_floor` apart.
/// Where bodies touch or overlap it claims the same of the axis that separated last: `verify` refutes it there.
class MotionRecord : public check::MotionSink {
 public:
  /// @param path   Empty: nothing is written, gaps are proved all the same.
  /// @param scene  As the record is to have it. Must outlive this. A body whose motion begins with another velocity
  /// than
  ///               the scene's gets it by a row `velocity-set`.
  /// @param reach  Pairs that come closer than that are given witnesses of their true gaps [m], >= 2 floor.
  /// @throws record::RecordError where no record can be written.
  MotionRecord(const std::string& path, bool replace, const sim::Scene& scene, const record::RunInfo& info,
               double reach);
  ~MotionRecord() override;

  void piece(int body, const advance::MotionPiece& piece) override;
  void near(int body_a, int part_a, int body_b, int part_b, const advance::MovingPart& A, const advance::MovingPart& B,
            const check::PairMemory& memory) override;
  void done(double time) override;
  double reach() const override { return reach_; }

  /// Of every pair at every instant up to now [m], no more than reach(); 0: not all was proved at least the floor.
  double provedGap() const { return unproved_ > 0 ? 0 : least_; }
  long unproved() const { return unproved_; }  ///< Intervals of parts without witnesses.

  /// Ends the record. `summary`: what the command prints as JSON.
  void finish(const std::string& status, const std::string& message, const std::string& summary);

 private:
  void claim(const sim::PairKey& pair, const advance::MovingPart& A, const check::PairMemory& memory);
  void explainStart(const sim::PieceRecord& first);

  double floor_, reach_, least_, end_ = 0;
  long interval_ = 0, unproved_ = 0;
  std::unique_ptr<record::Writer> writer_;
  std::vector<advance::Witness> witnesses_;
  const sim::Scene& scene_;
  std::vector<char> started_;  // By body.
  sim::ImpactRecord start_;    // Of bodies whose motion does not begin with the scene's velocity.
};

}  // namespace rigor::compare
