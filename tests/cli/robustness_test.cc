// SPDX-License-Identifier: MIT
// Proves: devices, pipes, full disks, damaged and vanishing records end in the promised exit codes with a sentence.
// Oracle: the contract of docs/outputs.md; a process that a signal ended has a negative code.
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <filesystem>
#include <thread>

#include "record/database.h"
#include "tests/cli/program.h"

namespace rigor::cli {
namespace {

using testing::HasSubstr;

constexpr const char* kFallingScene = R"(name: falling
until: 0.3
bodies:
  - {name: table, fixed: true, shape: {halfspace: {normal: [0, 0, 1], offset: 0}}}
  - {name: box, mass: 1, shape: {box: {size: [0.1, 0.1, 0.1]}}, position: [0, 0, 0.3]}
)";

class Robustness : public testing::Test {
 protected:
  void SetUp() override {
    folder_.write("s.yaml", kFallingScene);
    ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  }
  void makeRecord() const { ASSERT_EQ(folder_.run({"run", "s.yaml", "-o", "a.rigor", "--quiet"}).code, 0); }
  void alter(const std::string& sql) const {
    record::Database::openForWriting((folder_ / "a.rigor").string()).execute(sql);
  }
  ProgramFolder folder_;
};

TEST_F(Robustness, DevicesAndPipesAreNoInput) {
  const auto naming = [](const std::string& field) { return "until: 1\nrobots: [{name: r, " + field + "}]\n"; };
  for (const std::string file : {"/dev/zero", "pipe"}) {
    for (const char* format : {"urdf", "mjcf", "sdf"}) {
      folder_.write("robot.yaml", naming(std::string(format) + ": " + file));
      const ProgramResult robot = folder_.run({"run", "robot.yaml"});
      EXPECT_EQ(robot.code, 3) << format << ' ' << file << robot.err;
      EXPECT_THAT(robot.err, HasSubstr("robot.yaml:2:")) << format;
    }
    folder_.write("mesh.yaml", "bodies: [{name: m, density: 1, shape: {mesh: {file: " + file + "}}}]\n");
    for (const std::vector<std::string>& arguments : {std::vector<std::string>{"distance", file},
                                                      {"impact", file},
                                                      {"run", file},
                                                      {"run", "mesh.yaml"},
                                                      {"info", file},
                                                      {"verify", file},
                                                      {"view", file, "--screenshot", "x.png"},
                                                      {"export", file, "--format", "csv", "-o", "out"},
                                                      {"explore", file},
                                                      {"check", "s.yaml", file},
                                                      {"sweep", file, "-o", "sweep"}}) {
      const ProgramResult result = folder_.run(arguments);
      EXPECT_EQ(result.code, 3) << arguments[0] << ' ' << file << ": " << result.err;
      EXPECT_NE(result.err, "") << arguments[0];
    }
  }
}

// A limit on the size of files stands for the full disk.
TEST_F(Robustness, ExportsOntoAFullDiskAreExitFour) {
  makeRecord();
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{256, before.rlim_max};  // Enough for the sentence on stderr, which is a file as well.
  for (const char* format : {"hdf5", "csv", "gltf"}) {
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    const ProgramResult result =
        folder_.run({"export", "a.rigor", "--format", format, "-o", std::string("out.") + format});
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
    EXPECT_EQ(result.code, 4) << format << result.err;
    EXPECT_THAT(result.err, HasSubstr("cannot")) << format;
  }
}

TEST_F(Robustness, ARecordThatIsRemovedDuringItsRunIsNoSuccess) {
  folder_.write("long.yaml", std::string(kFallingScene) + "solver: {max_step: 1e-6}\n");
  std::thread remover([&] {
    // An empty file only keeps the name; the record takes its place.
    std::error_code none;
    while (!(std::filesystem::file_size(folder_ / "a.rigor", none) > 0) || none) std::this_thread::yield();
    std::filesystem::remove(folder_ / "a.rigor");
  });
  const ProgramResult result = folder_.run({"run", "long.yaml", "-o", "a.rigor"});
  remover.join();
  EXPECT_EQ(result.code, 4) << result.err;
  EXPECT_THAT(result.err, HasSubstr("a.rigor"));
}

TEST_F(Robustness, ARecordThatWasKilledBeforeItsFirstCommitStartsAnew) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"run", "s.yaml", "--resume", "-o", "a.rigor"},
        {"explore", "s.yaml", "--samples", "10", "--resume", "-o", "a.rigor"}}) {
    folder_.write("a.rigor", "");
    const ProgramResult result = folder_.run(arguments);
    EXPECT_EQ(result.code, 0) << arguments[0] << result.err;
    EXPECT_EQ(folder_.run({"verify", "a.rigor"}).code, 0) << arguments[0];
  }
}

TEST_F(Robustness, DamagedRecordsAreExitThreeForEveryReader) {
  for (const char* damage :
       {"DELETE FROM branches", "UPDATE branches SET id = NULL",
        "UPDATE branches SET number = NULL WHERE 0; UPDATE branches SET end_time = 'x'",
        "UPDATE meta SET value = replace(value, '\"offset\":0', '\"offset\":1e999') WHERE key = 'model'",
        "UPDATE meta SET value = replace(value, '\"centre\":[0,0,0]', '\"centre\":[0,0]') WHERE key = 'model'",
        "UPDATE meta SET value = '{' WHERE key = 'options'", "UPDATE pieces SET motions = x'00'",
        "CREATE VIEW other AS SELECT * FROM meta"}) {
    std::filesystem::remove(folder_ / "a.rigor");
    makeRecord();
    alter(damage);
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"verify", "a.rigor"},
          {"export", "a.rigor", "--format", "gltf", "-o", "x.glb"},
          {"export", "a.rigor", "--format", "hdf5", "-o", "x.h5"},
          {"export", "a.rigor", "--format", "csv", "-o", "csv"},
          {"view", "a.rigor", "--screenshot", "x.png", "--size", "64x48"}}) {
      const ProgramResult result = folder_.run(arguments);
      EXPECT_EQ(result.code, 3) << damage << " | " << arguments[0] << ": " << result.err;
      EXPECT_THAT(result.err, testing::Not(HasSubstr("json.exception"))) << damage;
    }
    const ProgramResult info = folder_.run({"info", "a.rigor"});  // It reads no rows of pieces.
    EXPECT_TRUE(info.code == 3 || info.code == 0) << damage << info.err;
  }
}

TEST_F(Robustness, InfoPrintsTheModelOfARun) {
  makeRecord();
  const ProgramResult model = folder_.run({"info", "a.rigor", "--model"});
  EXPECT_EQ(model.code, 0);
  EXPECT_EQ(std::count(model.out.begin(), model.out.end(), '\n'), 1);
  EXPECT_THAT(model.out, testing::StartsWith(
                             "{\"gravity\":[0,0,-9.81],\"until\":0.3,\"bodies\":[{\"name\":\"table\",\"fixed\":true"));
  EXPECT_THAT(model.out, HasSubstr("\"position\":[0,0,0.3]"));
}

// A file that the scene names has changed: the record is of another scene.
TEST_F(Robustness, ARecordIsNotGoneOnWithAfterItsMeshChanged) {
  const auto mesh = [&](const char* size) {
    folder_.write("m.obj",
                  std::string("v 0 0 0\nv ") + size + " 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
  };
  mesh("1");
  folder_.write("mesh.yaml", "until: 0.1\nbodies: [{name: m, density: 1, shape: {mesh: {file: m.obj}}}]\n");
  ASSERT_EQ(folder_.run({"run", "mesh.yaml", "-o", "a.rigor"}).code, 0);
  EXPECT_EQ(folder_.run({"run", "mesh.yaml", "-o", "a.rigor", "--resume", "--until", "0.2"}).code, 0);
  mesh("2");
  const ProgramResult other = folder_.run({"run", "mesh.yaml", "-o", "a.rigor", "--resume", "--until", "0.3"});
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.err, HasSubstr("has changed since"));
  std::filesystem::remove(folder_ / "m.obj");
  EXPECT_EQ(folder_.run({"verify", "a.rigor"}).code, 0);
}

}  // namespace
}  // namespace rigor::cli
