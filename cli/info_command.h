// SPDX-License-Identifier: MIT
#pragma once
#include <ostream>
#include <string>

namespace rigor::cli {

struct InfoArguments {
  std::string path;
  bool json = false;
  bool model = false;  ///< Of a record: its canonical model, one strict JSON object, and nothing else.
};

/// `rigor info`: what a record holds. A few lines for a person, or one JSON object, to `out`: version, scene, seed,
/// status, time [s], branches, pieces, events, bodies, and after these message, witnesses, impacts, min_gap [m],
/// record.
/// @returns 0, or 3 if the file is no readable record.
int infoCommand(const InfoArguments& arguments, std::ostream& out, std::ostream& err);

}  // namespace rigor::cli
