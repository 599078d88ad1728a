// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <limits>
#include <vector>

#include "sim/kept_rows.h"

namespace rigor::sim {

/// When the next checkpoint is due. Where a run has several zones it is an instant: they get there with the same bits,
/// whichever steps first.
struct Checkpoints {
  double next = 0, interval = 0, last = 0;  ///< [s]
  long count = 0, steps = 0;  ///< That were made and committed; steps at the last one,
  long committed = 0;         ///< and at the last one that was committed.

  /// One was made now, or the run starts. `wanted`: about so many steps until the next one. Not `at_instants`: it is
  /// due by steps.
  void schedule(double now, long steps_now, long wanted, bool at_instants) {
    if (const long made = steps_now - steps; next == kNever && now > last) interval = now - last;
    else if (made < wanted) interval *= 2;
    else if (made > kMost * wanted) interval /= 2;
    next = at_instants ? now + interval : kNever;
    last = now, steps = steps_now;
  }

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();
  static constexpr long kMost = 4;
};

/// A rest. It is told when time goes on: at the same instant a larger group may take a body that rests with it.
struct Rest {
  double time;
  int body;
  long turn = 0;  ///< Of a region: the one that it began with.
};

/// Turns that a run of a region made, so that those of several regions can be put into the order that one run of all
/// their bodies makes them in.
struct Turns {
  struct Entry {
    double time;       ///< Clock of the group; of a rest that was told, when it began [s].
    int body;          ///< First of the group.
    long rested;       ///< Of a rest: number of the turn that it began with; else -1.
    std::size_t rows;  ///< That were handed over before.
    double length = 0;   ///< Of the step that was made [s].
    bool steps = false;  ///< A step began.

    bool isRest() const { return rested >= 0; }
  };
  std::vector<Entry> entries;
  const KeptRows* rows = nullptr;
  std::vector<double> cost;  ///< By body: what its steps took, a group's shared by its bodies [s].

  /// Steps are numbered by turns until it is known how many others were made before: from there on.
  static constexpr long kFirst = 1L << 62;
  long number() const { return kFirst + static_cast<long>(entries.size()) - 1; }
};

}  // namespace rigor::sim
