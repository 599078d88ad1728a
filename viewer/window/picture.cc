// SPDX-License-Identifier: MIT
#include "viewer/window/picture.h"

#include <imgui.h>

namespace rigor::viewer {

PictureMaker::PictureMaker(RunModel& model)
    : model_(&model), renderer_(model), gui_(std::make_unique<Gui>()), gl_gui_(std::make_unique<GlGui>()) {
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = {1, 1};
  io.DeltaTime = 1.0f / 60;
  ImGui::NewFrame();  // ImGui takes its fonts; nothing else of it is used.
  ImGui::EndFrame();
}

void PictureMaker::frame(View& view, int width, int height) {
  std::vector<Placement> placements;
  model_->placementsAt(view.branch, view.time, placements);
  Eigen::Vector3d centre;
  double radius;
  renderer_.painter().bounds(*model_, placements, centre, radius);
  view.camera.fit(centre, 1.25 * radius, static_cast<double>(width) / height);
}

Image PictureMaker::render(const View& view, const Annotations& annotations, int width, int height) {
  return renderer_.render(*model_, view, annotations, width, height, *gl_gui_, 1);
}

}  // namespace rigor::viewer
