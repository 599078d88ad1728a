// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "sim/step/end_placement.h"

namespace rigor::sim {

enum class Published {
  kDone,     ///< StepContext::pieces and motion are the trial's.
  kTooLong,  ///< The step must shrink by StepContext::shrink: a lift or the links' distance from their joints is too
             ///< large.
};

/// Makes published motions of trials.
class Publisher {
 public:
  explicit Publisher(StepContext& context) : x_(context) {}

  /// Cubic Hermite pieces between the two ends, lifted where held contacts would dip below the nominal gap.
  [[nodiscard]] Published publish(const Trial& trial);
  /// The same as they are: no contact is looked at.
  void publishRaw(const Trial& trial);
  /// Control points alone.
  void hermitePieces(const Trial& trial);
  /// Prepares pieces that someone else has made.
  void publishMotion();
  /// That nothing moves until t1.
  void stayUntil(double t1);
  /// Whether links follow their robots' joint motion to within `joint_fit`. If not, StepContext::shrink says by how
  /// much to shrink.
  [[nodiscard]] bool fitsJoints(const Trial& trial);
  /// Up to which length a step is expected to fit, where one of length h was published last [s]. Infinite without
  /// robots, and where the fit says nothing of that.
  double fittingLength(double h) const;
  /// Whether publish() raised a contact that dips.
  bool lifts() const { return lifts_; }

 private:
  Published liftDips();
  bool staysAtTurningContacts(const Trial& trial);
  double deficit(const Contact& contact, Eigen::Vector3d& normal) const;
  void raise(const Contact& contact, double u, double lift, const Eigen::Vector3d& normal);

  StepContext& x_;
  double fit_ = 0;
  bool lifts_ = false;
  SystemState between_;
  std::vector<geom::Pose> poses_, end_poses_;
};

/// Poses of all pieces at the share u of the step, quaternions as they come.
void posesAt(const std::vector<advance::MotionPiece>& pieces, double u, std::vector<geom::Pose>& poses);
/// Gap of a contact's feature with the group's bodies at `poses`, by slot, and its normal.
double contactGapAt(const StepContext& context, const Contact& contact, const std::vector<geom::Pose>& poses,
                    Eigen::Vector3d* normal);

}  // namespace rigor::sim
