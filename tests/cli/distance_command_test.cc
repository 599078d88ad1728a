// SPDX-License-Identifier: MIT
//
// Proves: `rigor distance` answers every good line and refuses every bad one with its place, as docs/distance.md says.
// Oracle: closed forms of boxes and points; a table of bad lines with the column of the offending value, counted here.
// (That distances are right in general is proved in tests/geom/separation_oracle_test.cc.)
#include "cli/distance_command.h"
#include "tests/json_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

namespace rigor::cli {
namespace {

struct Result {
  int status;
  std::string out, err;
};
Result run(const std::string& file, bool as_json = true) {
  std::istringstream in(file);
  std::ostringstream out, err;
  const int status = distanceCommand(in, "pairs.jsonl", out, err, as_json);
  return {status, out.str(), err.str()};
}

const std::string kCube =
    "[[-1,-1,-1],[1,-1,-1],[-1,1,-1],[1,1,-1],[-1,-1,1],[1,-1,1],[-1,1,1],[1,1,1]]";
const std::string kPoint = R"({"vertices":[[0,0,0]],"pose":[1,0,0,0,0,0,0]})";

std::string body(const std::string& vertices, const std::string& pose) {
  return R"({"vertices":)" + vertices + R"(,"pose":)" + pose + "}";
}
std::string line(const std::string& a, const std::string& b, const std::string& id = "1") {
  return R"({"id":)" + id + R"(,"a":)" + a + R"(,"b":)" + b + "}\n";
}
nlohmann::json answer(const std::string& text) {
  const Result result = run(text);
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err, "");
  return parsedJson(result.out);
}
using Numbers = std::vector<double>;

TEST(DistanceCommand, ASecondOpinionEndsTheAnswer) {
  const std::string apart = line(body(kCube, "[1,0,0,0,5,6,14]"), body(kCube, "[1,0,0,0,0,0,0]"), "\"far\"");
  const std::string deep = line(body(kCube, "[1,0,0,0,0,0,1.5]"), body(kCube, "[1,0,0,0,0,0,0]"));
  std::istringstream in(apart + deep);
  std::ostringstream out, err;
  EXPECT_EQ(distanceCommand(in, "pairs.jsonl", out, err, true, true), 0) << err.str();
  std::istringstream answers(out.str());
  for (const double distance : {13.0, -0.5}) {
    std::string text;
    ASSERT_TRUE(std::getline(answers, text));
    const nlohmann::json opinion = parsedJson(text)["second_opinion"];
    EXPECT_EQ(opinion["agrees"], true) << text;
    EXPECT_NEAR(opinion["distance"].get<double>(), distance, opinion["tolerance"].get<double>());
  }
  // Without it the answers are as before.
  EXPECT_FALSE(answer(apart).contains("second_opinion"));
}

TEST(DistanceCommand, SeparatedBoxes) {
  // Above a vertex, twice as large a quaternion: 45 degrees about z changes nothing along z.
  const auto a = answer(line(body(kCube, "[2,0,0,0,0,0,3.5]"), body(kCube, "[1,0,0,1,0,0,0]")));
  EXPECT_EQ(a["distance"], 1.5);
  EXPECT_EQ(a["normal"], (Numbers{0, 0, 1}));
  EXPECT_EQ(a["point_a"][2], 2.5);
  EXPECT_EQ(a["point_b"][2], 1.0);
}

TEST(DistanceCommand, CornersNameTheirVertices) {
  const auto a = answer(line(body(kCube, "[1,0,0,0,5,6,14]"), body(kCube, "[1,0,0,0,0,0,0]")));
  EXPECT_EQ(a["distance"], 13.0);  // |(3, 4, 12)|
  EXPECT_EQ(a["feature_a"], (nlohmann::json{{"kind", "vertex"}, {"vertices", {0}}}));
  EXPECT_EQ(a["feature_b"], (nlohmann::json{{"kind", "vertex"}, {"vertices", {7}}}));
  EXPECT_EQ(a["point_a"], (Numbers{4, 5, 13}));
  EXPECT_EQ(a["point_b"], (Numbers{1, 1, 1}));
}

TEST(DistanceCommand, FaceAndEdgeNameTheirVertices) {
  const auto over_face = answer(line(body("[[0,0,0]]", "[1,0,0,0,0.25,0.5,4]"), body(kCube, "[1,0,0,0,0,0,0]")));
  EXPECT_EQ(over_face["distance"], 3.0);
  EXPECT_EQ(over_face["feature_a"]["kind"], "vertex");
  // A tetrahedron with its apex downwards over a face: both solid.
  const auto over_top = answer(
      line(body("[[0,0,0],[1,0,1],[-1,1,1],[-1,-1,1]]", "[1,0,0,0,0.25,0.5,4]"), body(kCube, "[1,0,0,0,0,0,0]")));
  EXPECT_EQ(over_top["feature_a"], (nlohmann::json{{"kind", "vertex"}, {"vertices", {0}}}));
  EXPECT_EQ(over_top["feature_b"]["kind"], "face");
  auto face = over_top["feature_b"]["vertices"].get<std::vector<int>>();
  std::sort(face.begin(), face.end());
  EXPECT_EQ(face, (std::vector<int>{4, 5, 6, 7}));
  // Crossing segments.
  const auto segments =
      answer(line(body("[[-1,0,0],[1,0,0]]", "[1,0,0,0,0,0,2]"), body("[[0,-1,0],[0,1,0]]", "[1,0,0,0,0,0,0]")));
  EXPECT_EQ(segments["distance"], 2.0);
  EXPECT_EQ(segments["feature_a"]["kind"], "edge");
  EXPECT_EQ(segments["feature_b"]["kind"], "edge");
}

TEST(DistanceCommand, DuplicatesKeepTheirFirstIndex) {
  const auto a = answer(line(body("[[0,0,0],[0,0,0],[1,0,1],[1,0,1],[-1,1,1],[-1,-1,1]]", "[1,0,0,0,0,0,4]"),
                             body(kCube, "[1,0,0,0,0,0,0]")));
  EXPECT_EQ(a["distance"], 3.0);
  EXPECT_EQ(a["feature_a"]["vertices"], std::vector<int>{0});
}

TEST(DistanceCommand, TouchingIsZeroAndOverlapNegative) {
  const auto touching = answer(line(body(kCube, "[1,0,0,0,2,0,0]"), body(kCube, "[1,0,0,0,0,0,0]")));
  EXPECT_EQ(touching["distance"], 0.0);
  const auto overlap = answer(line(body(kCube, "[1,0,0,0,1.5,0.25,0]"), body(kCube, "[1,0,0,0,0,0,0]")));
  EXPECT_EQ(overlap["distance"], -0.5);
  EXPECT_EQ(overlap["normal"], (Numbers{1, 0, 0}));
}

TEST(DistanceCommand, AnyScaleAndAnyQuaternionLength) {
  for (const std::string s : {"e-300", "e-150", "e0", "e80", "e100"})
    for (const std::string q : {"1e-200", "1", "-1e100"}) {
      const auto a =
          answer(line(body("[[0,0,0]]", "[" + q + ",0,0,0,0,0,1" + s + "]"),
                      body("[[-1" + s + ",0,0],[1" + s + ",0,0],[0,1" + s + ",0]]", "[" + q + ",0,0,0,0,0,0]")));
      EXPECT_EQ(a["distance"], std::stod("1" + s));
      EXPECT_EQ(a["normal"], (Numbers{0, 0, 1}));
    }
}

TEST(DistanceCommand, TheIdComesBackAsItWas) {
  for (const std::string id : {R"("a \u00e9 \"b\"")", "1.50", "-0", "123456789012345678901234567890", "null", "true",
                               R"({"z": 1,"a": [2 , "}"]})", R"(["]"])"}) {
    const Result result = run(line(kPoint, kPoint, id));
    EXPECT_EQ(result.status, 0) << id;
    EXPECT_EQ(result.out.rfind(R"({"id":)" + id + R"(,"distance":)", 0), 0u) << result.out;
  }
}

TEST(DistanceCommand, NumbersReadBackAsTheSameDoubles) {
  // 0.1 + 0.2 needs 17 digits; 5e-324 is the smallest double.
  const auto a = answer(line(body("[[0,0,0]]", "[1,0,0,0,0,0,0.30000000000000004]"), kPoint));
  EXPECT_EQ(a["distance"].get<double>(), 0.1 + 0.2);
  EXPECT_NE(run(line(body("[[0,0,0]]", "[1,0,0,0,0,0,0.30000000000000004]"), kPoint)).out.find("0.30000000000000004"),
            std::string::npos);
  EXPECT_EQ(answer(line(body("[[0,0,0]]", "[1,0,0,0,0,0,5e-324]"), kPoint))["distance"].get<double>(), 5e-324);
}

TEST(DistanceCommand, GoodLinesAreAnsweredWhateverTheOthersHold) {
  const Result result =
      run("\n" + line(kPoint, kPoint, "\"first\"") + "rubbish\n  \r\n" + line(kPoint, kPoint, "\"last\""));
  EXPECT_EQ(result.status, 3);
  std::istringstream lines(result.out);
  std::string one, two, three;
  std::getline(lines, one);
  std::getline(lines, two);
  EXPECT_FALSE(std::getline(lines, three));
  EXPECT_EQ(parsedJson(one)["id"], "first");
  EXPECT_EQ(parsedJson(two)["id"], "last");
  EXPECT_EQ(result.err.rfind("pairs.jsonl:3:1: ", 0), 0u) << result.err;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1);
}

TEST(DistanceCommand, BadLinesAreRefusedAtTheirPlace) {
  // `@` marks the offending value and is taken out.
  const std::string good = R"({"vertices":[[0,0,0]],"pose":[1,0,0,0,0,0,0]})";
  const auto with = [&](const std::string& a) { return R"({"id":1,"a":)" + a + R"(,"b":)" + good + "}"; };
  const struct {
    std::string line, found;
  } kBad[] = {
      {R"({"id":1,"a":)" + good + R"(,"b":@nan})", "not JSON"},
      {with(R"({"vertices":[[0,0,@NaN]],"pose":[1,0,0,0,0,0,0]})"), "not JSON"},
      {with(R"({"vertices":[[0,0,@Infinity]],"pose":[1,0,0,0,0,0,0]})"), "not JSON"},
      {with(R"({"vertices":[[0,0,@"1"]],"pose":[1,0,0,0,0,0,0]})"), "a.vertices[0][2] is a string"},
      {with(R"({"vertices":[[0,0,@null]],"pose":[1,0,0,0,0,0,0]})"), "a.vertices[0][2] is null"},
      {with(R"({"vertices":[[0,0,@1.1e100]],"pose":[1,0,0,0,0,0,0]})"), "is 1.1e100; allowed: magnitudes up to 1e100"},
      {with(R"({"vertices":[[0,0,0],@[0,0]],"pose":[1,0,0,0,0,0,0]})"), "a.vertices[1] has 2 numbers"},
      {with(R"({"vertices":[[0,0,0],@[0,0,0,0]],"pose":[1,0,0,0,0,0,0]})"), "a.vertices[1] has 4 numbers"},
      {with(R"({"vertices":[@0],"pose":[1,0,0,0,0,0,0]})"), "a.vertices[0] is a number"},
      {with(R"({"vertices":@[],"pose":[1,0,0,0,0,0,0]})"), "a.vertices is empty"},
      {with(R"({"vertices":@{},"pose":[1,0,0,0,0,0,0]})"), "a.vertices is an object"},
      {with(R"({"vertices":[[0,0,0]],"pose":@[1,0,0,0,0,0]})"), "a.pose has 6 numbers"},
      {with(R"({"vertices":[[0,0,0]],"pose":@[0,0,-0.0,0,1,0,0]})"), "quaternion of length zero"},
      {with(R"({"vertices":[[0,0,0]],"pose":[1,0,0,@true,0,0,0]})"), "a.pose[3] is a boolean"},
      {with(R"(@{"vertices":[[0,0,0]]})"), R"("a" has no "pose")"},
      {with(R"(@{"pose":[1,0,0,0,0,0,0]})"), R"("a" has no "vertices")"},
      {with(R"({"vertices":[[0,0,0]],"pose":[1,0,0,0,0,0,0],@"scale":2})"), R"(unknown field "scale")"},
      {with(R"({"vertices":[[0,0,0]],"pose":[1,0,0,0,0,0,0],@"pose":[1,0,0,0,0,0,0]})"), "twice"},
      {with("@[]"), R"("a" is an array)"},
      {R"(@{"id":1,"a":)" + good + "}", R"(no "b")"},
      {R"(@{"b":)" + good + R"(,"a":)" + good + "}", R"(no "id")"},
      {R"({"id":1,@"id":2,"a":)" + good + R"(,"b":)" + good + "}", "twice"},
      {"@[1]", "the line is an array"},
      {"  @7", "the line is a number"},
  };
  for (const auto& [marked, found] : kBad) {
    const size_t at = marked.find('@');
    std::string text = marked;
    text.erase(at, 1);
    const Result result = run("\n" + text + "\n");
    EXPECT_EQ(result.status, 3) << text;
    EXPECT_EQ(result.out, "") << text;
    EXPECT_NE(result.err.find(found), std::string::npos) << text << "\n" << result.err;
    EXPECT_NE(result.err.find("; allowed: "), std::string::npos) << result.err;
    const std::string place = "pairs.jsonl:2:";
    ASSERT_EQ(result.err.rfind(place, 0), 0u) << result.err;
    // The syntax check names the character at which the text stops being JSON: inside the bad word, at its end at most.
    const size_t column = std::stoul(result.err.substr(place.size()));
    if (found == "not JSON") {
      EXPECT_GE(column, at + 1) << text << "\n" << result.err;
      EXPECT_LE(column, at + 2) << text << "\n" << result.err;
    } else {
      EXPECT_EQ(column, at + 1) << text << "\n" << result.err;
    }
  }
}

TEST(DistanceCommand, BinaryRubbishIsRefused) {
  std::string rubbish;
  for (int i = 0; i < 256; ++i)
    if (i != '\n') rubbish += static_cast<char>(i);
  const Result result = run(rubbish + "\n\xff\xfe\n{\n" + std::string(100000, '[') + "\n");
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err.rfind("pairs.jsonl:1:", 0), 0u);
  EXPECT_NE(result.err.find("pairs.jsonl:4:"), std::string::npos);
}

TEST(DistanceCommand, TheTableIsForPeople) {
  const Result result = run(line(body(kCube, "[1,0,0,0,5,6,14]"), body(kCube, "[1,0,0,0,0,0,0]"), "\"corner\""), false);
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 2);
  EXPECT_NE(result.out.find("corner"), std::string::npos);
  EXPECT_NE(result.out.find("13.0"), std::string::npos);
  EXPECT_NE(result.out.find("vertex 7"), std::string::npos);
}

}  // namespace
}  // namespace rigor::cli
