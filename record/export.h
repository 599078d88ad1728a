// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "record/reader.h"

namespace rigor::record {

/// Thrown when the output cannot be written; what() names it and the reason.
struct ExportError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Exports take one branch, or all for an empty `branch`. A branch's rows start at its fork. All throw RecordError for
/// a record that cannot be read and ExportError for an output that cannot be written. Existing files are replaced.

/// Writes FOLDER/states.csv, events.csv, impacts.csv and joints.csv; the folder is created. Doubles in shortest
/// round-trip form, bodies by name.
///
/// states.csv: every moving body at every time at which a step of the branch starts, and at its end; at an impact a row
/// before and one after for each of its bodies. Position and velocity of the body ORIGIN, world; the quaternion as
/// published, not normalised. impacts.csv: a row a contact. joints.csv: a row a step and coordinate of a robot.
void exportCsv(Reader& reader, const std::string& folder, const std::string& branch);

/// One HDF5 file: /branches/ID/bodies/NAME/{time, position, orientation, velocity, angular_velocity} with the same rows
/// as states.csv, /branches/ID/events and /branches/ID/impacts as tables, the scene and its figures as attributes.
void exportHdf5(Reader& reader, const std::string& path, const std::string& branch);

/// glTF 2.0: one file `path` (.glb: binary; else JSON with embedded data): a node and mesh a body, an animation of the
/// whole path from the start through the ancestors of `branch` (empty: the first leaf), sampled at every step and at
/// least 60 times a second. Half-spaces become square plates.
void exportGltf(Reader& reader, const std::string& path, const std::string& branch);

/// Calls `use` for each row of states.csv, in order of time, then body; `after_impact` marks the second row at an
/// impact.
void forEachState(Reader& reader, const std::string& branch,
                  const std::function<void(double time, int body, const BodyState& state, bool after_impact)>& use);

}  // namespace rigor::record
