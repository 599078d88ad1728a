// SPDX-License-Identifier: MIT
// Proves: the clock plays, loops and stops where it should; the time axis is its own inverse, keeps the time under the
// mouse when it zooms, spreads a Zeno cluster evenly where it is logarithmic, and labels with enough digits. Oracles:
// closed forms and invariants.
#include "viewer/time_axis.h"

#include <gtest/gtest.h>

#include <cmath>

#include "viewer/output.h"
#include "viewer/playback.h"

namespace rigor::viewer {
namespace {

TEST(Playback, RunsAtItsSpeedAndStopsAtTheEnd) {
  Playback clock;
  EXPECT_EQ(clock.advance(0.5, 1, 3, false), 0.5);  // Paused.
  clock.playing = true;
  clock.setSpeed(1e-6);
  EXPECT_DOUBLE_EQ(clock.advance(0.5, 0.001, 3, false), 0.5 + 1e-9);
  clock.setSpeed(2);
  EXPECT_DOUBLE_EQ(clock.advance(0.5, 0.1, 3, false), 0.7);
  EXPECT_EQ(clock.advance(2.9, 1, 3, true), 3);  // Waits for more.
  EXPECT_TRUE(clock.playing);
  EXPECT_EQ(clock.advance(2.9, 1, 3, false), 3);
  EXPECT_FALSE(clock.playing);
}

TEST(Playback, LoopsOverTheRunOrARange) {
  Playback clock;
  clock.playing = clock.loop = true;
  EXPECT_NEAR(clock.advance(2.9, 0.3, 3, false), 0.2, 1e-12);
  clock.loop_from = 1;
  clock.loop_to = 1.5;
  EXPECT_NEAR(clock.advance(1.4, 0.2, 3, false), 1.1, 1e-12);
  EXPECT_NEAR(clock.advance(2.5, 0.2, 3, false), 1.2, 1e-12);  // From outside it begins at the start.
  EXPECT_TRUE(clock.playing);
}

TEST(Playback, SpeedsStayWithinTheirRange) {
  Playback clock;
  for (int i = 0; i < 50; ++i) clock.slower();
  EXPECT_EQ(clock.speed, 1e-6);
  for (int i = 0; i < 100; ++i) clock.faster();
  EXPECT_EQ(clock.speed, 100);
  clock.setSpeed(NAN);
  EXPECT_EQ(clock.speed, 100);
  clock.setSpeed(1);
  for (int i = 0; i < 5; ++i) clock.slower();
  for (int i = 0; i < 5; ++i) clock.faster();
  EXPECT_EQ(clock.speed, 1);
}

TEST(VideoTimes, BothEndsAreShownAndNoFrameLiesOutside) {
  VideoTimes video{0.1, 0.7, 10, 1};  // 0.6 * 10 is below 6 in doubles.
  EXPECT_EQ(video.frames(), 7);
  EXPECT_EQ(video.time(0), 0.1);
  EXPECT_NEAR(video.time(3), 0.4, 1e-15);
  EXPECT_EQ(video.time(6), 0.7);
  video.speed = 0.25;
  EXPECT_EQ(video.frames(), 25);
  EXPECT_EQ((VideoTimes{0.5, 0.5, 30, 1}.frames()), 1);
  for (const VideoTimes& none :
       {VideoTimes{1, 0, 30, 1}, {0, 1, 0, 1}, {0, 1, 30, -1}, {0, 1, NAN, 1}, {NAN, 1, 30, 1}, {0, 1, 30, 1e-9}})
    EXPECT_EQ(none.frames(), 0);
}

TEST(TimeAxis, UnitsAndTimesAreInverse) {
  TimeAxis axis;
  axis.showAll(3);
  for (const bool logarithmic : {false, true}) {
    if (logarithmic) axis.setLogarithmic(1.25);
    EXPECT_NEAR(axis.toUnit(axis.from), 0, 1e-12);
    EXPECT_NEAR(axis.toUnit(axis.to), 1, 1e-12);
    double last = -1;
    for (double unit = 0; unit <= 1; unit += 0.01) {
      EXPECT_NEAR(axis.toUnit(axis.toTime(unit)), unit, 1e-9);
      EXPECT_GT(axis.toTime(unit), last);
      last = axis.toTime(unit);
    }
  }
}

TEST(TimeAxis, ZoomKeepsTheTimeUnderTheMouse) {
  TimeAxis axis;
  axis.showAll(10);
  for (const double unit : {0.1, 0.5, 0.9}) {
    const double time = axis.toTime(unit);
    axis.zoom(3, unit);
    EXPECT_NEAR(axis.toTime(unit), time, 1e-12);
  }
  for (int i = 0; i < 200; ++i) axis.zoom(2, 0.5);  // Down to the doubles, and no farther.
  EXPECT_GT(axis.to, axis.from);
  axis.ticks(10);
}

TEST(TimeAxis, AZenoClusterLiesEvenlyOnTheLogarithmicAxis) {
  // Impacts of a bouncing ball with e = 0.5: t* - c 2^-k.
  TimeAxis axis;
  axis.from = 0;
  axis.to = 2;
  axis.setLogarithmic(1);
  axis.least = 1e-9;
  double previous = axis.toUnit(1 - std::pow(0.5, 5)), spacing = 0;
  for (int k = 6; k < 20; ++k) {
    const double unit = axis.toUnit(1 - std::pow(0.5, k));
    if (spacing != 0) {
      EXPECT_NEAR(unit - previous, spacing, 0.01 * spacing);
    }
    spacing = unit - previous;
    previous = unit;
  }
}

TEST(TimeAxis, TicksAreRoundAndTellTimesApart) {
  TimeAxis axis;
  axis.from = 0.1;
  axis.to = 0.1 + 3e-6;
  std::string last;
  int labelled = 0;
  for (const TimeAxis::Tick& tick : axis.ticks(6)) {
    if (tick.label.empty()) continue;
    EXPECT_NE(tick.label, last);
    last = tick.label;
    ++labelled;
  }
  EXPECT_GE(labelled, 3);
  EXPECT_LE(labelled, 8);
  EXPECT_EQ(timeText(1.5, 0.1), "1.5 s");
  EXPECT_EQ(timeText(0.0125, 1e-4), "12.5 ms");
  EXPECT_EQ(timeText(2e-9, 1e-9), "2 ns");
  EXPECT_EQ(timeText(0, 0.1), "0.0 s");
}

}  // namespace
}  // namespace rigor::viewer
