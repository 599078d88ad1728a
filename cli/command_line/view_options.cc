// SPDX-License-Identifier: MIT
#include "cli/command_line/view_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <string>

#include "cli/exit_code.h"

namespace rigor::cli {
namespace {

const std::string kViewHelp = R"(
Examples:
  rigor view die.rigor                                     look at a record, also while it is written
  rigor view die                                           simulate a scene and watch
  rigor view die.rigor --screenshot end.png --size 800x600 one frame, without a display
  rigor view die.rigor --video die.mp4 --from 0 --to 1 --fps 60 --speed 0.25
  rigor view die.rigor --screenshot hit.png --time 0.31 --show contacts,normals,gaps

Exit codes: 0 done, 2 wrong usage, 3 bad input or no display, 4 the picture could not be written.)";

}  // namespace

void addViewOptions(CLI::App& view, ViewArguments& arguments) {
  view.footer(kViewHelp);
  view.add_option("RUN|SCENE", arguments.file,
                  "Record, scene file, or name of a bundled scene (default: the newest record in runs/)");
  view.add_option("--screenshot", arguments.screenshot, "Write one frame as a PNG and end; needs no display");
  view.add_option("--time", arguments.time, "Instant to show [s] (default: the end of a record, the start of a scene)")
      ->check([](const std::string& text) {
        double value = 0;
        const bool good = CLI::detail::lexical_cast(text, value) && value >= 0 && value <= 1e100;  // NaN -> refused
        return good ? std::string() : text + " is no time of a run; a finite number >= 0 [s]";
      });
  view.add_option("--branch", arguments.branch, "Branch to show (default: the one of the largest weights)");
  view.add_option("--size", arguments.size, "Pixels of the picture or window, WIDTHxHEIGHT")->capture_default_str();
  view.add_option("--show", arguments.show,
                  "Overlays: contacts,normals,closest,gaps,velocities,trails,names,...; no-grid turns one off")
      ->delimiter(',');
  view.add_option("--camera", arguments.camera, "azimuth,elevation,distance,x,y,z (default: frames what moves)");
  view.add_option("--video", arguments.video,
                  "Write a video and end: by ffmpeg where it is installed, else as PNG frames");
  view.add_option("--from", arguments.from, "Start of the video [s] (default: 0)");
  view.add_option("--to", arguments.to, "End of the video [s] (default: the branch's)");
  view.add_option("--fps", arguments.fps, "Pictures a second")->check(CLI::Range(0.01, 1000.0))->capture_default_str();
  view.add_option("--speed", arguments.speed, "Shown seconds a second of the video")
      ->check(CLI::Range(1e-9, 1e6))->capture_default_str();
  view.add_flag("--orthographic", arguments.orthographic, "Parallel projection");
  view.add_flag("--dark", arguments.dark, "Dark theme");
  view.add_flag("--transparent", arguments.transparent, "No background in the picture");
}

std::optional<int> parseView(int argc, char** argv, ViewArguments& arguments) {
  CLI::App app{"The interactive viewer; or a picture of one instant", "rigor view"};
  addViewOptions(app, arguments);
  try {
    app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    std::cerr << fmt::format("rigor: {}\nRun `rigor view --help` for more.\n", error.what());
    return kUsage;
  }
}

}  // namespace rigor::cli
