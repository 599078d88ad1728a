// SPDX-License-Identifier: MIT
#include "tests/viewer/x_client.h"

#include <X11/Xatom.h>
#include <X11/Xlib.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <thread>

namespace rigor::viewer {
namespace {

/// Another program from which a file is dragged onto a window: the source's half of the XDND protocol, version 5.
class DropSource {
 public:
  DropSource() : display_(XOpenDisplay(nullptr)) {
    if (display_) source_ = XCreateSimpleWindow(display_, DefaultRootWindow(display_), 0, 0, 1, 1, 0, 0, 0);
  }
  ~DropSource() {
    if (display_) XCloseDisplay(display_);
  }
  DropSource(const DropSource&) = delete;
  DropSource& operator=(const DropSource&) = delete;

  /// Drops `path` on the one window that takes drops, at (x, y). `serve` lets that window handle its events.
  /// @returns whether the target said that it took it.
  bool drop(const std::string& path, int x, int y, const std::function<void()>& serve) {
    if (!display_ || !findTarget()) return false;
    uris_ = "file://" + path + "\r\n";
    XSetSelectionOwner(display_, atom("XdndSelection"), source_, CurrentTime);
    send("XdndEnter", 5L << 24, static_cast<long>(atom("text/uri-list")), 0, 0);
    send("XdndPosition", 0, static_cast<long>(x) << 16 | y, CurrentTime, static_cast<long>(atom("XdndActionCopy")));
    send("XdndDrop", 0, CurrentTime, 0, 0);
    for (int i = 0; i < 200; ++i) {
      serve();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      while (XPending(display_)) {
        XEvent event;
        XNextEvent(display_, &event);
        if (event.type == SelectionRequest) answer(event.xselectionrequest);
        if (event.type == ClientMessage && event.xclient.message_type == atom("XdndFinished"))
          return event.xclient.data.l[1] != 0;  // GLFW puts the length there.
      }
    }
    return false;
  }

 private:
  Atom atom(const char* name) { return XInternAtom(display_, name, False); }
  bool findTarget() {
    Window root, parent, *children = nullptr;
    unsigned count = 0;
    if (!XQueryTree(display_, DefaultRootWindow(display_), &root, &parent, &children, &count)) return false;
    for (unsigned i = 0; i < count; ++i) {
      Atom type;
      int format;
      unsigned long items, left;
      unsigned char* data = nullptr;
      XGetWindowProperty(display_, children[i], atom("XdndAware"), 0, 1, False, AnyPropertyType, &type, &format, &items,
                         &left, &data);
      if (type != None) target_ = children[i];
      if (data) XFree(data);
    }
    if (children) XFree(children);
    return target_ != None;
  }
  void send(const char* message, long a, long b, long c, long d) {
    XEvent event{};
    event.xclient.type = ClientMessage;
    event.xclient.display = display_;
    event.xclient.window = target_;
    event.xclient.message_type = atom(message);
    event.xclient.format = 32;
    const long values[] = {static_cast<long>(source_), a, b, c, d};
    std::copy(values, values + 5, event.xclient.data.l);
    XSendEvent(display_, target_, False, NoEventMask, &event);
    XFlush(display_);
  }
  void answer(const XSelectionRequestEvent& request) {
    XChangeProperty(display_, request.requestor, request.property, request.target, 8, PropModeReplace,
                    reinterpret_cast<const unsigned char*>(uris_.data()), static_cast<int>(uris_.size()));
    XEvent reply{};
    reply.xselection.type = SelectionNotify;
    reply.xselection.display = display_;
    reply.xselection.requestor = request.requestor;
    reply.xselection.selection = request.selection;
    reply.xselection.target = request.target;
    reply.xselection.property = request.property;
    reply.xselection.time = request.time;
    XSendEvent(display_, request.requestor, False, NoEventMask, &reply);
    XFlush(display_);
  }

  Display* display_;
  Window source_ = None, target_ = None;
  std::string uris_;
};

}  // namespace

bool dropFile(const std::string& path, int x, int y, const std::function<void()>& serve) {
  return DropSource().drop(path, x, y, serve);
}

void setDpi(int dpi) {
  Display* display = XOpenDisplay(nullptr);
  if (!display) return;
  // What desktops tell their programs, as xrdb does.
  const std::string text = "Xft.dpi:\t" + std::to_string(dpi) + "\n";
  XChangeProperty(display, DefaultRootWindow(display), XA_RESOURCE_MANAGER, XA_STRING, 8, PropModeReplace,
                  reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
  XCloseDisplay(display);
}

}  // namespace rigor::viewer
