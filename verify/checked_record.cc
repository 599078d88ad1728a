// SPDX-License-Identifier: MIT
#include "verify/checked_record.h"

namespace rigor::verify {

CheckedRecord::CheckedRecord(const std::string& path, const Options& checking)
    : options(checking),
      file(path),
      header(file.readHeader()),
      bodies(file.readBodies()),
      branches(file.readBranches()),
      threads_(checking.threads > 0 ? checking.threads
                                    : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()))) {
  report.run_status = header.status;
  report.branches = static_cast<long>(branches.size());
}

void CheckedRecord::fail(Failure failure) {
  const std::lock_guard lock(mutex_);
  ++report.failure_count;
  report.refuted |= failure.refuted;
  if (static_cast<int>(report.failures.size()) < options.max_failures) report.failures.push_back(std::move(failure));
}

void CheckedRecord::failPiece(const Branch& branch, const Piece& m, double time, const std::string& reason,
                              bool refuted) {
  fail({refuted, branch.id, m.id, {bodies[m.body].name, ""}, time, reason});
}

}  // namespace rigor::verify
