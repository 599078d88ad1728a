// SPDX-License-Identifier: MIT
#include "viewer/window/application.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>

#include "viewer/window/gl.h"
#include "viewer/window/gl_context.h"
#include "viewer/window/gl_gui.h"
#include "viewer/window/gl_renderer.h"
#include "viewer/window/video_recording.h"

namespace rigor::viewer {
namespace {

constexpr double kIdleWait = 0.1;  ///< Without anything that moves, frames come with events or this seldom [s].
constexpr double kVideoBudget = 0.03;  ///< Frames of a video between two of the window [s].
constexpr int kBusyFrames = 4;     ///< Frames after an event, so that hovering and popups settle.

int keyOf(int glfw) {
  switch (glfw) {
    case GLFW_KEY_LEFT: return kLeft;
    case GLFW_KEY_RIGHT: return kRight;
    case GLFW_KEY_UP: return kUp;
    case GLFW_KEY_DOWN: return kDown;
    case GLFW_KEY_HOME: return kHome;
    case GLFW_KEY_END: return kEnd;
    case GLFW_KEY_PAGE_UP: return kPageUp;
    case GLFW_KEY_PAGE_DOWN: return kPageDown;
    case GLFW_KEY_ESCAPE: return kEscape;
    case GLFW_KEY_F1: return kF1;
    case GLFW_KEY_F2: return kF2;
    case GLFW_KEY_F5: return kF5;
    case GLFW_KEY_F12: return kF12;
    case GLFW_KEY_TAB: return kTab;
    default: break;
  }
  if (glfw == GLFW_KEY_SPACE || (glfw >= GLFW_KEY_A && glfw <= GLFW_KEY_Z)) return glfw;
  return 0;  // Digits and signs come as characters: their keys depend on the keyboard.
}

Image readBackBuffer(int width, int height) {
  Image image{width, height, {}};
  const std::size_t stride = 4 * static_cast<std::size_t>(width);
  std::vector<std::uint8_t> rows(stride * static_cast<std::size_t>(height));
  glBindFramebuffer(GL_READ_FRAMEBUFFER, 0);
  glReadBuffer(GL_BACK);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, rows.data());
  for (int y = height - 1; y >= 0; --y)  // OpenGL's rows begin at the bottom.
    image.rgba.insert(image.rgba.end(),
                      rows.begin() + static_cast<std::ptrdiff_t>(stride * static_cast<std::size_t>(y)),
                      rows.begin() + static_cast<std::ptrdiff_t>(stride * static_cast<std::size_t>(y + 1)));
  return image;
}

struct Glfw {
  Glfw() {
    if (!glfwInit())
      throw DisplayError(
          "no display: the viewer needs a desktop (DISPLAY or WAYLAND_DISPLAY); `rigor view ... --screenshot FILE.png` "
          "renders without one");
  }
  ~Glfw() { glfwTerminate(); }
};

}  // namespace

struct Application::Impl {
  explicit Impl(Viewer& v) : viewer(v) {}
  ~Impl() {
    video.reset();
    pictures.reset();
    gl_gui.reset();
    renderer.reset();
    if (gui) ImGui_ImplGlfw_Shutdown();
    gui.reset();
    if (window) glfwDestroyWindow(window);
  }
  static Impl& of(GLFWwindow* window) { return *static_cast<Impl*>(glfwGetWindowUserPointer(window)); }

  Viewer& viewer;
  Glfw glfw;
  GLFWwindow* window = nullptr;
  std::unique_ptr<Gui> gui;
  std::unique_ptr<GlRenderer> renderer;
  std::unique_ptr<GlGui> gl_gui;
  std::unique_ptr<PictureRenderer> pictures;  // Made with the first picture.
  std::unique_ptr<VideoRecording> video;
  PanelState panels;
  int generation = -1, busy = kBusyFrames;
  std::string told;  // The last message that went to stderr.
  bool dark = false;
  Image* capture = nullptr;

  void key(int code, int modifiers) {
    busy = kBusyFrames;
    if (code == kEscape && ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup)) {
      panels.close_popup = true;
      return;
    }
    if (ImGui::GetIO().WantTextInput) return;
    const bool control = modifiers & GLFW_MOD_CONTROL;
    viewer.handleKey({code, (modifiers & GLFW_MOD_SHIFT) != 0, control});
  }

  /// What the panels ask for, with pixels as the view's where they do not say how many.
  void write(int view_width, int view_height) {
    Output& output = viewer.output;
    const int width = output.width > 0 ? output.width : view_width,
              height = output.height > 0 ? output.height : view_height;
    try {
      if (!pictures && (output.want_picture || output.want_video))
        pictures = std::make_unique<PictureRenderer>(viewer.model());
      if (std::exchange(output.want_picture, false)) savePicture(width, height);
      if (std::exchange(output.want_video, false) && !video) {
        video = std::make_unique<VideoRecording>(viewer, freeName(viewer.model().sceneName(), ".mp4"), width, height);
        viewer.say(video->note().empty() ? "Writing " + video->path() : video->note());
      }
      if (video) continueVideo();
    } catch (
        const std::exception& error) {  // Of the disk, of ffmpeg, of the record, of a driver that allows no such size.
      video.reset();
      viewer.fail(error.what());
    }
    output.cancel_video = false;
    output.progress = video ? video->progress() : -1;
  }
  void savePicture(int width, int height) {
    const std::string path = freeName(viewer.model().sceneName(), ".png");
    View view = viewer.view;
    view.hovered = -1;
    view.transparent = viewer.output.transparent;
    writePng(pictures->render(viewer.model(), view, viewer.annotations(), width, height, *gl_gui, gui->scale()), path,
             view.transparent);
    viewer.say(fmt::format("Wrote {}, {}x{} pixels", path, width, height));
  }
  void continueVideo() {
    const std::string path = video->path();
    if (viewer.output.cancel_video || video->generation() != viewer.generation()) {
      video.reset();  // What was written so far is a video, too.
      viewer.say(path + " ends early: it was cancelled");
    } else if (!video->work(viewer, *pictures, *gl_gui, gui->scale(), kVideoBudget)) {
      viewer.say(video->note().empty() ? "Wrote " + path
                                       : fmt::format("Wrote the frames {}-000001.png and so on",
                                                     std::filesystem::path(path).replace_extension().string()));
      video.reset();
    }
  }
};

Application::Application(Viewer& viewer, int width, int height) : impl_(std::make_unique<Impl>(viewer)) {
  Impl& a = *impl_;
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
  a.window = glfwCreateWindow(width, height, "rigor", nullptr, nullptr);
  if (!a.window) throw DisplayError("the display gives no window with OpenGL 3.3; install libgl1-mesa-dri");
  glfwMakeContextCurrent(a.window);
  glfwSwapInterval(1);
  glfwSetWindowUserPointer(a.window, &a);
  // Before ImGui's, which call these in turn.
  glfwSetKeyCallback(a.window, [](GLFWwindow* window, int key, int, int action, int modifiers) {
    if (action != GLFW_RELEASE) Impl::of(window).key(keyOf(key), modifiers);
  });
  glfwSetCharCallback(a.window, [](GLFWwindow* window, unsigned character) {
    if (character < 128 && !std::isalpha(static_cast<int>(character)) && character != ' ')
      Impl::of(window).key(static_cast<int>(character), 0);
  });
  glfwSetDropCallback(a.window, [](GLFWwindow* window, int count, const char** paths) {
    if (count > 0) Impl::of(window).viewer.open(paths[0]);
    Impl::of(window).busy = kBusyFrames;
  });
  glfwSetCursorPosCallback(a.window, [](GLFWwindow* window, double, double) { Impl::of(window).busy = kBusyFrames; });
  glfwSetMouseButtonCallback(a.window,
                             [](GLFWwindow* window, int, int, int) { Impl::of(window).busy = kBusyFrames; });
  glfwSetScrollCallback(a.window, [](GLFWwindow* window, double, double) { Impl::of(window).busy = kBusyFrames; });
  glfwSetWindowRefreshCallback(a.window, [](GLFWwindow* window) { Impl::of(window).busy = kBusyFrames; });
  float scale_x = 1, scale_y = 1;
  glfwGetWindowContentScale(a.window, &scale_x, &scale_y);
  a.dark = viewer.view.dark;
  a.gui = std::make_unique<Gui>(std::clamp(scale_x, 1.f, 4.f), a.dark);
  ImGui_ImplGlfw_InitForOpenGL(a.window, true);
  ImGui::GetIO().ConfigFlags |= ImGuiConfigFlags_NoMouseCursorChange;
  a.renderer = std::make_unique<GlRenderer>();
  a.gl_gui = std::make_unique<GlGui>();
}

Application::~Application() = default;

const PanelState& Application::panels() const { return impl_->panels; }

bool Application::frame(double dt) {
  Impl& a = *impl_;
  if (glfwWindowShouldClose(a.window)) return false;
  Viewer& v = a.viewer;
  v.update(dt);
  if (v.isOpen() && v.generation() != a.generation) {
    a.generation = v.generation();
    a.renderer->setMeshes(v.painter().meshes());
    if (a.pictures) a.pictures->open(v.model());
    a.panels.found.clear();
    const std::string title = v.model().sceneName() + " - rigor";
    glfwSetWindowTitle(a.window, title.c_str());
  }
  if (v.hasFailed() && v.message() != a.told) std::fprintf(stderr, "rigor: %s\n", v.message().c_str());
  a.told = v.message();
  if (a.dark != v.view.dark) a.gui->setTheme(a.dark = v.view.dark);
  ImGui_ImplGlfw_NewFrame();
  ImGui::GetIO().DeltaTime = std::max(ImGui::GetIO().DeltaTime, 1e-6f);
  ImGui::NewFrame();
  drawPanels(v, *a.gui, a.panels);

  int width, height;
  glfwGetFramebufferSize(a.window, &width, &height);
  const ImGuiIO& io = ImGui::GetIO();
  const Rect& rect = a.panels.view;
  const float dense = io.DisplayFramebufferScale.x;
  const int w = static_cast<int>(rect.width * dense), h = static_cast<int>(rect.height * dense);
  const int x = static_cast<int>(rect.x * dense), y = height - static_cast<int>(rect.y * dense) - h;
  if (w > 0 && h > 0) {
    const DrawList& list = v.paint();
    drawLabels(list, ImGui::GetBackgroundDrawList(), rect.x, rect.y, rect.width, rect.height, a.gui->scale());
    if (v.isOpen()) a.renderer->draw(list, w, h);
  }
  ImGui::Render();
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  glViewport(0, 0, width, height);
  const Color back = themeOf(v.view.dark).background_bottom;
  glClearColor(back.r, back.g, back.b, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  if (w > 0 && h > 0 && v.isOpen()) a.renderer->present(x, y, w, h);
  a.gl_gui->draw(*ImGui::GetDrawData());
  if (w > 0 && h > 0 && v.isOpen()) a.write(w, h);
  if (v.want_copy_command && v.isOpen()) {
    glfwSetClipboardString(a.window, v.command().c_str());
    v.say(v.command());
  }
  v.want_copy_command = false;
  if (a.capture) *a.capture = readBackBuffer(width, height);
  glfwSwapBuffers(a.window);
  const bool moving = v.isOpen() && (a.video || v.playback.playing || v.plots.begun() || v.compared_plots.begun());
  if (moving || a.busy > 0) glfwPollEvents();
  else glfwWaitEventsTimeout(kIdleWait);
  if (a.busy > 0) --a.busy;
  return !glfwWindowShouldClose(a.window);
}

void Application::run(const std::atomic<bool>& stop) {
  double last = glfwGetTime();
  while (!stop) {
    const double now = glfwGetTime();
    if (!frame(std::min(now - last, 0.25))) return;
    last = now;
  }
}

Image Application::captureFrame() {
  Image image;
  impl_->capture = &image;
  frame(0);
  impl_->capture = nullptr;
  return image;
}

}  // namespace rigor::viewer
