// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "verify/kernel/run.h"
#include "verify/record_file.h"
#include "verify/scene_geometry.h"

namespace rigor::verify {

/// A record of schema 1 as the kernel's plain data. Its starts are those of its own motion: schema 1 holds no model, and
/// they are held against the scene text (verify/scene_geometry.h).
class RecordedRun {
 public:
  explicit RecordedRun(const std::string& path);

  kernel::Run run;
  std::string run_status;
  kernel::BranchRows readBranch(std::size_t number);
  /// What is wrong beside what the kernel proves: `fail(body, reason)`, and notes of what cannot be checked.
  void check(const std::function<void(int, const std::string&)>& fail, const std::function<void(const std::string&)>& note);
  /// The smallest gap that the summary claims; -infinity where it claims none, NaN where it is not JSON.
  double claimedGap() const;
  long countUnreadRows() { return static_cast<long>(file_.countUnreadRows()); }

 private:
  void setBranches();
  void setBodies();
  void setStarts();
  RecordFile file_;
  Header header_;
  std::vector<Body> bodies_;
  std::vector<Branch> branches_;
  std::vector<Start> starts_;
  SceneText scene_;
  std::map<std::size_t, BranchRows> read_;  // Of the branches up to the first that moves something.
  std::vector<std::pair<int, std::string>> faults_;
};

}  // namespace rigor::verify
