// SPDX-License-Identifier: MIT
#pragma once
/// OpenGL's functions: libOpenGL exports them all, for GLX and EGL alike.
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
