// SPDX-License-Identifier: MIT
// Proves: the model of a record is held against what the loader makes of the texts that are embedded in it, and of
// these alone: true records of every kind of file are proved wherever they lie, and no model, text, file or name that
// differs is. Oracle: the runs themselves, made by the simulator from files that are gone when their records are looked
// at.
#include <gmock/gmock.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "record/writer.h"
#include "scenes/loader.h"
#include "sim/simulation.h"
#include "tests/temporary_folder.h"
#include "tests/verify/altered_record.h"
#include "verify/verify.h"

namespace rigor::verify {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using testing::HasSubstr;

/// Two links on a joint that follows a script, beside a die, a wall and a body from a mesh.
constexpr const char* kScene = R"(name: all
until: 0.05
contact: {friction: 0.4}
bodies:
  - {name: table, fixed: true, shape: {halfspace: {normal: [0, 0, 1], offset: 0}}}
  - {name: wall, fixed: true, shape: {box: {size: [0.1, 1, 1]}}, position: [3, 0, 0.5]}
  - {name: die, mass: 0.3, shape: {box: {size: [0.1, 0.1, 0.1]}}, position: [1, 0, 0.5],
     orientation: [0.9, 0.1, 0.2, 0.3], velocity: [0.1, 0, 0]}
  - {name: wedge, density: 500, shape: {mesh: {file: wedge.obj, scale: 0.2}}, position: [0, 2, 0.4]}
  - {name: rod, density: 500, shape: {cylinder: {radius: 0.05, length: 0.2, sides: 010}}, position: [0, 3, 0.4]}
robots:
  - name: r
    urdf: robots/arm.urdf
    base: fixed
    position: [0, 0, 1]
    controller: {type: script, file: script.csv, mode: position, kp: 5, kd: 0.1}
)";

constexpr const char* kUrdf = R"(<robot name="arm">
  <link name="base"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
  <link name="tip"><inertial><origin xyz="0 0 0.3"/><mass value="0.5"/>
      <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0 0 0.3"/>
      <geometry><mesh filename="package://arm/wedge.obj" scale="0.1 0.1 0.1"/></geometry></collision></link>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="tip"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="50" velocity="10"/></joint>
</robot>)";

constexpr const char* kWedge = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

void writeFiles(const fs::path& folder) {
  write(folder / "scene.yaml", kScene);
  write(folder / "wedge.obj", kWedge);
  write(folder / "robots/arm.urdf", kUrdf);
  write(folder / "robots/arm/wedge.obj", kWedge);
  write(folder / "script.csv", "time,hinge\n0,0\n0.05,0.01\n");
}

void simulate(const fs::path& scene, const std::string& record) {
  sim::Simulation simulation(scenes::loadScene(scene), 0);
  record::RunInfo info;
  info.gap_nominal = simulation.gapNominal(), info.gap_floor = simulation.gapFloor(),
  info.until = simulation.scene().until;
  record::WriterOptions options;
  options.replace = true;
  record::Writer writer(record, simulation.scene(), info, options);
  const sim::Summary summary = simulation.run(info.until, writer);
  ASSERT_EQ(summary.status, sim::RunStatus::kDone) << summary.message;
  writer.finish(summary, "");
}

class EmbeddedScene : public testing::Test {
 protected:
  /// One record for all tests, of files that are removed.
  static const std::string& original() {
    static const TemporaryFolder folder;
    static const std::string path = [] {
      const std::string record = folder / "run.rigor";
      const TemporaryFolder files;
      writeFiles(files.path());
      simulate(files / "scene.yaml", record);
      return record;
    }();
    return path;
  }

  std::string copy() const {
    const std::string path = folder_ / "copy.rigor";
    fs::copy_file(original(), path, fs::copy_options::overwrite_existing);
    return path;
  }
  static std::string modelOf(const std::string& record) {
    std::string text;
    altered::Sql(record).query("SELECT value FROM meta WHERE key = 'model'",
                               [&](sqlite3_stmt* row) { text = altered::textOf(row, 0); });
    return text;
  }
  static void setModel(const std::string& record, const std::string& text) {
    altered::Sql(record).query("UPDATE meta SET value = ? WHERE key = 'model'", {},
                               [&](sqlite3_stmt* s) { altered::bindText(s, 1, text); });
  }
  /// The content of a row of `files` becomes another, with its hash.
  static void setFile(const std::string& record, const std::string& like,
                      const std::function<std::string(std::string)>& change) {
    std::string name, content;
    altered::Sql sql(record);
    sql.query("SELECT name, content FROM files WHERE name LIKE '" + like + "'", [&](sqlite3_stmt* row) {
      name = altered::textOf(row, 0), content = altered::bytesOf(row, 1);
    });
    ASSERT_FALSE(name.empty()) << like;
    const std::string changed = change(content);
    ASSERT_NE(changed, content) << like;
    sql.query("UPDATE files SET content = ?, sha256 = ? WHERE name = ?", {}, [&](sqlite3_stmt* s) {
      sqlite3_bind_blob(s, 1, changed.data(), static_cast<int>(changed.size()), SQLITE_TRANSIENT);
      altered::bindText(s, 2, recorded::sha256(changed)), altered::bindText(s, 3, name);
    });
  }
  /// Refused, whether as a record that cannot be read or as one that is not proved.
  static std::string whyRefused(const std::string& record) {
    try {
      const Report report = verifyRecord(record, {.threads = 1});
      if (report.verified) return "";
      return report.failures.empty() ? "no reason" : report.failures[0].pair[0] + ": " + report.failures[0].reason;
    } catch (const InputError& error) {
      return error.what();
    }
  }
  const TemporaryFolder folder_;
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST_F(EmbeddedScene, ATrueRecordIsProvedWithoutItsFiles) {
  const Report report = verifyRecord(original(), {.threads = 1});
  ASSERT_TRUE(report.verified) << whyRefused(original());
  EXPECT_THAT(report.notes, testing::IsEmpty());
  std::vector<std::string> roles;
  altered::Sql(original()).query("SELECT role FROM files", [&](sqlite3_stmt* row) {
    roles.push_back(altered::textOf(row, 0));
  });
  // The scene, two meshes, the URDF, the script, and where the URDF's mesh was found.
  EXPECT_THAT(roles, testing::UnorderedElementsAre("scene", "named", "named", "named", "named", "found"));
}

TEST_F(EmbeddedScene, MachinesOfEveryFormatAreProved) {
  write(folder_ / "m/inner.xml",
        "<mujoco><worldbody><body name=\"ball\" pos=\"0 0 1\"><freejoint/><geom type=\"box\" size=\".1 .1 "
        ".1\"/></body></worldbody></mujoco>");
  write(folder_ / "m/outer.xml", "<mujoco><include file=\"inner.xml\"/></mujoco>");
  write(
      folder_ / "s/box.sdf",
      R"(<sdf version="1.7"><model name="m"><link name="l"><inertial><mass>1</mass>
    <inertia><ixx>.1</ixx><iyy>.1</iyy><izz>.1</izz></inertia></inertial>
    <collision name="c"><geometry><box><size>.2 .2 .2</size></box></geometry></collision></link></model></sdf>)");
  write(folder_ / "scene.yaml",
        "until: 0.02\nrobots:\n  - {name: a, mjcf: m/outer.xml}\n  - {name: b, sdf: s/box.sdf, position: [2, 0, 1]}\n");
  simulate(folder_ / "scene.yaml", folder_ / "run.rigor");
  fs::remove_all(folder_ / "m"), fs::remove_all(folder_ / "s");
  EXPECT_EQ(whyRefused(folder_ / "run.rigor"), "");
}

// A glTF file whose points are in another file, and what xacro made of one, without the program.
TEST_F(EmbeddedScene, FilesThatNameFilesAreRead) {
  const float points[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  const std::uint16_t corners[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
  std::string bytes(sizeof points + sizeof corners, '\0');
  std::memcpy(bytes.data(), points, sizeof points), std::memcpy(bytes.data() + sizeof points, corners, sizeof corners);
  write(folder_ / "points.bin", bytes);
  write(folder_ / "wedge.gltf", R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],
    "meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],
    "buffers":[{"uri":"points.bin","byteLength":72}],
    "bufferViews":[{"buffer":0,"byteLength":48},{"buffer":0,"byteOffset":48,"byteLength":24}],
    "accessors":[{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3","min":[0,0,0],"max":[1,1,1]},
                 {"bufferView":1,"componentType":5123,"count":12,"type":"SCALAR"}]})");
  write(folder_ / "scene.yaml",
        "until: 0.02\nbodies:\n  - {name: w, density: 100, position: [0, 0, 1], shape: {mesh: {file: wedge.gltf}}}\n");
  const sim::Scene scene = scenes::loadScene(folder_ / "scene.yaml");
  EXPECT_EQ(scene.files.size(), 3u);
  fs::remove(folder_ / "points.bin"), fs::remove(folder_ / "wedge.gltf");
  const sim::Scene again = scenes::parseScene(scene.files);
  EXPECT_EQ(std::get<geom::Polytope>(again.bodies[0].parts[0]).vertices(),
            std::get<geom::Polytope>(scene.bodies[0].parts[0]).vertices());

  const auto content = [](const std::string& text) { return std::make_shared<const std::string>(text); };
  const sim::Scene robot =
      scenes::parseScene({{"s.yaml", "scene", content("robots: [{name: r, urdf: r.xacro}]")},
                          {"r.xacro", "named", content("<robot name=\"r\"><xacro:macro name=\"m\"/></robot>")},
                          {"r.xacro#xacro", "expanded",
                           content(replaced(kUrdf, "<mesh filename=\"package://arm/wedge.obj\" scale=\"0.1 0.1 0.1\"/>",
                                            "<box size=\".1 .1 .1\"/>"))}});
  EXPECT_EQ(robot.bodies.size(), 2u);
}

TEST_F(EmbeddedScene, NoOtherModelIsProved) {
  const Json model = Json::parse(modelOf(original()));
  struct Attack {
    const char* name;
    std::function<void(Json&)> change;
    const char* reason;
  };
  const auto tip = [](Json& m) -> Json& { return m["bodies"][6]; };
  ASSERT_EQ(model["bodies"][6]["name"], "r/tip");
  const Attack attacks[] = {
      {"a robot removed, its links bodies like others",
       [](Json& m) {
         m["robots"] = Json::array(), m["ignored_pairs"] = Json::array();
         for (Json& body : m["bodies"]) body["robot"] = nullptr;
       },
       "robot is null"},
      {"a robot removed with its links",
       [](Json& m) {
         m["robots"] = Json::array(), m["ignored_pairs"] = Json::array(), m["bodies"].erase(6), m["bodies"].erase(5);
       },
       "entries"},
      {"links shrunk",
       [&](Json& m) {
         for (Json& v : tip(m)["parts"][0]["vertices"])
           for (Json& x : v) x = x.get<double>() * 0.5;
       },
       "r/tip"},
      {"links without shapes", [&](Json& m) { tip(m)["parts"] = Json::array(); }, "r/tip"},
      {"links pulled apart", [&](Json& m) { tip(m)["position"][0] = 3.0; }, "r/tip"},
      {"a joint elsewhere", [](Json& m) { m["robots"][0]["joints"][1]["position"][0] = 3.0; }, "joints[1].position[0]"},
      {"a joint of another kind", [](Json& m) { m["robots"][0]["joints"][1]["type"] = "floating"; }, "joints[1].type"},
      {"a stronger actuator", [](Json& m) { m["robots"][0]["joints"][1]["effort"] = 5e9; }, "effort"},
      {"no controller", [](Json& m) { m["robots"][0]["controller"] = nullptr; }, "controller"},
      {"another controller", [](Json& m) { m["robots"][0]["controller"]["period"] = 0.5; }, "controller"},
      {"wider limits", [](Json& m) { m["robots"][0]["joints"][1]["limits"][1] = 2.0; }, "limits"},
      {"bodies that may pass through each other",
       [](Json& m) {
         m["bodies"][1]["name"] = "r/wall", m["bodies"][1]["robot"] = "r";
         m["ignored_pairs"].insert(m["ignored_pairs"].begin(), Json::array({"r/wall", "die"}));
       },
       "wall"},
      {"links that may pass through each other",
       [](Json& m) {
         m["ignored_pairs"] = Json::array({Json::array({"r/base", "r/tip"})});
       },
       ""},
      {"a heavier die", [](Json& m) { m["bodies"][2]["mass"] = 0.30000000000000004; }, "die"},
      {"other friction", [](Json& m) { m["bodies"][2]["friction"] = 0.5; }, "die"},
      {"other inertia", [](Json& m) { m["bodies"][2]["inertia"][3] = -0.0; }, "die"},
      {"another start", [](Json& m) { m["bodies"][2]["velocity"][0] = 0.10000000000000002; }, "die"},
      {"a larger cylinder", [](Json& m) { m["bodies"][4]["parts"][0]["vertices"].erase(0); }, "rod"},
      {"other gravity", [](Json& m) { m["gravity"][2] = -9.8; }, ""},
      {"a coarser solver", [](Json& m) { m["solver"]["velocity_tolerance"] = 0.05; }, "solver.velocity_tolerance"},
      {"larger gaps", [](Json& m) { m["solver"]["gap"] = 1e-3; }, "solver.gap"},
      {"joints that may be open", [](Json& m) { m["solver"]["joint_fit"] = 0.01; }, "solver.joint_fit"},
      {"a solver that is none", [](Json& m) { m["solver"] = Json::object(); }, "solver"},
      {"an impact model that is none", [](Json& m) { m["impact"]["model"] = 7; }, "impact"},
  };
  for (const Attack& attack : attacks) {
    const std::string path = copy();
    Json changed = model;
    attack.change(changed);
    setModel(path, changed.dump());
    const std::string why = whyRefused(path);
    if (changed == model) continue;  // The pair was ignored already.
    EXPECT_FALSE(why.empty()) << attack.name;
    EXPECT_THAT(why, HasSubstr(attack.reason)) << attack.name;
  }
}

TEST_F(EmbeddedScene, NoOtherSceneTextIsProved) {
  const std::pair<const char*, std::function<std::string(std::string)>> attacks[] = {
      {"a body left out",
       [](std::string s) {
         return s.erase(s.find("  - {name: wall"), s.find("  - {name: die") - s.find("  - {name: wall"));
       }},
      {"a body more",
       [](std::string s) {
         return replaced(
             s,
             "robots:", "  - {name: more, fixed: true, shape: {box: {size: [1, 1, 1]}}, position: [9, 9, 9]}\nrobots:");
       }},
      {"a duplicate key", [](std::string s) { return s + "gravity: [0, 0, -9.81]\ngravity: [0, 0, 0]\n"; }},
      {"a second document", [](std::string s) { return s + "---\nbodies: []\n"; }},
      {"text after an end of transmission", [](std::string s) { return s + "\x04" + "rest"; }},
      {"an unknown field", [](std::string s) { return s + "colour: red\n"; }},
      {"orientation and rpy",
       [](std::string s) { return replaced(s, "orientation:", "rpy: [0, 0, 0], orientation:"); }},
      {"eight sides", [](std::string s) { return replaced(s, "sides: 010", "sides: 8"); }},
      {"another name", [](std::string s) { return replaced(s, "name: die", "name: Die"); }},
      {"another place", [](std::string s) { return replaced(s, "[1, 0, 0.5]", "[1, 0, 0.5000000000000001]"); }},
      {"no robots", [](std::string s) { return s.substr(0, s.find("robots:")); }},
      {"another mesh file", [](std::string s) { return replaced(s, "wedge.obj", "other.obj"); }},
      {"a file of the disk", [](std::string s) { return replaced(s, "wedge.obj", "/etc/hostname"); }},
      {"another joint angle", [](std::string s) { return s + "    joints: {hinge: 0.1}\n"; }},
      {"no text", [](std::string) { return ""; }},
      {"no yaml", [](std::string) { return "{{{"; }},
  };
  for (const auto& [name, change] : attacks) {
    const std::string path = copy();
    setFile(path, "%scene.yaml", change);
    EXPECT_FALSE(whyRefused(path).empty()) << name;
  }
}

TEST_F(EmbeddedScene, NoOtherFileIsProved) {
  const std::tuple<const char*, const char*, std::function<std::string(std::string)>> attacks[] = {
      {"a mesh of the scene", "%/wedge.obj", [](std::string s) { return replaced(s, "v 1 0 0", "v 1.0000001 0 0"); }},
      {"a mesh of a robot", "%arm/wedge.obj", [](std::string s) { return replaced(s, "v 1 0 0", "v 2 0 0"); }},
      {"an empty mesh", "%arm/wedge.obj", [](std::string) { return ""; }},
      {"the place of a mesh", "%#package%", [](std::string) { return "/etc/hostname"; }},
      {"a link's mass", "%arm.urdf",
       [](std::string s) { return replaced(s, "mass value=\"0.5\"", "mass value=\"0.6\""); }},
      {"a joint's limit", "%arm.urdf", [](std::string s) { return replaced(s, "upper=\"1\"", "upper=\"1.5\""); }},
      {"a script for another joint", "%script.csv", [](std::string s) { return replaced(s, "hinge", "knee"); }},
      {"a script that is none", "%script.csv", [](std::string) { return "import os\n"; }},
  };
  for (const auto& [name, like, change] : attacks) {
    const std::string path = copy();
    setFile(path, like, change);
    EXPECT_FALSE(whyRefused(path).empty()) << name;
  }
  // Files without their hash, removed, or of another kind.
  for (const char* change :
       {"UPDATE files SET content = CAST(content || x'20' AS BLOB) WHERE name LIKE '%script.csv'",
        "UPDATE files SET sha256 = replace(sha256, substr(sha256, 1, 1), 'f') || '0' WHERE role = 'scene'",
        "DELETE FROM files WHERE name LIKE '%script.csv'", "DELETE FROM files WHERE name LIKE '%arm.urdf'",
        "DELETE FROM files WHERE role = 'found'", "DELETE FROM files WHERE role = 'scene'",
        "UPDATE files SET role = 'named' WHERE role = 'scene'", "UPDATE files SET role = 'other'",
        "UPDATE files SET role = 'found' WHERE name LIKE '%arm.urdf'",
        "UPDATE files SET name = 'x' || name WHERE name LIKE '%arm.urdf'"}) {
    const std::string path = copy();
    altered::Sql(path).execute(change, true);
    EXPECT_FALSE(whyRefused(path).empty()) << change;
  }
}

// A record without any scene is one of its model alone, and says so.
TEST_F(EmbeddedScene, ARecordWithoutASceneSaysSo) {
  const std::string path = copy();
  altered::Sql(path).execute("DELETE FROM files", true);
  const Report report = verifyRecord(path, {.threads = 1});
  EXPECT_TRUE(report.verified);
  EXPECT_THAT(report.notes, testing::ElementsAre(HasSubstr("no scene")));
}

}  // namespace
}  // namespace rigor::verify
