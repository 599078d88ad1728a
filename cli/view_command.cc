// SPDX-License-Identifier: MIT
#include "cli/view_command.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "cli/exit_code.h"
#include "cli/input_error.h"
#include "cli/interrupt.h"
#include "cli/places.h"
#include "cli/progress_bar.h"
#include "scenes/loader.h"
#include "scenes/nearest_word.h"
#include "viewer/background_run.h"
#include "viewer/output.h"
#include "viewer/video.h"
#include "viewer/window/application.h"
#include "viewer/window/picture.h"

namespace rigor::cli {
namespace {

constexpr int kLargestPicture = 16384;

struct Size {
  int width, height;
};

Size readSize(const std::string& text) {
  Size size{0, 0};
  const char* end = text.data() + text.size();
  const auto [middle, error] = std::from_chars(text.data(), end, size.width);
  if (error == std::errc() && middle != end && (*middle == 'x' || *middle == 'X')) {
    const auto [last, wrong] = std::from_chars(middle + 1, end, size.height);
    if (wrong == std::errc() && last == end && size.width >= 1 && size.height >= 1 && size.width <= kLargestPicture &&
        size.height <= kLargestPicture)
      return size;
  }
  throw UsageError(fmt::format("--size {} is not allowed; WIDTHxHEIGHT, each from 1 to {}", text, kLargestPicture));
}

bool isRecord(const std::string& path) {
  if (std::filesystem::path(path).extension() == ".rigor") return true;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  std::ifstream file(path, std::ios::binary);
  char magic[16] = "";
  file.read(magic, 15);
  return std::string_view(magic) == "SQLite format 3";
}

void readOverlays(const std::vector<std::string>& names, viewer::View& view) {
  std::vector<std::string_view> known;
  for (int i = 0; i < viewer::kOverlayCount; ++i)
    known.push_back(viewer::overlayInfo(static_cast<viewer::Overlay>(i)).key);
  for (const std::string& name : names) {
    const bool off = name.starts_with("no-");
    const auto found = std::find(known.begin(), known.end(), off ? name.substr(3) : name);
    if (found == known.end()) {
      const std::string nearest = scenes::nearestWord(name, known);
      throw UsageError(fmt::format("--show {}: there is no such overlay; {}{}", name,
                                   nearest.empty() ? "" : "did you mean " + nearest + "? ", fmt::join(known, ", ")));
    }
    view.overlays[found - known.begin()] = !off;
  }
}

bool readCamera(const std::string& text, viewer::Camera& camera) {
  if (text.empty()) return false;
  double values[6];
  const char* at = text.data();
  const char* end = at + text.size();
  for (int i = 0; i < 6; ++i) {
    const auto [next, error] = std::from_chars(at, end, values[i]);
    const bool last = i == 5;
    if (error != std::errc() || !std::isfinite(values[i]) || (last ? next != end : next == end || *next != ','))
      throw UsageError(
          fmt::format("--camera {} is not allowed; azimuth,elevation,distance,x,y,z [rad, rad, m, m, m, m]", text));
    at = next + 1;
  }
  if (!(values[2] > 0) || std::abs(values[1]) > std::numbers::pi / 2)
    throw UsageError(
        fmt::format("--camera {} is not allowed; the distance is positive, the elevation within pi/2", text));
  camera.azimuth = values[0];
  camera.elevation = values[1];
  camera.distance = values[2];
  camera.target = {values[3], values[4], values[5]};
  return true;
}

/// Branch and time of the first picture; a choice that the run does not have is wrong usage.
void chooseInstant(viewer::RunModel& model, const ViewArguments& arguments, bool from_start, viewer::View& view) {
  view.branch = 0;
  if (!arguments.branch.empty()) {
    view.branch = model.findBranch(arguments.branch);
    if (view.branch < 0)
      throw UsageError(fmt::format("--branch {}: {} has no such branch", arguments.branch, model.path()));
  } else {
    view.branch = model.heaviestLeaf(0);
  }
  const double end = model.endTime(view.branch);
  const auto check = [&](const char* option, double time) {
    if (!(time >= 0 && time <= end))
      throw UsageError(fmt::format("{} {} is outside of what is recorded, 0 to {} s", option, time, end));
  };
  view.time = arguments.time ? *arguments.time : from_start ? 0 : end;
  check("--time", view.time);
  if (arguments.from) check("--from", *arguments.from);
  if (arguments.to) check("--to", *arguments.to);
}

/// One or many pictures of a run, with what the overlays need of the record's tables.
class Pictures {
 public:
  Pictures(viewer::RunModel& model, viewer::View& view, const ViewArguments& arguments)
      : model_(model), view_(view), size_(readSize(arguments.size)), maker_(model), index_(model) {
    if (!readCamera(arguments.camera, view.camera)) maker_.frame(view, size_.width, size_.height);
    if (view.shows(viewer::Overlay::kWitnesses) || view.shows(viewer::Overlay::kImpulses)) index_.waitComplete();
  }
  viewer::Image render() {
    view_.ghosts = view_.shows(viewer::Overlay::kGhosts) ? viewer::branchesAt(model_, view_.time) : std::vector<int>();
    return maker_.render(view_, viewer::collectAnnotations(index_, model_, view_, kImpulseWindow), size_.width,
                         size_.height);
  }

 private:
  static constexpr double kImpulseWindow = 0.02;  ///< Impacts are seen for this long [s].
  viewer::RunModel& model_;
  viewer::View& view_;
  Size size_;
  viewer::PictureMaker maker_;
  viewer::RunIndex index_;
};

int pictures(viewer::RunModel& model, viewer::View view, const ViewArguments& arguments, bool from_start,
             const InterruptGuard& guard, std::ostream& err) {
  chooseInstant(model, arguments, from_start, view);
  if (!arguments.screenshot.empty()) {
    Pictures maker(model, view, arguments);
    writePng(maker.render(), arguments.screenshot, arguments.transparent);
  }
  if (arguments.video.empty()) return kDone;
  const double from = arguments.from.value_or(0), to = arguments.to.value_or(model.endTime(view.branch));
  if (from > to) throw UsageError(fmt::format("--from {} lies after --to {}", from, to));
  if (viewer::VideoTimes{from, to, arguments.fps, arguments.speed}.frames() == 0)
    throw UsageError(
        fmt::format("more than {} frames; --fps is lower, or --speed higher", viewer::VideoTimes::kMostFrames));
  view.time = from;
  Pictures maker(model, view, arguments);
  viewer::VideoWriter video(arguments.video, readSize(arguments.size).width, readSize(arguments.size).height,
                            arguments.fps);
  if (!video.note().empty()) err << "rigor: " << video.note() << '\n';
  const viewer::VideoTimes times{from, to, arguments.fps, arguments.speed};
  const long frames = times.frames();
  ProgressBar bar(true);
  for (long i = 0; i < frames && !guard.interrupted(); ++i) {
    view.time = times.time(i);
    video.add(maker.render());
    bar.show(view.time, to, i + 1);
  }
  video.finish();
  return guard.interrupted() ? kInterrupted : kDone;
}

int window(const std::string& path, const viewer::View& asked, const ViewArguments& arguments,
           const InterruptGuard& guard, std::ostream& err) {
  const Size size = readSize(arguments.size);
  viewer::Viewer viewer;
  viewer.view.dark = asked.dark;
  viewer::Application application(viewer, size.width, size.height);
  if (!viewer.open(isRecord(path) ? path : resolveScene(path))) {
    err << (isRecord(path) ? "rigor: " : "") << viewer.message() << '\n';
    return kBadInput;
  }
  const viewer::View standard;
  for (int i = 0; i < viewer::kOverlayCount; ++i)
    if (asked.overlays[i] != standard.overlays[i]) viewer.view.overlays[i] = asked.overlays[i];
  if (asked.dark) viewer.view.dark = true;
  if (asked.camera.orthographic) viewer.view.camera.orthographic = true;
  readCamera(arguments.camera, viewer.view.camera);
  if (!arguments.branch.empty()) {
    const int branch = viewer.model().findBranch(arguments.branch);
    if (branch < 0) throw UsageError(fmt::format("--branch {}: {} has no such branch", arguments.branch, path));
    viewer.selectBranch(branch);
  }
  if (arguments.time) {
    viewer.playback.playing = false;
    viewer.setTime(*arguments.time);
  }
  application.run(guard.flag());
  return guard.interrupted() ? kInterrupted : kDone;  // Folders of the temporary place are gone, the session is kept.
}

}  // namespace

int viewCommand(const ViewArguments& arguments, std::ostream& err) {
  const InterruptGuard guard;
  scenes::SceneSource source;
  try {
    viewer::View view;
    view.dark = arguments.dark;
    view.transparent = arguments.transparent;
    view.camera.orthographic = arguments.orthographic;
    readOverlays(arguments.show, view);
    viewer::Camera checked;
    readCamera(arguments.camera, checked);
    readSize(arguments.size);
    std::string path = arguments.file;
    if (path.empty()) {
      path = findNewestRecord();
      if (path.empty()) {
        err << "rigor: no record was named, and runs/ has none\n";
        return kBadInput;
      }
      err << "rigor: " << path << '\n';
    }
    if (arguments.screenshot.empty() && arguments.video.empty()) return window(path, view, arguments, guard, err);
    if (isRecord(path)) {
      const auto model = viewer::RunModel::openRecord(path);
      return pictures(*model, view, arguments, false, guard, err);
    }
    sim::Scene scene = scenes::loadScene(resolveScene(path), &source);
    for (const std::string& warning : source.warnings) err << "rigor: warning: " << warning << '\n';
    const double until =
        std::max(arguments.time.value_or(0), arguments.video.empty() ? 0 : arguments.to.value_or(scene.until));
    if (until > 0) {
      viewer::BackgroundRun run(std::move(scene), 0, until);
      run.wait(guard.flag());
      if (guard.interrupted()) return kInterrupted;
      if (!run.message().empty()) err << "rigor: the run stopped: " << run.message() << '\n';
      const auto model = viewer::RunModel::openRecord(run.recordPath());
      return pictures(*model, view, arguments, true, guard, err);
    }
    const sim::Simulation simulation(std::move(scene), 0);  // Refuses overlaps, moves touching starts apart.
    const auto model = viewer::RunModel::fromScene(simulation.scene());
    return pictures(*model, view, arguments, true, guard, err);
  } catch (const viewer::DisplayError& error) {
    err << "rigor: " << error.what() << '\n';
    return kBadInput;
  } catch (const viewer::ImageError& error) {
    err << "rigor: " << error.what() << '\n';
    return kFailure;
  } catch (...) {
    return reportInputError(source, err);
  }
}

}  // namespace rigor::cli
