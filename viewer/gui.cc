// SPDX-License-Identifier: MIT
#include "viewer/gui.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <vector>

#include "viewer/panel_drawing.h"
#include "viewer/scene_painter.h"

namespace rigor::viewer {
namespace {

constexpr float kFontSize = 15, kLargeSize = 20;

std::string findFont() {
  for (const char* path : {"/usr/share/fonts/truetype/roboto/unhinted/RobotoTTF/Roboto-Regular.ttf",
                           "/usr/share/fonts/truetype/roboto/hinted/Roboto-Regular.ttf",
                           "/usr/share/fonts/opentype/inter/Inter-Regular.otf",
                           "/usr/share/fonts/truetype/inter/Inter-Regular.ttf",
                           "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"}) {
    std::error_code error;
    if (std::filesystem::exists(path, error)) return path;
  }
  return {};
}

ImVec4 vec(unsigned hex, float alpha = 1) {
  const Color c = rgb(hex);
  return {c.r, c.g, c.b, alpha};
}

}  // namespace

Gui::Gui(float scale, bool dark) : context_(ImGui::CreateContext()), scale_(scale), font_path_(findFont()) {
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;  // Long plots have more than 65,536 vertices; GlGui can.
  // Latin, Greek, arrows, mathematical signs.
  static const ImWchar kRanges[] = {0x0020, 0x017F, 0x0370, 0x03FF, 0x2010, 0x2027, 0x2190, 0x21FF, 0x2200, 0x22FF, 0};
  if (!font_path_.empty()) {
    io.FontDefault = io.Fonts->AddFontFromFileTTF(font_path_.c_str(), std::round(kFontSize * scale), nullptr, kRanges);
    large_ = io.Fonts->AddFontFromFileTTF(font_path_.c_str(), std::round(kLargeSize * scale), nullptr, kRanges);
  }
  if (!io.FontDefault) {
    ImFontConfig config;
    config.SizePixels = std::round(13 * scale);
    io.FontDefault = io.Fonts->AddFontDefault(&config);
  }
  if (!large_) large_ = io.FontDefault;
  unsigned char* pixels;
  int width, height;
  io.Fonts->GetTexDataAsRGBA32(&pixels, &width, &height);  // Builds the atlas, with or without a renderer.
  setTheme(dark);
}

Gui::~Gui() { ImGui::DestroyContext(context_); }

void Gui::setTheme(bool dark) {
  ImGuiStyle style;
  dark ? ImGui::StyleColorsDark(&style) : ImGui::StyleColorsLight(&style);
  style.WindowRounding = 0;
  style.FrameRounding = 4;
  style.GrabRounding = 4;
  style.PopupRounding = 6;
  style.TabRounding = 4;
  style.ScrollbarRounding = 6;
  style.WindowBorderSize = 0;
  style.FrameBorderSize = 0;
  style.WindowPadding = {10, 10};
  style.FramePadding = {8, 4};
  style.ItemSpacing = {8, 6};
  ImVec4* c = style.Colors;
  const ImVec4 accent = dark ? vec(0x4DABF7) : vec(0x1971C2);
  c[ImGuiCol_WindowBg] = dark ? vec(0x171C24) : vec(0xF8F9FB);
  c[ImGuiCol_ChildBg] = {0, 0, 0, 0};
  c[ImGuiCol_TitleBg] = c[ImGuiCol_TitleBgActive] = dark ? vec(0x2C3B52) : vec(0xD3E2F4);
  c[ImGuiCol_PopupBg] = dark ? vec(0x1F2630, 0.98f) : vec(0xFFFFFF, 0.98f);
  c[ImGuiCol_Text] = dark ? vec(0xE6EBF2) : vec(0x1B2430);
  c[ImGuiCol_TextDisabled] = dark ? vec(0x8C98A8) : vec(0x6B7684);
  c[ImGuiCol_FrameBg] = dark ? vec(0x2A323E) : vec(0xE6EAF0);
  c[ImGuiCol_FrameBgHovered] = dark ? vec(0x343E4C) : vec(0xDBE1E9);
  c[ImGuiCol_FrameBgActive] = dark ? vec(0x3E4A5A) : vec(0xCFD7E1);
  c[ImGuiCol_Button] = dark ? vec(0x2A323E) : vec(0xE6EAF0);
  c[ImGuiCol_ButtonHovered] = dark ? vec(0x38465A) : vec(0xD3E2F4);
  c[ImGuiCol_ButtonActive] = dark ? vec(0x45587A) : vec(0xBBD3EE);
  c[ImGuiCol_Header] = dark ? vec(0x2C3B52) : vec(0xD3E2F4);
  c[ImGuiCol_HeaderHovered] = dark ? vec(0x354764) : vec(0xC4D9F0);
  c[ImGuiCol_HeaderActive] = dark ? vec(0x3D5376) : vec(0xB4CFEC);
  c[ImGuiCol_CheckMark] = c[ImGuiCol_SliderGrab] = c[ImGuiCol_SliderGrabActive] = accent;
  c[ImGuiCol_Tab] = c[ImGuiCol_TabUnfocused] = dark ? vec(0x1F2630) : vec(0xECEFF4);
  c[ImGuiCol_TabHovered] = c[ImGuiCol_HeaderHovered];
  c[ImGuiCol_TabActive] = c[ImGuiCol_TabUnfocusedActive] = dark ? vec(0x2C3B52) : vec(0xD3E2F4);
  c[ImGuiCol_Separator] = c[ImGuiCol_Border] = dark ? vec(0x313A47) : vec(0xD8DEE6);
  style.ScaleAllSizes(scale_);
  ImGui::GetStyle() = style;
}

void drawLabels(const DrawList& list, ImDrawList* target, float x, float y, float width, float height, float scale) {
  ImFont* font = ImGui::GetIO().FontDefault;
  const float size = font->FontSize;
  // Those in front first; one that would cover another moves up or down a line, or is left out.
  std::vector<std::pair<double, const Label*>> order;
  for (const Label& label : list.labels)
    order.emplace_back(list.camera.project(list.origin + label.at.cast<double>(), width, height).depth, &label);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<ImVec4> taken;
  const auto write = [&](float px, float py, const std::string& text, const Color& color) {
    const ImVec2 extent = font->CalcTextSizeA(size, 1e9f, 0, text.c_str());
    const float pad = 3 * scale, line = extent.y + pad;
    for (const float shift : {0.f, -line, line}) {
      const ImVec4 box{px - pad, py + shift - pad / 2, px + extent.x + pad, py + shift + extent.y + pad / 2};
      const auto covers = [&](const ImVec4& other) {
        return box.x < other.z && other.x < box.z && box.y < other.w && other.y < box.w;
      };
      if (std::any_of(taken.begin(), taken.end(), covers)) continue;
      taken.push_back(box);
      target->AddRectFilled({box.x, box.y}, {box.z, box.w}, packed(list.theme.label_back), 3 * scale);
      target->AddText(font, size, {px, py + shift}, packed(color), text.c_str());
      return;
    }
  };
  for (const auto& [depth, shown] : order) {
    const Label& label = *shown;
    const ScreenPoint at = list.camera.project(list.origin + label.at.cast<double>(), width, height);
    if (!list.camera.orthographic && at.depth < list.camera.nearPlane()) continue;
    if (at.pixel[0] < -200 || at.pixel[0] > width + 200 || at.pixel[1] < -50 || at.pixel[1] > height + 50) continue;
    write(x + std::round(static_cast<float>(at.pixel[0]) + label.dx * scale),
          y + std::round(static_cast<float>(at.pixel[1]) + label.dy * scale - size / 2), label.text, label.color);
  }
  if (list.transparent || list.grounds.empty() || !(list.grounds[0].cell > 0)) return;
  const std::string text = "grid " + lengthText(list.grounds[0].cell);
  target->AddText(font, size, {x + 12 * scale, y + height - size - 10 * scale},
                  packed(list.theme.text.withAlpha(0.65f)), text.c_str());
}

}  // namespace rigor::viewer
