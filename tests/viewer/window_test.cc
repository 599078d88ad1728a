// SPDX-License-Identifier: MIT
// Proves: the real window, on a real (virtual) X display, shows bodies where they are and obeys mouse and keyboard. The
// test starts Xvfb itself; clicks and keys come from xdotool, as the server's own events. Oracle: the camera's
// projection says where a body's colour must be in the back buffer. Skipped, and said so, without Xvfb or xdotool.
#include "viewer/window/application.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "tests/temporary_folder.h"
#include "tests/viewer/branching_record.h"
#include "tests/viewer/png_reader.h"
#include "tests/viewer/x_client.h"
#include "viewer/window/gl_context.h"

namespace rigor::viewer {
namespace {

bool isInstalled(const std::string& program) {
  return std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0;
}

/// An Xvfb of its own, on the first free display.
class VirtualDisplay {
 public:
  VirtualDisplay() {
    int ends[2];
    if (pipe(ends) != 0) return;
    child_ = fork();
    if (child_ == 0) {
      close(ends[0]);
      const std::string descriptor = std::to_string(ends[1]);
      freopen("/dev/null", "w", stderr);
      execlp("Xvfb", "Xvfb", "-displayfd", descriptor.c_str(), "-screen", "0", "1280x900x24", "-nolisten", "tcp",
             "-noreset", nullptr);
      _exit(127);
    }
    close(ends[1]);
    std::string number;
    for (char c; read(ends[0], &c, 1) == 1 && c != '\n';) number += c;
    close(ends[0]);
    if (!number.empty()) name_ = ":" + number;
  }
  ~VirtualDisplay() {
    if (child_ > 0) {
      kill(child_, SIGTERM);
      waitpid(child_, nullptr, 0);
    }
  }
  const std::string& name() const { return name_; }

 private:
  pid_t child_ = -1;
  std::string name_;
};

class WindowTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!isInstalled("Xvfb") || !isInstalled("xdotool")) GTEST_SKIP() << "Xvfb or xdotool is not installed";
    display_ = std::make_unique<VirtualDisplay>();
    ASSERT_NE(display_->name(), "");
    setenv("DISPLAY", display_->name().c_str(), 1);
    unsetenv("WAYLAND_DISPLAY");
    setDpi(static_cast<int>(96 * scale_));
    setenv("XDG_STATE_HOME", state_.path().c_str(), 1);
    run_.write(file_.path);
    viewer_ = std::make_unique<Viewer>();
    try {
      window_ =
          std::make_unique<Application>(*viewer_, static_cast<int>(1240 / scale_), static_cast<int>(880 / scale_));
    } catch (const DisplayError& error) {
      GTEST_SKIP() << error.what();
    }
    ASSERT_TRUE(viewer_->open(file_.path)) << viewer_->message();
    viewer_->index().waitComplete();
    frames(4);
    viewer_->frameAll(viewer_->aspect);
    viewer_->view.set(Overlay::kPips, false);  // The die's own colour is looked for.
    frames(1);
  }
  void TearDown() override {
    window_.reset();
    viewer_.reset();
    unsetenv("DISPLAY");
  }
  void frames(int count) {
    for (int i = 0; i < count; ++i) ASSERT_TRUE(window_->frame(0));
  }
  /// Sends events through the server, and lets the window see them.
  void send(const std::string& events) {
    ASSERT_EQ(std::system(("xdotool " + events + " >/dev/null 2>&1").c_str()), 0) << events;
    frames(4);
  }
  std::string at(double x, double y) {
    return "mousemove " + std::to_string(std::lround(x)) + " " + std::to_string(std::lround(y)) + " ";
  }
  /// Where a world point is in the window.
  Eigen::Vector2d pixelOf(const Eigen::Vector3d& world) {
    const Rect& rect = window_->panels().view;
    const ScreenPoint p = viewer_->list().camera.project(world, rect.width, rect.height);
    return {rect.x + p.pixel[0], rect.y + p.pixel[1]};
  }
  bool showsDie(const Image& image) { return isDie(image, pixelOf(viewer_->painter().placements()[1].pose.p)); }
  /// The same in a picture of its own.
  bool pictureShowsDie(const Image& image, double time) {
    std::vector<Placement> placements;
    viewer_->model().placementsAt(viewer_->view.branch, time, placements);
    return isDie(image, viewer_->list().camera.project(placements[1].pose.p, image.width, image.height).pixel);
  }
  static bool isDie(const Image& image, const Eigen::Vector2d& p) {
    if (!(p[0] >= 0 && p[1] >= 0 && p[0] < image.width && p[1] < image.height)) return false;
    const auto* seen = image.at(static_cast<int>(p[0]), static_cast<int>(p[1]));
    return seen[0] > 100 && seen[0] > seen[1] && seen[1] > seen[2] + 40;  // Orange, in light or shade.
  }

  float scale_ = 1;
  synthetic::TemporaryRecord file_{"window"};
  synthetic::ForkedDie run_;
  TemporaryFolder state_;
  std::unique_ptr<VirtualDisplay> display_;
  std::unique_ptr<Viewer> viewer_;
  std::unique_ptr<Application> window_;
};

TEST_F(WindowTest, ShowsBodiesWhereTheyAreAndObeys) {
  EXPECT_TRUE(showsDie(window_->captureFrame()));
  viewer_->setTime(run_.end);
  viewer_->frameAll(viewer_->aspect);
  const Image image = window_->captureFrame();
  EXPECT_EQ(image.width, 1240);
  EXPECT_EQ(image.height, 880);
  EXPECT_TRUE(showsDie(image));

  const Rect rect = window_->panels().view;
  const double x = rect.x + rect.width / 2, y = rect.y + rect.height / 2;
  // The mouse orbits, and the wheel zooms.
  const Camera before = viewer_->view.camera;
  send(at(x, y));
  send("mousedown 1");
  send(at(x + 60, y));
  send("mouseup 1");
  EXPECT_NEAR(viewer_->view.camera.azimuth, before.azimuth - M_PI * 60 / rect.height, 1e-5);
  EXPECT_TRUE(showsDie(window_->captureFrame()));
  send("click 4");
  EXPECT_LT(viewer_->view.camera.distance, before.distance);
  EXPECT_TRUE(showsDie(window_->captureFrame()));

  // Keys: time, overlays, branches.
  send("key Home");
  EXPECT_EQ(viewer_->view.time, 0);
  send("key Right");
  EXPECT_NEAR(viewer_->view.time, 0.02, 1e-12);
  send("key space");
  EXPECT_TRUE(viewer_->playback.playing);
  send("key space");
  EXPECT_FALSE(viewer_->playback.playing);
  send("key c");
  EXPECT_TRUE(viewer_->view.shows(Overlay::kContacts));
  const int branch = viewer_->view.branch;
  send("key Down");
  EXPECT_NE(viewer_->view.branch, branch);
  send("key question");
  EXPECT_TRUE(viewer_->show_shortcuts);
  send("key Escape");
  EXPECT_FALSE(viewer_->show_shortcuts);

  // Typing into the search box is no shortcut.
  const bool names = viewer_->view.shows(Overlay::kNames);
  send("key slash");
  send("type b0.1");
  EXPECT_EQ(viewer_->view.shows(Overlay::kNames), names);
  EXPECT_STREQ(window_->panels().search, "b0.1");

  // A click on the timeline.
  send(at(window_->panels().axis_left + window_->panels().axis_width * viewer_->axis.toUnit(0.16),
          rect.y + rect.height + 45) +
       "click 1");
  EXPECT_NEAR(viewer_->view.time, 0.16, 0.002);
}

TEST_F(WindowTest, DroppedFilesOpen) {
  const std::string folder = (state_ / "with a blank").string();  // URIs escape it.
  std::filesystem::create_directories(folder);
  synthetic::ForkedDie other;
  other.outcomes = 5;
  other.write(folder + "/dropped.rigor");
  const auto drop = [&](const std::string& path) { return dropFile(path, 400, 300, [&] { frames(1); }); };
  EXPECT_TRUE(drop(state_.path().string() + "/with%20a%20blank/dropped.rigor"));
  frames(2);
  EXPECT_EQ(viewer_->model().path(), folder + "/dropped.rigor");
  EXPECT_EQ(viewer_->model().branches().size(), 6u);
  EXPECT_TRUE(showsDie(window_->captureFrame()));
  // What is no record is said, and what was open stays.
  std::ofstream(folder + "/notes.rigor") << "these are notes";
  EXPECT_TRUE(drop(state_.path().string() + "/with%20a%20blank/notes.rigor"));
  frames(2);
  EXPECT_TRUE(viewer_->hasFailed());
  EXPECT_THAT(viewer_->message(), testing::HasSubstr("notes.rigor"));
  EXPECT_EQ(viewer_->model().branches().size(), 6u);
  EXPECT_TRUE(showsDie(window_->captureFrame()));
  std::filesystem::remove_all(folder);
}

TEST_F(WindowTest, ADamagedFileIsSaid) {
  // Everything but the header is overwritten while it is shown.
  std::fstream file(file_.path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(4096);
  for (int i = 0; i < 200; ++i) file << std::string(1024, '\x5a');
  file.close();
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(window_->frame(1));
  viewer_->setTime(run_.end);
  frames(3);
  send("key Home");
  viewer_->view.set(Overlay::kWitnesses, true);
  for (const char* key : {"period", "End", "comma", "Down", "Page_Up"}) send(std::string("key ") + key);
  EXPECT_NE(viewer_->message(), "");
  EXPECT_TRUE(viewer_->hasFailed());
}

/// Draws a dozen pictures by software.
class SlowWindowTest : public WindowTest {};

TEST_F(SlowWindowTest, WritesPicturesOfAnySizeAndVideos) {
  const std::filesystem::path before = std::filesystem::current_path(), folder = state_ / "out";
  std::filesystem::create_directories(folder);
  std::filesystem::current_path(folder);
  viewer_->setTime(run_.fork);
  Output& output = viewer_->output;
  output.width = 320, output.height = 200, output.transparent = true;
  send("key F12");
  const Image picture = readPng("forked-0001.png");
  ASSERT_EQ(picture.width, 320);
  EXPECT_EQ(picture.height, 200);
  EXPECT_TRUE(pictureShowsDie(picture, run_.fork));
  EXPECT_EQ(picture.at(1, 1)[3], 0);
  EXPECT_FALSE(viewer_->view.transparent);  // The window is as it was.

  // Without ffmpeg: frames, while the window shows another time.
  const std::string path = std::getenv("PATH");
  output.video = {0, run_.end, 25, 1};
  output.want_video = true;
  setenv("PATH", folder.c_str(), 1);
  frames(1);
  setenv("PATH", path.c_str(), 1);
  EXPECT_THAT(viewer_->message(), testing::HasSubstr("ffmpeg"));
  viewer_->setTime(0);
  for (int i = 0; i < 200 && output.progress >= 0; ++i) frames(1);
  const long count = output.video.frames();
  ASSERT_EQ(count, 6);
  for (const long k : {0l, count / 2, count - 1}) {
    const Image frame = readPng("forked-0001-" + std::to_string(1000001 + k).substr(1) + ".png");
    ASSERT_EQ(frame.width, 320) << k;
    EXPECT_TRUE(pictureShowsDie(frame, output.video.time(k))) << k;
  }
  EXPECT_FALSE(std::filesystem::exists("forked-0001-" + std::to_string(1000001 + count).substr(1) + ".png"));
  EXPECT_EQ(viewer_->view.time, 0);

  // One that is cancelled, one whose record is closed, and a picture that nobody can draw.
  output.video.fps = 10000;
  output.want_video = true;
  frames(1);
  EXPECT_GE(output.progress, 0);
  output.cancel_video = true;
  frames(1);
  EXPECT_LT(output.progress, 0);
  output.want_video = true;
  frames(1);
  EXPECT_GE(output.progress, 0);
  ASSERT_TRUE(viewer_->open(file_.path));
  frames(1);
  EXPECT_LT(output.progress, 0);
  output.width = 1 << 20;
  output.want_picture = true;
  frames(1);
  EXPECT_TRUE(viewer_->hasFailed());
  EXPECT_THAT(viewer_->message(), testing::HasSubstr("too large"));
  std::filesystem::current_path(before);
}

/// A dense screen, on which everything is twice as large.
class DenseWindowTest : public WindowTest {
 protected:
  DenseWindowTest() { scale_ = 2; }
};

TEST_F(DenseWindowTest, EverythingIsTwiceAsLarge) {
  const Image image = window_->captureFrame();
  EXPECT_EQ(image.width, 1240);
  EXPECT_EQ(image.height, 880);
  EXPECT_TRUE(showsDie(image));
  EXPECT_NEAR(window_->panels().view.y, 84, 1);  // Below the toolbar.
  EXPECT_NEAR(window_->panels().view.width, 1240 - 580, 1);
  const Rect rect = window_->panels().view;
  send(at(window_->panels().axis_left + window_->panels().axis_width * viewer_->axis.toUnit(0.16),
          rect.y + rect.height + 90) +
       "click 1");
  EXPECT_NEAR(viewer_->view.time, 0.16, 0.003);
}

TEST_F(WindowTest, OpensWithNothingAndSurvivesALostFile) {
  std::filesystem::remove(file_.path);
  ASSERT_TRUE(window_->frame(1));
  ASSERT_TRUE(window_->frame(1));
  EXPECT_THAT(viewer_->message(), testing::HasSubstr("is gone"));
  EXPECT_TRUE(showsDie(window_->captureFrame()));
}

TEST(Window, WithoutADisplayItSaysSo) {
  unsetenv("DISPLAY");
  unsetenv("WAYLAND_DISPLAY");
  Viewer viewer;
  try {
    Application window(viewer, 300, 200);
    FAIL();
  } catch (const DisplayError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("--screenshot"));
  }
}

}  // namespace
}  // namespace rigor::viewer
