// SPDX-License-Identifier: MIT
#pragma once
#include <ostream>
#include <string>

namespace rigor::cli {

struct InfoArguments {
  std::string path;
  bool json = false;
  bool model = false;  ///< Of a record: its canonical model, one strict JSON object, and nothing else.
  std::string reach;   ///< Empty, or the CSV file that gets the bounds of where bodies can be (record/reach.h).
};

/// `rigor info`: what a record holds. A few lines for a person, or one JSON object, to `out`: version, scene, seed,
/// status, time [s], branches, pieces, events, bodies, and after these message, witnesses, impacts, min_gap [m],
/// record, leaves (each with branch, weight, modes, time, status, ends: the poses of moving bodies).
/// @returns 0, or 3 if the file is no readable record.
int infoCommand(const InfoArguments& arguments, std::ostream& out, std::ostream& err);

}  // namespace rigor::cli
