// SPDX-License-Identifier: MIT
// Proves: what keys do to what is shown, undo, events and witnesses of the tables, the outcomes of a fork, plots and
// their CSV, remembered sessions, the background simulation, bad files - all without a window; and the panels, driven
// by scripted mouse and keys, with ImGui's output thrown away. Oracles: the record written by hand, closed forms, the
// verifier's verdict on a damaged record.
#include "viewer/viewer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <imgui.h>
#include <sqlite3.h>

#include <fstream>
#include <thread>

#include "tests/temporary_folder.h"
#include "tests/viewer/branching_record.h"
#include "viewer/panels.h"
#include "viewer/session.h"

namespace rigor::viewer {
namespace {

using synthetic::ForkedDie;
using synthetic::TemporaryRecord;
using testing::EndsWith;
using testing::HasSubstr;

class ViewerTest : public testing::Test {
 protected:
  void SetUp() override {
    setenv("XDG_STATE_HOME", state_folder_.path().c_str(), 1);
    run_.write(file_.path);
  }

  TemporaryRecord file_{"viewer"};
  ForkedDie run_;
  TemporaryFolder state_folder_;
};

TEST_F(ViewerTest, KeysStepJumpAndPlay) {
  Viewer v;
  EXPECT_FALSE(v.handleKey({' '}));
  ASSERT_TRUE(v.open(file_.path)) << v.message();
  v.index().waitComplete();
  EXPECT_EQ(v.view.branch, 3);
  v.handleKey({kRight});
  EXPECT_NEAR(v.view.time, 0.02, 1e-15);
  v.handleKey({'.'});
  EXPECT_EQ(v.view.time, run_.fork);
  v.handleKey({kRight});
  EXPECT_GT(v.view.time, run_.fork);
  v.handleKey({','});
  EXPECT_EQ(v.view.time, run_.fork);
  v.handleKey({kEnd});
  EXPECT_EQ(v.view.time, run_.end);
  v.handleKey({' '});  // From the end it begins again.
  EXPECT_EQ(v.view.time, 0);
  v.update(0.05);
  EXPECT_NEAR(v.view.time, 0.05, 1e-15);
  v.handleKey({'-'});
  v.update(0.05);
  EXPECT_NEAR(v.view.time, 0.075, 1e-15);
  v.handleKey({kHome});
  EXPECT_EQ(v.view.time, 0);
  const bool before = v.view.shows(Overlay::kContacts);
  v.handleKey({'C'});
  EXPECT_NE(v.view.shows(Overlay::kContacts), before);
  v.handleKey({'5'});
  EXPECT_NEAR(v.view.camera.elevation, M_PI / 2, 1e-12);
  EXPECT_FALSE(v.handleKey({'&'}));
}

TEST_F(ViewerTest, EveryShortcutOfTheListIsKnown) {
  Viewer v;
  ASSERT_TRUE(v.open(file_.path));
  for (const char key : std::string(",.-+0R[]ZSM/KAFJO1234567?CNIPDLVTGWBXE ")) EXPECT_TRUE(v.handleKey({key})) << key;
  for (const int key : {kLeft, kRight, kUp, kDown, kHome, kEnd, kPageUp, kPageDown, kEscape, kF1, kF2, kF5, kF12, kTab})
    EXPECT_TRUE(v.handleKey({key})) << key;
  EXPECT_GE(shortcuts().size(), 30u);
}

TEST_F(ViewerTest, NamingAndMutingAreUndone) {
  Viewer v;
  ASSERT_TRUE(v.open(file_.path));
  v.nameBranch(2, "lands on six");
  v.setMuted({1}, true);
  v.solo(2);
  EXPECT_TRUE(v.isMuted(3) && v.isMuted(1) && !v.isMuted(2) && !v.isMuted(0));
  v.undo();
  EXPECT_TRUE(v.isMuted(1) && !v.isMuted(3));
  v.undo();
  EXPECT_FALSE(v.isMuted(1));
  EXPECT_EQ(v.names()[2], "lands on six");
  v.undo();
  EXPECT_EQ(v.names()[2], "");
  EXPECT_FALSE(v.canUndo());
  v.redo();
  EXPECT_EQ(v.names()[2], "lands on six");
  // Muted branches are no ghosts.
  v.setMuted({1}, true);
  v.view.set(Overlay::kGhosts, true);
  v.setTime(run_.end);
  v.update(0);
  EXPECT_EQ(v.view.ghosts, std::vector<int>{2});
}

TEST_F(ViewerTest, WitnessesAndImpactsOfTheShownTime) {
  Viewer v;
  ASSERT_TRUE(v.open(file_.path));
  v.index().waitComplete();
  const auto found = v.index().witnessesAt(v.model(), 2, 0.05);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_DOUBLE_EQ(found[0].witness.gap, 0.1);  // The least of all steps that share the axis: they are one claim.
  EXPECT_TRUE(v.index().witnessesAt(v.model(), 2, 0.15).empty());
  EXPECT_EQ(v.index().impactsIn(v.model(), 2, 0.05, 0.2).size(), 1u);
  EXPECT_EQ(v.index().impactsIn(v.model(), 2, 0.11, 0.2).size(), 0u);
  ASSERT_EQ(v.index().eventsOn(v.model(), 1).size(), 1u);
  EXPECT_EQ(v.index().eventsOn(v.model(), 1)[0].kind, EventKind::kImpact);
  EXPECT_EQ(v.index().gaps(0).points().size(), 1u);
  EXPECT_NEAR(v.index().steps(1).points()[0].low, 0.02, 1e-12);
  v.view.set(Overlay::kWitnesses, true);
  v.view.set(Overlay::kImpulses, true);
  v.setTime(0.05);
  v.update(0);
  EXPECT_EQ(v.paint().patches.size(), 1u);
  v.setTime(run_.fork);
  v.update(0);
  EXPECT_EQ(v.paint().arrows.size(), 1u);
}

/// Rows as the simulator writes them for a joint at its limit and a pair that touches.
void addEvents(const std::string& path) {
  sqlite3* database;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  const char* sql =
      "INSERT INTO events(branch, time, kind, body_a, body_b, detail) VALUES"
      "((SELECT number FROM branches WHERE id = '0'), 0.03, 'limit-reached', 0, 1, "
      "'{\"joint\":\"arm/elbow\",\"end\":\"upper\"}'),"
      "((SELECT number FROM branches WHERE id = '0'), 0.05, 'limit-left', 0, 1, "
      "'{\"joint\":\"arm/elbow\",\"end\":\"upper\"}'),"
      "((SELECT number FROM branches WHERE id = '0'), 0.06, 'contact-made', 0, 1, "
      "'{\"part_a\":0,\"part_b\":0,\"made\":2,\"broken\":1,\"touching\":3}'),"
      "((SELECT number FROM branches WHERE id = '0'), 0.07, 'novelty', NULL, NULL, ''),"
      "((SELECT number FROM branches WHERE id = '0/0'), 0.16, 'closure', NULL, NULL, "
      "'{\"reason\":\"slow\",\"count\":3}')";
  ASSERT_EQ(sqlite3_exec(database, sql, nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(database);
}

TEST_F(ViewerTest, EventsAreListedAndFiltered) {
  addEvents(file_.path);
  Viewer v;
  ASSERT_TRUE(v.open(file_.path)) << v.message();
  v.index().waitComplete();
  v.selectBranch(1);
  const std::vector<EventMark> marks = v.index().eventsOn(v.model(), 1);
  const EventKind kinds[] = {EventKind::kLimitReached, EventKind::kLimitLeft, EventKind::kMade,
                             EventKind::kOther,        EventKind::kImpact,    EventKind::kClosure};
  const char* details[] = {"arm/elbow, upper limit", "arm/elbow, upper limit", "3 points touch, 2 new, 1 gone",
                           "",                       "1 contact, routh",       "count 3, reason slow"};
  ASSERT_EQ(marks.size(), 6u);
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(marks[i].kind, kinds[i]) << i;
    const EventRow row = v.index().describe(marks[i]);
    EXPECT_EQ(row.detail, details[i]) << i;
    EXPECT_EQ(row.bodies, i == 3 || i == 5 ? std::vector<int>() : (std::vector<int>{0, 1})) << i;
  }
  // Jumps know only what the filter shows; it is remembered.
  for (const EventKind kind : {EventKind::kMade, EventKind::kOther, EventKind::kLimitLeft})
    v.view.events.set(kind, false);
  v.setTime(0);
  std::vector<double> seen;
  for (int i = 0; i < 4; ++i) v.nextEvent(), seen.push_back(v.view.time);
  EXPECT_EQ(seen, (std::vector<double>{0.03, run_.fork, 0.16, 0.16}));
  v.previousEvent();
  v.previousEvent();
  EXPECT_EQ(v.view.time, 0.03);
  const EventFilter filter = v.view.events;
  saveSession(v);
  Viewer again;
  ASSERT_TRUE(again.open(file_.path));
  EXPECT_EQ(again.view.events, filter);
  EXPECT_FALSE(again.view.events.shows(EventKind::kMade));
}

TEST_F(ViewerTest, OutcomesOfAForkInContactSpace) {
  Viewer v;
  ASSERT_TRUE(v.open(file_.path));
  v.index().waitComplete();
  v.setTime(run_.end);
  const ImpactSet& set = v.waitImpactSet();
  ASSERT_FALSE(set.empty());
  EXPECT_EQ(set.place, (ImpactPlace{"0/2", "0", run_.fork}));
  EXPECT_TRUE(set.complete);
  EXPECT_THAT(set.note, HasSubstr("one outcome"));  // No simulation makes this record: the set is rebuilt from it.
  ASSERT_EQ(set.axes.size(), 3u);
  EXPECT_EQ(set.axes[1], "contact 1 along x");
  int branches = 0, samples = 0;
  for (const auto& outcome : set.outcomes) {
    samples += outcome.kind == ImpactSet::Kind::kSample;
    if (outcome.kind != ImpactSet::Kind::kBranch) continue;
    ++branches;
    // v + w x r of the contact point .05 m below the centre, w = (3, 2, 1) up to the quaternion's cubic.
    const Eigen::Vector3d velocity =
        run_.velocityAfter(outcome.branch - 1) + Eigen::Vector3d(3, 2, 1).cross(Eigen::Vector3d(0, 0, -0.05));
    EXPECT_NEAR(outcome.coordinates[0], velocity[2], 1e-6);
    EXPECT_NEAR(outcome.coordinates[1], velocity[0], 1e-6);
  }
  EXPECT_EQ(branches, 3);
  EXPECT_GT(samples, 0);
}

TEST_F(ViewerTest, PlotsFollowTheClosedForm) {
  Viewer v;
  ASSERT_TRUE(v.open(file_.path));
  while (!v.plots.complete()) v.plots.sample(v.model(), 0, -1, 0, run_.fork, 0.01);
  const auto& rows = v.plots.rows();
  ASSERT_EQ(rows.size(), 2049u);
  double last = -1;
  for (const auto& row : rows) {
    EXPECT_GT(row.time, last);
    last = row.time;
    EXPECT_NEAR(row.values[static_cast<int>(Quantity::kZ)], 0.5 + row.time - 9.81 / 2 * row.time * row.time, 1e-13);
    EXPECT_NEAR(row.values[static_cast<int>(Quantity::kVz)], 1 - 9.81 * row.time, 1e-11);
    EXPECT_NEAR(row.values[static_cast<int>(Quantity::kEnergy)], rows[0].values[static_cast<int>(Quantity::kEnergy)],
                1e-4);
  }
  // Over the fork: what the impact took is what the velocities before and after it say, mass 1; nothing else is lost.
  v.selectBranch(2);
  v.index().waitComplete();
  ASSERT_EQ(v.losses().size(), 1u);
  const double speed_z = 1 - 9.81 * run_.fork;
  const double loss = 0.5 * (0.25 + speed_z * speed_z) - 0.5 * run_.velocityAfter(1).squaredNorm();
  EXPECT_NEAR(v.losses()[0].loss, loss, 1e-9);
  PlotData whole;
  while (!whole.complete()) whole.sample(v.model(), 2, -1, 0, run_.end, 0.01, v.losses());
  EXPECT_EQ(whole.rows().front().values[static_cast<int>(Quantity::kLostByImpact)], 0);
  EXPECT_NEAR(whole.rows().back().values[static_cast<int>(Quantity::kLostByImpact)], loss, 1e-9);
  EXPECT_NEAR(whole.rows().back().values[static_cast<int>(Quantity::kLostByFriction)], 0, 1e-4);
  const std::string path = file_.path + ".csv";
  const double from = v.plots.rows()[1000].time, then = v.plots.rows()[2000].time;
  v.plots.exportCsv(v.model(), path, {{"step size", {{from, 0.25}, {then, 0.5}}}});
  std::ifstream csv(path);
  std::string line;
  std::getline(csv, line);
  EXPECT_THAT(line, HasSubstr("time,kinetic,potential,energy,lost by impact,lost by friction,contacts,die.x,"));
  EXPECT_THAT(line, EndsWith(",step size"));
  int count = 0, nothing = 0, first = 0, second = 0;
  while (std::getline(csv, line)) {
    ++count;
    nothing += line.ends_with(","), first += line.ends_with(",0.25"), second += line.ends_with(",0.5");
  }
  EXPECT_EQ(count, 2049);
  EXPECT_EQ(nothing, 1000);
  EXPECT_EQ(first, 1000);
  EXPECT_EQ(second, 49);
  std::filesystem::remove(path);
}

TEST_F(ViewerTest, TheSessionIsRememberedPerFile) {
  {
    Viewer v;
    ASSERT_TRUE(v.open(file_.path));
    v.selectBranch(1);
    v.setTime(0.15);
    v.view.camera.azimuth = 0.25;
    v.view.set(Overlay::kNames, true);
    v.nameBranch(1, "one");
    v.setMuted({2}, true);
    v.playback.setSpeed(0.125);
    v.playback.loop = true, v.playback.loop_from = 0.1, v.playback.loop_to = 0.2;
    v.axis.setLogarithmic(0.1);
    v.plotted.assign(static_cast<int>(Quantity::kCount) + 2, false);
    v.plotted[3] = true;
  }
  Viewer v;
  ASSERT_TRUE(v.open(file_.path));
  EXPECT_EQ(v.view.branch, 1);
  EXPECT_EQ(v.view.time, 0.15);
  EXPECT_EQ(v.view.camera.azimuth, 0.25);
  EXPECT_TRUE(v.view.shows(Overlay::kNames));
  EXPECT_EQ(v.names()[1], "one");
  EXPECT_TRUE(v.isMuted(2));
  EXPECT_FALSE(v.canUndo());
  EXPECT_EQ(v.playback.speed, 0.125);
  EXPECT_TRUE(v.playback.loop && v.playback.loop_from == 0.1 && v.playback.loop_to == 0.2);
  EXPECT_TRUE(v.axis.logarithmic && v.axis.centre == 0.1);
  ASSERT_EQ(v.plotted.size(), static_cast<std::size_t>(Quantity::kCount) + 2);
  EXPECT_TRUE(v.plotted[3] && !v.plotted[0]);
  v.paint();
  EXPECT_THAT(v.command(), HasSubstr("--time 0.15 --branch 0/0 --camera=0.25,"));
  EXPECT_THAT(v.command(), HasSubstr("--show names"));
}

TEST_F(ViewerTest, DamagedSessionsAreAsNone) {
  std::filesystem::create_directories(std::filesystem::path(sessionPath(file_.path)).parent_path());
  for (const char* text :
       {"", "{", "[]", "{\"camera\": 3}", "{\"camera\": [0, 0, -1, 0, 0, 0], \"overlays\": {}, \"time\": \"x\"}"}) {
    std::ofstream(sessionPath(file_.path)) << text;
    Viewer v;
    EXPECT_TRUE(v.open(file_.path));
    EXPECT_GT(v.view.camera.distance, 0);
    std::filesystem::remove(sessionPath(file_.path));
  }
}

TEST_F(ViewerTest, BadFilesGiveAMessageAndLeaveWhatWasOpen) {
  Viewer v;
  ASSERT_TRUE(v.open(file_.path));
  EXPECT_FALSE(v.open("/nonexistent.rigor"));
  EXPECT_THAT(v.message(), HasSubstr("/nonexistent.rigor"));
  EXPECT_TRUE(v.hasFailed());
  EXPECT_FALSE(v.open("/nonexistent.yaml"));
  EXPECT_EQ(v.model().sceneName(), "forked");
  // The file is lost while it is shown: said, once, and what was read stays.
  std::filesystem::remove(file_.path);
  v.update(0.5);
  EXPECT_THAT(v.message(), HasSubstr("is gone"));
  EXPECT_EQ(v.paint().meshes.size(), 2u);  // The die and its pips.
}

TEST_F(ViewerTest, ScenesAreSimulatedWhileTheyAreShown) {
  const std::string path = file_.path + ".yaml";
  std::ofstream(path) << "name: falling\nuntil: 0.3\nbodies:\n  - {name: stone, shape: {box: {size: [0.1, 0.1, 0.1]}}, "
                         "mass: 2, position: [0, 0, 10]}\n";
  Viewer v;
  ASSERT_TRUE(v.open(path)) << v.message();
  std::filesystem::remove(path);
  for (int i = 0; i < 500 && (v.model().isGrowing() || v.view.time < 0.3); ++i) {
    v.update(0.26);
    v.paint();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_DOUBLE_EQ(v.endTime(), 0.3);
  EXPECT_NEAR(v.painter().placements()[0].pose.p[2], 10 - 9.81 / 2 * 0.09, 1e-9);
}

TEST_F(ViewerTest, TheProofFindsATamperedPiece) {
  const TemporaryRecord good("viewer_proof");
  synthetic::writeDie(good.path, 20);
  Viewer v;
  ASSERT_TRUE(v.open(good.path));
  const auto verify = [&] {
    v.proof.start(good.path);
    while (v.proof.running()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    if (!v.proof.report()) ADD_FAILURE() << v.proof.error();
    return v.proof.report() ? *v.proof.report() : verify::Report();
  };
  EXPECT_TRUE(verify().verified);
  sqlite3* database;
  ASSERT_EQ(sqlite3_open(good.path.c_str(), &database), SQLITE_OK);
  sqlite3_busy_timeout(database, 10000);  // The viewer's index reads it meanwhile.
  ASSERT_EQ(sqlite3_exec(database,
                         "UPDATE witnesses SET claims = CAST(substr(claims, 1, 32) || x'0000000000005940' || "
                         "substr(claims, 41) AS BLOB) WHERE id = (SELECT min(id) FROM witnesses)",
                         nullptr, nullptr, nullptr),
            SQLITE_OK);
  sqlite3_close(database);
  const verify::Report report = verify();
  EXPECT_FALSE(report.verified);
  ASSERT_FALSE(report.failures.empty());
}

TEST_F(ViewerTest, AProofCanBeCancelledAndBelongsToItsRecord) {
  const TemporaryRecord good("viewer_cancel");
  synthetic::writeDie(good.path, 3000);
  Viewer v;
  ASSERT_TRUE(v.open(good.path));
  bool caught = false;  // On a busy machine the proof may end before this thread goes on.
  for (int i = 0; i < 20 && !caught; ++i) {
    v.proof.start(good.path);
    caught = v.proof.cancel();
    for (int wait = 0; wait < 2000 && v.proof.running(); ++wait)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    ASSERT_FALSE(v.proof.running());
  }
  EXPECT_TRUE(caught);
  EXPECT_FALSE(v.proof.report());
  EXPECT_EQ(v.proof.error(), "");
  // What another record's proof says later is not shown.
  v.proof.start(good.path);
  ASSERT_TRUE(v.open(file_.path));
  while (v.proof.running()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  EXPECT_FALSE(v.proof.report());
}

/// Frames of the panels without a window or renderer: ImGui's io is set by hand.
class PanelsTest : public ViewerTest {
 protected:
  void SetUp() override {
    ViewerTest::SetUp();
    ImGui::SetCurrentContext(nullptr);
    gui_ = std::make_unique<Gui>();
    ImGui::GetIO().DisplaySize = {1280, 720};
    ASSERT_TRUE(viewer_.open(file_.path));
    viewer_.index().waitComplete();
    frames(3);
  }
  void frames(int count) {
    for (int i = 0; i < count; ++i) {
      ImGui::GetIO().DeltaTime = 1.0f / 60;
      viewer_.update(1.0 / 60);
      ImGui::NewFrame();
      drawPanels(viewer_, *gui_, panels_);
      viewer_.paint();
      ImGui::Render();
      vertices_ = ImGui::GetDrawData()->TotalVtxCount;
    }
  }
  void mouse(float x, float y) { ImGui::GetIO().MousePos = {x, y}; }
  void press(int button, bool down) {
    ImGui::GetIO().MouseDown[button] = down;
    frames(1);
  }
  void click(float x, float y, int button = 0) {
    mouse(x, y);
    frames(2);
    press(button, true);
    press(button, false);
    frames(1);
  }
  void drag(int button, float x0, float y0, float x1, float y1) {
    mouse(x0, y0);
    frames(2);
    press(button, true);
    mouse((x0 + x1) / 2, (y0 + y1) / 2);
    frames(1);
    mouse(x1, y1);
    frames(1);
    press(button, false);
  }

  Viewer viewer_;
  std::unique_ptr<Gui> gui_;
  PanelState panels_;
  int vertices_ = 0;
};

TEST_F(PanelsTest, TheViewTakesTheMouse) {
  EXPECT_GT(vertices_, 500);
  const Rect& rect = panels_.view;
  const float x = rect.x + rect.width / 2, y = rect.y + rect.height / 2;
  Camera& camera = viewer_.view.camera;
  const Camera before = camera;
  drag(0, x, y, x + 40, y + 20);
  EXPECT_NEAR(camera.azimuth, before.azimuth - M_PI * 40 / rect.height, 1e-6);
  EXPECT_NEAR(camera.elevation, before.elevation + M_PI * 20 / rect.height, 1e-6);
  EXPECT_EQ(camera.target, before.target);
  const Eigen::Vector3d target = camera.target;
  drag(1, x, y, x + 30, y);
  EXPECT_NEAR(camera.project(target, rect.width, rect.height).pixel[0], rect.width / 2 + 30, 1e-6);
  const double distance = camera.distance;
  ImGui::GetIO().MouseWheel = 1;
  frames(1);
  EXPECT_LT(camera.distance, distance);
  ImGui::GetIO().MouseWheel = 0;
  // Double click on the die selects it.
  viewer_.handleKey({'A'});
  frames(1);
  const ScreenPoint die =
      viewer_.list().camera.project(viewer_.painter().placements()[1].pose.p, rect.width, rect.height);
  const float dx = rect.x + static_cast<float>(die.pixel[0]), dy = rect.y + static_cast<float>(die.pixel[1]);
  mouse(dx, dy);
  frames(2);
  EXPECT_EQ(viewer_.view.hovered, 1);
  for (int i = 0; i < 2; ++i) press(0, true), press(0, false);
  EXPECT_EQ(viewer_.view.selected, 1);
}

TEST_F(PanelsTest, TheTimelineSetsTheTime) {
  const float y = panels_.view.y + panels_.view.height + 45;
  const float left = panels_.axis_left, width = panels_.axis_width;
  click(left + width * static_cast<float>(viewer_.axis.toUnit(0.15)), y);
  EXPECT_NEAR(viewer_.view.time, 0.15, 2 * (viewer_.axis.to - viewer_.axis.from) / width);
  const double span = viewer_.axis.to - viewer_.axis.from;
  ImGui::GetIO().MouseWheel = 2;
  frames(1);
  ImGui::GetIO().MouseWheel = 0;
  EXPECT_LT(viewer_.axis.to - viewer_.axis.from, span);
}

TEST_F(PanelsTest, LanesSelectBranches) {
  // The lanes begin below tabs and buttons; each is 18 pixels high: click through them all.
  std::set<int> selected;
  for (float y = panels_.view.y + panels_.view.height + 74 + 60; y < 715; y += 6) {
    click(60, y);
    selected.insert(viewer_.view.branch);
  }
  EXPECT_EQ(selected, (std::set<int>{0, 1, 2, 3}));
}

TEST_F(PanelsTest, PlotsOfTwoBranchesAreSampledFrameByFrame) {
  viewer_.selectBranch(1);
  viewer_.compareWith(2);
  EXPECT_EQ(viewer_.view.compared, 2);
  EXPECT_THAT(viewer_.message(), HasSubstr("0/0 and 0/1 part at 0.1"));
  click(105, panels_.view.y + panels_.view.height + 74 + 16);  // The tab Plots.
  for (int i = 0; i < 400 && !viewer_.compared_plots.complete(); ++i) frames(1);
  ASSERT_TRUE(viewer_.plots.complete() && viewer_.compared_plots.complete());
  const auto x = [](const PlotData& plot) { return plot.rows().back().values[static_cast<int>(Quantity::kX)]; };
  EXPECT_NEAR(x(viewer_.compared_plots) - x(viewer_.plots), 0.4 * (run_.end - run_.fork), 1e-9);
  viewer_.compareWith(2);
  EXPECT_EQ(viewer_.view.compared, -1);
}

TEST_F(PanelsTest, RowsOfTheEventListSetTheTime) {
  addEvents(file_.path);
  ASSERT_TRUE(viewer_.open(file_.path));
  viewer_.index().waitComplete();
  viewer_.selectBranch(1);
  frames(3);
  const float top = panels_.view.y + panels_.view.height + 74;
  click(155, top + 16);  // The tab Events.
  frames(2);
  EXPECT_EQ(panels_.events.shown.size(), 6u);
  std::set<double> times;
  for (float y = top + 60; y < 715; y += 7) {
    click(300, y);
    times.insert(viewer_.view.time);
  }
  EXPECT_THAT(times, testing::IsSupersetOf({0.03, 0.05, 0.06, 0.07, run_.fork, 0.16}));
  // The first box of the legend is that of the impacts; with Ctrl it leaves them alone.
  click(30, top + 66);
  EXPECT_FALSE(viewer_.view.events.shows(EventKind::kImpact));
  EXPECT_EQ(panels_.events.shown.size(), 5u);
  ImGui::GetIO().KeyCtrl = true;
  click(30, top + 66);
  ImGui::GetIO().KeyCtrl = false;
  frames(1);
  EXPECT_EQ(panels_.events.shown.size(), 1u);
}

TEST_F(PanelsTest, EverySizeAndThemeIsDrawn) {
  for (const auto& [width, height] :
       {std::pair{1280.f, 720.f}, {400.f, 300.f}, {100.f, 60.f}, {3000.f, 1800.f}, {1.f, 1.f}}) {
    ImGui::GetIO().DisplaySize = {width, height};
    for (const bool panels : {true, false}) {
      viewer_.show_panels = panels;
      viewer_.show_shortcuts = !panels;
      viewer_.view.dark = panels;
      frames(2);
    }
  }
  viewer_.want_name = true;
  frames(3);
}

TEST(Panels, WithNothingOpenTheyInvite) {
  ImGui::SetCurrentContext(nullptr);
  Gui gui;
  ImGui::GetIO().DisplaySize = {800, 600};
  ImGui::GetIO().DeltaTime = 1.0f / 60;
  Viewer viewer;
  PanelState state;
  viewer.open("/nonexistent.rigor");
  ImGui::NewFrame();
  drawPanels(viewer, gui, state);
  EXPECT_TRUE(viewer.paint().meshes.empty());
  ImGui::Render();
  EXPECT_GT(ImGui::GetDrawData()->TotalVtxCount, 100);
}

}  // namespace
}  // namespace rigor::viewer
