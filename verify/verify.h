// SPDX-License-Identifier: MIT
#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "verify/record/error.h"

namespace rigor::verify {

struct Options {
  int threads = 0;         ///< 0: all cores.
  int max_failures = 100;  ///< Failures listed; all are counted.
  const std::atomic<bool>* interrupt = nullptr;  ///< Set: verifyRecord() throws Interrupted soon.
  std::atomic<double>* progress = nullptr;       ///< Share of the branches that are done.
  bool kernel_alone = false;   ///< Exact arithmetic for everything, on one thread.
  bool geometry_only = false;  ///< Without the laws of motion.
};

/// Thrown where `interrupt` was set: nothing is known.
struct Interrupted : std::runtime_error {
  Interrupted() : std::runtime_error("the verification was interrupted") {}
};

/// One reason why the record's claim is not proved.
struct Failure {
  bool refuted;  ///< The record is wrong; otherwise it could not be proved right.
  std::string branch;
  std::int64_t piece;               ///< Row of `pieces`, -1 for none.
  std::array<std::string, 2> pair;  ///< Names of the bodies; empty for none.
  double time;                      ///< [s]
  std::string reason;
};

/// A law of motion: its largest residual, proved to be no larger, and the bound that the record declares for it. Units:
/// docs/proof.md.
struct LawReport {
  std::string name;
  double worst = 0, bound = 0;
  std::string branch;
  double time = 0;  ///< [s]
};

struct Report {
  bool verified = false;   ///< Nothing of what was to be proved is open.
  bool refuted = false;    ///< Some failure is a refutation.
  bool complete = false;   ///< Every leaf reached `until`, and every outcome was followed. Only where verified.
  std::string run_status;  ///< Of the record: "done", "running", ...
  long branches = 0, pieces = 0, pairs = 0, witnesses = 0;
  double min_gap = 0;  ///< Proved for every pair at every instant up to the horizon [m]; 0 unless verified.
  double horizon = 0;  ///< Every leaf of the branch tree, with its whole ancestry, is verified up to here [s].
  double until = 0;    ///< The run was to go on up to here [s].
  long failure_count = 0;
  std::vector<Failure> failures;   ///< The first max_failures, by branch and time.
  std::vector<std::string> notes;  ///< What could not be checked: a record without a scene, motions that were given.
  bool physics_known = false;      ///< The record says what acted, and the laws of motion were looked at.
  std::vector<LawReport> physics;  ///< Of all laws; empty unless physics_known.
  double open_joints = 0;          ///< Joints and loops are open by no more at any instant [m]; 0 without the laws.
  double wall_seconds = 0;

  /// "proved", "refuted" or "unproved".
  const char* status() const { return verified ? "proved" : refuted ? "refuted" : "unproved"; }
};

/// Proves a record's claim from the file alone, in exact arithmetic (docs/proof.md, docs/record-format.md).
///
/// Guarantee: `verified` implies that in every branch and at every instant up to its end every two parts of different
/// bodies, not both fixed, are at least that branch's min_gap > 0 apart, that motions are continuous, and that the
/// model they are about is what the loader makes of the embedded scene and its files (unless `notes` says that there is
/// none).
/// @throws Interrupted; InputError for a file that cannot be read as a record.
Report verifyRecord(const std::string& path, const Options& options = {});

}  // namespace rigor::verify
