// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "verify/kernel/run.h"
#include "verify/record/run_file.h"
#include "verify/scene_geometry.h"

namespace rigor::verify {

/// A record as the kernel's plain data, and what is held against it beside the kernel's proof.
class RecordedRun {
 public:
  explicit RecordedRun(const std::string& path);

  kernel::Run run;
  std::string run_status;
  kernel::BranchRows readBranch(std::size_t number) { return file_.branchRows(static_cast<int>(number)); }
  /// What is wrong beside what the kernel proves: `fail(body, reason)`, and notes of what cannot be checked.
  void check(const std::function<void(int, const std::string&)>& fail, const std::function<void(const std::string&)>& note);
  /// The smallest gap that the summary claims; -infinity where it claims none.
  double claimedGap() const;
  /// Every row can be read and belongs to a branch; InputError otherwise.
  void checkRest() { file_.checkRest(); }

 private:
  recorded::RunFile file_;
};

}  // namespace rigor::verify
