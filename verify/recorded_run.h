// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "verify/embedded_scene.h"
#include "verify/kernel/run.h"
#include "verify/record/run_file.h"

namespace rigor::verify {

/// A record as the kernel's plain data, and what is held against it beside the kernel's proof.
class RecordedRun {
 public:
  explicit RecordedRun(const std::string& path);

  kernel::Run run;
  std::string run_status;
  const recorded::Meta& meta() const { return file_.meta(); }
  kernel::BranchRows readBranch(std::size_t number) { return file_.branchRows(static_cast<int>(number)); }
  recorded::TableRows readTables(std::size_t number) { return file_.tableRows(static_cast<int>(number)); }
  const recorded::ModelText& text() const { return file_.text(); }
  /// Whether the model is what the embedded scene means (embedded_scene.h). `note` is filled where there is no scene.
  ModelDifference differenceFromScene(std::string& note);
  /// Nobody simulated them: they were given to `rigor check`.
  bool motionsWereGiven() const;
  /// The smallest gap that the summary claims; -infinity where it claims none.
  double claimedGap() const;
  /// Every row can be read and belongs to a branch; InputError otherwise.
  void checkRest() { file_.checkRest(); }
  bool sealHolds() { return file_.sealHolds(); }

 private:
  recorded::RunFile file_;
};

}  // namespace rigor::verify
