// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <string>

#include "record/writer.h"
#include "sim/explorer.h"

namespace rigor::record {

/// Writes a tree of trajectories, and what is left to explore of it (table `frontier`), into a record.
///
/// Guarantee: as Writer. A branch is committed together with the alternatives that it opens, so that an exploration
/// that was killed, interrupted or stopped by its budget goes on from any moment, to the same rows as one that was not.
class TreeWriter : public sim::TreeStore {
 public:
  /// A new record. @throws RecordError.
  TreeWriter(const std::string& path, const sim::Scene& scene, const RunInfo& info, const WriterOptions& options = {});
  /// Goes on with one; frontier() and explored() are where it stands. @throws RecordError, also if it is damaged.
  explicit TreeWriter(const std::string& path);
  ~TreeWriter() override;

  sim::Frontier takeFrontier();
  const sim::TreeSummary& explored() const { return explored_; }

  sim::Sink& beginBranch(const sim::TreeNode& node) override;
  void endBranch(const sim::TreeNode& node, const sim::Summary& summary,
                 const std::vector<sim::TreeNode>& children) override;

  /// Ends the exploration. Branches that end at a fork of which nothing is explored get the status 'budget'.
  void finish(const sim::TreeSummary& summary, const std::string& summary_json);

 private:
  void open(const sim::TreeNode& node);
  void readTree();

  Writer writer_;
  sim::Frontier frontier_;
  sim::TreeSummary explored_;
};

}  // namespace rigor::record
