// SPDX-License-Identifier: MIT
#include "viewer/view.h"

namespace rigor::viewer {

const OverlayInfo& overlayInfo(Overlay overlay) {
  static const OverlayInfo kInfos[kOverlayCount] = {
      {"contacts", "Contact points", "Points where bodies are held at the nominal gap", 'C'},
      {"normals", "Contact normals", "From the first body to the second", 'N'},
      {"impulses", "Impulses", "Of the last impact, at its contacts: normal and friction", 'I'},
      {"witnesses", "Separating planes", "The proof: a plane between each pair that comes near", 'P'},
      {"closest", "Closest points", "Of pairs that are near each other", 'D'},
      {"gaps", "Gap labels", "Distance of near pairs", 'L'},
      {"velocities", "Velocities", "Of the centres of mass, and spins", 'V'},
      {"trails", "Trails", "Where the centres of mass have been", 'T'},
      {"ghosts", "Other branches", "The other outcomes at the same time, seen through", 'G'},
      {"wireframe", "Wireframe", "Edges alone", 'W'},
      {"names", "Names", "Of bodies", 'B'},
      {"axes", "Axes", "Body frames: x red, y green, z blue", 'X'},
      {"joints", "Joint axes", "Of robots: turning about a line, sliding along an arrow", 'Q'},
      {"grid", "Grid", "Of the ground; the scale is in the corner", 0},
      {"shadow", "Shadow", "Of a light from above", 0},
      {"edges", "Edges", "Of the polytopes", 'E'},
      {"pips", "Pips", "On boxes whose name says that they are dice", 0},
  };
  return kInfos[static_cast<int>(overlay)];
}

}  // namespace rigor::viewer
