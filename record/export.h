// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "formats/file_error.h"
#include "record/reader.h"

namespace rigor::record {

/// Thrown when the output cannot be written; what() names it and the reason.
using ExportError = formats::FileError;

/// The instants at which states are exported. By default every time at which a step of the branch starts, and its end.
struct ExportTimes {
  double rate = 0;         ///< > 0: at k / rate for whole numbers k [1/s].
  std::vector<double> at;  ///< Not empty: at these, ascending [s].

  bool everyStep() const { return rate == 0 && at.empty(); }
  /// Those in [from, to]. @pre not everyStep().
  std::vector<double> within(double from, double to) const;
};

/// Exports take one branch, or all for an empty `branch`. A branch's rows start at its fork. All throw RecordError for
/// a record that cannot be read and ExportError for an output that cannot be written. Existing files are replaced.

/// Writes FOLDER/states.csv, events.csv, impacts.csv, contacts.csv, joints.csv, branches.csv and leaves.csv, of robots
/// also sensors.csv; the folder is created. Doubles in shortest round-trip form, bodies by name.
///
/// states.csv: every moving body at `times`; at an impact a row before and one after for each of its bodies. Position
/// and velocity of the body ORIGIN, world; the quaternion as published, not normalised. impacts.csv: a row a contact.
/// joints.csv: a row a time and coordinate of a robot. branches.csv: a row a branch. leaves.csv: a row a leaf and
/// moving body, its state at the end (leaves.h). sensors.csv: record/sensors.h.
void exportCsv(Reader& reader, const std::string& folder, const std::string& branch, const ExportTimes& times = {});

/// One HDF5 file: /branches/ID/bodies/NAME/{time, position, orientation, velocity, angular_velocity} with the same rows
/// as states.csv, /branches/ID/events, impacts, joints, contacts and sensors and /leaves as tables, the scene and its
/// figures as attributes.
void exportHdf5(Reader& reader, const std::string& path, const std::string& branch, const ExportTimes& times = {});

/// glTF 2.0: one file `path` (.glb: binary; else JSON with embedded data): a node and mesh a body, an animation of the
/// whole path from the start through the ancestors of `branch` (empty: the first leaf), sampled at every step and at
/// least 60 times a second. Half-spaces become square plates.
void exportGltf(Reader& reader, const std::string& path, const std::string& branch);

/// One page that shows the run in a browser, without network: bodies, time, branches, events. It holds the published
/// pieces in single precision, and evaluates them. Of one branch with its ancestors, or all.
void exportHtml(Reader& reader, const std::string& path, const std::string& branch);

/// Calls `use` for each row of states.csv, in order of time, then body; `after_impact` marks the second row at an
/// impact. States between the ends of a piece are evaluated on it, not interpolated.
void forEachState(Reader& reader, const std::string& branch,
                  const std::function<void(double time, int body, const BodyState& state, bool after_impact)>& use,
                  const ExportTimes& times = {});

/// Calls `use` for each row of joints.csv, in order of time. As recorded at the start of each step, and evaluated from
/// the links' motions at the branch's end; or evaluated at `times`. At an impact: after it. The effort is the
/// actuator's over the step. Joints that follow others have rows after their leaders' (Followers).
void forEachJointState(Reader& reader, const std::string& branch, const std::function<void(const JointRow&)>& use,
                       const ExportTimes& times = {});

/// Empty for no body (-1).
std::string bodyName(const Reader& reader, int body);

}  // namespace rigor::record
