// SPDX-License-Identifier: MIT
#pragma once
#include <array>
#include <string>
#include <vector>

#include "viewer/camera.h"
#include "viewer/event_kind.h"

namespace rigor::viewer {

/// What is drawn besides the bodies; each is switched by itself.
enum class Overlay {
  kContacts, kNormals, kImpulses, kWitnesses, kClosest, kGaps, kVelocities, kTrails, kGhosts, kWireframe, kNames, kAxes,
  kJoints, kGrid, kShadow, kEdges, kPips,
  kCount
};
constexpr int kOverlayCount = static_cast<int>(Overlay::kCount);

struct OverlayInfo {
  const char* key;   ///< Name in remembered layouts and on the command line.
  const char* text;  ///< For the user.
  const char* hint;  ///< What it shows, in a sentence.
  char shortcut;     ///< Key that switches it; 0 for none.
};
const OverlayInfo& overlayInfo(Overlay overlay);

/// What is shown of a run, and how: the state that panels change and the painter reads.
struct View {
  double time = 0;  ///< [s]
  int branch = 0;   ///< Index in RunModel::branches().
  Camera camera;
  std::array<bool, kOverlayCount> overlays{};
  int selected = -1;  ///< Body, -1 for none.
  int hovered = -1;
  int followed = -1;
  int compared = -1;                ///< A second branch, drawn as a ghost.
  std::vector<int> ghosts;          ///< Other branches drawn at the same time where kGhosts is on.
  EventFilter events;               ///< Kinds of events that timeline, list and jumps know.
  bool dark = false;
  bool transparent = false;
  double trail_length = 0.5;  ///< [s]

  View() {
    for (const Overlay o : {Overlay::kGrid, Overlay::kShadow, Overlay::kEdges, Overlay::kPips})
      overlays[static_cast<int>(o)] = true;
  }
  bool shows(Overlay o) const { return overlays[static_cast<int>(o)]; }
  void set(Overlay o, bool on) { overlays[static_cast<int>(o)] = on; }
};

}  // namespace rigor::viewer
