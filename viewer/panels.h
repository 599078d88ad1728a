// SPDX-License-Identifier: MIT
#pragma once
#include <array>

#include "viewer/gui.h"
#include "viewer/viewer.h"

namespace rigor::viewer {

/// Rectangle of the window [pixels from the upper left].
struct Rect {
  float x = 0, y = 0, width = 0, height = 0;
};

/// The events of the shown branch that the filter lets through; looked through again when something changes.
struct EventList {
  std::vector<int> shown;  ///< Numbers in RunIndex::eventsOn().
  std::array<int, kEventKinds> counts{};
  std::size_t seen = 0;
  int branch = -1, generation = -1;
  EventFilter filter;
};

/// State of the panels that is not the run's: what is typed, which tab is open.
struct PanelState {
  char search[128] = "";
  char name[128] = "";
  std::vector<int> found;
  std::string searched;           ///< What `found` is the answer to.
  std::uint64_t seen_names = 0;
  float axis_left = 0,
        axis_width = 100;  ///< Of the time axis, common to timeline, lanes and plots; set by drawPanels().
  int found_at = 0;
  float lane_scroll = 0;
  int seen_branch = -1;
  int inspector_x = 0, inspector_y = 1;
  std::string inspected_impact;  ///< Of which the axes were chosen.
  Rect scatter;  ///< Where the outcomes are drawn, and the velocities at its edges; set by drawImpactPanel().
  double scatter_low[2] = {0, 0}, scatter_high[2] = {0, 0};
  bool scatter_zoomed = false;  ///< Those edges were chosen with the wheel.
  EventList events;
  double events_time = -1;  ///< Shown time to which the list was scrolled.
  bool close_popup = false;  ///< Escape was pressed while one was open.
  bool dragging_view = false;
  float dragged = 0;      ///< Way of the mouse since the press [pixels]: a press without one is a click.
  bool open_tabs = false;    ///< The next frame opens the viewer's tabs: another file, or a search.
  int seen_generation = -1;
  Rect view;  ///< Where the 3D view is; set by drawPanels().
};

/// All panels of a frame, with the mouse in the 3D view: between ImGui::NewFrame() and Render(). Works without a
/// window: the state of ImGui's io is all the input there is.
void drawPanels(Viewer& viewer, const Gui& gui, PanelState& state);

// The parts, each in its rectangle.
void drawToolbar(Viewer& viewer, PanelState& state, const Rect& rect, float scale);
void drawPictureButton(Viewer& viewer, PanelState& state, float scale);
void drawVideoButton(Viewer& viewer, PanelState& state, float scale);
void drawScenePanel(Viewer& viewer, float scale);
void drawSidePanel(Viewer& viewer, PanelState& state, const Rect& rect, float scale);
void drawTimeline(Viewer& viewer, PanelState& state, const Rect& rect, float scale);
void drawBranchPanel(Viewer& viewer, PanelState& state, float scale);
void drawEventPanel(Viewer& viewer, PanelState& state, float scale);
void drawPlotPanel(Viewer& viewer, PanelState& state, float scale);
void drawImpactPanel(Viewer& viewer, PanelState& state, float scale);
void drawImpulseProcess(Viewer& viewer, const ImpactSet& set, float scale);
void drawProofPanel(Viewer& viewer, PanelState& state, float scale);
void drawShortcuts(Viewer& viewer, const Gui& gui);
/// Orbit, pan, zoom, pick: the mouse in the 3D view.
void handleViewMouse(Viewer& viewer, PanelState& state, const Rect& rect);

/// A tooltip for the last item, after a short while.
void hint(const char* text);

}  // namespace rigor::viewer
