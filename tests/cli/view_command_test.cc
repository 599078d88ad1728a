// SPDX-License-Identifier: MIT
// Proves: `rigor view --screenshot` writes a PNG of exactly the asked size and depth, of the asked instant and branch,
// without a display; bad choices, bad files and a missing display are said with their exit codes. Oracle: the PNG's own
// header, read by hand; the documented interface.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.h"

namespace rigor::cli {
namespace {

using ::testing::HasSubstr;

const char* kScene =
    "name: falling\nuntil: 0.2\nbodies:\n  - {name: stone, shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 2, position: "
    "[0, 0, 0.15]}\n  - {name: ground, fixed: true, shape: {halfspace: {}}}\n";

struct Header {
  unsigned width, height, depth, color;
};

Header readHeader(const std::string& png) {
  const auto word = [&](std::size_t at) {
    unsigned value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(png.at(at + i));
    return value;
  };
  EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
  return {word(16), word(20), static_cast<unsigned char>(png.at(24)), static_cast<unsigned char>(png.at(25))};
}

class View : public ::testing::Test {
 protected:
  void SetUp() override {
    unsetenv("DISPLAY");
    unsetenv("WAYLAND_DISPLAY");
    folder_.write("s.yaml", kScene);
    const ProgramResult run = folder_.run({"run", "s.yaml", "-o", "a.rigor"});
    ASSERT_EQ(run.code, 0) << run.err;
    const ProgramResult first = folder_.run({"view", "a.rigor", "--screenshot", "first.png", "--size", "32x24"});
    if (first.code == 3 && first.err.find("no OpenGL") != std::string::npos) GTEST_SKIP() << first.err;
    ASSERT_EQ(first.code, 0) << first.err;
  }
  ProgramFolder folder_;
};

TEST_F(View, PicturesHaveTheAskedSize) {
  for (const auto& [size, width, height] :
       {std::tuple{"640x480", 640u, 480u}, {"333x77", 333u, 77u}, {"1x1", 1u, 1u}}) {
    const ProgramResult result = folder_.run({"view", "a.rigor", "--screenshot", "p.png", "--size", size});
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.out, "");
    const Header header = readHeader(readAll(folder_ / "p.png"));
    EXPECT_EQ(header.width, width);
    EXPECT_EQ(header.height, height);
    EXPECT_EQ(header.depth, 8u);
    EXPECT_EQ(header.color, 2u);  // RGB.
  }
}

TEST_F(View, TheInstantIsTheOneAskedFor) {
  const auto picture = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments{"view", "a.rigor", "--screenshot", "p.png", "--size", "200x150",
                                       "--camera", "-2,0.3,1,0,0,0.1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProgramResult result = folder_.run(arguments);
    EXPECT_EQ(result.code, 0) << result.err;
    return readAll(folder_ / "p.png");
  };
  const std::string end = picture({});
  EXPECT_EQ(picture({"--time", "0.2", "--branch", "0"}),
            end);  // The default is the end, and pictures are the same bits.
  EXPECT_NE(picture({"--time", "0"}), end);
  EXPECT_NE(picture({"--dark"}), end);
  EXPECT_EQ(static_cast<int>(picture({"--transparent"})[25]), 6);  // RGBA.
}

TEST_F(View, ScenesAreShownAtTheirStartOrSimulated) {
  const std::vector<std::string> common{"--size", "100x80", "--camera", "-2,0.3,1,0,0,0.1"};
  const auto picture = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), common.begin(), common.end());
    const ProgramResult result = folder_.run(arguments);
    EXPECT_EQ(result.code, 0) << result.err;
    return readAll(folder_ / "p.png");
  };
  const std::string start = picture({"view", "s.yaml", "--screenshot", "p.png"});
  const std::string later = picture({"view", "s.yaml", "--screenshot", "p.png", "--time", "0.1"});
  EXPECT_EQ(picture({"view", "a.rigor", "--screenshot", "p.png", "--time", "0.1"}), later);
  EXPECT_NE(start, later);
}

TEST_F(View, VideosHaveAFrameForEveryInstant) {
  const char* path = getenv("PATH");
  const std::string before = path ? path : "";
  setenv("PATH", "/nonexistent", 1);  // Without ffmpeg: PNG frames.
  const ProgramResult result = folder_.run({"view", "a.rigor", "--video", "v.mp4", "--from", "0.05", "--to", "0.15",
                                            "--fps", "20", "--speed", "0.5", "--size", "40x30"});
  setenv("PATH", before.c_str(), 1);
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("v-000001.png"));
  for (int i = 1; i <= 5; ++i)  // 0.05, 0.075, ..., 0.15 s.
    EXPECT_EQ(readHeader(readAll(folder_ / ("v-00000" + std::to_string(i) + ".png"))).width, 40u);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "v-000006.png"));
  EXPECT_EQ(folder_.run({"view", "a.rigor", "--video", "v.mp4", "--from", "0.15", "--to", "0.05"}).code, 2);
  EXPECT_EQ(folder_.run({"view", "a.rigor", "--video", "v.mp4", "--to", "5"}).code, 2);
  EXPECT_EQ(folder_.run({"view", "a.rigor", "--video", "v.mp4", "--fps", "0"}).code, 2);
}

TEST_F(View, WithoutADisplayTheWindowIsRefused) {
  const ProgramResult result = folder_.run({"view", "a.rigor"});
  EXPECT_EQ(result.code, 3);
  EXPECT_THAT(result.err, HasSubstr("no display"));
  EXPECT_THAT(result.err, HasSubstr("--screenshot"));
}

TEST_F(View, WrongChoicesAreWrongUsage) {
  for (const std::vector<std::string>& wrong : std::vector<std::vector<std::string>>{
           {"--size", "640"}, {"--size", "0x10"}, {"--size", "-3x10"}, {"--size", "10x10x10"}, {"--size", "99999x10"},
           {"--time", "-1"}, {"--time", "nan"}, {"--time", "0.3"}, {"--branch", "0.4"}, {"--show", "contact"},
           {"--camera", "1,2"}, {"--camera", "0,0,0,0,0,0"}, {"--nonsense"}}) {
    std::vector<std::string> arguments{"view", "a.rigor", "--screenshot", "w.png"};
    arguments.insert(arguments.end(), wrong.begin(), wrong.end());
    const ProgramResult result = folder_.run(arguments);
    EXPECT_EQ(result.code, 2) << wrong[0] << ' ' << wrong.back() << ": " << result.err;
    EXPECT_NE(result.err, "");
    EXPECT_FALSE(std::filesystem::exists(folder_ / "w.png"));
  }
}

TEST_F(View, BadInputIsSaid) {
  folder_.write("foreign.rigor", "no database");
  folder_.write("bad.yaml", "bodies: [{name: a}]\n");
  for (const char* file : {"foreign.rigor", "bad.yaml", "missing.rigor", "missing.yaml"}) {
    const ProgramResult result = folder_.run({"view", file, "--screenshot", "w.png"});
    EXPECT_EQ(result.code, 3) << file << result.err;
    EXPECT_THAT(result.err, HasSubstr(file));
  }
  const ProgramResult unwritable = folder_.run({"view", "a.rigor", "--screenshot", "no/such/folder.png"});
  EXPECT_EQ(unwritable.code, 4);
  EXPECT_THAT(unwritable.err, HasSubstr("no/such/folder.png"));
}

}  // namespace
}  // namespace rigor::cli
