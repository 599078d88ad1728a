// SPDX-License-Identifier: MIT
// Proves: pictures have the asked size and show what must be visible. Oracle: the camera's own projection says at which
// pixel a body's surface is; its colour must be there, in its hue, and not where the body is not. Skipped, and said so,
// where no OpenGL is to be had. Whole pictures are compared with stored ones (tests/viewer/pictures) by a tolerance
// that drivers' versions need, and that a missing mark exceeds; RIGOR_WRITE_PICTURES=1 writes them anew.
#include "viewer/window/picture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "tests/viewer/branching_record.h"
#include "tests/viewer/png_reader.h"

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
          const ScreenPoint at =
              view.camera.project(model->bodies()[b].centre + threeCubes().bodies[b].pose.p, width, height);
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
      EXPECT_TRUE(looksLike(image, at.pixel[0], at.pixel[1], themeOf(false).contact)) << x << ' ' << y;
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

/// How far two pictures are apart, of 255.
struct Difference {
  double mean = 255;   ///< Of all channels.
  double block = 255;  ///< Of the block of kBlock x kBlock pixels that differs most.
  static constexpr int kBlock = 12;
  /// Rasterisers of other versions differ along edges, by parts of a pixel.
  bool isSmall() const { return mean < 0.6 && block < 12; }
};

Difference compare(const Image& a, const Image& b) {
  if (a.width != b.width || a.height != b.height) return {};
  Difference d{0, 0};
  for (int y0 = 0; y0 < a.height; y0 += Difference::kBlock)
    for (int x0 = 0; x0 < a.width; x0 += Difference::kBlock) {
      double sum = 0;
      int count = 0;
      for (int y = y0; y < std::min(a.height, y0 + Difference::kBlock); ++y)
        for (int x = x0; x < std::min(a.width, x0 + Difference::kBlock); ++x, count += 3)
          for (int c = 0; c < 3; ++c) sum += std::abs(a.at(x, y)[c] - b.at(x, y)[c]);
      d.mean += sum;
      d.block = std::max(d.block, sum / count);
    }
  d.mean /= 3.0 * a.width * a.height;
  return d;
}

/// Where a stored look is.
std::string storedPath(const std::string& look) { return RIGOR_SOURCE_DIR "/tests/viewer/pictures/" + look + ".png"; }

sim::Scene restingDice() {
  sim::Scene scene;
  scene.name = "dice";
  scene.bodies = {synthetic::fixedPlane("table"), synthetic::cube("die", 0.1), synthetic::cube("cube", 0.1)};
  scene.bodies[1].pose.p = {0, 0, 0.05 + 1e-8};
  scene.bodies[2].pose.p = {0.16, 0.05, 0.05 + 1e-8};
  scene.bodies[2].velocity = {0.5, 0.2, 0.8};
  return scene;
}

/// The looks that are stored.
struct Look {
  const char* name;
  View view;
};
std::vector<Look> looks() {
  std::vector<Look> all = {{"plain", {}}, {"dark", {}}, {"overlays", {}}, {"wireframe", {}}};
  for (Look& look : all) look.view.camera.azimuth = -1.1;
  all[1].view.dark = all[1].view.camera.orthographic = true;
  for (const Overlay o : {Overlay::kContacts, Overlay::kNormals, Overlay::kVelocities, Overlay::kAxes})
    all[2].view.set(o, true);
  all[3].view.set(Overlay::kWireframe, true);
  return all;
}

TEST(Picture, WholePicturesAreAsStored) {
  const auto model = RunModel::fromScene(restingDice());
  PICTURE_OR_SKIP(maker, *model);
  std::vector<Image> drawn;
  std::vector<Look> all = looks();
  for (Look& look : all) {
    maker->frame(look.view, 320, 240);
    drawn.push_back(maker->render(look.view, {}, 320, 240));
    if (std::getenv("RIGOR_WRITE_PICTURES"))
      writePng(drawn.back(), storedPath(look.name));
    const Difference d = compare(drawn.back(), readPng(storedPath(look.name)));
    EXPECT_TRUE(d.isSmall()) << look.name << ": mean " << d.mean << ", block " << d.block << ", by "
                             << maker->context().description();
    // What is less than an overlay is no difference: without one of them the picture is another.
    for (const Overlay o : {Overlay::kContacts, Overlay::kNormals, Overlay::kVelocities, Overlay::kAxes,
                            Overlay::kShadow, Overlay::kGrid, Overlay::kPips}) {
      if (!look.view.shows(o) || look.view.shows(Overlay::kWireframe)) continue;
      if (o == Overlay::kShadow && &look != &all[0]) continue;  // Little of it is seen, too weak for the tolerance.
      View without = look.view;
      without.set(o, false);
      const Difference missing = compare(maker->render(without, {}, 320, 240), readPng(storedPath(look.name)));
      EXPECT_FALSE(missing.isSmall()) << look.name << " without " << overlayInfo(o).key << ": mean " << missing.mean
                                      << ", block " << missing.block;
    }
  }
  for (std::size_t i = 0; i < drawn.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) EXPECT_FALSE(compare(drawn[i], drawn[k]).isSmall());
}

TEST(Picture, TooLargePicturesAreRefused) {
  const auto model = RunModel::fromScene(threeCubes());
  PICTURE_OR_SKIP(maker, *model);
  EXPECT_THROW(maker->render({}, {}, 1 << 20, 10), std::runtime_error);
}

}  // namespace
}  // namespace rigor::viewer
