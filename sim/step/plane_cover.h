// SPDX-License-Identifier: MIT
#pragma once
#include <span>
#include <vector>

#include "advance/gap_polynomial.h"
#include "sim/step/levels.h"
#include "sim/step/step_context.h"

namespace rigor::sim {

/// Keeps a moving part off many parts of a fixed body by a few planes: what lies below a plane that the part stays
/// above is as far from it as the plane is. So a body over terrain costs a few planes, however fine the terrain is.
///
/// Planes are those that held in the step before (TreeField::planes), then such as part the two in the middle of the
/// motion, which is StepContext::pieces.
class PlaneCover {
 public:
  struct Covered {
    int part;   ///< Among all parts.
    int plane;  ///< Of TreeField::planes.
    double gap; ///< Proved [m]; of prove() alone.
  };
  explicit PlaneCover(StepContext& context) : x_(context) {}

  /// Of the parts of the field's body in `found` (numbers from 0 on), those with which nothing happens: every point of
  /// the field's part stays above their plane by its level. @post covered(), left()
  void findClear(TreeField& field, std::span<const int> found, const Levels& levels);
  /// Those that it keeps off by at least `floor` [m], proved as certify() does. @post covered(), left()
  void prove(TreeField& field, std::span<const int> found, double floor);

  std::span<const Covered> covered() const { return covered_; }
  std::span<const int> left() const { return left_; }  ///< Among all parts, ascending.

 private:
  /// The motion over one plane; heights along its normal over the origin of the fixed body [m].
  struct Plane {
    Eigen::Vector3d normal;
    double start = 0;   ///< Of the part's lowest point at the start.
    double proved = 0;  ///< That it is proved to stay above.
  };
  void begin(const TreeField& field, std::span<const int> found);
  Plane planeOf(const Eigen::Vector3d& normal);
  advance::FaceGap gapOver(const Eigen::Vector3d& normal, double height);
  template <typename Reached>
  void cover(TreeField& field, double least, const Reached& reached);
  template <typename Reached>
  bool propose(TreeField& field, const Reached& reached);
  bool normalOf(int part, int kind, Eigen::Vector3d& normal) const;
  bool staysOver(const TreeField& field, const Eigen::Vector3d& normal, double height, const Levels& levels);
  bool isHeld(const TreeField& field, const Eigen::Vector3d& normal, int vertex) const;

  StepContext& x_;
  geom::Shape below_ = geom::HalfSpace{};  // What lies under the plane at hand.
  advance::MovingPart still_, moving_;
  advance::PiecePolynomials still_motion_;
  geom::Pose still_pose_, start_, middle_, end_;  // Of the origins: the fixed body's, and the part's body's.
  std::vector<Covered> covered_;
  std::vector<int> left_, alone_;
  std::vector<double> heights_;  // Of left_ along the plane at hand.
};

}  // namespace rigor::sim
