// SPDX-License-Identifier: MIT
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "record/database.h"
#include "sim/sink.h"
#include "verify/record/run_file.h"

namespace rigor::record {

/// The tables `axes` and `pairs`: each axis and pair is written once, where it is first met, and then called by its
/// number.
class Dictionary {
 public:
  /// Of a record that is gone on with: what its tables hold. @throws RecordError.
  void load(Database& database);
  static constexpr const char* kInsertAxis = "INSERT INTO axes VALUES(?,?,?)";
  static constexpr const char* kInsertPair = "INSERT INTO pairs VALUES(?,?,?,?,?)";
  /// @param insert  kInsertAxis or kInsertPair, ready to be bound.
  std::uint32_t axis(Statement& insert, const advance::SeparatingAxis& axis);
  std::uint32_t pair(Statement& insert, const sim::PairKey& pair);
  bool hasAxis(std::uint32_t axis) const { return axis >= 1 && axis <= edges_.size(); }
  bool isEdges(std::uint32_t axis) const { return edges_[axis - 1]; }

 private:
  using AxisKey = std::pair<int, std::array<std::uint64_t, 3>>;
  std::map<AxisKey, std::uint32_t> axes_;
  struct PairHash {
    std::size_t operator()(const std::array<int, 4>& pair) const {
      std::uint64_t hash = 0;
      for (const int number : pair) hash = (hash ^ static_cast<std::uint32_t>(number)) * 0x9e3779b97f4a7c15u;
      return hash ^ (hash >> 32);
    }
  };
  std::unordered_map<std::array<int, 4>, std::uint32_t, PairHash> pairs_;
  std::vector<bool> edges_;
};

/// The largest numbers that rows of ended branches name.
struct NamedNumbers {
  std::uint32_t axis = 0, pair = 0;
};
/// O(witnesses and impulses). @throws verify::recorded::InputError.
NamedNumbers namedByEndedBranches(verify::recorded::RunFile& record);

}  // namespace rigor::record
