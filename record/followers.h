// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "record/reader.h"

namespace rigor::record {

/// Joints that follow others (`mimic`): they have no coordinate of their own, and no rows in a record. Theirs are told
/// from those of their leaders.
class Followers {
 public:
  explicit Followers(Reader& reader);

  /// Hands over a leader's row, then one of each joint that follows it: position ratio q + offset, velocity ratio v,
  /// effort 0, since actuators act on leaders alone.
  void with(const JointRow& leader, const std::function<void(const JointRow&)>& use) const;

 private:
  struct Follower {
    std::string name;  ///< `robot/joint`
    double ratio, offset;
  };
  std::map<std::string, std::vector<Follower>> of_;
};

}  // namespace rigor::record
