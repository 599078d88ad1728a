// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <Eigen/Geometry>
#include <array>

namespace rigor::viewer {

enum class StandardView { kFront, kBack, kLeft, kRight, kTop, kBottom, kIsometric };

/// A point on the screen: pixels from the upper left corner, and how far in front of the eye.
struct ScreenPoint {
  Eigen::Vector2d pixel{0, 0};
  double depth = 0;  ///< Along the view [m]; <= 0: behind the eye.
};

struct Ray {
  Eigen::Vector3d from, direction;  ///< World; direction is a unit vector.
};

/// A camera that looks at a target from a distance, z up: the habits of MuJoCo. Matrices are relative to `target`
/// (world point p is drawn at p - target), so that scenes keep their precision however far one zooms in.
class Camera {
 public:
  Eigen::Vector3d target{0, 0, 0};  ///< Looked at [m].
  double azimuth = -2.2;            ///< Direction from the target to the eye about z, from +x [rad].
  double elevation = 0.42;          ///< Above the horizon [rad], within +-pi/2.
  double distance = 3;              ///< From eye to target [m].
  double field_of_view = 0.72;      ///< Vertical [rad].
  bool orthographic = false;

  /// Turns by a drag of (dx, dy) pixels in a window `height` pixels high: half a turn per height, as MuJoCo does.
  void orbit(double dx, double dy, double height);
  /// Moves the target with the mouse, in the plane of the screen; `horizontal` keeps its height and moves on the
  /// ground.
  void pan(double dx, double dy, double height, bool horizontal = false);
  /// Brings the eye nearer by the factor exp(-amount); `pixel_ray` keeps the world point under the mouse in place.
  void zoom(double amount);
  void look(StandardView view);
  /// The whole sphere in view.
  void fit(const Eigen::Vector3d& centre, double radius, double aspect);
  /// The whole box in view, as large as that allows.
  void fit(const Eigen::AlignedBox3d& box, double aspect);

  Eigen::Vector3d eye() const { return target + distance * backward(); }
  Eigen::Vector3d backward() const;  ///< Unit, from the target to the eye.
  Eigen::Vector3d right() const;
  Eigen::Vector3d up() const;

  /// Points relative to the target -> eye space; eye space -> clip space (OpenGL's, depth -1 to 1).
  Eigen::Matrix4d viewMatrix() const;
  Eigen::Matrix4d projectionMatrix(double aspect) const;
  double nearPlane() const { return distance * 0.02; }
  double farPlane() const;
  double far_extent = 0;  ///< Radius around the target that must stay visible [m].

  ScreenPoint project(const Eigen::Vector3d& world, double width, double height) const;
  Ray rayThrough(double x, double y, double width, double height) const;
  /// Metres per pixel at a depth.
  double metresPerPixel(double depth, double height) const;

  friend bool operator==(const Camera&, const Camera&) = default;
};

}  // namespace rigor::viewer
