// SPDX-License-Identifier: MIT
#pragma once
#include <cmath>
#include <optional>
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
/// motion, which is StepContext::pieces. Where the part turns, a plane that stays keeps off only what is far enough
/// below; planes that move with the part (TreeField::own) keep off what is near it. Their polynomials are the same for
/// all points below them, up to coefficients that are linear in the point.
class PlaneCover {
 public:
  struct Covered {
    int part;            ///< Among all parts.
    size_t plane = 0;    ///< Of TreeField::planes,
    bool moves = false;  ///< or of TreeField::own.
    double gap = 0;      ///< Proved [m]; of prove() alone.
  };
  explicit PlaneCover(StepContext& context) : x_(context) {}

  /// Of the parts of the field's body that meet `box`, those with which something may happen: every point of the
  /// field's part stays above a plane over the others, by its level. @post left()
  void findClear(TreeField& field, const Eigen::AlignedBox3d& box, const Levels& levels);
  /// Those that it keeps off by at least `floor` [m], proved as certify() does. @post covered(), left()
  void prove(TreeField& field, const Eigen::AlignedBox3d& box, double floor);

  std::span<const Covered> covered() const { return covered_; }  ///< By plane.
  std::span<const int> left() const { return left_; }  ///< Among all parts, ascending.

 private:
  /// The motion over one plane that stays; heights along its normal over the origin of the fixed body [m].
  struct Plane {
    Eigen::Vector3d normal, world;  ///< The same in the world.
    double proved = -HUGE_VAL;      ///< That it is proved to stay above.
    double covers = -HUGE_VAL;      ///< Up to here.
  };
  /// One that moves with the part, and what it comes to at both ends of the motion, for points in the world:
  /// N = base + row.x.
  struct OwnPlane {
    advance::FaceGap gap;
    Eigen::Vector3d row[2];
    double base[2];
  };
  void begin(const TreeField& field);
  void walk(const TreeField& field, const Eigen::AlignedBox3d& box);
  void coverLeft(TreeField& field);
  const Plane& plane(const TreeField& field, size_t number);
  const OwnPlane& own(const TreeField& field, size_t number);
  Plane planeOf(const TreeField& field, const Eigen::Vector3d& normal);
  void note(const Covered& covered);
  bool isCovered(const TreeField& field, int part, size_t number, bool moves);
  bool isCovered(const TreeField& field, int part);
  bool isBoxCovered(const TreeField& field, const Eigen::AlignedBox3d& box);
  bool isUnder(const TreeField& field, Covered& covered);
  advance::FaceGap gapOver(const Eigen::Vector3d& normal, double height);
  advance::FaceGap gapUnder(const TreeField& field, const Eigen::Vector3d& own);
  double gapUnder(const advance::FaceGap& gap, int part) const;
  bool staysUnder(const advance::FaceGap& gap, int part) const;
  double least() const;
  bool propose(TreeField& field);
  struct Proposed {
    Eigen::Vector3d normal;
    bool moves;
  };
  bool normalOf(int part, int kind, Proposed& proposed) const;
  int touchedPart(const TreeField& field, const Contact& contact) const;
  bool touches(const TreeField& field) const;
  double touched(const TreeField& field, const Eigen::Vector3d& normal, double most) const;
  bool staysOver(const TreeField& field, const Eigen::Vector3d& normal, double height);
  bool isHeld(const TreeField& field, const Eigen::Vector3d& normal, int vertex) const;

  StepContext& x_;
  geom::Shape below_ = geom::HalfSpace{};  // What lies under the plane at hand.
  advance::MovingPart still_, moving_;
  advance::PiecePolynomials still_motion_;
  geom::Pose still_pose_, start_, middle_, end_;  // Of the origins: the fixed body's, and the part's body's.
  Eigen::Matrix3d still_rotation_;
  Eigen::Vector3d start_centre_, end_centre_;  // Of the part's body, in the world.
  std::optional<Levels> levels_;  // Of the search for events; none: the least gap decides.
  double floor_ = 0;              // That gap [m].
  std::vector<Plane> planes_;     // The first of TreeField::planes.
  std::vector<OwnPlane> own_;  // The first of TreeField::own.
  std::vector<std::vector<Covered>> of_plane_, of_own_;
  Covered last_{};  // Its plane is the first that is tried: what comes next lies beside it.
  std::vector<Covered> covered_;
  std::vector<int> left_, alone_;
  Eigen::Matrix3Xd corners_{3, 8};  // Of a box, body frame.
};

}  // namespace rigor::sim
