// SPDX-License-Identifier: MIT
#include "viewer/viewer.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <thread>

#include "scenes/loader.h"
#include "viewer/session.h"

namespace rigor::viewer {
namespace {

constexpr double kRefreshInterval = 0.25;  ///< Between two looks at a growing record [s].
constexpr double kMessageTime = 10;       ///< What went well is said for this long; what went wrong, until Escape [s].
constexpr double kFrameMargin = 0.03;      ///< Of the framed box's diagonal, on every side.
constexpr int kFramedTimes = 12;           ///< Instants of a run that the first view holds.
constexpr double kSpecks = 6;              ///< A view this many sizes of what is shown now is too wide.
constexpr double kFinalsBudget = 0.002;    ///< Looking at ends of branches, a frame [s].
constexpr int kLastStep = 1 << 20;         ///< Of an impulse process: more than there are.
constexpr int kVisibleLanes = 400;         ///< Trees with more branches open collapsed.

bool isSqlite(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char magic[16] = "";
  file.read(magic, 15);
  return std::string_view(magic) == "SQLite format 3" || std::filesystem::path(path).extension() == ".rigor";
}

}  // namespace

Viewer::Viewer() = default;
Viewer::~Viewer() {
  if (model_ && remember_) saveSession(*this);
  study_.reset();
  index_.reset();
  model_.reset();
  dropCopies();
}

void Viewer::say(std::string message) { message_ = std::move(message), failed_ = false, message_age_ = 0; }
void Viewer::fail(std::string message) { message_ = std::move(message), failed_ = true; }

bool Viewer::open(const std::string& path) {
  try {
    if (isSqlite(path)) {
      auto model = RunModel::openRecord(path);
      adopt(std::move(model));
      remember_ = true;
      loadSession(*this);
    } else {
      scenes::SceneSource source;
      sim::Scene scene = scenes::loadScene(path, &source);
      try {
        simulate(std::move(scene), 0);
      } catch (const sim::SceneError& error) {
        fail(source.locate(error.body) + ": " + error.what());
        return false;
      }
    }
    return true;
  } catch (const std::exception& error) {
    fail(error.what());
    return false;
  }
}

void Viewer::simulate(sim::Scene scene, std::uint64_t seed) {
  const double until = scene.until;
  auto run = std::make_unique<BackgroundRun>(std::move(scene), seed, until);
  auto model = RunModel::openRecord(run->recordPath());
  adopt(std::move(model));
  remember_ = false;
  run_ = std::move(run);
  playback.playing = true;
}

void Viewer::adopt(std::unique_ptr<RunModel> model) {
  if (model_ && remember_) saveSession(*this);
  index_.reset();
  dropCopies();
  original_ = model->path();
  history_.clear();
  muted_.clear();
  names_.clear();
  plotted.clear();
  replaceModel(std::move(model));
  run_.reset();
  const bool dark = view.dark;
  view = View();
  view.dark = dark;
  view.branch = model_->heaviestLeaf(0);
  playback = Playback();
  axis.showAll(model_->isGrowing() ? std::max(model_->header().until, 1e-9) : model_->endTime());
  collapsed_ = collapseToFit(*model_, kVisibleLanes);
  frameAll(aspect);
}

/// Another file, and nothing of the one before but what the user set.
void Viewer::replaceModel(std::unique_ptr<RunModel> model) {
  index_.reset();
  model_ = std::move(model);
  painter_ = std::make_unique<ScenePainter>(*model_);
  index_ = std::make_unique<RunIndex>(*model_);
  proof.forget();
  plots = PlotData();
  compared_plots = PlotData();
  view.compared = -1;
  view.ghosts.clear();
  lanes_valid_ = false;
  losses_branch_ = -1;
  losses_.clear();
  set_place_.reset();
  impact_set_.reset();
  inspected_ = {};
  finals_.reset();
  message_.clear();
  failed_ = lost_ = false;
  ++generation_;
}

void Viewer::update(double dt) {
  if (!model_) return;
  if (!failed_ && !continuation_ && (message_age_ += dt) > kMessageTime) message_.clear();
  try {
    since_refresh_ += dt;
    if (since_refresh_ > kRefreshInterval && !lost_) {
      since_refresh_ = 0;
      const std::size_t count = model_->bodies().size();
      if (model_->refresh()) {
        if (model_->bodies().size() != count || view.branch >= static_cast<int>(model_->branches().size())) {
          adopt(RunModel::openRecord(model_->path()));
          return;
        }
        index_->refresh();
        losses_branch_ = -1;
        lanes_valid_ = false;
        finals_.reset();  // What was proved of the record so far stays: rows are never changed.
      }
      if (index_->error() != "" && !lost_) fail(index_->error()), lost_ = true;
      if (run_ && run_->done() && !run_->message().empty()) fail("The run stopped: " + run_->message());
    }
    if (want_frame_ && painter_->anyMoving()) {  // A run that had just begun when it was opened has its first poses.
      want_frame_ = false;
      frameAll(aspect);
    }
    const double end = endTime();
    view.time = playback.advance(view.time, dt, end, model_->isGrowing());
    view.time = std::clamp(view.time, 0.0, std::max(end, 0.0));
    annotations_ = collectAnnotations(*index_, *model_, view, impulseWindow(playback.speed));
    if (view.shows(Overlay::kImpulses) && inspected_.step < static_cast<int>(inspected_.steps.size()) && impact_set_)
      for (std::size_t k = 0; k < impact_set_->points.size(); ++k)
        annotations_.impulses.push_back(
            {impact_set_->points[k], inspected_.steps[inspected_.step].impulse[2 * k] * impact_set_->normals[k], 0});
    view.ghosts = ghostsAt(view.time);
    if (!model_->isGrowing()) finals_.work(*model_, kFinalsBudget);
    if (continuation_ && continuation_->done()) showCopy();
  } catch (const record::RecordError& error) {
    if (!lost_) fail(error.what());
    lost_ = true;
    playback.playing = false;
  }
}

std::vector<int> Viewer::ghostsAt(double time) const {
  std::vector<int> ghosts;
  if (!view.shows(Overlay::kGhosts)) return ghosts;
  for (const int b : branchesAt(*model_, time))
    if (b != view.branch && !isMuted(b)) ghosts.push_back(b);
  return ghosts;
}

VideoTimes Viewer::usualVideo() const {
  const bool range = playback.loop && playback.loop_from < playback.loop_to;
  return {range ? playback.loop_from : 0, range ? std::min(playback.loop_to, endTime()) : endTime(), 30,
          playback.speed};
}

const DrawList& Viewer::paint() {
  if (!model_) {
    list_.clear();
    return list_;
  }
  try {
    painter_->paint(*model_, view, annotations_, list_);
  } catch (const record::RecordError& error) {
    if (!lost_) fail(error.what());
    lost_ = true;
    playback.playing = false;
  }
  return list_;
}

void Viewer::setTime(double time) {
  if (std::isfinite(time)) view.time = std::clamp(time, 0.0, std::max(endTime(), 0.0));
}

void Viewer::stepForward() {
  playback.playing = false;
  setTime(model_->nextStep(view.branch, view.time));
}
void Viewer::stepBackward() {
  playback.playing = false;
  setTime(model_->previousStep(view.branch, view.time));
}
void Viewer::nextEvent() {
  playback.playing = false;
  setTime(index_->nextEvent(*model_, view.branch, view.time, view.events));
}
void Viewer::previousEvent() {
  playback.playing = false;
  setTime(index_->previousEvent(*model_, view.branch, view.time, view.events));
}

void Viewer::selectBranch(int branch) {
  if (branch < 0 || branch >= static_cast<int>(model_->branches().size())) return;
  view.branch = branch;
  // A selected lane is opened: its ancestors show it.
  for (int b = model_->branches()[branch].parent; b >= 0; b = model_->branches()[b].parent)
    if (collapsed_.erase(b)) lanes_valid_ = false;
  setTime(view.time);
}

void Viewer::undo() {
  try {
    if (!waiting_.empty()) return waiting_.pop_back(), say("The branch that waited was given up");
    if (continuation_) return cancelContinuation();
    history_.undo();
  } catch (const std::exception& error) {  // The copy is gone.
    fail(error.what());
  }
}
void Viewer::redo() {
  try {
    if (!continuation_) history_.redo();
  } catch (const std::exception& error) {
    fail(error.what());
  }
}

void Viewer::setMuted(const std::vector<int>& branches, bool muted) {
  const std::set<int> before = muted_;
  std::set<int> after = before;
  for (const int b : branches) muted ? void(after.insert(b)) : void(after.erase(b));
  if (after == before) return;
  history_.edit({[this, after] { muted_ = after; }, [this, before] { muted_ = before; }});
}

void Viewer::solo(int branch) {
  const std::set<int> before = muted_;
  std::set<int> after;
  const auto& branches = model_->branches();
  std::vector<bool> kept(branches.size(), false);
  for (int b = branch; b >= 0; b = branches[b].parent) kept[b] = true;
  for (std::size_t b = static_cast<std::size_t>(branch) + 1; b < branches.size(); ++b) {
    // Descendants of `branch`: ancestors alone do not keep their other children.
    int p = static_cast<int>(b);
    while (p > branch) p = branches[p].parent;
    if (p == branch) kept[b] = true;
  }
  for (std::size_t b = 0; b < branches.size(); ++b)
    if (!kept[b]) after.insert(static_cast<int>(b));
  if (after == before) after.clear();
  history_.edit({[this, after] { muted_ = after; }, [this, before] { muted_ = before; }});
}

void Viewer::nameBranch(int branch, const std::string& name) {
  if (branch >= static_cast<int>(names_.size())) names_.resize(model_->branches().size());
  const std::string before = names_[branch];
  if (before == name) return;
  history_.edit(
      {[this, branch, name] { names_.resize(model_->branches().size()), names_[branch] = name, ++name_edits_; },
       [this, branch, before] { names_[branch] = before, ++name_edits_; }});
}

void Viewer::toggleCollapsed(int branch) {
  if (!collapsed_.erase(branch) && !model_->branches()[branch].children.empty()) collapsed_.insert(branch);
  lanes_valid_ = false;
}

const std::vector<BranchLane>& Viewer::lanes() {
  if (!lanes_valid_) lanes_ = layoutBranches(*model_, collapsed_);
  lanes_valid_ = true;
  return lanes_;
}

void Viewer::compareWith(int branch) {
  view.compared = branch == view.compared || branch == view.branch ? -1 : branch;
  if (view.compared >= 0)
    say(fmt::format("{} and {} part at {}", model_->branches()[view.branch].id, model_->branches()[view.compared].id,
                    timeText(firstDifference(*model_, view.branch, view.compared), 1e-6)));
}

const ImpactSet& Viewer::impactSet() {
  static const ImpactSet kNone;
  if (!model_->isRecord()) return kNone;
  const std::optional<ImpactPlace> place = findImpact(*model_, *index_, view.branch, view.time);
  if (place != set_place_) {
    set_place_ = place;
    impact_set_.reset();
    inspected_ = {};
    if (place) {
      if (!study_) study_ = std::make_unique<ImpactStudy>();
      study_->request(model_->path(), *place, effort_);
    }
  }
  if (study_)
    if (auto fresh = study_->take(); fresh && place && fresh->place == *place) {
      impact_set_ = std::move(fresh);
      const long sample = std::exchange(inspect_next_, -1);
      if (sample >= 0 && !impact_set_->empty()) inspect(sample, kLastStep);
    }
  return impact_set_ ? *impact_set_ : kNone;
}

const ImpactSet& Viewer::waitImpactSet() {
  const ImpactSet* set = &impactSet();
  while (impactSetPending()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return set = &impactSet(), *set;
}

void Viewer::inspect(long sample, int step) {
  if (sample != inspected_.sample || inspected_.vertex >= 0)
    inspected_ = {sample, -1, 0, sample < 0 ? std::vector<ImpulseStep>() : impulseProcess(impactSet(), sample)};
  inspectStep(step);
}

void Viewer::inspectVertex(long vertex, int step) {
  if (vertex != inspected_.vertex) inspected_ = {-1, vertex, 0, chainProcess(impactSet(), vertex)};
  inspectStep(step);
}

void Viewer::inspectStep(int step) {
  inspected_.step = std::clamp(step, 0, std::max(0, static_cast<int>(inspected_.steps.size()) - 1));
}

void Viewer::simulateOn(const ImpactSet::Outcome& outcome) {
  if (!impact_set_ || !impact_set_->replayed || outcome.choice.velocity.size() == 0) return;
  if (model_->isGrowing()) return say("The record is still growing: branches can be added once it is complete");
  if (!continuation_) return startContinuation({impact_set_, outcome});
  waiting_.push_back({impact_set_, outcome});
  say(fmt::format("{} comes next", outcome.label));
}

void Viewer::startContinuation(Waiting next) {
  try {
    if (copy_folder_.empty()) {
      std::string pattern = (std::filesystem::temp_directory_path() / "rigor-view-XXXXXX").string();
      if (!mkdtemp(pattern.data()))
        throw record::RecordError("cannot create a folder for the added branch in the temporary one");
      copy_folder_ = pattern;
    }
    const std::string name = std::filesystem::path(original_).filename().string();
    const auto copy =
        std::filesystem::path(copy_folder_) / fmt::format("{}-{}", ++copies_, name.empty() ? "run.rigor" : name);
    continuation_ = std::make_unique<Continuation>(model_->path(), copy.string(), next.set, next.outcome);
    say(fmt::format("Simulating on from {} at {}", next.outcome.label, timeText(next.set->place.time, 1e-6)));
  } catch (const std::exception& error) {
    fail(error.what());
  }
}

void Viewer::cancelContinuation() {
  if (!continuation_) return;
  waiting_.clear();
  const std::string copy = continuation_->copy();
  continuation_.reset();
  std::error_code ignored;
  std::filesystem::remove(copy, ignored);
  say("The new branch was given up");
}

void Viewer::showVersion(const Version& version) {
  replaceModel(RunModel::openRecord(version.path));
  muted_ = version.muted;
  collapsed_ = version.collapsed;
  names_ = version.names;
  ++name_edits_;
  playback.playing = false;
  view.branch = 0;
  selectBranch(std::max(0, model_->findBranch(version.branch)));
}

/// The record with the branch that was added, in the place of the one before; what the user sees and did stays, and an
/// undo goes back to it.
void Viewer::showCopy() {
  const std::unique_ptr<Continuation> added = std::move(continuation_);
  added->wait();
  if (!added->error().empty()) {
    fail(added->error());
  } else {
    try {
      const Version before{model_->path(), model_->branches()[view.branch].id, muted_, collapsed_, names_};
      // A trajectory that became a tree has other branches; a tree has the same ones and one more.
      const bool same_tree = model_->branches().size() > 1;
      const Version after{added->copy(), added->branch(), same_tree ? muted_ : std::set<int>(),
                          same_tree ? collapsed_ : std::set<int>(), same_tree ? names_ : std::vector<std::string>()};
      inspect_next_ = inspected_.sample;  // What is looked at stays so.
      history_.edit({[this, after] { showVersion(after); }, [this, before, id = added->branch()] {
              showVersion(before);
              say(fmt::format("Branch {} was taken away; Ctrl + Y brings it back", id));
            }});
      say(fmt::format("Branch {} was added{}; {} is as it was. Save keeps the new tree, Ctrl + Z takes the branch away",
                      added->branch(), added->note().empty() ? "" : " (" + added->note() + ")",
                      std::filesystem::path(original_).filename().string()));
    } catch (const std::exception& error) {
      fail(error.what());
    }
  }
  if (waiting_.empty()) return;
  Waiting next = std::move(waiting_.front());
  waiting_.pop_front();
  startContinuation(std::move(next));
}

std::string Viewer::saveCopy() {
  if (!hasUnsavedBranches()) return {};
  namespace fs = std::filesystem;
  const std::string stem = fs::path(original_).stem().string();
  std::error_code error;
  for (int i = 1; i < 10000; ++i) {
    const std::string path = fmt::format("{}-branches-{:04}.rigor", stem.empty() ? "run" : stem, i);
    if (fs::exists(path, error)) continue;
    if (!fs::copy_file(model_->path(), path, error)) break;
    saved_ = model_->path();
    say("Wrote " + path);
    return path;
  }
  fail("Cannot save the new tree in this folder: " + error.message());
  return {};
}

void Viewer::dropCopies() {
  waiting_.clear();
  continuation_.reset();
  std::error_code ignored;
  if (!copy_folder_.empty()) std::filesystem::remove_all(copy_folder_, ignored);
  copy_folder_.clear();
  saved_.clear();
}

const std::vector<ImpactLoss>& Viewer::losses() {
  if (losses_branch_ == view.branch || !index_->complete()) return losses_;
  losses_branch_ = view.branch;
  losses_.clear();
  try {
    losses_ = impactLosses(*model_, view.branch, index_->impactsIn(*model_, view.branch, -1, model_->endTime()));
  } catch (const record::RecordError& error) {
    fail(error.what());
  }
  return losses_;
}

void Viewer::frameAll(double view_aspect) {
  std::vector<Placement> placements;
  Eigen::AlignedBox3d now, whole;
  const auto at = [&](double time) {
    model_->placementsAt(view.branch, time, placements);
    return painter_->box(*model_, placements);
  };
  for (int i = 0; i <= kFramedTimes; ++i) whole.extend(at(endTime() * i / kFramedTimes));
  now = at(view.time);
  whole.extend(now);
  // The whole run, unless bodies would become specks; then the shown instant.
  const bool specks = whole.diagonal().norm() > kSpecks * std::max(now.diagonal().norm(), 2 * model_->size());
  Eigen::AlignedBox3d shown = specks ? now : whole;
  const Eigen::Vector3d margin = Eigen::Vector3d::Constant(kFrameMargin * shown.diagonal().norm());
  shown.extend(shown.max() + margin);
  shown.extend(shown.min() - margin);
  view.camera.fit(shown, view_aspect);
  view.followed = -1;
  want_frame_ = true;
  for (std::size_t b = 0; b < placements.size(); ++b)
    if (placements[b].known && !model_->bodies()[b].fixed) want_frame_ = false;
}

void Viewer::focus(int body) {
  if (body < 0 || body >= static_cast<int>(model_->bodies().size())) return;
  std::vector<Placement> placements;
  model_->placementsAt(view.branch, view.time, placements);
  if (!placements[body].known || model_->bodies()[body].radius == 0) return;
  view.camera.fit(placements[body].pose.p, 1.8 * model_->bodies()[body].radius, aspect);
}

void Viewer::follow(int body) {
  if (view.followed >= 0 && view.followed < static_cast<int>(painter_->placements().size()))
    view.camera.target = painter_->placements()[view.followed].pose.p;  // It stays where it looked.
  view.followed = body == view.followed ? -1 : body;
}

int Viewer::pick(double x, double y, double width, double height) {
  return ScenePainter::pick(*model_, painter_->placements(), list_.camera.rayThrough(x, y, width, height), nullptr);
}

std::string Viewer::command() const {
  if (!model_) return "rigor view";
  const Camera& c = list_.camera;
  std::string path = remember_ ? original_ : model_->header().scene_path;
  if (path.empty()) path = original_;
  if (path.find_first_of(" '\"$\\()&;") != std::string::npos) {
    std::string quoted = "'";
    for (const char x : path) quoted += x == '\'' ? "'\\''" : std::string(1, x);
    path = quoted + "'";
  }
  std::string text = fmt::format("rigor view {} --time {} --branch {} --camera={},{},{},{},{},{}", path, view.time,
                                 model_->branches()[view.branch].id, c.azimuth, c.elevation, c.distance, c.target[0],
                                 c.target[1], c.target[2]);
  const View standard;
  std::string shown;
  for (int i = 0; i < kOverlayCount; ++i)
    if (view.overlays[i] != standard.overlays[i])
      shown += fmt::format("{}{}{}", shown.empty() ? "" : ",", view.overlays[i] ? "" : "no-",
                           overlayInfo(static_cast<Overlay>(i)).key);
  if (!shown.empty()) text += " --show " + shown;
  if (view.camera.orthographic) text += " --orthographic";
  if (view.dark) text += " --dark";
  return text;
}

}  // namespace rigor::viewer
