// SPDX-License-Identifier: MIT
#include "viewer/panels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "viewer/panel_drawing.h"

namespace rigor::viewer {
namespace {

constexpr float kClickWay = 4;  ///< A press that moves less is a click [pixels].
constexpr float kToolbarHeight = 42, kSideWidth = 290, kBottomHeight = 236, kTimelineHeight = 74;

constexpr ImGuiWindowFlags kFixed = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                                    ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings |
                                    ImGuiWindowFlags_NoBringToFrontOnFocus;

bool beginFixed(const char* name, const Rect& rect, ImGuiWindowFlags more = 0) {
  ImGui::SetNextWindowPos({rect.x, rect.y});
  ImGui::SetNextWindowSize({rect.width, rect.height});
  return ImGui::Begin(name, nullptr, kFixed | more);
}

/// A tab and, where it is the open one, what is in it. `open` is the bar's open tab: with `set` it is opened, else it
/// follows the user.
template <class Draw>
void drawTab(const char* name, int number, int& open, bool set, Draw&& draw) {
  if (!ImGui::BeginTabItem(name, nullptr, set && open == number ? ImGuiTabItemFlags_SetSelected : 0)) return;
  if (!set) open = number;
  draw();
  ImGui::EndTabItem();
}

}  // namespace

namespace {

enum class Icon { kStart, kPreviousEvent, kStepBack, kPlay, kPause, kStep, kNextEvent, kEnd };

/// A square button with a drawn sign: no icon font is needed.
bool iconButton(const char* id, Icon icon, float scale) {
  const float size = ImGui::GetFrameHeight();
  const bool play = icon == Icon::kPlay || icon == Icon::kPause;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool pressed = ImGui::Button(fmt::format("##{}", id).c_str(), {play ? 1.7f * size : 1.15f * size, size});
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const ImU32 ink = ImGui::GetColorU32(ImGuiCol_Text);
  const ImVec2 c{at.x + (play ? 0.85f : 0.575f) * size, at.y + size / 2};
  const float r = 5.2f * scale;
  const auto triangle = [&](float x, float way) {
    draw->AddTriangleFilled({c.x + x - way * r * 0.7f, c.y - r}, {c.x + x - way * r * 0.7f, c.y + r},
                            {c.x + x + way * r * 0.8f, c.y}, ink);
  };
  const auto bar = [&](float x) {
    draw->AddRectFilled({c.x + x - 1.2f * scale, c.y - r}, {c.x + x + 1.2f * scale, c.y + r}, ink);
  };
  const auto diamond = [&](float x) {  // An event.
    const float d = 3.6f * scale;
    draw->AddQuadFilled({c.x + x, c.y - d}, {c.x + x + d, c.y}, {c.x + x, c.y + d}, {c.x + x - d, c.y}, ink);
  };
  switch (icon) {
    case Icon::kStart: bar(-5 * scale), triangle(1.5f * scale, -1); break;
    case Icon::kPreviousEvent: diamond(-4.5f * scale), triangle(4 * scale, -1); break;
    case Icon::kStepBack: triangle(-1.5f * scale, -1), bar(5 * scale); break;
    case Icon::kPlay: triangle(0, 1.2f); break;
    case Icon::kPause: bar(-3 * scale), bar(3 * scale); break;
    case Icon::kStep: bar(-5 * scale), triangle(1.5f * scale, 1); break;
    case Icon::kNextEvent: triangle(-4 * scale, 1), diamond(4.5f * scale); break;
    case Icon::kEnd: triangle(-1.5f * scale, 1), bar(5 * scale); break;
  }
  return pressed;
}

}  // namespace

void hint(const char* text) {
  if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled) && ImGui::GetCurrentContext()) {
    ImGui::BeginTooltip();
    ImGui::TextUnformatted(text);
    ImGui::EndTooltip();
  }
}

void drawPanels(Viewer& viewer, const Gui& gui, PanelState& state) {
  const ImGuiIO& io = ImGui::GetIO();
  const float s = gui.scale(), width = io.DisplaySize.x, height = io.DisplaySize.y;
  const bool panels = viewer.show_panels && viewer.isOpen() && height > 420 * s && width > 560 * s;
  const float top = panels ? kToolbarHeight * s : 0, side = panels ? kSideWidth * s : 0;
  const float timeline = viewer.isOpen() && height > 200 * s ? kTimelineHeight * s : 0;
  const float bottom = panels ? std::min(kBottomHeight * s, height * 0.36f) : 0;
  state.view = {0, top, width - side, height - top - timeline - bottom};
  // One time axis for the timeline and the lanes: names before it, ends of the branches after it.
  const float before = panels ? 104 * s : 14 * s, after = panels ? 62 * s : 14 * s;
  state.axis_left = before;
  state.axis_width = std::max(10.f, width - side - before - after);
  if (state.view.width > 1 && state.view.height > 1) viewer.aspect = state.view.width / state.view.height;

  if (std::exchange(state.seen_generation, viewer.generation()) != viewer.generation()) state.open_tabs = true;

  if (viewer.isOpen()) {
    handleViewMouse(viewer, state, state.view);
    if (panels) {
      drawToolbar(viewer, state, {0, 0, width, top}, s);
      drawSidePanel(viewer, state, {width - side, top, side, height - top}, s);
      beginFixed("##bottom", {0, height - bottom, width - side, bottom});
      if (viewer.want_search) viewer.bottom_tab = 0, state.open_tabs = true;
      if (ImGui::BeginTabBar("##bottom tabs")) {
        drawTab("Branches", 0, viewer.bottom_tab, state.open_tabs, [&] { drawBranchPanel(viewer, state, s); });
        drawTab("Plots", 1, viewer.bottom_tab, state.open_tabs, [&] { drawPlotPanel(viewer, state, s); });
        drawTab("Events", 2, viewer.bottom_tab, state.open_tabs, [&] { drawEventPanel(viewer, state, s); });
        ImGui::EndTabBar();
      }
      state.open_tabs = false;
      ImGui::End();
    }
    if (timeline > 0) drawTimeline(viewer, state, {0, height - bottom - timeline, width - side, timeline}, s);
  }

  // What happened, or how to begin.
  ImDrawList* front = ImGui::GetForegroundDrawList();
  const Theme& theme = themeOf(viewer.view.dark);
  if (!viewer.isOpen()) {
    const char* text = "Drop a record (.rigor) or a scene (.yaml) here";
    const ImVec2 extent = gui.large()->CalcTextSizeA(gui.large()->FontSize, 1e9f, 0, text);
    ImGui::GetBackgroundDrawList()->AddText(gui.large(), gui.large()->FontSize,
                                            {(width - extent.x) / 2, height / 2 - extent.y}, packed(theme.text), text);
  }
  if (!viewer.message().empty()) {
    const ImVec2 extent = ImGui::CalcTextSize(viewer.message().c_str(), nullptr, false, state.view.width * 0.8f);
    const ImVec2 at{state.view.x + (state.view.width - extent.x) / 2, state.view.y + 12 * s};
    front->AddRectFilled({at.x - 12 * s, at.y - 7 * s}, {at.x + extent.x + 12 * s, at.y + extent.y + 7 * s},
                         packed(theme.label_back), 6 * s);
    if (viewer.hasFailed())  // In another colour, and by its edge, too.
      front->AddRectFilled({at.x - 12 * s, at.y - 7 * s}, {at.x - 8 * s, at.y + extent.y + 7 * s},
                           packed(theme.contact), 2 * s);
    front->AddText(ImGui::GetFont(), ImGui::GetFontSize(), at, packed(viewer.hasFailed() ? theme.contact : theme.text),
                   viewer.message().c_str(), nullptr, state.view.width * 0.8f);
  }
  if (viewer.want_name && viewer.isOpen()) {
    viewer.want_name = false;
    const auto& names = viewer.names();
    const int b = viewer.view.branch;
    std::snprintf(state.name, sizeof state.name, "%s", b < static_cast<int>(names.size()) ? names[b].c_str() : "");
    ImGui::OpenPopup("Name of the branch");
  }
  ImGui::SetNextWindowPos({width / 2, height / 2}, ImGuiCond_Appearing, {0.5f, 0.5f});
  if (ImGui::BeginPopup("Name of the branch")) {
    ImGui::Text("Name of branch %s", viewer.model().branches()[viewer.view.branch].id.c_str());
    if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
    if (std::exchange(state.close_popup, false)) ImGui::CloseCurrentPopup();
    if (ImGui::InputText("##name", state.name, sizeof state.name, ImGuiInputTextFlags_EnterReturnsTrue)) {
      viewer.nameBranch(viewer.view.branch, state.name);
      ImGui::CloseCurrentPopup();
    }
    ImGui::EndPopup();
  }
  if (viewer.show_shortcuts) drawShortcuts(viewer, gui);
}

void handleViewMouse(Viewer& viewer, PanelState& state, const Rect& rect) {
  const ImGuiIO& io = ImGui::GetIO();
  const float x = io.MousePos.x - rect.x, y = io.MousePos.y - rect.y;
  const bool inside = x >= 0 && y >= 0 && x < rect.width && y < rect.height;
  const bool free = inside && !io.WantCaptureMouse;
  Camera& camera = viewer.view.camera;
  const auto anchored = [&] {
    // A followed body is where the list's camera looks; changes start from there.
    if (viewer.view.followed >= 0) camera.target = viewer.list().camera.target;
  };
  bool pressed = false;  // The way of the mouse up to the press is no drag.
  for (int button = 0; button < 3; ++button)
    if (ImGui::IsMouseClicked(button) && free) state.dragging_view = pressed = true, state.dragged = 0;
  const bool clicked = state.dragging_view && ImGui::IsMouseReleased(0) && state.dragged < kClickWay;
  if (!io.MouseDown[0] && !io.MouseDown[1] && !io.MouseDown[2]) state.dragging_view = false;
  if (state.dragging_view && !pressed) {
    const double dx = io.MouseDelta.x, dy = io.MouseDelta.y;
    state.dragged += static_cast<float>(std::abs(dx) + std::abs(dy));
    if (dx != 0 || dy != 0) {
      if (io.MouseDown[0]) {
        camera.orbit(dx, dy, rect.height);
      } else if (io.MouseDown[1]) {
        anchored();
        viewer.view.followed = -1;
        camera.pan(dx, dy, rect.height, io.KeyShift);
      } else {
        camera.zoom(-3 * dy / rect.height);
      }
    }
  }
  viewer.view.hovered = -1;
  if (!free) return;
  if (io.MouseWheel != 0) {
    // The point under the mouse stays there.
    const double before = camera.metresPerPixel(camera.distance, rect.height);
    camera.zoom(0.15 * io.MouseWheel);
    const double shift = before - camera.metresPerPixel(camera.distance, rect.height);
    if (viewer.view.followed < 0)
      camera.target += shift * ((x - rect.width / 2) * camera.right() + (rect.height / 2 - y) * camera.up());
  }
  if (state.dragging_view && (std::abs(io.MouseDelta.x) + std::abs(io.MouseDelta.y) > 0)) return;
  const int body = viewer.pick(x, y, rect.width, rect.height);
  viewer.view.hovered = body;
  if (clicked && body >= 0) viewer.view.selected = body;
  if (ImGui::IsMouseDoubleClicked(0)) viewer.view.selected = body;  // On nothing: deselects.
  if (body >= 0 && io.KeyCtrl) {
    const Placement& place = viewer.painter().placements()[body];
    ImGui::BeginTooltip();
    ImGui::Text("%s\nspeed %.4g m/s, spin %.4g rad/s", viewer.model().bodies()[body].name.c_str(), place.v.norm(),
                place.w.norm());
    ImGui::EndTooltip();
  }
}

void drawToolbar(Viewer& viewer, PanelState& state, const Rect& rect, float scale) {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {10 * scale, 7 * scale});
  beginFixed("##toolbar", rect, ImGuiWindowFlags_NoScrollbar);
  ImGui::PopStyleVar();
  Playback& clock = viewer.playback;
  const auto button = [](const char* label, const char* text) {
    const bool pressed = ImGui::Button(label);
    hint(text);
    ImGui::SameLine();
    return pressed;
  };
  const auto icon = [&](const char* label, Icon kind, const char* text) {
    const bool pressed = iconButton(label, kind, scale);
    hint(text);
    ImGui::SameLine(0, 4 * scale);
    return pressed;
  };
  if (icon("start", Icon::kStart, "Start (Home)")) viewer.setTime(0);
  if (icon("previous event", Icon::kPreviousEvent, "Previous event (,)")) viewer.previousEvent();
  if (icon("step back", Icon::kStepBack, "Previous recorded step (Left)")) viewer.stepBackward();
  if (icon("play", clock.playing ? Icon::kPause : Icon::kPlay, "Play, pause (Space)")) viewer.handleKey({' '});
  if (icon("step", Icon::kStep, "Next recorded step (Right)")) viewer.stepForward();
  if (icon("next event", Icon::kNextEvent, "Next event (.)")) viewer.nextEvent();
  if (icon("end", Icon::kEnd, "End (End)")) viewer.setTime(viewer.endTime());
  ImGui::SameLine(0, 14 * scale);
  ImGui::Checkbox("loop", &clock.loop);
  hint("Begin again at the end (R)");
  ImGui::SameLine();
  ImGui::SetNextItemWidth(150 * scale);
  float exponent = static_cast<float>(std::log10(clock.speed));
  if (ImGui::SliderFloat("##speed", &exponent, -6, 2, fmt::format("{:.3g} x", clock.speed).c_str()))
    clock.setSpeed(std::pow(10.0, static_cast<double>(exponent)));
  hint("Speed, from a millionth to 100 times (- and +, 0: real time)");
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  const double pixel = (viewer.axis.to - viewer.axis.from) / std::max(1.f, state.view.width);
  ImGui::Text("%s", timeText(viewer.view.time, std::max(pixel, 1e-15)).c_str());
  if (viewer.model().isGrowing()) {
    ImGui::SameLine();
    ImGui::TextDisabled("recording, %s so far", timeText(viewer.endTime()).c_str());
  }
  const ImGuiStyle& style = ImGui::GetStyle();
  float right = rect.width - 10 * scale;
  for (const char* label :
       {"Picture", viewer.output.progress < 0 ? "Video" : "Video 100 %", "Copy command", "Light", "?"})
    right -= ImGui::CalcTextSize(label).x + 2 * style.FramePadding.x + style.ItemSpacing.x;
  right += style.ItemSpacing.x;
  if (ImGui::GetCursorPosX() < right) ImGui::SameLine(right);
  else ImGui::SameLine();
  drawPictureButton(viewer, state, scale);
  ImGui::SameLine();
  drawVideoButton(viewer, state, scale);
  ImGui::SameLine();
  if (button("Copy command", "The command line that shows this again (Ctrl + C)")) viewer.want_copy_command = true;
  if (button(viewer.view.dark ? "Light###theme" : "Dark###theme", "Theme (F5)")) viewer.view.dark = !viewer.view.dark;
  if (button("?", "Keys and mouse")) viewer.show_shortcuts = !viewer.show_shortcuts;
  ImGui::End();
}

void drawScenePanel(Viewer& viewer, float scale) {
  RunModel& model = viewer.model();
  ImGui::TextUnformatted(model.sceneName().c_str());
  ImGui::TextDisabled("branch %s, %s", model.branches()[viewer.view.branch].id.c_str(),
                      model.branches()[viewer.view.branch].status.c_str());
  ImGui::Separator();
  ImGui::TextDisabled("Show");
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {2 * scale, 1.5f * scale});
  ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 1);
  const float column = ImGui::GetContentRegionAvail().x / 2;
  for (int i = 0; i < kOverlayCount; ++i) {
    const OverlayInfo& info = overlayInfo(static_cast<Overlay>(i));
    bool on = viewer.view.overlays[i];
    if (i % 2) ImGui::SameLine(column);
    if (ImGui::Checkbox(info.text, &on)) viewer.view.overlays[i] = on;
    hint(info.shortcut ? fmt::format("{} ({})", info.hint, info.shortcut).c_str() : info.hint);
  }
  ImGui::PopStyleVar(2);
  ImGui::Separator();
  const char* const views[] = {"Front", "Right", "Top", "Iso"};
  const StandardView kinds[] = {StandardView::kFront, StandardView::kRight, StandardView::kTop,
                                StandardView::kIsometric};
  for (int i = 0; i < 4; ++i) {
    if (i) ImGui::SameLine();
    if (ImGui::SmallButton(views[i])) viewer.view.camera.look(kinds[i]);
  }
  ImGui::SameLine();
  if (ImGui::SmallButton(viewer.view.camera.orthographic ? "Ortho###projection" : "Persp###projection"))
    viewer.view.camera.orthographic = !viewer.view.camera.orthographic;
  hint("Perspective or orthographic (O)");
  ImGui::Separator();
  ImGui::TextDisabled("Bodies");
  const int chosen = viewer.view.selected;
  ImGui::BeginDisabled(chosen < 0);
  ImGui::SameLine(column);
  if (ImGui::SmallButton("Focus")) viewer.focus(chosen);
  hint("On the selected body (F, or a double click on its name)");
  ImGui::SameLine();
  if (ImGui::SmallButton(chosen >= 0 && viewer.view.followed == chosen ? "Stay###follow" : "Follow###follow"))
    viewer.follow(chosen);
  hint("The camera goes with the selected body (J)");
  ImGui::EndDisabled();
  ImGui::BeginChild("##bodies");
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(model.bodies().size()));
  while (clipper.Step())
    for (int b = clipper.DisplayStart; b < clipper.DisplayEnd; ++b) {
      const ImVec2 at = ImGui::GetCursorScreenPos();
      const float size = ImGui::GetTextLineHeight();
      ImGui::PushID(b);
      ImGui::Indent(size * 1.3f);
      const std::string label =
          model.bodies()[b].name + (viewer.view.followed == b ? "  (followed)" : "");
      if (ImGui::Selectable(label.c_str(), viewer.view.selected == b, ImGuiSelectableFlags_AllowDoubleClick)) {
        viewer.view.selected = b;
        if (ImGui::IsMouseDoubleClicked(0)) viewer.focus(b);
      }
      if (ImGui::IsItemHovered()) viewer.view.hovered = b;
      ImGui::Unindent(size * 1.3f);
      ImGui::GetWindowDrawList()->AddRectFilled({at.x, at.y + 2}, {at.x + size - 2, at.y + size - 1},
                                                packed(viewer.painter().colorOf(b)), 3);
      ImGui::PopID();
    }
  ImGui::EndChild();
}

void drawSidePanel(Viewer& viewer, PanelState& state, const Rect& rect, float scale) {
  beginFixed("##side", rect);
  if (ImGui::BeginTabBar("##side tabs")) {
    drawTab("Scene", 0, viewer.side_tab, state.open_tabs, [&] { drawScenePanel(viewer, scale); });
    drawTab("Impact", 1, viewer.side_tab, state.open_tabs, [&] { drawImpactPanel(viewer, state, scale); });
    drawTab("Proof", 2, viewer.side_tab, state.open_tabs, [&] { drawProofPanel(viewer, state, scale); });
    ImGui::EndTabBar();
  }
  ImGui::End();
}

void drawProofPanel(Viewer& viewer, PanelState&, float scale) {
  RunModel& model = viewer.model();
  const record::RunHeader& header = model.header();
  ImGui::TextWrapped("Claim: every pair of bodies stays at least %s apart, at every instant.",
                     lengthText(header.gap_floor).c_str());
  ImGui::TextDisabled("contacts are held at %s", lengthText(header.gap_nominal).c_str());
  ImGui::Spacing();
  const auto report = viewer.proof.report();
  if (viewer.proof.running()) {
    ImGui::ProgressBar(static_cast<float>(viewer.proof.progress()), {-70 * scale, 0}, "verifying, exactly");
    ImGui::SameLine();
    if (ImGui::Button("Cancel", {-1, 0})) viewer.proof.cancel();
  } else {
    if (ImGui::Button(report ? "Verify again" : "Verify", {-1, 0})) viewer.proof.start(model.path());
    hint("Proves the record from the file alone, in exact arithmetic, in the background");
  }
  if (!viewer.proof.error().empty()) ImGui::TextWrapped("%s", viewer.proof.error().c_str());
  // The strip: the shown branch's time, grey until it is verified, then green, red where it failed.
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, height = 22 * scale;
  const double end = std::max(viewer.endTime(), 1e-300);
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const bool proved = report && report->verified;
  draw->AddRectFilled(at, {at.x + width, at.y + height}, packed(rgb(0xADB5BD)), 4 * scale);
  // A record that grew since is proved as far as it went.
  const double until = !report ? 0 : model.isGrowing() ? std::min(report->horizon, end) : end;
  if (report)
    draw->AddRectFilled(at, {at.x + width * static_cast<float>(until / end), at.y + height}, packed(rgb(0x2F9E44)),
                        4 * scale);
  if (report && !proved && report->failure_count > static_cast<long>(report->failures.size()))
    draw->AddRectFilled(at, {at.x + width, at.y + height}, packed(rgb(0xE8A33D)), 4 * scale);
  ImGui::InvisibleButton("##strip", {width, height});
  if (ImGui::IsItemHovered() && ImGui::IsMouseDown(0))
    viewer.setTime((ImGui::GetIO().MousePos.x - at.x) / width * end);
  if (report)
    for (const verify::Failure& failure : report->failures) {
      const float x = at.x + width * static_cast<float>(std::clamp(failure.time / end, 0.0, 1.0));
      draw->AddRectFilled({x - 2 * scale, at.y}, {x + 2 * scale, at.y + height}, packed(rgb(0xC8102E)));
    }
  const float cursor = at.x + width * static_cast<float>(viewer.view.time / end);
  draw->AddLine({cursor, at.y - 2}, {cursor, at.y + height + 2}, ImGui::GetColorU32(ImGuiCol_Text), 2 * scale);
  if (!report) {
    ImGui::TextDisabled("not yet verified");
    return;
  }
  if (proved) {
    ImGui::TextWrapped("Proved: %ld pieces, %ld witnesses, smallest gap %s, in %.3g s.", report->pieces,
                       report->witnesses, lengthText(report->min_gap).c_str(), report->wall_seconds);
  } else {
    ImGui::TextWrapped("%s: %ld failures.", report->refuted ? "REFUTED" : "Not proved", report->failure_count);
    ImGui::BeginChild("##failures");
    for (std::size_t i = 0; i < report->failures.size(); ++i) {
      const verify::Failure& f = report->failures[i];
      ImGui::PushID(static_cast<int>(i));
      if (ImGui::Selectable(
              fmt::format("{}  {} - {}\n  {}", timeText(f.time, 1e-6), f.pair[0], f.pair[1], f.reason).c_str())) {
        if (const int branch = model.findBranch(f.branch); branch >= 0) viewer.selectBranch(branch);
        viewer.playback.playing = false;
        viewer.setTime(f.time);
        for (int b = 0; b < static_cast<int>(model.bodies().size()); ++b)
          if (model.bodies()[b].name == f.pair[1]) viewer.view.selected = b, viewer.focus(b);
        viewer.view.set(Overlay::kWitnesses, true);
      }
      hint("Jump to its time and pair");
      ImGui::PopID();
    }
    ImGui::EndChild();
  }
  for (const std::string& note : report->notes) ImGui::TextWrapped("%s", note.c_str());
}

void drawShortcuts(Viewer& viewer, const Gui& gui) {
  const ImGuiIO& io = ImGui::GetIO();
  const float s = gui.scale();
  ImGui::SetNextWindowPos({io.DisplaySize.x / 2, io.DisplaySize.y / 2}, 0, {0.5f, 0.5f});
  ImGui::SetNextWindowSize({std::min(860 * s, io.DisplaySize.x - 20), 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 8 * s);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, ImGui::GetStyleColorVec4(ImGuiCol_PopupBg));
  if (ImGui::Begin("Keys and mouse", &viewer.show_shortcuts,
                   ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings)) {
    const char* group = "";
    if (ImGui::BeginTable("##keys", 2)) {
      int rows = 0;
      const int half = static_cast<int>(shortcuts().size()) / 2 + 1;
      ImGui::TableNextColumn();
      for (const Shortcut& shortcut : shortcuts()) {
        if (std::string_view(group) != shortcut.group) {
          if (rows >= half && ImGui::TableGetColumnIndex() == 0) ImGui::TableNextColumn();
          group = shortcut.group;
          ImGui::Spacing();
          ImGui::TextDisabled("%s", group);
        }
        ImGui::TextUnformatted(shortcut.keys);
        ImGui::SameLine(146 * s);
        ImGui::TextDisabled("%s", shortcut.text);
        ++rows;
      }
      ImGui::EndTable();
    }
  }
  ImGui::End();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar();
}

}  // namespace rigor::viewer
