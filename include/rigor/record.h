// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "rigor/types.h"

namespace rigor {

struct RecordInfo {
  std::string build, scene, status, message, scene_text, options, model, summary;
  std::uint64_t seed = 0;
  double until = 0, gap_nominal = 0, gap_floor = 0;
};

struct Branch {
  std::string id, parent;  ///< Paths: "0", "0/2"; no parent: empty.
  double fork_time = 0, end_time = 0, min_gap = 0, weight = 1;
  std::string status, choice;
};

/// A coordinate of a robot at the start of a step. A joint that follows another stands after it, with effort 0.
struct JointSample {
  double time = 0;
  std::string joint;
  double position = 0, velocity = 0, effort = 0;
};

/// What sensors on a robot's link say at an instant. Those of contact are means over the time since the instant before:
/// their sum times that time is all that acted, impacts included.
struct SensorSample {
  double time = 0;
  bool touches = false;       ///< A contact acted on the link since the instant before.
  Vector3 force{}, torque{};  ///< Of its contacts, world, about the link's origin [N], [N m].
  Vector3 specific_force{},
      angular_velocity{};  ///< An IMU at its origin, link axes: acceleration - gravity [m/s^2], [rad/s].
};

/// A record file, opened to be read; also one that is being written. Everything wrong with a file throws InputError.
/// One thread an object.
class Record {
 public:
  explicit Record(const std::string& path);
  ~Record();
  Record(Record&&) noexcept;

  const std::string& path() const;
  const RecordInfo& info() const;
  std::vector<Branch> branches() const;
  std::vector<std::string> bodies() const;
  /// Of the published motion, not of interpolated samples: a row of 7 a time, position [m] and quaternion [w x y z] of
  /// the origin, as published. Times before the branch's fork are looked up in its ancestors. O(log n) a time, less
  /// where times ascend.
  /// @param rows  times.size() * 7 numbers. @throws InputError for times that are not recorded.
  void poses(const std::string& body, std::span<const double> times, const std::string& branch, double* rows) const;
  /// The same: 6 a time, velocity of the origin [m/s] and angular velocity [rad/s]; where velocities jump, after the
  /// jump.
  void velocities(const std::string& body, std::span<const double> times, const std::string& branch,
                  double* rows) const;
  /// Of the branch alone, from its fork on.
  std::vector<Event> events(const std::string& branch = "0") const;
  std::vector<Impact> impacts(const std::string& branch = "0") const;
  std::vector<JointSample> joints(const std::string& branch = "0") const;
  /// At ascending times of the branch. Where two steps meet the IMU says what was before. The specific force is that of
  /// the published cubics: of second order in their length. @throws InputError for times that are not recorded.
  std::vector<SensorSample> sensors(const std::string& link, std::span<const double> times,
                                    const std::string& branch = "0") const;
  /// What contacts did over the steps that hold `time`. Empty where nothing touches, or the record does not say what
  /// acted.
  std::vector<Contact> contacts(double time, const std::string& branch = "0") const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rigor
