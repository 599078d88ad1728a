// SPDX-License-Identifier: MIT
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "viewer/panel_drawing.h"
#include "viewer/panels.h"

namespace rigor::viewer {
namespace {

constexpr int kLargest = 16384;  ///< Pixels along an edge; the driver may allow less.

void chooseSize(Output& output, const Rect& view) {
  int size[2] = {output.width > 0 ? output.width : static_cast<int>(view.width),
                 output.height > 0 ? output.height : static_cast<int>(view.height)};
  if (ImGui::InputInt2("pixels", size))
    output.width = std::clamp(size[0], 1, kLargest), output.height = std::clamp(size[1], 1, kLargest);
  const auto choice = [&](const char* label, int width, int height) {
    if (ImGui::SmallButton(label)) output.width = width, output.height = height;
    ImGui::SameLine();
  };
  choice("as the view", 0, 0);
  choice("1280x720", 1280, 720);
  choice("1920x1080", 1920, 1080);
  choice("3840x2160", 3840, 2160);
  ImGui::NewLine();
  ImGui::Spacing();
}

/// A popup below the button that was just drawn, at the window's right edge; Escape closes it.
bool beginBelow(const char* name, PanelState& state, float scale) {
  ImGui::SetNextWindowPos({ImGui::GetIO().DisplaySize.x - 8 * scale, ImGui::GetItemRectMax().y + 6 * scale}, 0, {1, 0});
  if (!ImGui::BeginPopup(name)) return false;
  if (std::exchange(state.close_popup, false)) ImGui::CloseCurrentPopup();
  return true;
}

}  // namespace

void drawPictureButton(Viewer& viewer, PanelState& state, float scale) {
  if (ImGui::Button("Picture")) ImGui::OpenPopup("##picture");
  hint("A PNG of the view: size, background (F12 writes one at once)");
  if (!beginBelow("##picture", state, scale)) return;
  Output& output = viewer.output;
  ImGui::PushItemWidth(190 * scale);
  chooseSize(output, state.view);
  ImGui::Checkbox("transparent background", &output.transparent);
  ImGui::TextDisabled("to %s-0001.png, the next free number, in the current folder",
                      viewer.model().sceneName().c_str());
  if (ImGui::Button("Write the picture", {-1, 0})) {
    output.want_picture = true;
    ImGui::CloseCurrentPopup();
  }
  ImGui::PopItemWidth();
  ImGui::EndPopup();
}

void drawVideoButton(Viewer& viewer, PanelState& state, float scale) {
  Output& output = viewer.output;
  VideoTimes& video = output.video;
  const bool writing = output.progress >= 0;
  const std::string label = writing ? fmt::format("Video {:.0f} %###video", 100 * output.progress) : "Video###video";
  if (ImGui::Button(label.c_str())) {
    if (!writing) video = viewer.usualVideo();
    ImGui::OpenPopup("##video settings");
  }
  hint("A video of the shown branch");
  if (!beginBelow("##video settings", state, scale)) return;
  if (writing) {
    ImGui::ProgressBar(static_cast<float>(output.progress), {260 * scale, 0});
    if (ImGui::Button("Cancel", {-1, 0})) output.cancel_video = true;
    ImGui::EndPopup();
    return;
  }
  ImGui::PushItemWidth(190 * scale);
  chooseSize(output, state.view);
  ImGui::InputDouble("from [s]", &video.from, 0, 0, "%.9g");
  ImGui::InputDouble("to [s]", &video.to, 0, 0, "%.9g");
  video.from = std::clamp(video.from, 0.0, viewer.endTime());
  video.to = std::clamp(video.to, 0.0, viewer.endTime());
  if (ImGui::SmallButton("whole branch")) video.from = 0, video.to = viewer.endTime();
  ImGui::SameLine();
  if (ImGui::SmallButton("from here")) video.from = viewer.view.time;
  ImGui::SameLine();
  if (ImGui::SmallButton("to here")) video.to = viewer.view.time;
  ImGui::InputDouble("frames a second", &video.fps, 0, 0, "%.6g");
  ImGui::InputDouble("speed", &video.speed, 0, 0, "%.6g x");
  const long frames = video.frames();
  if (frames > 0)
    ImGui::TextDisabled("%ld frames, %.3g s of video", frames, static_cast<double>(frames) / video.fps);
  else
    ImGui::TextDisabled("no frames, or more than a million");
  ImGui::TextDisabled("to %s-0001.mp4, the next free number,\nin the current folder; without ffmpeg, PNG frames",
                      viewer.model().sceneName().c_str());
  ImGui::BeginDisabled(frames <= 0);
  if (ImGui::Button("Write the video", {-1, 0})) {
    output.want_video = true;
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndDisabled();
  ImGui::PopItemWidth();
  ImGui::EndPopup();
}

}  // namespace rigor::viewer
