// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "sim/sink.h"
#include "verify/record/blob.h"

namespace rigor::record {

/// What a row says of a record: contacts of kind kNearest are contacts along the axis that they have at each instant,
/// of two lines those of edges.
void makeRow(const sim::ImpulseRecord& record, sim::ImpulseRecord& row);

/// Packs the rows of the table `impulses` (docs/record-format.md).
///
/// Numbers of wrenches are rounded to 28 bits behind the point where that is at most 2e-4 of what the record's bound of
/// the momentum allows: of a step's wrenches where that bound is 1e-6 or more. Contacts are never rounded.
class ImpulsePacker {
 public:
  /// @param bounds  JSON text: the record's bounds of the laws.
  void setBounds(const std::string& bounds);

  struct Feature {
    std::uint32_t pair = 0, axis = 0;  ///< Numbers of the dictionary.
  };
  /// @param features  of each contact. @param joints_follow  FollowingWrenches::leaveOut().
  /// @throws std::length_error for more robots or joints than a row can name.
  void pack(const sim::ImpulseRecord& record, bool joints_follow, std::span<const Feature> features,
            verify::recorded::Bytes& out) const;

 private:
  bool rounds_ = false;
};

}  // namespace rigor::record
