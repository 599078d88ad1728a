// SPDX-License-Identifier: MIT
#include "viewer/keys.h"

#include <string>

#include "viewer/viewer.h"

namespace rigor::viewer {

bool Viewer::handleKey(const KeyPress& press) {
  const int key = press.key;
  if (key == '?' || key == kF1) {
    show_shortcuts = !show_shortcuts;
    return true;
  }
  if (key == kEscape && show_shortcuts) {
    show_shortcuts = false;
    return true;
  }
  if (key == kF5) {
    view.dark = !view.dark;
    return true;
  }
  if (!model_) return false;
  if (press.control) {
    switch (key) {
      case 'Z': press.shift ? redo() : undo(); return true;
      case 'Y': redo(); return true;
      case 'C': want_copy_command = true; return true;
      case kRight: nextEvent(); return true;
      case kLeft: previousEvent(); return true;
      default: return false;
    }
  }
  switch (key) {
    case ' ':
      if (!playback.playing && view.time >= endTime() && !model_->isGrowing()) view.time = 0;
      playback.playing = !playback.playing;
      return true;
    case kRight: press.shift ? selectBranch(firstChildOf(*model_, view.branch)) : stepForward(); return true;
    case kLeft: press.shift ? selectBranch(parentOf(*model_, view.branch)) : stepBackward(); return true;
    case kDown: selectBranch(siblingOf(*model_, view.branch, 1)); return true;
    case kUp: selectBranch(siblingOf(*model_, view.branch, -1)); return true;
    case kPageUp: selectBranch(parentOf(*model_, view.branch)); return true;
    case kPageDown: selectBranch(firstChildOf(*model_, view.branch)); return true;
    case kHome: setTime(0); return true;
    case kEnd: setTime(endTime()); return true;
    case '.': nextEvent(); return true;
    case ',': previousEvent(); return true;
    case '=': case '+': playback.faster(); return true;
    case '-': playback.slower(); return true;
    case '0': playback.setSpeed(1); return true;
    case 'R': playback.loop = !playback.loop; return true;
    case '[': playback.loop = true, playback.loop_from = view.time; return true;
    case ']': playback.loop = true, playback.loop_to = view.time; return true;
    case 'Z':
      if (axis.logarithmic) axis.showAll(model_->endTime());
      else axis.setLogarithmic(view.time);
      return true;
    case 'S': solo(view.branch); return true;
    case 'M': setMuted({view.branch}, !isMuted(view.branch)); return true;
    case 'K': compareWith(view.compared >= 0 ? view.compared : siblingOf(*model_, view.branch, 1)); return true;
    case '/': want_search = show_panels = true; return true;
    case kF2: want_name = true; return true;
    case 'A': frameAll(aspect); return true;
    case 'F': view.selected >= 0 ? focus(view.selected) : frameAll(aspect); return true;
    case 'J': follow(view.selected); return true;
    case 'O': view.camera.orthographic = !view.camera.orthographic; return true;
    case '1': view.camera.look(StandardView::kFront); return true;
    case '2': view.camera.look(StandardView::kBack); return true;
    case '3': view.camera.look(StandardView::kRight); return true;
    case '4': view.camera.look(StandardView::kLeft); return true;
    case '5': view.camera.look(StandardView::kTop); return true;
    case '6': view.camera.look(StandardView::kBottom); return true;
    case '7': view.camera.look(StandardView::kIsometric); return true;
    case kTab: show_panels = !show_panels; return true;
    case kF12: output.want_picture = true; return true;
    case kEscape: view.selected = -1, view.followed = -1, say(""); return true;
    default: break;
  }
  for (int i = 0; i < kOverlayCount; ++i)
    if (const char shortcut = overlayInfo(static_cast<Overlay>(i)).shortcut; shortcut && shortcut == key) {
      view.overlays[i] = !view.overlays[i];
      return true;
    }
  return false;
}

const std::vector<Shortcut>& shortcuts() {
  static const std::vector<Shortcut> kAll = [] {
    std::vector<Shortcut> all = {
        {"Space", "play, pause", "Time"},
        {"Left, Right", "previous, next recorded step", "Time"},
        {", .   or Ctrl + Left, Right", "previous, next event", "Time"},
        {"Home, End", "start, end", "Time"},
        {"-  +  0", "slower, faster, real time", "Time"},
        {"R", "loop", "Time"},
        {"[  ]", "loop from here, to here", "Time"},
        {"Z", "logarithmic around the cursor", "Time"},
        {"Up, Down", "previous, next sibling", "Branches"},
        {"Page Up, Page Down", "parent, heaviest child", "Branches"},
        {"S   M", "solo, mute", "Branches"},
        {"F2   /", "name, search", "Branches"},
        {"K", "compare with the next sibling", "Branches"},
        {"Ctrl + Z, Ctrl + Y", "undo, redo: names, mutes, added branches", "Branches"},
        {"Left drag", "orbit", "Camera"},
        {"Right drag", "pan; with Shift: along the ground", "Camera"},
        {"Wheel, middle drag", "zoom", "Camera"},
        {"Click", "select a body;  F: focus,  J: follow", "Camera"},
        {"A", "frame everything that moves", "Camera"},
        {"1 ... 7", "front, back, right, left, top, bottom, iso", "Camera"},
        {"O", "perspective, orthographic", "Camera"},
        {"Tab   F5", "panels; light, dark", "Window"},
        {"F12   Ctrl + C", "picture; copy the command line", "Window"},
        {"?   Esc", "this list; deselect, drop the message", "Window"},
    };
    static std::vector<std::string> keys;
    keys.reserve(kOverlayCount);
    for (int i = 0; i < kOverlayCount; ++i) {
      const OverlayInfo& info = overlayInfo(static_cast<Overlay>(i));
      if (!info.shortcut) continue;
      keys.emplace_back(1, info.shortcut);
      all.push_back({keys.back().c_str(), info.text, "Overlays"});
    }
    return all;
  }();
  return kAll;
}

}  // namespace rigor::viewer
