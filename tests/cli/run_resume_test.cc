// SPDX-License-Identifier: MIT
// Proves: a run that was stopped by a budget, interrupted or killed goes on with --resume to the same bits as one that
// was never stopped, in its record and in its summary, and the record verifies; and what cannot be gone on with is
// refused. Oracle: the run that was never stopped.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "program.h"
#include "record/database.h"
#include "tests/json_text.h"

namespace rigor::cli {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class Resume : public ::testing::Test {
 protected:
  ProgramResult run(const std::string& scene, const std::string& record, const std::vector<std::string>& more,
                    double signal_after = 0, int signal = SIGINT) {
    std::vector<std::string> arguments{"run", scene, "-o", record, "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return folder_.run(arguments, signal_after, signal);
  }
  std::vector<std::string> rows(const std::string& csv) {
    std::istringstream text(readAll(folder_ / csv));
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  }
  /// A resting body's constant piece may be cut where the run was stopped: rows of states may be more, never others.
  void expectSame(const std::string& straight, const std::string& resumed) {
    for (const std::string& record : {straight, resumed})
      ASSERT_EQ(folder_.run({"export", record, "--format", "csv", "-o", record + ".csv"}).code, 0);
    for (const char* table : {"/events.csv", "/impacts.csv", "/joints.csv"})
      EXPECT_EQ(rows(straight + ".csv" + table), rows(resumed + ".csv" + table)) << table;
    const auto list = rows(resumed + ".csv/states.csv");
    const std::set<std::string> found(list.begin(), list.end());
    for (const std::string& row : rows(straight + ".csv/states.csv")) EXPECT_TRUE(found.contains(row)) << row;
    const ProgramResult proof = folder_.run({"verify", resumed, "--json"});
    EXPECT_EQ(proof.code, 0) << proof.out;
  }
  static json summaryOf(const ProgramResult& result) {
    json summary = parsedJson(result.out);
    summary.erase("wall_seconds"), summary.erase("record");
    return summary;
  }
  void execute(const std::string& record, const std::string& sql) {
    record::Database database = record::Database::openForWriting((folder_ / record).string());
    database.execute(sql);
  }
  ProgramFolder folder_;
};

TEST_F(Resume, AfterBudgetsARunEndsInTheBitsOfOneThatNeverStopped) {
  for (const std::string scene : {"cube-on-cube", "gripper"}) {
    SCOPED_TRACE(scene);
    const std::vector<std::string> until{"--until", "0.6", "--seed", "3"};
    const ProgramResult straight = run(scene, scene + "-straight.rigor", until);
    ASSERT_EQ(straight.code, 0) << straight.err;
    const std::string record = scene + ".rigor";
    const long steps = parsedJson(straight.out)["steps"];
    ProgramResult part = run(scene, record, {"--until", "0.6", "--seed", "3", "--max-steps", "5"});
    ASSERT_EQ(part.code, 5) << part.err;
    EXPECT_EQ(folder_.run({"verify", record}).code, 0);
    part = run(scene, record, {"--resume", "--max-steps", std::to_string(steps / 2)});
    ASSERT_EQ(part.code, 5) << part.err;
    EXPECT_EQ(folder_.run({"verify", record}).code, 0);
    part = run(scene, record, {"--resume"});
    ASSERT_EQ(part.code, 0) << part.err;
    EXPECT_EQ(summaryOf(part), summaryOf(straight));
    expectSame(scene + "-straight.rigor", record);
  }
}

TEST_F(Resume, AKilledRunWithoutAStoredStateStartsAnew) {
  ASSERT_EQ(run("die", "straight.rigor", {}).code, 0);
  ASSERT_EQ(run("die", "die.rigor", {"--max-steps", "5"}).code, 5);
  execute("die.rigor", "DELETE FROM snapshots; UPDATE branches SET status = 'running', end_time = 0; "
                       "UPDATE meta SET value = 'running' WHERE key = 'status';"
                       "UPDATE meta SET value = '' WHERE key = 'seal'");
  const ProgramResult result = run("die", "die.rigor", {"--resume"});
  ASSERT_EQ(result.code, 0) << result.err;
  expectSame("straight.rigor", "die.rigor");
}

// The first commit marks the file until all of it is there.
TEST_F(Resume, ARunThatWasKilledInItsFirstCommitStartsAnew) {
  ASSERT_EQ(run("die", "straight.rigor", {}).code, 0);
  ASSERT_EQ(run("die", "die.rigor", {}).code, 0);
  {
    std::fstream file(folder_ / "die.rigor", std::ios::binary | std::ios::in | std::ios::out);
    file << "rigor unwritten ";
    ASSERT_TRUE(file.good());
  }
  const ProgramResult read = folder_.run({"verify", "die.rigor"});
  EXPECT_EQ(read.code, 3);
  EXPECT_THAT(read.err, HasSubstr("ended before the first commit"));
  const ProgramResult again = run("die", "die.rigor", {"--resume"});
  ASSERT_EQ(again.code, 0) << again.err;
  expectSame("straight.rigor", "die.rigor");
}

TEST_F(Resume, InterruptedAndKilledRunsGoOn) {
  for (const int signal : {SIGINT, SIGKILL}) {
    const std::string record = std::to_string(signal) + ".rigor";
    // On a busy machine the first commit may come later than the signal: then it has longer.
    for (double after = 0.6; after < 100; after *= 2) {
      const ProgramResult stopped = run("pile-100", record, {"--force"}, after, signal);
      ASSERT_EQ(stopped.code, signal == SIGINT ? 130 : -SIGKILL) << stopped.err;
      if (folder_.run({"info", record}).code == 0) break;
    }
    EXPECT_EQ(folder_.run({"verify", record}).code, 0);
    const ProgramResult more = run("pile-100", record, {"--resume", "--max-steps", "400"});
    EXPECT_TRUE(more.code == 5 || more.code == 0) << more.err;
    EXPECT_EQ(folder_.run({"verify", record}).code, 0);
  }
}

TEST_F(Resume, AnEndedRunGoesOnToALaterEnd) {
  ASSERT_EQ(run("die", "die.rigor", {"--until", "0.2"}).code, 0);
  const ProgramResult again = run("die", "die.rigor", {"--resume"});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(parsedJson(again.out)["time"], 0.2);
  const ProgramResult later = run("die", "die.rigor", {"--resume", "--until", "1"});
  ASSERT_EQ(later.code, 0) << later.err;
  EXPECT_EQ(parsedJson(later.out)["time"], 1);
  EXPECT_EQ(folder_.run({"verify", "die.rigor"}).code, 0);
}

TEST_F(Resume, WhatCannotBeGoneOnWithIsRefused) {
  EXPECT_EQ(run("die", "new.rigor", {"--resume", "--until", "0.05"}).code, 0) << "a record that is not there is begun";
  ASSERT_EQ(run("die", "die.rigor", {"--until", "0.3", "--max-steps", "3"}).code, 5);
  const ProgramResult exists = run("die", "die.rigor", {});
  EXPECT_EQ(exists.code, 2);
  EXPECT_THAT(exists.err, HasSubstr("--resume"));
  EXPECT_EQ(run("die", "die.rigor", {"--resume", "--force"}).code, 2);
  EXPECT_EQ(run("die", "die.rigor", {"--resume", "--seed", "1"}).code, 2);
  EXPECT_EQ(run("die", "die.rigor", {"--resume", "--impact", "plus"}).code, 2);
  EXPECT_EQ(run("die", "die.rigor", {"--resume", "--until", "0.1"}).code, 2);
  const ProgramResult other = run("cube-on-cube", "die.rigor", {"--resume"});
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.err, HasSubstr("another scene"));
  EXPECT_EQ(folder_.run({"run", "die", "--resume"}).code, 2) << "runs/ has none";
  folder_.write("rubbish.rigor", "rubbish");
  EXPECT_EQ(run("die", "rubbish.rigor", {"--resume"}).code, 3);
  ASSERT_EQ(folder_.run({"explore", "die", "-o", "tree.rigor", "--until", "0.1"}).code, 0);
  const ProgramResult tree = run("die", "tree.rigor", {"--resume"});
  EXPECT_EQ(tree.code, 2);
  EXPECT_THAT(tree.err, HasSubstr("explore --resume"));
}

}  // namespace
}  // namespace rigor::cli
