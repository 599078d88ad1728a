// SPDX-License-Identifier: MIT
// Proves: projection, its inverse and the matrices agree; orbit, pan and zoom do what the mouse shows. Oracles: the
// matrices applied by hand, invariants (the target stays in the middle, a dragged point follows the mouse).
#include "viewer/camera.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

namespace rigor::viewer {
namespace {

constexpr double kWidth = 1280, kHeight = 720;

Camera someCamera(bool orthographic) {
  Camera camera;
  camera.target = {1, -2, 0.5};
  camera.azimuth = 0.7;
  camera.elevation = -0.3;
  camera.distance = 4;
  camera.orthographic = orthographic;
  return camera;
}

TEST(Camera, ProjectionAgreesWithTheMatrices) {
  for (const bool orthographic : {false, true}) {
    const Camera camera = someCamera(orthographic);
    const Eigen::Matrix4d clip = camera.projectionMatrix(kWidth / kHeight) * camera.viewMatrix();
    for (int i = 0; i < 50; ++i) {
      const Eigen::Vector3d world = camera.target + Eigen::Vector3d(std::sin(i), std::cos(2 * i), std::sin(3 * i));
      const Eigen::Vector4d c = clip * (world - camera.target).homogeneous();
      const ScreenPoint point = camera.project(world, kWidth, kHeight);
      EXPECT_NEAR(point.pixel[0], (c[0] / c[3] + 1) / 2 * kWidth, 1e-9);
      EXPECT_NEAR(point.pixel[1], (1 - c[1] / c[3]) / 2 * kHeight, 1e-9);
      EXPECT_LT(std::abs(c[2] / c[3]), 1);
      // The ray through that pixel passes the point.
      const Ray ray = camera.rayThrough(point.pixel[0], point.pixel[1], kWidth, kHeight);
      EXPECT_LT((world - ray.from).cross(ray.direction).norm(), 1e-12);
      EXPECT_GT((world - ray.from).dot(ray.direction), 0);
    }
  }
}

TEST(Camera, DraggedPointsFollowTheMouse) {
  for (const bool orthographic : {false, true}) {
    Camera camera = someCamera(orthographic);
    const Eigen::Vector3d world = camera.target;
    camera.pan(30, -12, kHeight);
    const ScreenPoint point = camera.project(world, kWidth, kHeight);
    EXPECT_NEAR(point.pixel[0], kWidth / 2 + 30, 1e-9);
    EXPECT_NEAR(point.pixel[1], kHeight / 2 - 12, 1e-9);
    const double height = camera.target[2];
    camera.pan(5, 9, kHeight, true);
    EXPECT_EQ(camera.target[2], height);
  }
}

TEST(Camera, OrbitTurnsAboutTheTargetAndStopsAtThePoles) {
  Camera camera = someCamera(false);
  camera.orbit(100, 5000, kHeight);
  EXPECT_DOUBLE_EQ(camera.elevation, std::numbers::pi / 2);
  EXPECT_NEAR((camera.eye() - camera.target).norm(), 4, 1e-12);
  EXPECT_NEAR(camera.up().dot(camera.backward()), 0, 1e-12);
  EXPECT_NEAR(camera.right().cross(camera.up()).dot(camera.backward()), 1, 1e-12);
  camera.zoom(1000);
  EXPECT_GT(camera.distance, 0);
}

TEST(Camera, StandardViewsLookAlongTheAxes) {
  Camera camera;
  const std::pair<StandardView, Eigen::Vector3d> views[] = {
      {StandardView::kFront, {0, -1, 0}}, {StandardView::kBack, {0, 1, 0}}, {StandardView::kRight, {1, 0, 0}},
      {StandardView::kLeft, {-1, 0, 0}},  {StandardView::kTop, {0, 0, 1}},  {StandardView::kBottom, {0, 0, -1}}};
  for (const auto& [view, direction] : views) {
    camera.look(view);
    EXPECT_LT((camera.backward() - direction).norm(), 1e-12);
  }
  camera.look(StandardView::kTop);  // North is up, east is right, as on a map.
  EXPECT_LT((camera.up() - Eigen::Vector3d(0, 1, 0)).norm(), 1e-12);
}

TEST(Camera, FitShowsTheWholeBoxAndNoMore) {
  const Eigen::AlignedBox3d box(Eigen::Vector3d(-0.1, 2, 0), Eigen::Vector3d(3, 2.4, 0.5));
  for (const double aspect : {0.5, 1.0, 2.4})
    for (const StandardView look : {StandardView::kFront, StandardView::kTop, StandardView::kIsometric})
      for (const bool orthographic : {false, true}) {
        Camera camera;
        camera.orthographic = orthographic;
        camera.look(look);
        camera.fit(box, aspect);
        double reach = 0;  // 1 at the edge.
        for (int i = 0; i < 8; ++i) {
          const ScreenPoint p =
              camera.project(box.corner(static_cast<Eigen::AlignedBox3d::CornerType>(i)), 1000 * aspect, 1000);
          reach = std::max({reach, std::abs(p.pixel[0] / (500 * aspect) - 1), std::abs(p.pixel[1] / 500 - 1)});
        }
        EXPECT_NEAR(reach, 1, 1e-9) << aspect << orthographic;
      }
}

TEST(Camera, FitShowsTheWholeSphere) {
  for (const double aspect : {0.5, 1.0, 2.0}) {
    Camera camera;
    camera.fit({1, 2, 3}, 0.7, aspect);
    for (int i = 0; i < 100; ++i) {
      const Eigen::Vector3d d = Eigen::Vector3d(std::sin(7 * i), std::cos(3 * i), std::sin(5 * i + 1)).normalized();
      const ScreenPoint p = camera.project(camera.target + 0.7 * d, 1000 * aspect, 1000);
      EXPECT_GE(p.pixel[0], -1e-9);
      EXPECT_LE(p.pixel[0], 1000 * aspect + 1e-9);
      EXPECT_GE(p.pixel[1], -1e-9);
      EXPECT_LE(p.pixel[1], 1000 + 1e-9);
    }
  }
}

}  // namespace
}  // namespace rigor::viewer
