// SPDX-License-Identifier: MIT
#include "viewer/window/picture.h"

#include <fmt/format.h>
#include <imgui.h>

namespace rigor::viewer {

PictureMaker::PictureMaker(RunModel& model)
    : model_(&model), painter_(model), gui_(std::make_unique<Gui>()), gl_gui_(std::make_unique<GlGui>()) {
  renderer_.setMeshes(painter_.meshes());
}

void PictureMaker::frame(View& view, int width, int height) {
  std::vector<Placement> placements;
  model_->placementsAt(view.branch, view.time, placements);
  Eigen::Vector3d centre;
  double radius;
  painter_.bounds(*model_, placements, centre, radius);
  view.camera.fit(centre, 1.25 * radius, static_cast<double>(width) / height);
}

Image PictureMaker::render(const View& view, const Annotations& annotations, int width, int height) {
  if (const int largest = GlRenderer::largestPicture(); width > largest || height > largest)
    throw std::runtime_error(
        fmt::format("a picture of {}x{} pixels is too large for this driver: {} at most", width, height, largest));
  painter_.paint(*model_, view, annotations, list_);
  renderer_.draw(list_, width, height);
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = {static_cast<float>(width), static_cast<float>(height)};
  io.DeltaTime = 1.0f / 60;
  ImGui::NewFrame();
  drawLabels(list_, ImGui::GetBackgroundDrawList(), 0, 0, io.DisplaySize.x, io.DisplaySize.y, 1);
  ImGui::Render();
  renderer_.bindPicture();
  gl_gui_->draw(*ImGui::GetDrawData());
  return renderer_.readPicture();
}

}  // namespace rigor::viewer
