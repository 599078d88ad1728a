// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "record/reader.h"

namespace rigor::record {

/// The end of a trajectory of a tree.
struct Leaf {
  std::string branch, status;
  double end_time = 0;  ///< [s]
  double weight =
      1;  ///< Share of all trajectories by the model's law; those of all leaves add up to 1. No probability of nature.
  std::string modes;  ///< What the contacts do after each fork on the way: "tttt/fftt", letters as in branches.csv.
};

/// The leaves of a record, by their number: branches that have no explored child.
///
/// A leaf's weight is the product of the shares on the way to it. An alternative that is open (not explored) leaves its
/// share to the explored one that is nearest to it at its fork (in the kinetic metric): a part of a tree is an estimate
/// of the whole. Extremes have none. One trajectory is one leaf of weight 1.
[[nodiscard]] std::vector<Leaf> leavesOf(Reader& reader);

}  // namespace rigor::record
