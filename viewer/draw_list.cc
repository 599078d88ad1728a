// SPDX-License-Identifier: MIT
#include "viewer/draw_list.h"

namespace rigor::viewer {

void DrawList::clear() {
  meshes.clear();
  near_meshes.clear();
  grounds.clear();
  lines.clear();
  dots.clear();
  arrows.clear();
  patches.clear();
  labels.clear();
}

}  // namespace rigor::viewer
