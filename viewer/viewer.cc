// SPDX-License-Identifier: MIT
#include "viewer/viewer.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "scenes/loader.h"
#include "viewer/session.h"

namespace rigor::viewer {
namespace {

constexpr double kRefreshInterval = 0.25;  ///< Between two looks at a growing record [s].
constexpr double kImpulseWindow = 0.04;    ///< Impacts stay visible for this long, at real speed [s].
constexpr int kSetSamples = 400;           ///< Dots of the cloud of an impact set.
constexpr int kFramedTimes = 12;           ///< Instants of a run that the first view holds.
constexpr double kSpecks = 6;              ///< A view this many sizes of what is shown now is too wide.
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
  if (model_ && !run_) saveSession(*this);
}

void Viewer::say(std::string message) { message_ = std::move(message); }

bool Viewer::open(const std::string& path) {
  try {
    if (isSqlite(path)) {
      auto model = RunModel::openRecord(path);
      std::unique_ptr<BackgroundRun> old = std::move(run_);
      adopt(std::move(model));
      if (!old) loadSession(*this);
    } else {
      scenes::SceneSource source;
      sim::Scene scene = scenes::loadScene(path, &source);
      try {
        simulate(std::move(scene), 0);
      } catch (const sim::SceneError& error) {
        say(source.locate(error.body) + ": " + error.what());
        return false;
      }
    }
    return true;
  } catch (const std::exception& error) {
    say(error.what());
    return false;
  }
}

void Viewer::simulate(sim::Scene scene, std::uint64_t seed) {
  const double until = scene.until;
  auto run = std::make_unique<BackgroundRun>(std::move(scene), seed, until);
  auto model = RunModel::openRecord(run->recordPath());
  adopt(std::move(model));
  run_ = std::move(run);
  playback.playing = true;
}

void Viewer::adopt(std::unique_ptr<RunModel> model) {
  index_.reset();
  const bool dark = view.dark;
  model_ = std::move(model);
  painter_ = std::make_unique<ScenePainter>(*model_);
  index_ = std::make_unique<RunIndex>(*model_);
  run_.reset();
  view = View();
  view.dark = dark;
  view.branch = model_->heaviestLeaf(0);
  playback = Playback();
  axis.showAll(model_->isGrowing() ? std::max(model_->header().until, 1e-9) : model_->endTime());
  proof.forget();
  plots = PlotData();
  compared_plots = PlotData();
  muted_.clear();
  names_.clear();
  edits_.clear();
  undo_at_ = 0;
  collapsed_ = collapseToFit(*model_, kVisibleLanes);
  lanes_valid_ = false;
  set_branch_ = losses_branch_ = -1;
  losses_.clear();
  set_reader_.reset();
  impact_set_ = {};
  message_.clear();
  lost_ = false;
  ++generation_;
  frameAll(aspect);
}

void Viewer::update(double dt) {
  if (!model_) return;
  try {
    since_refresh_ += dt;
    if (since_refresh_ > kRefreshInterval && !lost_) {
      since_refresh_ = 0;
      const std::size_t count = model_->bodies().size();
      if (model_->refresh()) {
        if (model_->bodies().size() != count || view.branch >= static_cast<int>(model_->branches().size())) {
          open(model_->path());
          return;
        }
        index_->refresh();
        losses_branch_ = -1;
        lanes_valid_ = false;
        proof.forget();
      }
      if (run_ && run_->done() && !run_->message().empty()) say("The run stopped: " + run_->message());
    }
    if (want_frame_ && painter_->anyMoving()) {  // A run that had just begun when it was opened has its first poses.
      want_frame_ = false;
      frameAll(aspect);
    }
    const double end = endTime();
    view.time = playback.advance(view.time, dt, end, model_->isGrowing());
    view.time = std::clamp(view.time, 0.0, std::max(end, 0.0));
    annotations_ = collectAnnotations(*index_, *model_, view,
                                      kImpulseWindow * std::min(1.0, std::max(playback.speed, 0.25)));
    updateGhosts();
  } catch (const record::RecordError& error) {
    if (!lost_) say(error.what());
    lost_ = true;
    playback.playing = false;
  }
}

void Viewer::updateGhosts() {
  view.ghosts.clear();
  if (!view.shows(Overlay::kGhosts)) return;
  for (const int b : branchesAt(*model_, view.time))
    if (b != view.branch && !isMuted(b)) view.ghosts.push_back(b);
}

const DrawList& Viewer::paint() {
  if (!model_) {
    list_.clear();
    return list_;
  }
  try {
    painter_->paint(*model_, view, annotations_, list_);
  } catch (const record::RecordError& error) {
    if (!lost_) say(error.what());
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
  setTime(index_->nextEvent(*model_, view.branch, view.time));
}
void Viewer::previousEvent() {
  playback.playing = false;
  setTime(index_->previousEvent(*model_, view.branch, view.time));
}

void Viewer::selectBranch(int branch) {
  if (branch < 0 || branch >= static_cast<int>(model_->branches().size())) return;
  view.branch = branch;
  // A selected lane is opened: its ancestors show it.
  for (int b = model_->branches()[branch].parent; b >= 0; b = model_->branches()[b].parent)
    if (collapsed_.erase(b)) lanes_valid_ = false;
  setTime(view.time);
}

void Viewer::edit(Edit edit) {
  edits_.resize(undo_at_);
  edit.apply();
  edits_.push_back(std::move(edit));
  ++undo_at_;
}

void Viewer::undo() {
  if (undo_at_ > 0) edits_[--undo_at_].revert();
}
void Viewer::redo() {
  if (undo_at_ < edits_.size()) edits_[undo_at_++].apply();
}

void Viewer::setMuted(const std::vector<int>& branches, bool muted) {
  const std::set<int> before = muted_;
  std::set<int> after = before;
  for (const int b : branches) muted ? void(after.insert(b)) : void(after.erase(b));
  if (after == before) return;
  edit({[this, after] { muted_ = after; }, [this, before] { muted_ = before; }});
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
  edit({[this, after] { muted_ = after; }, [this, before] { muted_ = before; }});
}

void Viewer::nameBranch(int branch, const std::string& name) {
  if (branch >= static_cast<int>(names_.size())) names_.resize(model_->branches().size());
  const std::string before = names_[branch];
  if (before == name) return;
  edit({[this, branch, name] { names_.resize(model_->branches().size()), names_[branch] = name; },
        [this, branch, before] { names_[branch] = before; }});
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
  const int owner = model_->ownerAt(view.branch, view.time);
  if (owner == set_branch_ && view.time >= set_from_ && view.time <= set_to_) return impact_set_;
  try {
    if (!set_reader_ || set_reader_->path() != model_->path())
      set_reader_ = model_->isRecord() ? std::make_unique<record::Reader>(model_->path()) : nullptr;
    if (set_reader_) impact_set_ = collectImpactSet(*model_, *set_reader_, view.branch, view.time,
                                     index_->lastImpact(owner, view.time), kSetSamples);
  } catch (const std::exception& error) {
    impact_set_ = {};
    say(error.what());
  }
  set_branch_ = owner;
  set_from_ = impact_set_.empty() ? view.time : std::min(impact_set_.time, view.time);
  const double next = index_->nextEvent(*model_, view.branch, view.time);
  set_to_ = next > view.time ? std::nextafter(next, 0) : index_->complete() ? model_->endTime() : view.time;
  return impact_set_;
}

const std::vector<ImpactLoss>& Viewer::losses() {
  if (losses_branch_ == view.branch || !index_->complete()) return losses_;
  losses_branch_ = view.branch;
  losses_.clear();
  try {
    losses_ = impactLosses(*model_, view.branch, index_->impactsIn(*model_, view.branch, -1, model_->endTime()));
  } catch (const record::RecordError& error) {
    say(error.what());
  }
  return losses_;
}

void Viewer::frameAll(double view_aspect) {
  std::vector<Placement> placements;
  Eigen::AlignedBox3d box;
  Eigen::Vector3d centre;
  double radius = 0;
  // The whole run, unless bodies would become specks; then the shown instant.
  const auto include = [&](double time) {
    model_->placementsAt(view.branch, time, placements);
    painter_->bounds(*model_, placements, centre, radius);
    const Eigen::Vector3d half = Eigen::Vector3d::Constant(radius / std::sqrt(3));
    box.extend(centre - half);
    box.extend(centre + half);
  };
  for (int i = 0; i <= kFramedTimes; ++i) include(endTime() * i / kFramedTimes);
  include(view.time);
  if (const double whole = box.diagonal().norm() / 2; whole < kSpecks * std::max(radius, model_->size())) {
    centre = box.center();
    radius = whole;
  }
  view.camera.fit(centre, 1.15 * radius, view_aspect);
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

bool Viewer::handleKey(const KeyPress& press) {
  const int key = press.key;
  if (key == '?' || key == kF1) {
    show_shortcuts = !show_shortcuts;
    return true;
  }
  if (key == kEscape && show_shortcuts) {
    show_shortcuts = false;
    return true;
  }
  if (key == kF5) {
    view.dark = !view.dark;
    return true;
  }
  if (!model_) return false;
  if (press.control) {
    switch (key) {
      case 'Z': press.shift ? redo() : undo(); return true;
      case 'Y': redo(); return true;
      case 'C': want_copy_command = true; return true;
      case kRight: nextEvent(); return true;
      case kLeft: previousEvent(); return true;
      default: return false;
    }
  }
  switch (key) {
    case ' ':
      if (!playback.playing && view.time >= endTime() && !model_->isGrowing()) view.time = 0;
      playback.playing = !playback.playing;
      return true;
    case kRight: press.shift ? selectBranch(firstChildOf(*model_, view.branch)) : stepForward(); return true;
    case kLeft: press.shift ? selectBranch(parentOf(*model_, view.branch)) : stepBackward(); return true;
    case kDown: selectBranch(siblingOf(*model_, view.branch, 1)); return true;
    case kUp: selectBranch(siblingOf(*model_, view.branch, -1)); return true;
    case kPageUp: selectBranch(parentOf(*model_, view.branch)); return true;
    case kPageDown: selectBranch(firstChildOf(*model_, view.branch)); return true;
    case kHome: setTime(0); return true;
    case kEnd: setTime(endTime()); return true;
    case '.': nextEvent(); return true;
    case ',': previousEvent(); return true;
    case '=': case '+': playback.faster(); return true;
    case '-': playback.slower(); return true;
    case '0': playback.setSpeed(1); return true;
    case 'R': playback.loop = !playback.loop; return true;
    case '[': playback.loop = true, playback.loop_from = view.time; return true;
    case ']': playback.loop = true, playback.loop_to = view.time; return true;
    case 'Z':
      if (axis.logarithmic) axis.showAll(model_->endTime());
      else axis.setLogarithmic(view.time);
      return true;
    case 'S': solo(view.branch); return true;
    case 'M': setMuted({view.branch}, !isMuted(view.branch)); return true;
    case 'K': compareWith(view.compared >= 0 ? view.compared : siblingOf(*model_, view.branch, 1)); return true;
    case '/': want_search = true; return true;
    case kF2: want_name = true; return true;
    case 'A': frameAll(aspect); return true;
    case 'F': view.selected >= 0 ? focus(view.selected) : frameAll(aspect); return true;
    case 'J': follow(view.selected); return true;
    case 'O': view.camera.orthographic = !view.camera.orthographic; return true;
    case '1': view.camera.look(StandardView::kFront); return true;
    case '2': view.camera.look(StandardView::kBack); return true;
    case '3': view.camera.look(StandardView::kRight); return true;
    case '4': view.camera.look(StandardView::kLeft); return true;
    case '5': view.camera.look(StandardView::kTop); return true;
    case '6': view.camera.look(StandardView::kBottom); return true;
    case '7': view.camera.look(StandardView::kIsometric); return true;
    case kTab: show_panels = !show_panels; return true;
    case kF12: want_screenshot = true; return true;
    case kEscape: view.selected = -1, view.followed = -1; return true;
    default: break;
  }
  for (int i = 0; i < kOverlayCount; ++i)
    if (const char shortcut = overlayInfo(static_cast<Overlay>(i)).shortcut; shortcut && shortcut == key) {
      view.overlays[i] = !view.overlays[i];
      return true;
    }
  return false;
}

std::string Viewer::command() const {
  if (!model_) return "rigor view";
  const Camera& c = list_.camera;
  std::string path = run_ ? model_->header().scene_path : model_->path();
  if (path.empty()) path = model_->path();
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

const std::vector<Shortcut>& shortcuts() {
  static const std::vector<Shortcut> kAll = [] {
    std::vector<Shortcut> all = {
        {"Space", "play, pause", "Time"},
        {"Left, Right", "previous, next recorded step", "Time"},
        {", .   or Ctrl + Left, Right", "previous, next event", "Time"},
        {"Home, End", "start, end", "Time"},
        {"-  +  0", "slower, faster, real time", "Time"},
        {"R", "loop", "Time"},
        {"[  ]", "loop from here, to here", "Time"},
        {"Z", "logarithmic around the cursor", "Time"},
        {"Up, Down", "previous, next sibling", "Branches"},
        {"Page Up, Page Down", "parent, heaviest child", "Branches"},
        {"S   M", "solo, mute", "Branches"},
        {"F2   /", "name, search", "Branches"},
        {"K", "compare with the next sibling", "Branches"},
        {"Ctrl + Z, Ctrl + Y", "undo, redo naming and muting", "Branches"},
        {"Left drag", "orbit", "Camera"},
        {"Right drag", "pan; with Shift: along the ground", "Camera"},
        {"Wheel, middle drag", "zoom", "Camera"},
        {"Double click", "select a body;  F: focus,  J: follow", "Camera"},
        {"A", "frame everything that moves", "Camera"},
        {"1 ... 7", "front, back, right, left, top, bottom, iso", "Camera"},
        {"O", "perspective, orthographic", "Camera"},
        {"Tab   F5", "panels; light, dark", "Window"},
        {"F12   Ctrl + C", "picture; copy the command line", "Window"},
        {"?   Esc", "this list; deselect", "Window"},
    };
    static std::vector<std::string> keys;
    keys.reserve(kOverlayCount);
    for (int i = 0; i < kOverlayCount; ++i) {
      const OverlayInfo& info = overlayInfo(static_cast<Overlay>(i));
      if (!info.shortcut) continue;
      keys.emplace_back(1, info.shortcut);
      all.push_back({keys.back().c_str(), info.text, "Overlays"});
    }
    return all;
  }();
  return kAll;
}

}  // namespace rigor::viewer
