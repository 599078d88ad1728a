// SPDX-License-Identifier: MIT
// Proved: a picture of an impact shows the velocities that its axes name, chooses axes in which outcomes differ, and
// marks every model's outcomes at their place. Oracles: problems with known outcomes; positions read back from the
// picture's ticks.
#include "cli/impact_plot.h"

#include <gtest/gtest.h>

#include <cmath>
#include <regex>

#include "program.h"

namespace rigor::cli {
namespace {

/// Two contacts in the plane: v = (x, y), normals along them, one tangent row each.
scenes::LoadedProblem corner() {
  return scenes::parseProblem(
      "name: corner\nmass_matrix: [[1, 0], [0, 1]]\nnormal: [[1, 0], [0, 1]]\ntangent: [[[0, 1]], [[1, 0]]]\n"
      "friction: [0.5, 0.5]\nvelocity: [-2, -1]\n",
      "corner.yaml");
}

ModelReport reportOf(const std::string& model, const std::vector<Eigen::Vector2d>& velocities) {
  ModelReport report;
  report.model = model;
  for (const Eigen::Vector2d& v : velocities) report.outcomes.emplace_back().outcome.velocity = v;
  return report;
}

std::string names(const std::vector<PlotAxis>& axes) {
  std::string both = axes[0].name();
  both += ',';
  return both += axes[1].name();
}

TEST(ImpactPlot, AxesAreNamedAsTheColumnsOfTheCsv) {
  const scenes::LoadedProblem file = corner();
  const Eigen::Vector2d v(3, 5);
  for (const auto& [text, x, y] :
       {std::tuple{"vn0,vn1", 3., 5.}, std::tuple{"vt0_0,vn0", 5., 3.}, std::tuple{"v1,v0", 5., 3.}}) {
    const std::vector<PlotAxis> axes = parsePlotAxes(text, file.problem);
    EXPECT_EQ(names(axes), text);
    EXPECT_EQ(axes[0].valueOf(file.problem, v), x);
    EXPECT_EQ(axes[1].valueOf(file.problem, v), y);
  }
  for (const char* text : {"", "vn0", "vn0,", "vn0,vn2", "vn0,vn1,v0", "vt0_1,vn0", "vn0;vn1", "v2,v0"}) {
    EXPECT_THROW((void)parsePlotAxes(text, file.problem), std::invalid_argument) << text;
  }
}

TEST(ImpactPlot, ChoosesVelocitiesThatVary) {
  const scenes::LoadedProblem file = corner();
  EXPECT_EQ(names(choosePlotAxes(file.problem, {reportOf("a", {{0, 0}, {1, 2}})})), "vn0,vn1");
  // Only the first normal velocity varies: it and a tangential velocity that does too (contact 1 slides along x).
  EXPECT_EQ(names(choosePlotAxes(file.problem, {reportOf("a", {{0, 3}, {1, 3}})})), "vn0,vt1_0");
  // Nothing varies: still two different axes.
  EXPECT_EQ(names(choosePlotAxes(file.problem, {reportOf("a", {{1, 1}})})), "vn0,vn1");
  EXPECT_EQ(names(choosePlotAxes(file.problem, {})), "vn0,vn1");
}

TEST(ImpactPlot, MarksEveryModelAtItsOutcomes) {
  const scenes::LoadedProblem file = corner();
  ModelReport set = reportOf("routh", {});
  set.random = true;
  set.samples.velocity.resize(2, 3);
  set.samples.velocity << 0, 2, 0, 0, 0, 4;
  const std::string svg =
      plotImpact(file, {set, reportOf("first", {{2, 4}}), reportOf("second", {{0, 4}, {2, 0}}), reportOf("none", {})},
                 {})
          .svg();
  for (const char* label :
       {"routh, 3 samples", "the exact set: ", ">first<", ">second<", "corner", "contact 1, vn1 [m/s]"}) {
    EXPECT_NE(svg.find(label), std::string::npos) << label;
  }
  EXPECT_EQ(svg.find(">none<"), std::string::npos);
  // The dots span a right triangle; the second model's two triangles stand on its far corners, in pixels.
  const auto starts = [&](const std::string& path) {
    std::vector<std::pair<double, double>> all;
    const std::regex start("M([0-9.]+) ([0-9.]+)");
    for (std::sregex_iterator it(path.begin(), path.end(), start), end; it != end; ++it) {
      all.emplace_back(std::stod((*it)[1]), std::stod((*it)[2]));
    }
    return all;
  };
  std::vector<std::string> paths;
  const std::regex wanted("<path class=\"(dots|markers)\"[^>]* d=\"([^\"]*)\"");
  for (std::sregex_iterator it(svg.begin(), svg.end(), wanted), end; it != end; ++it) paths.push_back((*it)[2]);
  ASSERT_EQ(paths.size(), 4u);  // Vertices of the exact set, samples, both models.
  const auto dots = starts(paths[1]), tips = starts(paths[3]);  // dots are sorted: (0, 4), (0, 0), (2, 0) on the screen
  ASSERT_EQ(dots.size(), 3u);
  ASSERT_EQ(tips.size(), 2u);
  const double up = 1.2 * 8;  // from a triangle's centre to its tip
  EXPECT_NEAR(tips[0].first, dots[0].first, 0.1);
  EXPECT_NEAR(tips[0].second + up, dots[0].second, 0.1);
  EXPECT_NEAR(tips[1].first, dots[2].first, 0.1);
  EXPECT_NEAR(tips[1].second + up, dots[2].second, 0.1);
  EXPECT_NEAR((dots[1].second - dots[0].second) / (dots[2].first - dots[1].first), 2, 0.01);  // equal scales
}

TEST(ImpactPlot, CommandWritesThePictureAndRefusesBadAxes) {
  const ProgramFolder folder;
  ProgramResult result = folder.run({"impact", "rocking-block", "--samples", "200", "--json", "--plot", "set.svg"});
  EXPECT_EQ(result.code, 0) << result.err;
  const std::string svg = readAll(folder / "set.svg");
  for (const char* label : {"routh, 200 samples", "anitescu-potra", "sequential", "propagative (frictionless)"}) {
    EXPECT_NE(svg.find(label), std::string::npos) << label;
  }
  // The same picture whatever is printed beside it, and for any number of threads.
  result = folder.run({"impact", "rocking-block", "--samples", "200", "--threads", "2", "--model", "anitescu-potra",
                       "--plot", "again.svg"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(readAll(folder / "again.svg"), svg);
  result = folder.run({"impact", "rocking-block", "--samples", "5", "--plot", "set.svg", "--plot-axes", "v0,vt1_0"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(readAll(folder / "set.svg").find("generalized velocity v0"), std::string::npos);

  EXPECT_EQ(folder.run({"impact", "rocking-block", "--plot-axes", "vn0,vn1"}).code, 2);
  result = folder.run({"impact", "rocking-block", "--plot", "set.svg", "--plot-axes", "vn0,vn7"});
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("vn0 vn1 vt0_0 vt1_0 v0 v1 v2"), std::string::npos) << result.err;
  EXPECT_EQ(folder.run({"impact", "rocking-block", "--plot", "-"}).code, 2);
  EXPECT_EQ(folder.run({"impact", "rocking-block", "--plot", "/dev/null/folder/a.svg"}).code, 4);
}

}  // namespace
}  // namespace rigor::cli
