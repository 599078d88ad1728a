// SPDX-License-Identifier: MIT
// Proves: what scenes/problem_loader.h promises. A problem in the documented format is read to the values it states;
// every other input is refused at the exact line and column of the offending value; contacts that are jammed have a
// warning with theirs.
// Oracle: the expected values and places are written beside each input by hand.
#include "scenes/problem_loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "friction/coulomb.h"
#include "impact/problem/field_error.h"
#include "scenes/loader.h"

namespace rigor::scenes {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string problemMessage(const std::string& text, const std::string& path = "p.yaml") {
  try {
    (void)parseProblem(text, path);
  } catch (const LoadError& error) {
    return error.what();
  }
  return "(accepted)";
}

const char* kFull = R"(name: block
description: A block.
notes: >
  Lands flat.
mass_matrix: [[1, 0, 0], [0, 2, 0.5], [0, 0.5, 3]]
normal:
  - [0, 1, -0.5]
  - [0, 1, 0.5]
  - [0, 1, 0]
tangent:
  - [[1, 0, 1]]
  - [[1, 0, 1], [0.5, 0, 2]]
  - []
friction: [0.5, no-slip, 0]
restitution: [0, 0.25, 1]
velocity: [0.1, -1, 0]
step: 0.75
max_steps: 12
cone_edges: 6
tolerance: 1e-8
plus: {theta_max: 0.02, rolling_speed: 1e-4}
stiffness: [1, 10, 100]
)";

TEST(ProblemLoader, ReadsEveryField) {
  const LoadedProblem file = parseProblem(kFull, "folder/x.yaml");
  EXPECT_EQ(file.name, "block");
  EXPECT_EQ(file.description, "A block.");
  EXPECT_EQ(file.notes, "Lands flat.\n");
  const impact::ImpactProblem& p = file.problem;
  EXPECT_EQ(p.mass_matrix, (Eigen::Matrix3d() << 1, 0, 0, 0, 2, .5, 0, .5, 3).finished());
  EXPECT_EQ(p.normal, (Eigen::Matrix3d() << 0, 1, -.5, 0, 1, .5, 0, 1, 0).finished());
  ASSERT_EQ(p.tangent.size(), 3u);
  EXPECT_EQ(p.tangent[0], Eigen::RowVector3d(1, 0, 1));
  EXPECT_EQ(p.tangent[1], (Eigen::MatrixXd(2, 3) << 1, 0, 1, .5, 0, 2).finished());
  EXPECT_EQ(p.tangent[2].rows(), 0);
  EXPECT_EQ(p.tangent[2].cols(), 3);
  EXPECT_EQ(p.friction, (std::vector<double>{0.5, impact::kNoSlip, 0}));
  EXPECT_EQ(p.restitution, (std::vector<double>{0, 0.25, 1}));
  EXPECT_EQ(p.velocity, Eigen::Vector3d(0.1, -1, 0));
  EXPECT_EQ(file.options.step, 0.75);
  EXPECT_TRUE(file.options.step_is_impulse);
  EXPECT_EQ(file.options.max_steps, 12);
  EXPECT_EQ(file.options.cone_edges, 6);
  EXPECT_EQ(file.options.tolerance, 1e-8);
  EXPECT_EQ(file.options.plus.theta_max, 0.02);
  EXPECT_EQ(file.options.plus.rolling_speed, 1e-4);
  EXPECT_EQ(file.options.compliant.stiffness, (std::vector<double>{1, 10, 100}));
  EXPECT_EQ(file.located(impact::FieldError("restitution", "one number")), "folder/x.yaml:15:14: one number");
  EXPECT_EQ(file.located(std::invalid_argument("a restitution of no field")),
            "folder/x.yaml:1:1: a restitution of no field");
}

TEST(ProblemLoader, DefaultsAreThoseOfTheOptions) {
  const LoadedProblem file =
      parseProblem("mass_matrix: [[2]]\nnormal: [[1]]\nfriction: [0]\nvelocity: [-1]\n", "a/drop.yaml");
  const impact::ImpactOptions fresh;
  EXPECT_EQ(file.name, "drop");
  EXPECT_EQ(file.problem.restitution, std::vector<double>{0});
  EXPECT_EQ(file.problem.tangent.size(), 1u);
  EXPECT_EQ(file.options.step, fresh.step);
  EXPECT_FALSE(file.options.step_is_impulse);
  EXPECT_EQ(file.options.max_steps, fresh.max_steps);
  EXPECT_EQ(file.options.plus.theta_max, 0.01);
  EXPECT_TRUE(file.options.compliant.stiffness.empty());
}

TEST(ProblemLoader, ZeroTangentRowsWithoutFriction) {
  EXPECT_EQ(problemMessage("mass_matrix: [[2]]\nnormal: [[1]]\ntangent: [[[0]]]\nfriction: [0]\nvelocity: [-1]\n"),
            "(accepted)");
}

TEST(ProblemLoader, JsonIsReadToo) {
  const LoadedProblem file = parseProblem(
      R"({"mass_matrix": [[1, 0], [0, 1]], "normal": [[0, 1]], "tangent": [[[1, 0]]], "friction": ["no-slip"],
          "velocity": [1, -1e0]})",
      "p.json");
  EXPECT_EQ(file.problem.friction[0], impact::kNoSlip);
}

TEST(ProblemLoader, UnsymmetricByRoundingIsMadeSymmetric) {
  const LoadedProblem file = parseProblem(
      "mass_matrix: [[1, 0.333333333333], [0.3333333333333333, 1]]\nnormal: [[0, 1]]\nfriction: [0]\nvelocity: [1, "
      "-1]\n",
      "p.yaml");
  EXPECT_EQ(file.problem.mass_matrix(0, 1), file.problem.mass_matrix(1, 0));
  EXPECT_NEAR(file.problem.mass_matrix(0, 1), 1.0 / 3, 1e-12);
}

// Two bodies; line 1 to 6, changed a line at a time.
std::string problem(const std::string& line, const std::string& with) {
  const std::vector<std::pair<std::string, std::string>> lines{{"mass_matrix", "mass_matrix: [[2, 0.5], [0.5, 1]]"},
                                                               {"normal", "normal: [[0, 1], [0.5, 1]]"},
                                                               {"tangent", "tangent: [[[1, 0]], [[1, 0]]]"},
                                                               {"friction", "friction: [0.5, 0.5]"},
                                                               {"velocity", "velocity: [1, -1]"}};
  std::string text;
  bool found = false;
  for (const auto& [name, given] : lines) {
    if (name == line) found = true;
    const std::string& used = name == line ? with : given;
    if (!used.empty()) text += used + '\n';
  }
  if (!found) text += with + '\n';
  return text;
}

TEST(ProblemLoader, JammedContactsAreAWarning) {
  EXPECT_TRUE(parseProblem(problem("", ""), "p.yaml").warnings.empty());
  const LoadedProblem file = parseProblem(problem("normal", "normal: [[0, 1], [0, -1]]"), "p.yaml");
  ASSERT_EQ(file.warnings.size(), 1u);
  EXPECT_THAT(file.warnings[0], StartsWith("p.yaml:2:9: jammed: no velocity separates all contacts (the normals of "
                                           "contacts 0, 1 oppose each other)"));
}

struct Bad {
  const char *name, *line, *with, *place, *found;
};

class ProblemRefused : public ::testing::TestWithParam<Bad> {};

TEST_P(ProblemRefused, AtItsPlace) {
  const Bad& bad = GetParam();
  const std::string message = problemMessage(problem(bad.line, bad.with));
  EXPECT_THAT(message, StartsWith(std::string("p.yaml:") + bad.place + ": "));
  EXPECT_THAT(message, HasSubstr(bad.found));
  EXPECT_THAT(message, HasSubstr("; "));
}

INSTANTIATE_TEST_SUITE_P(
    Bad, ProblemRefused,
    ::testing::Values(
        Bad{"UnknownField", "x", "frction: [0.5, 0.5]", "6:1", "did you mean friction?"},
        Bad{"DuplicateField", "x", "velocity: [1, -1]", "6:1", "duplicate field velocity"},
        Bad{"UnknownPlusField", "x", "plus: {theta: 0.1}", "6:8", "unknown field plus.theta"},
        Bad{"NoMass", "mass_matrix", "", "1:1", "no field mass_matrix"},
        Bad{"NoNormal", "normal", "", "1:1", "no field normal"},
        Bad{"NoFriction", "friction", "", "1:1", "no field friction"},
        Bad{"NoVelocity", "velocity", "", "1:1", "no field velocity"},
        Bad{"MassNotSquare", "mass_matrix", "mass_matrix: [[2, 0.5], [0.5]]", "1:25", "mass_matrix[1] is a list of 1"},
        Bad{"MassEmpty", "mass_matrix", "mass_matrix: []", "1:14", "mass_matrix is a list of 0"},
        Bad{"MassNotSymmetric", "mass_matrix", "mass_matrix: [[2, 0.5], [0.4, 1]]", "1:26", "mass_matrix[1][0] is 0.4"},
        Bad{"MassNegative", "mass_matrix", "mass_matrix: [[-2, 0.5], [0.5, 1]]", "1:16", "mass_matrix[0][0] is -2"},
        Bad{"MassZero", "mass_matrix", "mass_matrix: [[2, 0], [0, 0]]", "1:27", "mass_matrix[1][1] is 0"},
        Bad{"MassIndefinite", "mass_matrix", "mass_matrix: [[2, 1.5], [1.5, 1]]", "1:14", "not positive definite"},
        Bad{"MassSingular", "mass_matrix", "mass_matrix: [[4, 2], [2, 1]]", "1:14", "not positive definite"},
        Bad{"MassNan", "mass_matrix", "mass_matrix: [[2, .nan], [0.5, 1]]", "1:19", "mass_matrix[0][1] is .nan"},
        Bad{"MassInf", "mass_matrix", "mass_matrix: [[inf, 0.5], [0.5, 1]]", "1:16", "mass_matrix[0][0] is inf"},
        Bad{"NormalSize", "normal", "normal: [[0, 1, 0], [0.5, 1]]", "2:10", "normal[0] is a list of 3"},
        Bad{"NormalNone", "normal", "normal: []", "2:9", "normal is a list of 0"},
        Bad{"NormalText", "normal", "normal: [[0, up], [0.5, 1]]", "2:14", "normal[0][1] is up"},
        Bad{"NormalNan", "normal", "normal: [[0, nan], [0.5, 1]]", "2:14", "normal[0][1] is nan"},
        Bad{"NormalZero", "normal", "normal: [[0, 1], [0, 0]]", "2:18", "normal[1] is zero"},
        Bad{"TangentCount", "tangent", "tangent: [[[1, 0]]]", "3:10", "tangent is a list of 1"},
        Bad{"TangentThreeRows", "tangent", "tangent: [[[1, 0]], [[1, 0], [0, 1], [1, 1]]]", "3:21",
            "tangent[1] is a list of 3"},
        Bad{"TangentRowSize", "tangent", "tangent: [[[1, 0]], [[1]]]", "3:22", "tangent[1][0] is a list of 1"},
        Bad{"TangentNotNested", "tangent", "tangent: [[1, 0], [1, 0]]", "3:12", "tangent[0][0] is 1"},
        Bad{"TangentMissing", "tangent", "", "3:11", "contact 0 has friction but no tangent rows"},
        Bad{"TangentEmpty", "tangent", "tangent: [[[1, 0]], []]", "3:21", "contact 1 has friction but no tangent rows"},
        Bad{"TangentZero", "tangent", "tangent: [[[1, 0]], [[0, 0]]]", "3:21", "tangent rows of zeros"},
        Bad{"TangentInf", "tangent", "tangent: [[[1, 0]], [[1, .inf]]]", "3:26", "tangent[1][0][1] is .inf"},
        Bad{"FrictionCount", "friction", "friction: [0.5]", "4:11", "friction is a list of 1"},
        Bad{"FrictionNegative", "friction", "friction: [0.5, -0.1]", "4:17", "friction[1] is -0.1"},
        Bad{"FrictionWord", "friction", "friction: [0.5, sticky]", "4:17", "friction[1] is sticky"},
        Bad{"FrictionNan", "friction", "friction: [nan, 1]", "4:12", "friction[0] is nan"},
        Bad{"RestitutionAbove", "x", "restitution: [0, 1.5]", "6:18", "restitution[1] is 1.5"},
        Bad{"RestitutionBelow", "x", "restitution: [-0.5, 1]", "6:15", "restitution[0] is -0.5"},
        Bad{"RestitutionCount", "x", "restitution: [0, 1, 0]", "6:14", "restitution is a list of 3"},
        Bad{"RestitutionNan", "x", "restitution: [0, .nan]", "6:18", "restitution[1] is .nan"},
        Bad{"VelocityCount", "velocity", "velocity: [1, -1, 0]", "5:11", "velocity is a list of 3"},
        Bad{"VelocityNan", "velocity", "velocity: [1, .NaN]", "5:15", "velocity[1] is .NaN"},
        Bad{"VelocityHuge", "velocity", "velocity: [1, 1e101]", "5:15", "velocity[1] is 1e101"},
        Bad{"VelocityQuoted", "velocity", "velocity: [1, \"1\"]", "5:15", "velocity[1] is \"1\""},
        Bad{"StepZero", "x", "step: 0", "6:7", "step is 0"},
        Bad{"StepsZero", "x", "max_steps: 0", "6:12", "max_steps is 0"},
        Bad{"StepsFraction", "x", "max_steps: 1.5", "6:12", "max_steps is 1.5"},
        Bad{"EdgesOdd", "x", "cone_edges: 7", "6:13", "cone_edges is 7"},
        Bad{"EdgesFew", "x", "cone_edges: 2", "6:13", "cone_edges is 2"},
        Bad{"ToleranceZero", "x", "tolerance: 0", "6:12", "tolerance is 0"},
        Bad{"ThetaZero", "x", "plus: {theta_max: 0}", "6:19", "plus.theta_max is 0"},
        Bad{"ThetaLarge", "x", "plus: {theta_max: 2}", "6:19", "plus.theta_max is 2"},
        Bad{"RollingNegative", "x", "plus: {rolling_speed: -1}", "6:23", "plus.rolling_speed is -1"},
        Bad{"StiffnessCount", "x", "stiffness: [1]", "6:12", "stiffness is a list of 1"},
        Bad{"StiffnessZero", "x", "stiffness: [1, 0]", "6:16", "stiffness[1] is 0"},
        Bad{"EmptyField", "x", "step:", "6:1", "step is empty"}),
    [](const auto& tested) { return std::string(tested.param.name); });

TEST(ProblemLoader, JsonErrorsHaveLines) {
  const std::string text =
      "{\n  \"mass_matrix\": [[1]],\n  \"normal\": [[1]],\n  \"friction\": [-1],\n  \"velocity\": [1]\n}\n";
  EXPECT_THAT(problemMessage(text, "p.json"), StartsWith("p.json:4:16: friction[0] is -1; "));
}

TEST(ProblemLoader, TextThatIsNoProblem) {
  EXPECT_THAT(problemMessage(""), StartsWith("p.yaml:1:1: "));
  EXPECT_THAT(problemMessage("- 1\n"), StartsWith("p.yaml:1:1: "));
  EXPECT_THAT(problemMessage("mass_matrix: [[1]\n"), HasSubstr("valid YAML"));
  EXPECT_THROW((void)loadProblem("/no/such/problem.yaml"), LoadError);
}

TEST(ProblemLoader, BundledProblemsAreNamedAndDescribed) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(RIGOR_SOURCE_DIR "/scenes/problems")) {
    const LoadedProblem file = loadProblem(entry.path().string());
    EXPECT_EQ(file.name, entry.path().stem().string());
    EXPECT_FALSE(file.description.empty()) << entry.path();
    ++count;
  }
  EXPECT_GE(count, 11);
}

TEST(SceneImpact, PlusOptionsAreRead) {
  const std::string text =
      "impact: {model: routh, plus: {theta_max: 0.05, rolling_speed: 1e-3}}\n"
      "bodies: [{name: a, mass: 1, shape: {box: {size: [1, 1, 1]}}}]\n";
  const sim::Scene scene = parseScene(text, "s.yaml");
  EXPECT_EQ(scene.impact.plus.theta_max, 0.05);
  EXPECT_EQ(scene.impact.plus.rolling_speed, 1e-3);
  EXPECT_FALSE(scene.impact.step_is_impulse);
}

}  // namespace
}  // namespace rigor::scenes
