// SPDX-License-Identifier: MIT
// Proves: an impact of a record is met again as it was; a sample without a branch gets one, in a copy that the verifier
// proves, and the record itself is not touched; the impulse process of a sample leads from the velocity before to the
// one after. Oracles: the rows of the record (velocities after the impacts of its branches), the verifier, the balance
// M (v+ - v-) = J' p of the impact problem, Newton's law for the recorded impulses.
#include "viewer/continuation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <imgui.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "record/tree_writer.h"
#include "scenes/loader.h"
#include "sim/simulation.h"
#include "tests/temporary_folder.h"
#include "tests/viewer/branching_record.h"
#include "verify/verify.h"
#include "viewer/panels.h"
#include "viewer/viewer.h"

namespace rigor::viewer {
namespace {

using synthetic::TemporaryRecord;

constexpr const char* kBrick = R"(name: brick
until: 0.3
contact: {friction: 0.5, restitution: 0}
impact: {cone_edges: 4}
bodies:
  - {name: table, fixed: true, shape: {halfspace: {normal: [0, 0, 1], offset: 0}}}
  - {name: brick, shape: {box: {size: [0.1, 0.06, 0.2]}}, mass: 2, position: [0, 0, 0.11], velocity: [0.2, 0, -0.5]}
)";

std::string bytesOf(const std::string& path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

record::RunInfo infoOf(const sim::Scene& scene, const char* options) {
  const sim::Simulation simulation(scene, 0);
  record::RunInfo info;
  info.options = options;
  info.gap_nominal = simulation.gapNominal();
  info.gap_floor = simulation.gapFloor();
  info.until = scene.until;
  return info;
}

void explore(const std::string& path, double friction = 0.5) {
  std::string text = kBrick;
  text.replace(text.find("0.5"), 3, fmt::format("{}", friction));
  const sim::Scene scene = scenes::parseScene(text, "brick.yaml");
  record::TreeWriter writer(path, scene, infoOf(scene, R"({"samples": 40, "tolerance": 0.1, "impact": "routh"})"));
  sim::ExploreOptions options;
  options.fork.samples = 40;
  options.fork.tolerance = 0.1;
  options.until = scene.until;
  options.max_branches = 4;
  options.threads = 1;
  const sim::TreeSummary summary = sim::explore(scene, options, writer, writer.takeFrontier());
  ASSERT_GT(summary.open, 0);
  writer.finish(summary, "{}");
}

void run(const std::string& path) {
  const sim::Scene scene = scenes::parseScene(kBrick, "brick.yaml");
  record::Writer writer(path, scene, infoOf(scene, R"({"impact": "routh"})"));
  sim::Simulation simulation(scene, 0);
  writer.finish(simulation.run(scene.until, writer), "{}");
}

constexpr double kSumsOfImpulses = 1e-12;  // Of speeds of about 1 m/s: hundreds of roundings.

/// A recorded velocity is what the recorded impulses give: that of the outcome, but for the rounding of their sums.
void expectOutcome(const Eigen::VectorXd& recorded, const Eigen::VectorXd& outcome) {
  ASSERT_EQ(recorded.size(), outcome.size());
  EXPECT_LE((recorded - outcome).cwiseAbs().maxCoeff(), kSumsOfImpulses);
}

/// Spends little on proofs: what is done with them does not depend on how narrow bounds are.
struct QuickViewer : Viewer {
  QuickViewer() { setStudyEffort({.proofs = 0.05}); }
};

class ContinuationTest : public testing::Test {
 protected:
  void SetUp() override { setenv("XDG_STATE_HOME", state_folder_.path().c_str(), 1); }

  const ImpactSet::Outcome* first(const ImpactSet& set, ImpactSet::Kind kind) {
    for (const auto& outcome : set.outcomes)
      if (outcome.kind == kind) return &outcome;
    return nullptr;
  }
  /// The sample farthest from every branch.
  const ImpactSet::Outcome* lonely(const ImpactSet& set) {
    const ImpactSet::Outcome* best = nullptr;
    double most = -1;
    for (const auto& sample : set.outcomes) {
      if (sample.kind != ImpactSet::Kind::kSample) continue;
      double nearest = INFINITY;
      for (const auto& other : set.outcomes)
        // An added branch may know no velocity of its own.
        if (other.kind == ImpactSet::Kind::kBranch && other.choice.velocity.size() == sample.choice.velocity.size())
          nearest = std::min(nearest, (sample.choice.velocity - other.choice.velocity).norm());
      if (nearest > most) most = nearest, best = &sample;
    }
    return best;
  }
  void finish(Viewer& v) {
    ASSERT_NE(v.continuation(), nullptr) << v.message();
    for (int i = 0; i < 2000 && v.continuation(); ++i) {
      v.update(0.01);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    ASSERT_EQ(v.continuation(), nullptr);
  }
  TemporaryFolder state_folder_;
  TemporaryRecord file_{"continuation"};
};

TEST_F(ContinuationTest, ASetThatIsNotFoundSaysWhy) {
  explore(file_.path);
  QuickViewer v;
  ASSERT_TRUE(v.open(file_.path)) << v.message();
  v.index().waitComplete();
  ASSERT_TRUE(std::filesystem::remove(file_.path));
  const ImpactSet& set = v.waitImpactSet();
  EXPECT_TRUE(set.empty());
  EXPECT_THAT(set.note, testing::HasSubstr(file_.path));
}

TEST_F(ContinuationTest, TheSetOfAForkIsTheSimulationsOwn) {
  explore(file_.path);
  QuickViewer v;
  ASSERT_TRUE(v.open(file_.path)) << v.message();
  v.index().waitComplete();
  const ImpactSet& set = v.waitImpactSet();
  ASSERT_TRUE(set.replayed) << set.note;
  EXPECT_TRUE(set.complete);
  EXPECT_EQ(set.problem.numContacts(), 4);
  record::Reader reader(file_.path);
  int branches = 0, open = 0;
  const double before = set.problem.velocity.dot(set.problem.mass_matrix * set.problem.velocity);
  for (const auto& outcome : set.outcomes) {
    const Eigen::VectorXd& velocity = outcome.choice.velocity;
    if (outcome.kind != ImpactSet::Kind::kModel) {
      for (int k = 0; k < 4; ++k) EXPECT_GE(outcome.coordinates[3 * k], -1e-9) << outcome.label;
      EXPECT_LE(velocity.dot(set.problem.mass_matrix * velocity), before * (1 + 1e-9)) << outcome.label;
    }
    open += outcome.kind == ImpactSet::Kind::kOpen;
    if (outcome.kind != ImpactSet::Kind::kBranch) continue;
    ++branches;
    const auto impacts = reader.impacts(v.model().branches()[outcome.branch].id, set.place.time, set.place.time);
    ASSERT_FALSE(impacts.empty());
    expectOutcome(Eigen::VectorXd(impacts[0].after[0]), velocity);
  }
  EXPECT_EQ(branches, 3);
  EXPECT_GT(open, 0);
}

TEST_F(ContinuationTest, ASampleGetsABranchInAProvedCopy) {
  explore(file_.path);
  const std::string bytes = bytesOf(file_.path);
  QuickViewer v;
  ASSERT_TRUE(v.open(file_.path)) << v.message();
  v.index().waitComplete();
  v.nameBranch(1, "kept");
  const std::size_t count = v.model().branches().size();
  std::vector<std::string> ids;
  for (int round = 0; round < 2; ++round) {  // The second one goes into a copy of the copy.
    const ImpactSet set = v.waitImpactSet();
    const ImpactSet::Outcome* sample = round == 0 ? lonely(set) : first(set, ImpactSet::Kind::kOpen);
    ASSERT_NE(sample, nullptr);
    v.inspect(sample->sample, 0);
    v.simulateOn(*sample);
    finish(v);
    ASSERT_EQ(v.model().branches().size(), count + 1 + round) << v.message();
    const ModelBranch& added = v.model().branches()[v.view.branch];
    EXPECT_TRUE(v.model().branches()[0].id == "0" && added.parent == 0);
    EXPECT_NEAR(added.end_time, 0.3, 1e-12);
    ids.push_back(added.id);
    const auto impacts = record::Reader(v.model().path()).impacts(added.id, set.place.time, set.place.time);
    ASSERT_FALSE(impacts.empty());
    expectOutcome(Eigen::VectorXd(impacts[0].after[0]), sample->choice.velocity);
    const verify::Report report = verify::verifyRecord(v.model().path());
    EXPECT_TRUE(report.verified) << (report.failures.empty() ? "" : report.failures[0].reason);
    EXPECT_EQ(v.names().at(1), "kept");
    EXPECT_TRUE(v.hasUnsavedBranches());
    // It is one of the set's branches now, and what was clicked is still looked at.
    const ImpactSet& again = v.waitImpactSet();
    EXPECT_TRUE(std::any_of(again.outcomes.begin(), again.outcomes.end(), [&](const auto& o) {
      return o.kind == ImpactSet::Kind::kBranch && o.label == ids.back() && o.sample == sample->sample;
    }));
    EXPECT_EQ(v.inspected().sample, sample->sample);
  }
  EXPECT_NE(ids[0], ids[1]);
  EXPECT_EQ(bytesOf(file_.path), bytes);
  EXPECT_THAT(v.command(), testing::HasSubstr(file_.path));
  const std::string copy = v.model().path();
  ASSERT_TRUE(v.open(file_.path));  // Another file, and the copies are gone.
  EXPECT_FALSE(std::filesystem::exists(copy));
  EXPECT_EQ(v.model().branches().size(), count);
}

TEST_F(ContinuationTest, ARunBecomesATreeThatForksAtTheImpact) {
  run(file_.path);
  const std::string bytes = bytesOf(file_.path);
  QuickViewer v;
  ASSERT_TRUE(v.open(file_.path)) << v.message();
  v.index().waitComplete();
  v.setTime(v.index().nextImpact(0, 0));
  std::vector<Placement> as_it_was;
  v.model().placementsAt(0, 0.3, as_it_was);
  const ImpactSet set = v.waitImpactSet();
  ASSERT_TRUE(set.replayed) << set.note;
  const ImpactSet::Outcome* sample = lonely(set);
  ASSERT_NE(sample, nullptr);
  v.simulateOn(*sample);
  finish(v);
  ASSERT_EQ(v.model().branches().size(), 3u) << v.message();
  EXPECT_EQ(v.model().branches()[1].id, "0/0");
  std::vector<Placement> now;
  v.model().placementsAt(1, 0.3, now);
  EXPECT_EQ(now[1].pose.p, as_it_was[1].pose.p);  // To the bit.
  EXPECT_EQ(now[1].pose.q, as_it_was[1].pose.q);
  v.model().placementsAt(v.view.branch, 0.3, now);
  EXPECT_NE(now[1].pose.p, as_it_was[1].pose.p);
  EXPECT_TRUE(verify::verifyRecord(v.model().path()).verified);
  EXPECT_EQ(bytesOf(file_.path), bytes);
}

TEST_F(ContinuationTest, SeveralBranchesAreAddedInTurnAndUndone) {
  explore(file_.path);
  QuickViewer v;
  ASSERT_TRUE(v.open(file_.path)) << v.message();
  v.index().waitComplete();
  v.nameBranch(1, "kept");
  const std::size_t count = v.model().branches().size();
  const std::string shown = v.model().branches()[v.view.branch].id;
  const ImpactSet set = v.waitImpactSet();
  const ImpactSet::Outcome *one = lonely(set), *two = first(set, ImpactSet::Kind::kOpen);
  ASSERT_TRUE(one && two);
  v.simulateOn(*one);
  v.simulateOn(*two);
  v.simulateOn(*one);
  EXPECT_EQ(v.waitingContinuations(), 2u);
  v.undo();  // The last one that waits.
  EXPECT_EQ(v.waitingContinuations(), 1u);
  finish(v);
  ASSERT_EQ(v.model().branches().size(), count + 2) << v.message();
  const std::string both = v.model().path();
  const std::string last = v.model().branches()[v.view.branch].id;
  EXPECT_TRUE(verify::verifyRecord(both).verified);
  record::Reader reader(both);
  const auto after = [&](const std::string& id) {
    return Eigen::VectorXd(reader.impacts(id, set.place.time, set.place.time).at(0).after[0]);
  };
  expectOutcome(after(v.model().branches()[count].id), one->choice.velocity);
  expectOutcome(after(last), two->choice.velocity);

  v.undo();
  EXPECT_EQ(v.model().branches().size(), count + 1);
  EXPECT_EQ(v.model().findBranch(last), -1);
  EXPECT_TRUE(v.hasUnsavedBranches());
  v.undo();
  EXPECT_EQ(v.model().path(), file_.path);
  EXPECT_EQ(v.model().branches().size(), count);
  EXPECT_EQ(v.model().branches()[v.view.branch].id, shown);
  EXPECT_FALSE(v.hasUnsavedBranches());
  EXPECT_EQ(v.names().at(1), "kept");
  v.undo();
  EXPECT_EQ(v.names().at(1), "");
  EXPECT_FALSE(v.canUndo());
  for (int i = 0; i < 3; ++i) v.redo();
  EXPECT_EQ(v.model().path(), both);
  EXPECT_EQ(v.names().at(1), "kept");
  EXPECT_EQ(v.model().branches()[v.view.branch].id, last);
  // One that is simulated is given up.
  const ImpactSet again = v.waitImpactSet();
  v.simulateOn(*lonely(again));
  v.undo();
  EXPECT_EQ(v.continuation(), nullptr);
  EXPECT_EQ(v.model().path(), both);
}

TEST_F(ContinuationTest, SeveralOutcomesOfOneRunMakeOneTree) {
  run(file_.path);
  QuickViewer v;
  ASSERT_TRUE(v.open(file_.path)) << v.message();
  v.index().waitComplete();
  v.setTime(v.index().nextImpact(0, 0));
  const ImpactSet set = v.waitImpactSet();
  ASSERT_TRUE(set.replayed) << set.note;
  const ImpactSet::Outcome *one = lonely(set), *two = nullptr;
  for (const auto& outcome : set.outcomes)
    if (outcome.kind == ImpactSet::Kind::kSample && outcome.sample != one->sample) two = &outcome;
  ASSERT_TRUE(one && two);
  v.simulateOn(*one);
  v.simulateOn(*two);
  finish(v);
  ASSERT_EQ(v.model().branches().size(), 4u) << v.message();
  EXPECT_EQ(v.model().branches()[3].parent, 0);
  EXPECT_TRUE(verify::verifyRecord(v.model().path()).verified);
  v.undo();
  v.undo();
  EXPECT_EQ(v.model().path(), file_.path);
  EXPECT_EQ(v.model().branches().size(), 1u);
}

/// The sample that stands farthest from all others on the screen; null where none is more than 3 pixels away.
const ImpactSet::Outcome* loneSample(const ImpactSet& set,
                                     const std::function<Eigen::Vector2d(const ImpactSet::Outcome&)>& pixel) {
  const ImpactSet::Outcome* chosen = nullptr;
  double most = 3;
  for (const auto& sample : set.outcomes) {
    if (sample.kind != ImpactSet::Kind::kSample) continue;
    double nearest = INFINITY;
    for (const auto& other : set.outcomes)
      if (&other != &sample) nearest = std::min(nearest, (pixel(other) - pixel(sample)).norm());
    if (nearest > most) most = nearest, chosen = &sample;
  }
  return chosen;
}

TEST_F(ContinuationTest, ClicksInThePanelLookAtASampleAndFollowIt) {
  explore(file_.path);
  ImGui::SetCurrentContext(nullptr);
  Gui gui;
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = {1280, 900};
  QuickViewer v;
  PanelState panels;
  ASSERT_TRUE(v.open(file_.path)) << v.message();
  v.index().waitComplete();
  const auto frames = [&](int count) {
    for (int i = 0; i < count; ++i) {
      io.DeltaTime = 1.0f / 60;
      v.update(1.0 / 60);
      ImGui::NewFrame();
      drawPanels(v, gui, panels);
      v.paint();
      ImGui::Render();
    }
  };
  const auto click = [&](double x, double y, int button) {
    io.MousePos = {static_cast<float>(x), static_cast<float>(y)};
    frames(2);
    io.MouseDown[button] = true;
    frames(1);
    io.MouseDown[button] = false;
    frames(2);
  };
  frames(2);
  click(panels.view.width + 80, panels.view.y + 20, 0);  // The tab Impact.
  v.waitImpactSet();
  frames(2);
  ASSERT_GT(panels.scatter.width, 50);
  const ImpactSet set = v.waitImpactSet();
  const auto pixel = [&](const ImpactSet::Outcome& o) {
    const double x =
        (o.coordinates[panels.inspector_x] - panels.scatter_low[0]) / (panels.scatter_high[0] - panels.scatter_low[0]);
    const double y =
        (o.coordinates[panels.inspector_y] - panels.scatter_low[1]) / (panels.scatter_high[1] - panels.scatter_low[1]);
    return Eigen::Vector2d(panels.scatter.x + panels.scatter.width * x,
                           panels.scatter.y + panels.scatter.height * (1 - y));
  };
  const ImpactSet::Outcome* const chosen = loneSample(set, pixel);
  ASSERT_NE(chosen, nullptr);
  const Eigen::Vector2d at = pixel(*chosen);
  click(at[0], at[1], 1);
  EXPECT_EQ(v.inspected().sample, chosen->number);
  EXPECT_EQ(v.inspected().step, static_cast<int>(v.inspected().steps.size()) - 1);
  // The whole way is in sight now, so the dot stands elsewhere.
  frames(1);
  for (const ImpulseStep& step : v.inspected().steps)
    for (const int k : {0, 1}) {
      const double x = step.velocity[k == 0 ? panels.inspector_x : panels.inspector_y];
      EXPECT_TRUE(panels.scatter_low[k] < x && x < panels.scatter_high[k]);
    }
  // The wheel zooms about the mouse.
  const Eigen::Vector2d there = pixel(*chosen);
  io.MousePos = {static_cast<float>(there[0]), static_cast<float>(there[1])};
  frames(2);
  io.MouseWheel = 6;
  frames(1);
  io.MouseWheel = 0;
  frames(1);
  EXPECT_LT((pixel(*chosen) - there).norm(), 4);  // The mouse is at whole pixels.
  const Eigen::Vector2d now = pixel(*chosen);
  click(now[0], now[1], 0);
  finish(v);
  EXPECT_TRUE(v.hasUnsavedBranches()) << v.message();
  const ImpactSet& again = v.waitImpactSet();
  EXPECT_TRUE(std::any_of(again.outcomes.begin(), again.outcomes.end(), [&](const auto& o) {
    return o.kind == ImpactSet::Kind::kBranch && o.branch == v.view.branch && o.sample == chosen->number;
  }));
  EXPECT_TRUE(verify::verifyRecord(v.model().path()).verified);
}

TEST_F(ContinuationTest, TheImpulseProcessBalances) {
  explore(file_.path);
  QuickViewer v;
  ASSERT_TRUE(v.open(file_.path)) << v.message();
  v.index().waitComplete();
  const ImpactSet& set = v.waitImpactSet();
  EXPECT_FALSE(set.proved.complete);
  int longest = 0, vertices = 0;
  for (const auto& outcome : set.outcomes) {
    if (outcome.kind != ImpactSet::Kind::kSample && outcome.kind != ImpactSet::Kind::kVertex) continue;
    const bool vertex = outcome.kind == ImpactSet::Kind::kVertex;
    vertices += vertex;
    const std::vector<ImpulseStep> steps =
        vertex ? chainProcess(set, outcome.number) : impulseProcess(set, outcome.number);
    ASSERT_GE(steps.size(), 2u);
    longest = std::max(longest, static_cast<int>(steps.size()));
    EXPECT_EQ(steps.front().velocity, set.before);
    EXPECT_EQ(steps.back().velocity, outcome.coordinates);
    // No outcome lies outside of what is proved, and those that are proved reach its inner range.
    for (std::size_t k = 0; k < outcome.coordinates.size(); ++k) {
      EXPECT_GE(outcome.coordinates[k], set.proved.outer[k].low - 1e-12) << set.axes[k];
      EXPECT_LE(outcome.coordinates[k], set.proved.outer[k].high + 1e-12) << set.axes[k];
      if (!vertex) continue;
      EXPECT_GE(outcome.coordinates[k], set.proved.inner[k].low);
      EXPECT_LE(outcome.coordinates[k], set.proved.inner[k].high);
    }
    for (std::size_t i = 1; i < steps.size(); ++i)
      for (int k = 0; k < 4; ++k) {
        EXPECT_GE(steps[i].impulse[2 * k], steps[i - 1].impulse[2 * k] - 1e-12);  // Contacts push and never pull,
        EXPECT_LE(steps[i].impulse[2 * k + 1], 0.5 * steps[i].impulse[2 * k] + 1e-12);  // and rub within the cone.
      }
    // M (v+ - v-) = J' p, with the impulses that the outcome itself holds.
    Eigen::VectorXd balance = set.problem.mass_matrix * (outcome.choice.velocity - set.problem.velocity);
    const double size = balance.norm();
    for (int k = 0; k < 4; ++k) {
      const Eigen::VectorXd& p = outcome.choice.impulses[k];
      EXPECT_NEAR(p[0], steps.back().impulse[2 * k], 1e-12 * size);
      balance -= p[0] * set.problem.normal.row(k).transpose() + set.problem.tangent[k].transpose() * p.tail(2);
    }
    EXPECT_LT(balance.norm(), 1e-9 * size);
  }
  EXPECT_GE(longest, 3);
  EXPECT_GE(vertices, 3);
}

/// Without friction the set is exact, whole, and each of its vertices a place to go on from.
TEST_F(ContinuationTest, AVertexOfTheExactSetIsClickedAndFollowed) {
  explore(file_.path, 0);
  ImGui::SetCurrentContext(nullptr);
  Gui gui;
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = {1280, 900};
  QuickViewer v;
  PanelState panels;
  ASSERT_TRUE(v.open(file_.path)) << v.message();
  v.index().waitComplete();
  const auto frames = [&](int count) {
    for (int i = 0; i < count; ++i) {
      io.DeltaTime = 1.0f / 60;
      v.update(1.0 / 60);
      ImGui::NewFrame();
      drawPanels(v, gui, panels);
      v.paint();
      ImGui::Render();
    }
  };
  const auto click = [&](double x, double y, int button) {
    io.MousePos = {static_cast<float>(x), static_cast<float>(y)};
    frames(2);
    io.MouseDown[button] = true;
    frames(1);
    io.MouseDown[button] = false;
    frames(2);
  };
  frames(2);
  click(panels.view.width + 80, panels.view.y + 20, 0);  // The tab Impact.
  const ImpactSet set = v.waitImpactSet();
  frames(2);
  EXPECT_TRUE(set.proved.complete) << set.proved.note;
  ASSERT_FALSE(set.proved.pieces.empty());

  const ImpactSet::Outcome* vertex = nullptr;
  const ProvedSet::Range lift = set.proved.outer[0];
  EXPECT_NEAR(lift.low, 0, 1e-15);
  for (const auto& outcome : set.outcomes)
    if (outcome.kind == ImpactSet::Kind::kVertex && outcome.coordinates[0] == lift.high) vertex = &outcome;
  ASSERT_NE(vertex, nullptr);
  panels.inspector_x = 0, panels.inspector_y = 3;
  frames(2);
  const auto pixel = [&](const ImpactSet::Outcome& o) {
    const auto along = [&](int k, int axis) {
      return (o.coordinates[axis] - panels.scatter_low[k]) / (panels.scatter_high[k] - panels.scatter_low[k]);
    };
    return Eigen::Vector2d(panels.scatter.x + panels.scatter.width * along(0, panels.inspector_x),
                           panels.scatter.y + panels.scatter.height * (1 - along(1, panels.inspector_y)));
  };
  click(pixel(*vertex)[0], pixel(*vertex)[1], 1);
  ASSERT_GE(v.inspected().vertex, 0);
  const auto& steps = v.inspected().steps;
  EXPECT_EQ(v.inspected().step, static_cast<int>(steps.size()) - 1);
  EXPECT_EQ(steps.back().velocity[0], lift.high);
  v.simulateOn(*vertex);
  finish(v);
  EXPECT_TRUE(v.hasUnsavedBranches()) << v.message();
  EXPECT_TRUE(verify::verifyRecord(v.model().path()).verified);
}

TEST_F(ContinuationTest, RecordedImpulsesPointWhereTheBodiesWent) {
  explore(file_.path);
  record::Reader reader(file_.path);
  int seen = 0;
  double friction = 0;
  for (const record::BranchRow& branch : reader.branches())
    for (const record::ImpactRow& impact : reader.impacts(branch.id, 0, 1)) {
      Eigen::Vector3d total(0, 0, 0);
      for (const auto& c : impact.contacts) {
        EXPECT_NEAR(c.tangent.norm(), 1, 1e-12);
        EXPECT_NEAR(c.tangent.dot(c.normal), 0, 1e-12);
        total += c.impulse[0] * c.normal + c.impulse[1] * c.tangent + c.impulse[2] * c.normal.cross(c.tangent);
        friction = std::max(friction, c.impulse.tail<2>().norm());
      }
      const Eigen::Vector3d change = 2 * (impact.after[0] - impact.before[0]).head<3>();  // 2 kg, Newton.
      EXPECT_LT((total - change).norm(), 1e-9 * (1 + change.norm()));
      ++seen;
    }
  EXPECT_GE(seen, 3);
  EXPECT_GT(friction, 0.01);
}

}  // namespace
}  // namespace rigor::viewer
