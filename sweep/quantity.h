// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "sim/simulation.h"
#include "sim/sink.h"
#include "sim/world.h"

namespace rigor::sweep {

/// What is kept of a run: the last motion of each body, and the summary.
class RunOutcome : public sim::Sink {
 public:
  explicit RunOutcome(const sim::Scene& scene);

  void piece(const sim::PieceRecord& record) override;

  const Eigen::Vector3d& gravity() const { return gravity_; }
  /// Pose of the body origin and velocities (v of the origin, w) at the end [m, m/s, rad/s].
  geom::Pose pose(int body) const;
  Eigen::Matrix<double, 6, 1> velocity(int body) const;
  /// When the last motion ended [s]; NaN where something still moves at the end.
  double restTime() const;

  sim::Summary summary;

 private:
  struct Last {
    Eigen::Vector3d arm{0, 0, 0};  ///< Of the centre, body frame.
    geom::Pose centre;             ///< Pose with p that of the body's centre.
    Eigen::Vector3d v{0, 0, 0}, w{0, 0, 0};
    double moved_until = 0;
    bool moves = false;
  };
  Eigen::Vector3d gravity_;  // The scene may be gone when results are asked for.
  std::vector<Last> last_;
};

/// A column, or a few, of a sweep's results.
///
///   BODY.position, BODY.orientation, BODY.velocity, BODY.angular_velocity   at the end, of the body origin
///   BODY.face_up                                        of a box: the face that looks up, 1 to 6 as on a die; 0: none
///   time, rest_time, energy, energy_initial, max_energy_increase, min_gap, steps, impacts, manifold_changes,
///   contacts_made, contacts_broken
class Quantity {
 public:
  /// @returns empty where the text names no quantity of the scene; `allowed` says what would.
  static bool find(const std::string& name, const sim::Scene& scene, Quantity& quantity, std::string& allowed);

  const std::vector<std::string>& columns() const { return columns_; }
  /// True for whole numbers that are counted rather than averaged: face_up.
  bool isCategory() const { return category_; }
  /// The values, as many as columns; NaN: none.
  void evaluate(const RunOutcome& outcome, std::vector<double>& values) const;

 private:
  int field_ = 0, body_ = -1;
  bool category_ = false;
  std::vector<std::string> columns_;
};

}  // namespace rigor::sweep
