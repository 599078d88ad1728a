// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <string>

#include "record/reader.h"

namespace rigor::record {

/// What one contact did over a step, t0 < t1, or at once, t0 = t1: impacts, and what was decided at the start of a
/// step.
struct ContactForceRow {
  double t0, t1;               ///< [s]
  sim::PairKey pair;
  Eigen::Vector3d point;       ///< Where it acted, on the mean of its instants; world [m].
  Eigen::Vector3d normal;      ///< There: unit, world, from A to B.
  Eigen::Vector3d P;           ///< On B, the opposite on A; world [N s]. The mean force of a step is P / (t1 - t0).
};

/// Calls `use` for each row of contacts.csv: contacts of the branch itself, in recorded order. None where the record
/// does not say what acted. O(log n) a row. @throws RecordError.
void forEachContactForce(Reader& reader, const std::string& branch,
                         const std::function<void(const ContactForceRow&)>& use);

}  // namespace rigor::record
