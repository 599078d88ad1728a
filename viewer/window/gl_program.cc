// SPDX-License-Identifier: MIT
#include "viewer/window/gl_program.h"

#include <stdexcept>

namespace rigor::viewer {
namespace {

unsigned compile(const char* name, unsigned kind, const std::string& text) {
  const std::string whole = "#version 330 core\n" + text;
  const char* source = whole.c_str();
  const unsigned shader = glCreateShader(kind);
  glShaderSource(shader, 1, &source, nullptr);
  glCompileShader(shader);
  int good = 0;
  glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
  if (!good) {
    char log[2048] = "";
    glGetShaderInfoLog(shader, sizeof log, nullptr, log);
    throw std::runtime_error(std::string("the driver does not compile shader ") + name + ": " + log);
  }
  return shader;
}

}  // namespace

GlProgram::GlProgram(const char* name, const std::string& vertex, const std::string& fragment) {
  const unsigned v = compile(name, GL_VERTEX_SHADER, vertex), f = compile(name, GL_FRAGMENT_SHADER, fragment);
  id_ = glCreateProgram();
  glAttachShader(id_, v);
  glAttachShader(id_, f);
  glLinkProgram(id_);
  glDeleteShader(v);
  glDeleteShader(f);
  int good = 0;
  glGetProgramiv(id_, GL_LINK_STATUS, &good);
  if (!good) {
    char log[2048] = "";
    glGetProgramInfoLog(id_, sizeof log, nullptr, log);
    throw std::runtime_error(std::string("the driver does not link shader ") + name + ": " + log);
  }
}

}  // namespace rigor::viewer
