// SPDX-License-Identifier: MIT
// Proved: `rigor impact --bounds` keeps its documented interface, and a proof that it wrote is accepted again, refused
// once a digit of it is changed, and refused for another problem. Oracle: the documented names and the known lift of
// the rocking block.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "program.h"
#include "tests/json_text.h"

namespace rigor::cli {
namespace {

using nlohmann::json;

TEST(ImpactBounds, GivesTheDocumentedObject) {
  ProgramFolder folder;
  const ProgramResult result = folder.run({"impact", "rocking-block", "--bounds", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const json answer = json::parse(result.out, nullptr, false);
  EXPECT_EQ(answer["dimension"], 1);
  EXPECT_EQ(answer["cells"], 5);
  EXPECT_EQ(answer["exact"], true);
  EXPECT_EQ(answer["proved"], true);
  EXPECT_EQ(answer["volume_ratio"], 1.0);
  ASSERT_EQ(answer["coordinates"].size(), 7u);
  EXPECT_EQ(answer["coordinates"][0]["name"], "vn0");
  EXPECT_EQ(answer["coordinates"][1]["name"], "vt0_0");
  EXPECT_EQ(answer["coordinates"][4]["name"], "v0");
  for (const char* side : {"inner", "outer"}) {
    EXPECT_EQ(answer["coordinates"][2][side][0], 0.0);
    EXPECT_NEAR(answer["coordinates"][2][side][1].get<double>(), 0.0930183853, 5e-11);
  }
  EXPECT_NE(folder.run({"impact", "rocking-block", "--bounds"}).out.find("vn1 in [0, 0.0930183853], proved"),
            std::string::npos);
}

TEST(ImpactBounds, AProofIsCheckedAgain) {
  ProgramFolder folder;
  const std::string path = (folder / "proof.json").string();
  ASSERT_EQ(folder.run({"impact", "rocking-block", "--bounds", "--certificate", path}).code, 0);
  EXPECT_EQ(folder.run({"impact", "rocking-block", "--check", path}).code, 0);
  EXPECT_EQ(folder.run({"impact", "box-and-wall", "--check", path}).code, 3);
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  json proof = json::parse(text.str());
  proof["chains"][0]["end"][0] = "1/1000";
  std::ofstream(path) << proof.dump();
  const ProgramResult refused = folder.run({"impact", "rocking-block", "--check", path});
  EXPECT_EQ(refused.code, 4);
  EXPECT_NE(refused.err.find("does not prove"), std::string::npos);
  std::ofstream(path) << "{}";
  EXPECT_EQ(folder.run({"impact", "rocking-block", "--check", path}).code, 3);
}

/// All strings "p/q" and integers of a JSON value that are no keys, but the digest.
void collectNumbers(json& value, std::vector<json*>& out) {
  if (value.is_string() || value.is_number_integer()) {
    out.push_back(&value);
    return;
  }
  if (!value.is_structured()) return;
  for (auto& [key, entry] : value.items()) {
    if (key != "digest" && key != "format" && key != "name" && key != "quantity") collectNumbers(entry, out);
  }
}

// Of a set that is not known whole the file proves the bounds of both sides, by relaxed problems and by potentials. A
// change of any number of it is noticed, be the proof still one or not; other white space and order of keys are none.
TEST(ImpactBounds, ProofsOfBothSidesAreCheckedAgain) {
  ProgramFolder folder;
  const std::string path = (folder / "proof.json").string();
  const std::vector<std::string> check{"impact", "compass-gait", "--check", path, "--json"};
  const ProgramResult found =
      folder.run({"impact", "compass-gait", "--bounds", "--work", "8000", "--certificate", path, "--json"});
  ASSERT_EQ(found.code, 0) << found.err;
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  const json proof = json::parse(text.str());
  EXPECT_EQ(proof["complete"], false);
  std::ofstream(path) << proof.dump(2);
  const ProgramResult accepted = folder.run(check);
  ASSERT_EQ(accepted.code, 0) << accepted.err;
  const json told = json::parse(accepted.out), asked = json::parse(found.out);
  EXPECT_EQ(told["proved"], true);
  EXPECT_EQ(told["coordinates"].size(), asked["coordinates"].size());
  for (size_t k = 0; k < told["coordinates"].size(); ++k) {
    for (int side = 0; side < 2; ++side)
      EXPECT_DOUBLE_EQ(told["coordinates"][k]["outer"][side].get<double>(),
                       asked["coordinates"][k]["outer"][side].get<double>());
  }
  json altered = proof;
  std::vector<json*> numbers;
  collectNumbers(altered, numbers);
  ASSERT_GT(numbers.size(), 100u);
  for (size_t k = 0; k < numbers.size(); k += 1 + numbers.size() / 60) {
    const json before = *numbers[k];
    *numbers[k] = before.is_string() ? json("1" + before.get<std::string>()) : json(before.get<int>() + 1);
    std::ofstream(path) << altered.dump();
    EXPECT_NE(folder.run(check).code, 0) << before;
    *numbers[k] = before;
  }
  altered["bounds"][0]["outer"][1] = "1/1000000";
  std::ofstream(path) << altered.dump();
  EXPECT_EQ(folder.run(check).code, 4);
  altered.erase("digest");
  std::ofstream(path) << altered.dump();
  EXPECT_EQ(folder.run(check).code, 3);
}

// The lift of the top disk that some order of the contacts reaches, one after the other, is .205 m/s; at rest it hits
// at 1 m/s.
TEST(SlowImpactBounds, LargerProblemsAreBoundedFromBothSides) {
  ProgramFolder folder;
  const ProgramResult result = folder.run({"impact", "disk-stacking", "--bounds", "--work", "4000000", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const json answer = json::parse(result.out, nullptr, false);
  EXPECT_EQ(answer["exact"], false);
  EXPECT_EQ(answer["proved"], true);
  for (const json& one : answer["coordinates"]) {
    EXPECT_LE(one["outer"][0].get<double>(), one["inner"][0].get<double>()) << one["name"];
    EXPECT_GE(one["outer"][1].get<double>(), one["inner"][1].get<double>()) << one["name"];
  }
}

TEST(ImpactBounds, ALimitLeavesInnerBounds) {
  ProgramFolder folder;
  const ProgramResult result = folder.run({"impact", "compass-gait", "--bounds", "--work", "8000", "--json"});
  EXPECT_EQ(result.code, 0);
  const json answer = json::parse(result.out, nullptr, false);
  EXPECT_EQ(answer["exact"], false);
  EXPECT_EQ(answer["proved"], true);  // Both sides; they differ.
  EXPECT_EQ(answer["limit"], "the limit of work");
}

}  // namespace
}  // namespace rigor::cli
