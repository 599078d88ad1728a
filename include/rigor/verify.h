// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "rigor/types.h"

namespace rigor {

struct VerifyOptions {
  bool kernel = false;         ///< Exact arithmetic alone.
  bool geometry_only = false;  ///< Without the laws of motion.
  int threads = 0;             ///< 0: all cores.
};

/// One reason why the record's claim is not proved.
struct VerifyFailure {
  bool refuted = false;  ///< The record is wrong; else it could not be proved right.
  std::string branch;
  long piece = -1;       ///< Row of `pieces`; -1: none.
  std::vector<std::string> pair;
  double time = 0;
  std::string reason;
};

/// The largest residual of a law of motion, and the bound that the record declares (docs/proof.md).
struct VerifyLaw {
  std::string name, branch;
  double worst = 0, bound = 0, time = 0;
};

/// As `rigor verify --json`.
struct VerifyReport {
  std::string status;  ///< "proved", "refuted" or "unproved".
  bool complete = false;
  long branches = 0, pieces = 0, pairs = 0, witnesses = 0, failure_count = 0;
  double min_gap = 0, horizon = 0, until = 0, wall_seconds = 0;
  double open_joints = 0;  ///< Joints and loops of robots are open by no more at any instant [m].
  bool physics_known = false;
  std::vector<VerifyLaw> physics;
  std::vector<VerifyFailure> failures;
  std::vector<std::string> notes;
  bool proved() const { return status == "proved"; }
};

/// Proves a record's claim again, from the file alone, in exact arithmetic (docs/proof.md). @throws InputError,
/// InterruptedError.
VerifyReport verifyRecord(const std::string& path, const VerifyOptions& options = {}, const Watch& watch = {});

}  // namespace rigor
