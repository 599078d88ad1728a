// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "verify/record/run_file.h"

namespace rigor::record {

/// Where the pieces of a branch are: built by one pass over the branch's rows when it is first asked for, and continued
/// where a writer has added some. 16 bytes a piece in memory; finding one is O(log n) and reads two rows at most.
class PieceIndex {
 public:
  explicit PieceIndex(verify::recorded::RunFile& file) : file_(file) {}

  /// The latest piece of `body` in the branch itself that starts at or before `time`, whether it reaches that far or
  /// not.
  std::optional<verify::kernel::Piece> latest(int branch, int body, double time);
  /// Starts of the body's pieces next to `time`: the first after it, the last before it.
  std::optional<double> startAfter(int branch, int body, double time);
  std::optional<double> startBefore(int branch, int body, double time);
  /// Rows may have been added.
  void refresh();

 private:
  struct Start {
    double t0;
    std::int64_t row;
  };
  struct Branch {
    std::vector<std::vector<Start>> starts;  ///< Of each body, ascending.
    std::int64_t last_row = 0;
    bool current = false;
  };
  const Branch& at(int branch);
  verify::kernel::Piece read(const std::vector<Start>& starts, std::size_t number, int body);
  verify::recorded::RunFile& file_;
  std::map<int, Branch> branches_;
};

}  // namespace rigor::record
