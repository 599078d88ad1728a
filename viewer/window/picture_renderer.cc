// SPDX-License-Identifier: MIT
#include "viewer/window/picture_renderer.h"

#include <fmt/format.h>
#include <imgui.h>

#include "viewer/gui.h"

namespace rigor::viewer {

PictureRenderer::PictureRenderer(RunModel& model) { open(model); }

void PictureRenderer::open(RunModel& model) {
  painter_ = std::make_unique<ScenePainter>(model);
  renderer_.setMeshes(painter_->meshes());
}

Image PictureRenderer::render(RunModel& model, const View& view, const Annotations& annotations, int width, int height,
                              GlGui& text, float scale) {
  if (const int largest = GlRenderer::largestPicture(); width > largest || height > largest)
    throw ImageError(
        fmt::format("a picture of {}x{} pixels is too large for this driver: {} at most", width, height, largest));
  painter_->paint(model, view, annotations, list_);
  renderer_.draw(list_, width, height);

  const ImVec2 size{static_cast<float>(width), static_cast<float>(height)};
  ImDrawList labels(ImGui::GetDrawListSharedData());
  labels._ResetForNewFrame();
  labels.PushTextureID(ImGui::GetIO().Fonts->TexID);
  labels.PushClipRect({0, 0}, size);
  drawLabels(list_, &labels, 0, 0, size.x, size.y, scale);
  ImDrawList* const lists[] = {&labels};
  ImDrawData data;
  data.Valid = true;
  data.CmdLists = const_cast<ImDrawList**>(lists);
  data.CmdListsCount = 1;
  data.DisplaySize = size;
  data.FramebufferScale = {1, 1};
  renderer_.bindPicture();
  text.draw(data);
  return renderer_.readPicture();
}

}  // namespace rigor::viewer
