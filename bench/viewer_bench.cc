// SPDX-License-Identifier: MIT
// Cost of a frame of the viewer without drawing it: the draw list of 100 bodies with overlays; scrubbing and opening a
// record of a million pieces; the lanes of ten thousand branches.
#include <benchmark/benchmark.h>
#include <imgui.h>

#include <random>

#include "scenes/loader.h"
#include "tests/verify/synthetic_record.h"
#include "viewer/panels.h"

namespace {

using namespace rigor;

/// A hundred cubes that touch their neighbours: ten layers of ten.
std::unique_ptr<viewer::RunModel> hundredCubes() {
  sim::Scene scene;
  scene.name = "hundred";
  scene.bodies = {synthetic::fixedPlane("table")};
  for (int i = 0; i < 100; ++i) {
    scene.bodies.push_back(synthetic::cube("cube" + std::to_string(i), 0.1));
    scene.bodies.back().pose.p = {0.1 * (i % 10) + 1e-8 * (i % 10), 0, 0.05 + 1e-8 + (0.1 + 1e-8) * (i / 10)};
    scene.bodies.back().velocity = {0.1, 0, 0};
  }
  return viewer::RunModel::fromScene(scene);
}

void ViewerDrawList(benchmark::State& state) {
  const auto model = hundredCubes();
  viewer::ScenePainter painter(*model);
  viewer::View view;
  if (state.range(0))
    for (const viewer::Overlay o : {viewer::Overlay::kContacts, viewer::Overlay::kNormals, viewer::Overlay::kVelocities,
                                    viewer::Overlay::kNames, viewer::Overlay::kClosest, viewer::Overlay::kGaps})
      view.set(o, true);
  viewer::DrawList list;
  for (auto _ : state) painter.paint(*model, view, {}, list);
  state.counters["marks"] = static_cast<double>(list.dots.size() + list.arrows.size() + list.lines.size());
}
BENCHMARK(ViewerDrawList)->ArgName("overlays")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

/// One record of a million pieces for all that follow.
const std::string& longRecord() {
  static const struct Record {
    std::string path = synthetic::temporaryPath("bench_long");
    Record() {
      sim::Scene scene;
      scene.name = "long";
      scene.bodies = {synthetic::fixedPlane("table"), synthetic::cube("die", 0.1)};
      scene.text = "name: long\n";
      record::Writer writer(path, scene, synthetic::runInfo(), synthetic::replacing());
      sim::PieceRecord piece{1, 0, {}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
      piece.piece.p_degree = piece.piece.q_degree = 3;
      for (auto& q : piece.piece.q) q = {1, 0, 0, 0};
      for (int i = 0; i < 1000000; ++i) {
        piece.piece.t0 = piece.piece.t1;
        piece.piece.t1 += 1e-3;
        ++piece.step;
        writer.piece(piece);
        writer.checkpoint(piece.piece.t1, piece.step, {});
      }
      sim::Summary summary;
      summary.time = piece.piece.t1;
      writer.finish(summary, "{}");
    }
    ~Record() { std::filesystem::remove(path); }
  } record;
  return record.path;
}

void ViewerScrub(benchmark::State& state) {
  const auto model = viewer::RunModel::openRecord(longRecord());
  std::vector<viewer::Placement> placements;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> time(0, model->endTime());
  model->placementsAt(0, 0, placements);  // The first look makes the branch's index: ViewerOpen measures it.
  for (auto _ : state) model->placementsAt(0, time(random), placements);
}
BENCHMARK(ViewerScrub)->Unit(benchmark::kMillisecond);

void ViewerOpen(benchmark::State& state) {
  longRecord();
  std::vector<viewer::Placement> placements;
  for (auto _ : state) {
    const auto model = viewer::RunModel::openRecord(longRecord());
    model->placementsAt(0, model->endTime(), placements);
    benchmark::DoNotOptimize(placements.data());
  }
}
BENCHMARK(ViewerOpen)->Unit(benchmark::kMillisecond);

/// A record of 1 + 100 + 10,000 branches.
const std::string& treeRecord() {
  static const struct Record {
    std::string path = synthetic::temporaryPath("bench_tree");
    Record() {
      sim::Scene scene;
      scene.name = "tree";
      scene.bodies = {synthetic::fixedPlane("table"), synthetic::cube("die", 0.1)};
      scene.text = "name: tree\n";
      record::Writer writer(path, scene, synthetic::runInfo(), synthetic::replacing());
      writer.endBranch(1, 1e-8, "done");
      for (int i = 0; i < 100; ++i) {
        const std::string child = "0/" + std::to_string(i);
        writer.beginBranch({child, "0", 1, "{}", 1});
        writer.endBranch(2, 1e-8, "done");
        for (int k = 0; k < 99; ++k) {
          writer.beginBranch({child + "/" + std::to_string(k), child, 2, "{}", 1});
          writer.endBranch(3, 1e-8, "done");
        }
      }
      writer.finish("done", "", "{}");
    }
    ~Record() { std::filesystem::remove(path); }
  } record;
  return record.path;
}

void ViewerLayoutBranches(benchmark::State& state) {
  const auto model = viewer::RunModel::openRecord(treeRecord());
  for (auto _ : state) benchmark::DoNotOptimize(viewer::layoutBranches(*model, {}).data());
  state.counters["branches"] = static_cast<double>(model->branches().size());
}
BENCHMARK(ViewerLayoutBranches)->Unit(benchmark::kMillisecond);

/// All panels of a frame, the tree's lanes unfolded, ImGui's output thrown away.
void ViewerPanels(benchmark::State& state) {
  setenv("XDG_STATE_HOME", "/nonexistent", 1);
  viewer::Gui gui;
  ImGui::GetIO().DisplaySize = {1600, 1000};
  viewer::Viewer viewer;
  viewer.open(treeRecord());
  viewer.index().waitComplete();
  for (int b = 0; b < static_cast<int>(viewer.model().branches().size()); ++b)
    if (viewer.collapsed().count(b)) viewer.toggleCollapsed(b);
  viewer::PanelState panels;
  for (auto _ : state) {
    ImGui::GetIO().DeltaTime = 1.0f / 60;
    viewer.update(1.0 / 60);
    ImGui::NewFrame();
    viewer::drawPanels(viewer, gui, panels);
    ImGui::Render();
  }
  state.counters["lanes"] = static_cast<double>(viewer.lanes().size());
}
BENCHMARK(ViewerPanels)->Unit(benchmark::kMillisecond);

}  // namespace
