// SPDX-License-Identifier: MIT
#pragma once
#include <optional>

#include "geom/mass_properties.h"
#include "scenes/mjcf_document.h"
#include "scenes/model_file.h"

namespace rigor::scenes {

/// What the <compiler> of an MJCF file says of the masses of its bodies.
class MjcfMassRules {
 public:
  /// @throws LoadError for numbers that are none.
  explicit MjcfMassRules(MjcfDocument& document);

  /// Whether geoms weigh, beside an <inertial> or without one.
  bool weighsGeoms(bool has_inertial) const { return has_inertial ? over_inertial_ : without_inertial_; }
  bool weighsGroup(double group) const { return group >= first_group_ && group <= last_group_; }
  /// Of a body: no lighter than the bounds; an inertia that no body has made the mean of its moments where the file
  /// asks for that.
  geom::MassProperties bounded(geom::MassProperties body) const;
  /// Scales all masses to the total that the file asks for. O(links)
  void scaleToTotal(FileModel& file) const;

 private:
  bool over_inertial_ = false, without_inertial_ = true, balances_ = false;
  double least_mass_ = 0, least_moment_ = 0, total_ = 0;  // [kg], [kg m^2], [kg] where > 0
  double first_group_ = 0, last_group_ = 5;               // What MuJoCo takes without `inertiagrouprange`.
};

}  // namespace rigor::scenes
