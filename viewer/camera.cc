// SPDX-License-Identifier: MIT
#include "viewer/camera.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace rigor::viewer {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kHighest = kPi / 2;          ///< Looking straight down is allowed: the axes below stay defined.
constexpr double kNearest = 1e-10, kFarthest = 1e8;  ///< Limits of the distance [m].

}  // namespace

void Camera::orbit(double dx, double dy, double height) {
  azimuth -= kPi * dx / height;
  azimuth = std::remainder(azimuth, 2 * kPi);
  elevation = std::clamp(elevation + kPi * dy / height, -kHighest, kHighest);
}

void Camera::pan(double dx, double dy, double height, bool horizontal) {
  const double metres = metresPerPixel(distance, height);
  if (horizontal) {
    // Away from the eye along the ground; straight from above that is the screen's up.
    const Eigen::Vector3d ahead{-std::cos(azimuth), -std::sin(azimuth), 0};
    target += metres * (-dx * right() + dy * ahead);
  } else {
    target += metres * (-dx * right() + dy * up());
  }
}

void Camera::zoom(double amount) { distance = std::clamp(distance * std::exp(-amount), kNearest, kFarthest); }

void Camera::look(StandardView view) {
  constexpr double kIsometric = 0.6154797086703873;  // atan(1/sqrt 2)
  switch (view) {
    case StandardView::kFront:
      azimuth = -kPi / 2, elevation = 0;
      break;
    case StandardView::kBack:
      azimuth = kPi / 2, elevation = 0;
      break;
    case StandardView::kLeft:
      azimuth = kPi, elevation = 0;
      break;
    case StandardView::kRight:
      azimuth = 0, elevation = 0;
      break;
    case StandardView::kTop:
      azimuth = -kPi / 2, elevation = kHighest;
      break;
    case StandardView::kBottom:
      azimuth = -kPi / 2, elevation = -kHighest;
      break;
    case StandardView::kIsometric:
      azimuth = -kPi / 4, elevation = kIsometric;
      break;
  }
}

void Camera::fit(const Eigen::Vector3d& centre, double radius, double aspect) {
  target = centre;
  const double half = std::atan(std::tan(field_of_view / 2) * std::min(1.0, aspect));
  distance = std::clamp(radius / std::sin(half), kNearest, kFarthest);
}

void Camera::fit(const Eigen::AlignedBox3d& box, double aspect) {
  target = box.center();
  const double high = std::tan(field_of_view / 2), wide = high * aspect;
  double least = kNearest;
  for (int i = 0; i < 8; ++i) {
    const Eigen::Vector3d corner = box.corner(static_cast<Eigen::AlignedBox3d::CornerType>(i)) - target;
    // Nearer corners look larger, but for an orthographic view.
    const double nearer = orthographic ? 0 : corner.dot(backward());
    least =
        std::max({least, nearer + std::abs(corner.dot(up())) / high, nearer + std::abs(corner.dot(right())) / wide});
  }
  distance = std::min(least, kFarthest);
}

Eigen::Vector3d Camera::backward() const {
  const double c = std::cos(elevation);
  return {c * std::cos(azimuth), c * std::sin(azimuth), std::sin(elevation)};
}

Eigen::Vector3d Camera::right() const { return {-std::sin(azimuth), std::cos(azimuth), 0}; }

Eigen::Vector3d Camera::up() const { return backward().cross(right()); }

double Camera::farPlane() const { return distance * 40 + far_extent * 4; }

Eigen::Matrix4d Camera::viewMatrix() const {
  Eigen::Matrix4d view = Eigen::Matrix4d::Identity();
  view.block<1, 3>(0, 0) = right();
  view.block<1, 3>(1, 0) = up();
  view.block<1, 3>(2, 0) = backward();
  view(2, 3) = -distance;
  return view;
}

Eigen::Matrix4d Camera::projectionMatrix(double aspect) const {
  const double near = nearPlane(), far = farPlane();
  Eigen::Matrix4d projection = Eigen::Matrix4d::Zero();
  const double t = std::tan(field_of_view / 2);
  if (orthographic) {
    const double h = distance * t;
    // The eye is a convention here: what is behind it is seen, too.
    projection(0, 0) = 1 / (h * aspect);
    projection(1, 1) = 1 / h;
    projection(2, 2) = -1 / far;
    projection(2, 3) = -distance / far;
    projection(3, 3) = 1;
  } else {
    projection(0, 0) = 1 / (t * aspect);
    projection(1, 1) = 1 / t;
    projection(2, 2) = -(far + near) / (far - near);
    projection(2, 3) = -2 * far * near / (far - near);
    projection(3, 2) = -1;
  }
  return projection;
}

ScreenPoint Camera::project(const Eigen::Vector3d& world, double width, double height) const {
  const Eigen::Vector3d offset = world - target;
  const Eigen::Vector3d eye{right().dot(offset), up().dot(offset), backward().dot(offset) - distance};
  const double depth = -eye[2];
  const double scale = height / 2 / std::tan(field_of_view / 2) / (orthographic ? distance : depth);
  return {{width / 2 + scale * eye[0], height / 2 - scale * eye[1]}, depth};
}

Ray Camera::rayThrough(double x, double y, double width, double height) const {
  const double t = std::tan(field_of_view / 2) / (height / 2);
  const double dx = (x - width / 2) * t, dy = (height / 2 - y) * t;
  if (orthographic)
    return {target + distance * (dx * right() + dy * up()) + farPlane() / 2 * backward(), -backward()};
  return {eye(), (dx * right() + dy * up() - backward()).normalized()};
}

double Camera::metresPerPixel(double depth, double height) const {
  return 2 * std::tan(field_of_view / 2) * (orthographic ? distance : depth) / height;
}

}  // namespace rigor::viewer
