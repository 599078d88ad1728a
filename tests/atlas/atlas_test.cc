// SPDX-License-Identifier: MIT
// Proved: the atlas finds the sets that closed forms give, its scenes for other engines are its problems, what lies in
// a set is counted inside, and the command writes all that its page shows. Oracles: closed forms, kinetic energies of
// the loaded scenes, the written files.
#include "atlas/page.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <regex>

#include "scenes/loader.h"
#include "sim/simulation.h"
#include "tests/cli/program.h"

namespace rigor::atlas {
namespace {

const Family& familyOf(const std::string& name) {
  for (const Family& family : families()) {
    if (family.name == name) return family;
  }
  throw std::out_of_range(name);
}

// Two corners of a block without friction: the first pushes until it no longer approaches, then the other one, which
// lifts the first by the share r of what it is pushed: by r (1 - r), r = W01 / W00, at most.
TEST(Atlas, LiftOfABlockWithoutFrictionHasAClosedForm) {
  for (const double shape : {1.6, 2.0, 4.0}) {
    const double inertia = (0.25 + 0.25 * shape * shape) / 3, r = (1 - 0.25 / inertia) / (1 + 0.25 / inertia);
    ASSERT_GT(r, 0);
    const Cell cell = studyImpact(familyOf("box-on-face"), shape, 0, {});
    ASSERT_TRUE(cell.exact && cell.most_lift);
    EXPECT_NEAR(*cell.most_lift, r * (1 - r), 1e-12) << shape;
    EXPECT_LE(cell.found_lift, *cell.most_lift + kModelInside);
  }
}

TEST(Atlas, FlatBlocksDoNotRock) {
  const Cell cell = studyImpact(familyOf("box-on-face"), 0.5, 0, {});  // W01 < 0: corners push each other down.
  ASSERT_TRUE(cell.exact && cell.most_lift);
  EXPECT_NEAR(*cell.most_lift, 0, 1e-12);
}

// Rotating disks: equal mass, one contact. A ball that hits another along the line of centres without spin gives it the
// half of its approach; the tangential velocity changes by at most mu times as much.
TEST(Atlas, DisksTurnAgainstFriction) {
  const impact::ImpactProblem problem = familyOf("billiard-break").problem(90, 0.1);
  for (int i = 0; i < 2; ++i) {
    // Contact points: moving all disks, or turning all bodies about one point, changes no contact velocity.
    Eigen::VectorXd shift = Eigen::VectorXd::Zero(9);
    for (int k = 0; k < 3; ++k) shift.segment(3 * k, 2) << 2, -1;
    EXPECT_NEAR(problem.normal.row(i).dot(shift), 0, 1e-15);
    EXPECT_NEAR(problem.tangent[static_cast<std::size_t>(i)].row(0).dot(shift), 0, 1e-15);
  }
  // About the first disk's centre: the others' centres lie at 1 m in the directions of the normals.
  for (int i = 0; i < 2; ++i) {
    Eigen::VectorXd turn = Eigen::VectorXd::Zero(9);
    const Eigen::Vector2d n = problem.normal.row(i).segment(3 * (i + 1), 2).transpose();
    turn[2] = turn[3 * (i + 1) + 2] = 1;
    turn.segment(3 * (i + 1), 2) << -n.y(), n.x();
    EXPECT_NEAR(problem.normal.row(i).dot(turn), 0, 1e-6);
    EXPECT_NEAR(problem.tangent[static_cast<std::size_t>(i)].row(0).dot(turn), 0, 1e-6);
  }
}

TEST(Atlas, ScenesAreTheProblems) {
  const cli::ProgramFolder folder;
  int scenes = 0;
  for (const Family& family : families()) {
    if (!family.scene) continue;
    ++scenes;
    for (const double x : family.x.values(2)) {
      for (const double y : family.y.values(2)) {
        folder.write("scene.yaml", family.scene(x, y));
        const sim::Scene scene = scenes::loadScene(folder / "scene.yaml");
        EXPECT_NO_THROW((void)sim::Simulation(scene, 0)) << family.name;  // Nothing overlaps.
        const impact::ImpactProblem problem = family.problem(x, y);
        std::vector<BodyVelocity> bodies;
        double energy = 0;
        // Unlike velocities for all bodies: the map to the problem's keeps their kinetic energy, in its plane.
        std::vector<BodyVelocity> unlike;
        for (const sim::Body& body : scene.bodies) {
          if (body.fixed) continue;
          bodies.push_back({body.velocity, body.angular_velocity});
          const double number = static_cast<double>(bodies.size());
          unlike.push_back({{number, 0, family.name == "cradle" ? 0 : 0.3 * number},
                            {0, family.name == "cradle" ? 0 : 0.7 - number, 0}});
          const BodyVelocity& given = unlike.back();
          energy += body.mass * given.v.squaredNorm() + given.w[1] * given.w[1] * body.inertia(1, 1);
        }
        EXPECT_LT((family.velocities(bodies) - kEngineSpeed * problem.velocity).norm(), 1e-12) << family.name;
        const Eigen::VectorXd v = family.velocities(unlike);
        EXPECT_NEAR(v.dot(problem.mass_matrix * v), energy, 1e-9 * energy) << family.name;
      }
    }
  }
  EXPECT_GE(scenes, 4);
}

TEST(Atlas, ScoresCountWhatLiesOutside) {
  Map map;
  map.family = &familyOf("cradle");
  map.xs = {1, 2, 3}, map.ys = {0};
  map.cells.resize(3);
  map.cells[0].most_lift = map.cells[1].most_lift = 0;
  map.cells[2].landings = {{"plus", 1, 0}};  // Nothing is known of its set: no verdict.
  map.cells[0].landings = {{"plus", 1, 0.5 * kModelInside}, {"springs, e = 0", 0, 0}};
  map.cells[1].landings = {{"plus", 2, 0.3}, {"springs, e = 0", 3, 0.5 * kSpringInside}};
  const std::vector<Score> scores = scoresOf(map);
  ASSERT_EQ(scores.size(), 2u);
  EXPECT_EQ(scores[0].asked, 2);
  EXPECT_EQ(scores[0].outside, 1);
  EXPECT_EQ(scores[0].worst, 0.3);
  EXPECT_EQ(scores[0].cells, std::vector<std::size_t>{1});
  EXPECT_EQ(scores[1].outside, 0);
  EXPECT_EQ(scores[1].answers, 1);
}

// Springs with the heaviest dampers end in the set at every ratio of stiffness; the page names files that are there.
TEST(SlowAtlasProgram, WritesWhatItsPageShows) {
  const cli::ProgramFolder folder;
  const cli::ProgramResult done =
      folder.run({"atlas", "box-on-face", "block-and-wall", "--cells", "2", "-o", "maps", "--json", "--threads", "2"});
  ASSERT_EQ(done.code, 0) << done.err;
  const nlohmann::json json = nlohmann::json::parse(done.out);
  ASSERT_EQ(json["families"].size(), 2u);
  for (const auto& family : json["families"]) {
    ASSERT_EQ(family["cells"].size(), 4u);
    for (const auto& cell : family["cells"]) {
      EXPECT_TRUE(cell["exact"].get<bool>());
      bool springs = false;
      for (const auto& landing : cell["landings"]) {
        if (landing["name"] != "springs, e = 0") continue;
        springs = landing["outcomes"].get<int>() == 9;
        EXPECT_LE(landing["outside"].get<double>(), kSpringInside);
      }
      EXPECT_TRUE(springs);
    }
  }
  EXPECT_EQ(nlohmann::json::parse(cli::readAll(folder / "maps" / "atlas.json")), json);
  const std::string page = cli::readAll(folder / "maps" / "index.md");
  const std::regex file(R"(\]\(([a-z0-9.-]+\.svg)\))");
  int files = 0;
  for (auto found = std::sregex_iterator(page.begin(), page.end(), file); found != std::sregex_iterator(); ++found) {
    ++files;
    EXPECT_NE(cli::readAll(folder / "maps" / (*found)[1].str()).find("</svg>"), std::string::npos);
  }
  EXPECT_GE(files, 2);
  const cli::ProgramResult again =
      folder.run({"atlas", "box-on-face", "block-and-wall", "--cells", "2", "--json", "--threads", "1"});
  EXPECT_EQ(again.out, done.out);
}

TEST(AtlasProgram, NamesTheFamilies) {
  const cli::ProgramFolder folder;
  const cli::ProgramResult done = folder.run({"atlas", "box-on-fase"});
  EXPECT_EQ(done.code, 2);
  EXPECT_NE(done.err.find("box-on-fase is no family; there are box-on-face,"), std::string::npos) << done.err;
}

}  // namespace
}  // namespace rigor::atlas
