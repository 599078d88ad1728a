// SPDX-License-Identifier: MIT
#pragma once
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace rigor::cli {

struct ViewArguments {
  std::string file;  ///< A record, a scene file, or the name of a bundled scene; empty: the newest record in runs/.
  std::string screenshot;
  std::optional<double> time;  ///< [s]; else the end of a record, the start of a scene.
  std::string branch;          ///< Else the heaviest leaf.
  std::string size = "1280x720";
  std::vector<std::string> show;  ///< Overlays besides the default ones, by key (viewer/view.h).
  std::string camera;             ///< "azimuth,elevation,distance,x,y,z"; else what moves is framed.
  std::string video;            ///< Video file, by ffmpeg where installed, else PNG frames beside that name.
  std::optional<double> from, to;  ///< Of the video [s]; else the whole branch.
  double fps = 30, speed = 1;   ///< Pictures a second of the video; shown seconds a second.
  bool dark = false, transparent = false, orthographic = false;
};

/// `rigor view`: the window, or one picture without interaction. @returns the program's exit code.
int viewCommand(const ViewArguments& arguments, std::ostream& err);

}  // namespace rigor::cli
