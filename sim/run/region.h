// SPDX-License-Identifier: MIT
#pragma once
#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "sim/kept_rows.h"
#include "sim/run/run.h"
#include "sim/run/turns.h"

namespace rigor::sim {

/// Groups of a run that step apart from its others for a while, on copies: a run of its own, which keeps what it hands
/// over. The run itself stays as it is until it is given back what its groups have become.
class Region {
 public:
  explicit Region(const Run& whole);
  ~Region();

  std::vector<int> groups;  ///< Numbers of the run's that it is to take.
  std::vector<int> bodies;  ///< Their bodies, ascending, as long as it has them.
  double cost = 0;          ///< As expected [s].
  KeptRows rows;            ///< What it handed over,
  Turns turns;              ///< by turn.

  /// Is to take nothing. @pre it has nothing.
  void clear();
  /// Copies what it is to take; several regions may do so at a time.
  void take(const Run& whole);
  /// All turns before `end`. @returns false where the run would end before, or where one of `stops` (null: none) says
  /// so: what was done is of no use then.
  bool step(double end, std::array<const std::atomic<bool>*, 2> stops);
  /// Where a body was, and where its group looked, if it is the first of one. Empty: neither.
  const BodyBox& swept(int body) const;
  /// Gives the steps that made its motions other numbers.
  void renumber(const std::function<long(long)>& number);
  void giveBack(Run& whole);
  void forget();

 private:
  void copyMotions(const Run& from, Run& to) const;
  static void addSummary(const Summary& part, Summary& all);

  std::unique_ptr<Run> run_;
  std::vector<int> stepped_;  // Scratch of step().
};

}  // namespace rigor::sim
