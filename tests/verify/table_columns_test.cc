// SPDX-License-Identifier: MIT
// Proves: what the tables `events`, `impacts`, `joints` and `branches` say is of the motion and of what acted: no kind
// of false row, and no column of a true one, is proved. True ones of bodies, robots, joints that follow others, and
// trees are. Oracle: the same record, proved before; each change makes it say something else.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "record/tree_writer.h"
#include "recorded_scene.h"
#include "sim/explorer.h"
#include "tests/temporary_folder.h"
#include "tests/verify/altered_record.h"
#include "verify/verify.h"

namespace rigor::verify {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSlide =
    "name: slide\nuntil: 0.5\nbodies:\n"
    "  - {name: floor, fixed: true, shape: {halfspace: {normal: [0, 0, 1], offset: 0}}}\n"
    "  - {name: die, shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 1, position: [0, 0, 0.12], velocity: [1, 0.5, -1], "
    "orientation: [1, 0.3, 0.2, 0.1], angular_velocity: [2, -4, 3]}\n"
    "  - {name: block, shape: {box: {size: [0.2, 0.2, 0.04]}}, mass: 2, position: [1, 0, 0.02], velocity: [1, 0, 0]}\n";

/// A pendulum, and a block that slides in it to the end of its range.
constexpr const char* kArm =
    R"(<mujoco><option gravity="0 0 -9.81"/><worldbody><body name="a" pos="0 0 2">
<joint name="j" type="hinge" axis="0 1 0" damping=".1"/><geom type="box" size=".05 .05 .3" pos=".1 0 -.3" mass="1"/>
<body name="b" pos="0 0 -.7"><joint name="k" type="slide" axis="0 0 1" range="-.2 .1" limited="true" stiffness="20"/>
<geom type="box" size=".05 .05 .1" pos="0 0 -.1" mass=".5"/></body></body></worldbody></mujoco>)";

/// Two arms, of which one turns half as far as the other.
constexpr const char* kMimic =
    R"(<robot name="r"><link name="base"/>
<link name="a"><inertial><origin xyz="0 0 -.2"/><mass value="1"/>
<inertia ixx=".01" iyy=".01" izz=".01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="b"><inertial><origin xyz="0 0 -.2"/><mass value="1"/>
<inertia ixx=".01" iyy=".01" izz=".01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="continuous"><parent link="base"/><child link="a"/><axis xyz="0 1 0"/></joint>
<joint name="k" type="continuous"><parent link="base"/><child link="b"/><origin xyz="0 1 0"/><axis xyz="0 1 0"/>
<mimic joint="j" multiplier=".5" offset=".1"/></joint></robot>)";

constexpr const char* kBrick =
    "name: brick\nuntil: 0.3\ncontact: {friction: 0.5, restitution: 0}\nbodies:\n"
    "  - {name: table, fixed: true, shape: {halfspace: {normal: [0, 0, 1], offset: 0}}}\n"
    "  - {name: brick, shape: {box: {size: [0.1, 0.06, 0.2]}}, mass: 2, position: [0, 0, 0.11], velocity: [0.2, 0, "
    "-0.5]}\n";

class TableColumns : public testing::Test {
 protected:
  std::string original() const { return folder_ / "run.rigor"; }
  std::string write(const char* name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  void record(const sim::Scene& scene) const {
    recordScene(scene, 0, original());
    expectProved();
  }
  void recordRobot(const char* file, const std::string& robot, const char* joints) const {
    write(file, robot);
    record(scenes::loadScene(
        write("s.yaml", fmt::format("until: 0.5\nrobots:\n  - {{name: r, {}: {}, joints: {{j: {}}}}}\nbodies:\n"
                                    "  - {{name: g, fixed: true, shape: {{halfspace: {{offset: -9}}}}}}\n",
                                    fs::path(file).extension() == ".xml" ? "mjcf" : "urdf", file, joints))));
  }
  void recordTree(long branches) const {
    const sim::Scene scene = scenes::parseScene(kBrick, "brick.yaml");
    const sim::Simulation simulation(scene, 0);
    record::RunInfo info;
    info.until = scene.until, info.bounds = sim::lawBounds(simulation.scene());
    info.gap_nominal = simulation.gapNominal(), info.gap_floor = simulation.gapFloor();
    record::WriterOptions replaced;
    replaced.replace = true;
    record::TreeWriter writer(original(), simulation.scene(), info, replaced);
    sim::ExploreOptions options;
    options.fork.samples = 40, options.fork.tolerance = 0.1;
    options.until = scene.until, options.max_branches = branches, options.threads = 1;
    writer.finish(sim::explore(simulation.scene(), options, writer, writer.takeFrontier()), "{}");
    expectProved();
  }
  void expectProved() const {
    const Report report = verifyRecord(original(), {.threads = 1});
    ASSERT_TRUE(report.verified && report.physics_known) << (report.failures.empty() ? "" : report.failures[0].reason);
  }
  /// Whether a copy is proved after a change, which must change something.
  bool isProvedAfter(const std::string& sql) const {
    const std::string path = folder_ / "copy.rigor";
    fs::copy_file(original(), path, fs::copy_options::overwrite_existing);
    altered::Sql(path).execute(sql, true);
    try {
      return verifyRecord(path, {.threads = 1}).verified;
    } catch (const InputError&) {
      return false;
    }
  }
  void expectRefused(std::initializer_list<const char*> changes) const {
    for (const char* change : changes) EXPECT_FALSE(isProvedAfter(change)) << change;
  }

 private:
  const TemporaryFolder folder_;
};

TEST_F(TableColumns, NoFalseEventIsProved) {
  record(scenes::parseScene(kSlide, "slide.yaml"));
  expectRefused({
      "DELETE FROM events",
      "DELETE FROM events WHERE id = 1",
      "DELETE FROM events WHERE kind = 'contact-broken'",
      "DELETE FROM events WHERE id = (SELECT max(id) FROM events WHERE kind = 'rest')",
      "INSERT INTO events SELECT id + 1000, branch, time, kind, body_a, body_b, detail FROM events WHERE id = 1",
      "INSERT INTO events VALUES(1000, 0, 0.05, 'rest', 1, NULL, '')",
      "INSERT INTO events SELECT id + 1000, branch, 0.5, kind, body_a, body_b, detail FROM events WHERE id = 1",
      "INSERT INTO events SELECT id + 1000, branch, 0.7, kind, body_a, body_b, detail FROM events WHERE id = 1",
      "INSERT INTO events SELECT 1000, branch, time, 'slip-start', body_a, body_b, json_set(detail, '$.slip[0]', "
      "0.001) FROM events WHERE id = (SELECT max(id) FROM events WHERE kind = 'slip-stop')",
      "INSERT INTO events VALUES(1000, 0, 0.5, 'fork', 1, NULL, '{\"outcomes\":2,\"samples\":9}')",
      "INSERT INTO events SELECT 1000, 0, max(t0), 'velocity-set', 1, NULL, '' FROM pieces",
      "INSERT INTO events SELECT 1000, 0, max(t0), 'wrench-set', 1, NULL, '' FROM pieces",
      "INSERT INTO events SELECT 1000, 0, max(t0), 'closure', 1, NULL, '{\"plastic_impacts\":1}' FROM pieces",
      "INSERT INTO events SELECT 1000, 0, max(t0), 'limit-reached', 1, 2, '{\"joint\":\"j\",\"end\":\"upper\"}' FROM "
      "pieces",
  });
  for (const char* kind : {"contact-made", "contact-broken", "contact-changed", "slip-stop", "rest"})
    for (const char* change : {"time = time + 0.001", "time = time - 0.001", "time = 0.5 * time", "kind = 'slip-start'",
                               "body_a = 3 - body_a", "kind = 'contact-made', detail = ''", "body_a = NULL",
                               "branch = 1", "detail = '{\"x\":1}'"})
      EXPECT_FALSE(isProvedAfter(
          fmt::format("UPDATE events SET {} WHERE id = (SELECT max(id) FROM events WHERE kind = '{}')", change, kind)))
          << kind << ": " << change;
  for (const char* field : {"part_a", "part_b", "made", "broken", "touching"})
    EXPECT_FALSE(isProvedAfter(fmt::format(
        "UPDATE events SET detail = json_set(detail, '$.{0}', json_extract(detail, '$.{0}') + 1) WHERE id = (SELECT "
        "max(id) FROM events WHERE kind = 'contact-made')",
        field)))
        << field;
  expectRefused({
      "UPDATE events SET detail = json_set(detail, '$.point[2]', 0.3) WHERE kind = 'slip-stop'",
      "UPDATE events SET detail = json_set(detail, '$.slip[0]', 0.3) WHERE kind = 'slip-stop'",
  });
}

TEST_F(TableColumns, NoFalseImpactIsProved) {
  record(scenes::parseScene(kSlide, "slide.yaml"));
  expectRefused({
      "UPDATE impacts SET model = 'plus' WHERE id = 1",
      "UPDATE impacts SET model = 'velocity-set' WHERE id = 1",
      "UPDATE impacts SET contacts = '[]' WHERE id = 1",
      "UPDATE impacts SET contacts = json_remove(contacts, '$[#-1]') WHERE id = (SELECT id FROM impacts WHERE "
      "json_array_length(contacts) > 1 ORDER BY json_extract(contacts, '$[#-1].impulse[0]') DESC LIMIT 1)",
      "UPDATE impacts SET time = time + 0.001 WHERE id = 1",
      "UPDATE impacts SET bodies = zeroblob(8) WHERE id = 1",
      "UPDATE impacts SET velocity_after = velocity_before WHERE id = 1",
      "UPDATE impacts SET velocity_before = velocity_after WHERE id = 1",
      "UPDATE impacts SET velocity_after = zeroblob(48) WHERE id = 1",
      "INSERT INTO impacts SELECT id + 1000, branch, time, model, bodies, velocity_before, velocity_after, contacts "
      "FROM "
      "impacts WHERE id = 1",
      "INSERT INTO impacts SELECT id + 1000, branch, 0.5, model, bodies, velocity_before, velocity_after, contacts "
      "FROM impacts WHERE id = 1",
      "INSERT INTO impacts SELECT id + 1000, branch, 9, model, bodies, velocity_before, velocity_after, contacts "
      "FROM impacts WHERE id = 1",
      "INSERT INTO impulses SELECT id + 1000, branch, step, 0.5, 0.5, data FROM impulses WHERE t0 = t1 LIMIT 1",
      "UPDATE meta SET value = '' WHERE key = 'summary'; DELETE FROM impacts; DELETE FROM events WHERE detail != '' "
      "AND json_extract(detail, '$.made') = json_extract(detail, '$.broken') AND json_extract(detail, '$.touching') "
      "= 0",
  });
  for (const char* field : {"e", "mu", "impulse[0]", "impulse[1]", "impulse[2]", "normal[0]", "normal[2]", "point[0]",
                            "point[2]", "tangent[1]", "tangent[2]", "pair[0]", "pair[1]", "pair[2]", "pair[3]"})
    EXPECT_FALSE(
        isProvedAfter(fmt::format("UPDATE impacts SET contacts = json_set(contacts, '$[0].{0}', json_extract(contacts, "
                                  "'$[0].{0}') + {1}) WHERE id "
                                  "= 1",
                                  field, field[0] == 'p' && field[1] == 'a' ? "1" : "0.1")))
        << field;
}

TEST_F(TableColumns, NoFalseRowOfARobotIsProved) {
  recordRobot("arm.xml", kArm, "0.5");
  expectRefused({
      "UPDATE joints SET time = time + 0.0001 WHERE id = 3",
      "UPDATE joints SET data = (SELECT data FROM joints WHERE id = 4) WHERE id = 3",
      "UPDATE joints SET data = zeroblob(48) WHERE id = 3",
      "DELETE FROM joints WHERE id = 1",
      "DELETE FROM joints WHERE id = 30",
      "DELETE FROM joints",
      "INSERT INTO joints SELECT id + 1000, branch, time, robot, data FROM joints WHERE id = 3",
      "INSERT INTO joints SELECT id + 1000, branch, 0.5, robot, data FROM joints WHERE id = 3",
      "DELETE FROM events WHERE kind = 'limit-reached'",
      "UPDATE events SET time = time / 2 WHERE kind = 'limit-reached'",
      "UPDATE events SET kind = 'limit-left' WHERE kind = 'limit-reached'",
      "UPDATE events SET detail = json_set(detail, '$.end', 'upper') WHERE kind = 'limit-reached'",
      "UPDATE events SET detail = json_set(detail, '$.joint', 'r/j') WHERE kind = 'limit-reached'",
      "UPDATE impacts SET contacts = json_set(contacts, '$[0].end', 'upper')",
      "UPDATE impacts SET contacts = json_set(contacts, '$[0].joint', 'r/j')",
      "UPDATE impacts SET contacts = json_set(contacts, '$[0].impulse[0]', 0.1)",
      "UPDATE impacts SET contacts = json_set(contacts, '$[0].impulse[1]', 0.1)",
      "UPDATE impacts SET contacts = json_set(contacts, '$[0].normal[0]', 0.9)",
      "UPDATE impacts SET contacts = json_set(contacts, '$[0].point[0]', 0.9)",
      "UPDATE impacts SET contacts = json_set(contacts, '$[0].e', 0.5)",
      "UPDATE impacts SET contacts = json_set(contacts, '$[0].mu', 0.5)",
      "UPDATE impacts SET contacts = json_set(contacts, '$[0].pair[0]', 2)",
      "UPDATE impacts SET velocity_after = velocity_before",
  });
}

TEST_F(TableColumns, JointsThatFollowOthersDoSoAtTheirRatio) {
  recordRobot("mimic.urdf", kMimic, "0.5");
  std::int64_t rows = 0;
  altered::Sql(original()).query("SELECT id FROM joints", [&](sqlite3_stmt*) { ++rows; });
  EXPECT_GT(rows, 3);
  // The same motion cannot be that of another ratio.
  for (const char* change : {"ratio", "offset"})
    EXPECT_FALSE(
        isProvedAfter(fmt::format("DELETE FROM files; UPDATE meta SET value = json_set(value, "
                                  "'$.robots[0].joints[1].follows.{}', 0.3) WHERE key = 'model'",
                                  change)))
        << change;
  EXPECT_TRUE(isProvedAfter("DELETE FROM files; UPDATE meta SET value = value WHERE key = 'model'"));
}

TEST_F(TableColumns, WeightsOfAForkSumUpToOne) {
  for (const long branches : {3, 60}) {
    recordTree(branches);
    expectRefused({
        "UPDATE branches SET weight = 0.5 * weight WHERE weight = (SELECT max(weight) FROM branches WHERE number > 0)",
        "UPDATE branches SET weight = 0.5 WHERE number = 0",
        "UPDATE branches SET fork_time = 0.01 WHERE number = 0",
        "DELETE FROM events WHERE kind = 'fork'",
    });
  }
  recordTree(3);
  expectRefused({"DELETE FROM frontier", "UPDATE frontier SET weight = 2 * weight + 0.1",
                 "UPDATE frontier SET fork_time = fork_time + 0.01"});
}

TEST_F(TableColumns, ASummaryIsThatOfTheTables) {
  record(scenes::parseScene(kSlide, "slide.yaml"));
  for (const char* name : {"impacts", "contacts_made", "contacts_broken", "manifold_changes", "plastic_impacts"})
    EXPECT_FALSE(isProvedAfter(fmt::format("UPDATE meta SET value = '{{\"{}\":77}}' WHERE key = 'summary'", name)))
        << name;
  expectRefused({"UPDATE meta SET value = '{\"time\":0.4}' WHERE key = 'summary'",
                 "UPDATE meta SET value = '{\"status\":\"failed\"}' WHERE key = 'summary'",
                 "UPDATE meta SET value = '{\"seed\":7}' WHERE key = 'summary'",
                 "UPDATE meta SET value = '{\"seed\":7}' WHERE key = 'options'",
                 "UPDATE meta SET value = '{\"origin\":\"method\"}' WHERE key = 'options'; "
                 "UPDATE meta SET value = '{\"impacts\":77}' WHERE key = 'summary'",
                 "UPDATE meta SET value = '{\"until\":0.6}' WHERE key = 'options'",
                 "UPDATE branches SET status = 'failed'"});
  EXPECT_TRUE(
      isProvedAfter("UPDATE meta SET value = json_object('time', 0.5, 'seed', 0, 'impacts', "
                    "(SELECT count(*) FROM impacts)) WHERE key = 'summary'"));
}

}  // namespace
}  // namespace rigor::verify
