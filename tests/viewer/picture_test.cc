// SPDX-License-Identifier: MIT
// Proves: pictures have the asked size and show what must be visible. Oracle: the camera's own projection says at which
// pixel a body's surface is; its colour must be there, in its hue, and not where the body is not. Skipped, and said so,
// where no OpenGL is to be had.
#include "viewer/window/picture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/viewer/branching_record.h"

namespace rigor::viewer {
namespace {

/// Hue as the direction of (r, g, b) minus its grey part; small for greys.
Eigen::Vector3d hue(double r, double g, double b) {
  const double grey = std::min({r, g, b});
  return {r - grey, g - grey, b - grey};
}

bool looksLike(const Image& image, double x, double y, const Color& color) {
  const auto* p = image.at(static_cast<int>(x), static_cast<int>(y));
  const Eigen::Vector3d seen = hue(p[0], p[1], p[2]), expected = hue(color.r, color.g, color.b);
  return seen.norm() > 50 && seen.normalized().dot(expected.normalized()) > 0.97;
}

sim::Scene threeCubes() {
  sim::Scene scene;
  scene.name = "three";
  scene.bodies = {synthetic::fixedPlane("table")};
  for (int i = 0; i < 3; ++i) {
    scene.bodies.push_back(synthetic::cube("cube" + std::to_string(i), 0.1));
    scene.bodies.back().pose.p = {0.25 * (i - 1), 0.1 * i, 0.06 + 0.1 * i};
    scene.bodies.back().pose.q = {1, 0.2 * i, 0.1, -0.3};
  }
  return scene;
}

#define PICTURE_OR_SKIP(maker, model)                           \
  std::unique_ptr<PictureMaker> maker;                          \
  try {                                                         \
    maker = std::make_unique<PictureMaker>(model);              \
  } catch (const DisplayError& error) {                         \
    GTEST_SKIP() << "no OpenGL on this machine: " << error.what(); \
  }

TEST(Picture, BodiesAreSeenWhereTheyAre) {
  const auto model = RunModel::fromScene(threeCubes());
  PICTURE_OR_SKIP(maker, *model);
  for (const bool orthographic : {false, true})
    for (const bool dark : {false, true})
      for (const auto& [width, height] : {std::pair{640, 480}, {301, 517}, {1, 1}}) {
        View view;
        view.dark = dark;
        view.camera.orthographic = orthographic;
        maker->frame(view, width, height);
        const Image image = maker->render(view, {}, width, height);
        ASSERT_EQ(image.width, width);
        ASSERT_EQ(image.height, height);
        ASSERT_EQ(image.rgba.size(), 4u * width * height);
        if (width == 1) continue;
        for (int b = 1; b <= 3; ++b) {
          const ScreenPoint at = view.camera.project(model->bodies()[b].centre + threeCubes().bodies[b].pose.p, width, height);
          EXPECT_TRUE(looksLike(image, at.pixel[0], at.pixel[1], bodyColor(b - 1, false)))
              << b << ' ' << orthographic << dark << ' ' << width << 'x' << height;
        }
        for (const int x : {1, width - 2})
          for (int b = 0; b < 3; ++b) EXPECT_FALSE(looksLike(image, x, 1, bodyColor(b, false)));
        for (std::size_t i = 3; i < image.rgba.size(); i += 4) ASSERT_EQ(image.rgba[i], 255);
      }
}

TEST(Picture, TransparentPicturesHaveNoBackground) {
  const auto model = RunModel::fromScene(threeCubes());
  PICTURE_OR_SKIP(maker, *model);
  View view;
  view.transparent = true;
  maker->frame(view, 320, 240);
  const Image image = maker->render(view, {}, 320, 240);
  EXPECT_EQ(image.at(1, 1)[3], 0);
  const ScreenPoint at = view.camera.project(threeCubes().bodies[2].pose.p, 320, 240);
  EXPECT_EQ(image.at(static_cast<int>(at.pixel[0]), static_cast<int>(at.pixel[1]))[3], 255);
}

TEST(Picture, ContactMarksAreDrawnAtTheContacts) {
  sim::Scene scene;
  scene.name = "resting";
  scene.bodies = {synthetic::fixedPlane("table"), synthetic::cube("die", 0.1)};
  scene.bodies[1].pose.p = {0, 0, 0.05 + 1e-8};
  const auto model = RunModel::fromScene(scene);
  PICTURE_OR_SKIP(maker, *model);
  View view;
  view.set(Overlay::kContacts, true);
  maker->frame(view, 640, 480);
  const Image image = maker->render(view, {}, 640, 480);
  for (const double x : {-0.05, 0.05})
    for (const double y : {-0.05, 0.05}) {
      const ScreenPoint at = view.camera.project({x, y, 0}, 640, 480);
      EXPECT_TRUE(looksLike(image, at.pixel[0], at.pixel[1], lightTheme().contact)) << x << ' ' << y;
    }
}

TEST(Picture, ACornerIsSeenAtTheGapOfTenNanometres) {
  // The eye is 100 nm from a corner: single precision in world coordinates could not place it.
  sim::Scene scene;
  scene.name = "near";
  scene.bodies = {synthetic::fixedPlane("table"), synthetic::cube("die", 0.1)};
  scene.bodies[1].pose.p = {0.3, 0.7, 0.05 + 1e-8};
  const auto model = RunModel::fromScene(scene);
  PICTURE_OR_SKIP(maker, *model);
  View view;
  view.set(Overlay::kShadow, false);
  view.camera.orthographic = true;
  view.camera.look(StandardView::kFront);
  view.camera.target = {0.35, 0.65, 1e-8};
  view.camera.distance = 1e-7;
  const Image image = maker->render(view, {}, 400, 400);
  const auto seen = [&](double dx, double dz) {
    const ScreenPoint at = view.camera.project(view.camera.target + Eigen::Vector3d(dx, 0, dz), 400, 400);
    return looksLike(image, at.pixel[0], at.pixel[1], bodyColor(0, false));
  };
  EXPECT_TRUE(seen(-1e-8, 5e-9));
  EXPECT_FALSE(seen(5e-9, 5e-9));   // Right of the corner.
  EXPECT_FALSE(seen(-1e-8, -5e-9)); // In the gap.
}

TEST(Picture, TooLargePicturesAreRefused) {
  const auto model = RunModel::fromScene(threeCubes());
  PICTURE_OR_SKIP(maker, *model);
  EXPECT_THROW(maker->render({}, {}, 1 << 20, 10), std::runtime_error);
}

}  // namespace
}  // namespace rigor::viewer
