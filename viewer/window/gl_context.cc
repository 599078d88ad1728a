// SPDX-License-Identifier: MIT
#include "viewer/window/gl_context.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include "viewer/window/gl.h"

namespace rigor::viewer {

struct OffscreenContext::Impl {
  EGLDisplay display = EGL_NO_DISPLAY;
  EGLContext context = EGL_NO_CONTEXT;
  GLFWwindow* window = nullptr;

  bool tryEgl(EGLDisplay candidate) {
    if (candidate == EGL_NO_DISPLAY || !eglInitialize(candidate, nullptr, nullptr)) return false;
    const EGLint config_attributes[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT,
                                        EGL_NONE};
    const EGLint context_attributes[] = {
        EGL_CONTEXT_MAJOR_VERSION,           3,       EGL_CONTEXT_MINOR_VERSION, 3, EGL_CONTEXT_OPENGL_PROFILE_MASK,
        EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
    EGLConfig config = nullptr;
    EGLint count = 0;
    if (!eglBindAPI(EGL_OPENGL_API)) return false;
    if (!eglChooseConfig(candidate, config_attributes, &config, 1, &count) || count < 1) config = EGL_NO_CONFIG_KHR;
    context = eglCreateContext(candidate, config, EGL_NO_CONTEXT, context_attributes);
    if (context == EGL_NO_CONTEXT) {
      eglTerminate(candidate);
      return false;
    }
    display = candidate;
    if (eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) return true;
    eglDestroyContext(display, context);
    eglTerminate(display);
    display = EGL_NO_DISPLAY;
    return false;
  }

  bool tryWindow() {
    if (!glfwInit()) return false;
    glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    window = glfwCreateWindow(64, 64, "rigor", nullptr, nullptr);
    if (!window) {
      glfwTerminate();
      return false;
    }
    glfwMakeContextCurrent(window);
    return true;
  }
};

OffscreenContext::OffscreenContext() : impl_(std::make_unique<Impl>()) {
  const auto platform_display =
      reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(eglGetProcAddress("eglGetPlatformDisplayEXT"));
  if (platform_display &&
      impl_->tryEgl(platform_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr))) {
    description_ = "EGL without a display";
  } else if (impl_->tryEgl(eglGetDisplay(EGL_DEFAULT_DISPLAY))) {
    description_ = "EGL";
  } else if (impl_->tryWindow()) {
    description_ = "hidden window";
  } else {
    throw DisplayError(
        "no OpenGL 3.3 for a picture: neither EGL nor a display gives one; install libegl1 and libgl1-mesa-dri");
  }
  description_ += std::string(", ") + reinterpret_cast<const char*>(glGetString(GL_RENDERER));
}

OffscreenContext::~OffscreenContext() {
  if (impl_->window) {
    glfwDestroyWindow(impl_->window);
    glfwTerminate();
  }
  if (impl_->display != EGL_NO_DISPLAY) {
    eglMakeCurrent(impl_->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(impl_->display, impl_->context);
    eglTerminate(impl_->display);
  }
}

}  // namespace rigor::viewer
