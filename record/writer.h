// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "record/database.h"
#include "record/run_info.h"
#include "sim/simulation.h"
#include "sim/sink.h"
#include "sim/world.h"

namespace rigor::record {

struct WriterOptions {
  bool replace = false;          ///< Replace an existing regular file instead of refusing it.
  bool visible_at_once = false;  ///< The file can be read from the start on; else from the first commit on.
  double commit_interval = 0.5;  ///< Longest wall time that a killed run can lose [s], as long as checkpoints come.
  long commit_rows = 50000;      ///< Rows that one transaction may hold.
  long snapshot_steps = 2000;    ///< Steps between two stored complete states.
  /// Where given, finish() puts the bytes of the record here; no file is made, and nothing is committed before.
  std::vector<unsigned char>* image = nullptr;
};

/// What an unfinished run goes on with.
struct ResumedRun {
  std::vector<unsigned char> state;  ///< For sim::Simulation::restore(); empty: from the scene's start.
  long plastic_impacts = 0;          ///< Up to there, see sim::Summary.
};

/// Where a branch comes from. The root is "0" and has no parent.
struct BranchInfo {
  std::string id = "0", parent;
  double fork_time = 0;  ///< [s]
  std::string choice;    ///< JSON: what was chosen at the fork.
  double weight = 1;
};

/// Writes a run as docs/record-format.md describes.
///
/// Guarantee: the file is a valid record at every moment, also after kill -9 or a full disk: it then holds everything
/// up to the last commit; before the first one it is empty, or marked as unwritten. Commits happen at checkpoint()
/// only, so that a piece never lacks its witnesses. After finish() the record is one single file. Every failure to
/// write throws RecordError; what was committed stays. A failure of the machine's power may take the last seconds.
///
/// Up to the first commit the record grows in memory, and is then written in one piece: a short run costs one write.
/// Rows do not depend on when commits happen. Cost: about 1 us for a piece and a witness. One thread.
class Writer : public sim::Sink {
 public:
  /// Creates the file; the record begins with the scene's model and files, and branch "0".
  /// @param scene  As sim::Simulation::scene() gives it. @throws RecordError, also if the file exists.
  Writer(const std::string& path, const sim::Scene& scene, const RunInfo& info, const WriterOptions& options = {});
  /// Goes on with an unfinished record: rows follow those of the branches that were ended; what others had is dropped,
  /// but for branch "0", which starts anew. @throws RecordError, also where another process writes to it.
  explicit Writer(const std::string& path, const WriterOptions& options = {});
  /// Goes on with a run of one branch, from the last state that it stored; what was written after that is dropped.
  /// @param scene, info  The new end and options are taken, the rest stays. @throws RecordError, as above.
  Writer(const std::string& path, const sim::Scene& scene, const RunInfo& info, ResumedRun& resumed,
         const WriterOptions& options = {});
  ~Writer() override;  ///< Commits up to the last checkpoint; the status stays 'running' unless finish() was called.

  void piece(const sim::PieceRecord& record) override;
  void witness(const sim::WitnessRecord& record) override;
  void event(const sim::EventRecord& record) override;
  void impact(const sim::ImpactRecord& record) override;
  void impulses(const sim::ImpulseRecord& record) override;
  void joints(const sim::JointRecord& record) override;
  void checkpoint(double time, long step, const std::vector<unsigned char>& state) override;

  /// Later rows belong to this new branch. Ends no other branch.
  void beginBranch(const BranchInfo& branch);
  /// Closes the current branch with its claim: every pair at least `min_gap` [m] apart up to `end_time` [s].
  void endBranch(double end_time, double min_gap, const std::string& status);

  /// The record, for rows that belong to a kind of run; they are committed together with the branches. Valid until the
  /// next call of another function.
  Database& database();

  /// Ends the current branch and the run, merges the log. `summary_json`: what `run --json` prints.
  void finish(const sim::Summary& summary, const std::string& summary_json);
  /// The same for a tree of branches that were all ended: only the run's status is set.
  void finish(const std::string& status, const std::string& message, const std::string& summary_json);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// 'done', 'failed', 'budget' or 'interrupted'.
std::string_view statusName(sim::RunStatus status);

}  // namespace rigor::record
