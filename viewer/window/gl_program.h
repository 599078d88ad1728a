// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <string>

#include "viewer/color.h"
#include "viewer/window/gl.h"

namespace rigor::viewer {

/// A linked shader program. @throws std::runtime_error with the compiler's log: a driver that does not take it.
class GlProgram {
 public:
  GlProgram(const char* name, const std::string& vertex, const std::string& fragment);
  ~GlProgram() { glDeleteProgram(id_); }
  GlProgram(const GlProgram&) = delete;
  GlProgram& operator=(const GlProgram&) = delete;

  void use() const { glUseProgram(id_); }
  void set(const char* name, int value) const { glUniform1i(at(name), value); }
  void set(const char* name, float value) const { glUniform1f(at(name), value); }
  void set(const char* name, const Eigen::Vector2f& v) const { glUniform2fv(at(name), 1, v.data()); }
  void set(const char* name, const Eigen::Vector3f& v) const { glUniform3fv(at(name), 1, v.data()); }
  void set(const char* name, const Color& c) const { glUniform4f(at(name), c.r, c.g, c.b, c.a); }
  void set(const char* name, const Eigen::Matrix4f& m) const { glUniformMatrix4fv(at(name), 1, GL_FALSE, m.data()); }

 private:
  int at(const char* name) const { return glGetUniformLocation(id_, name); }
  unsigned id_;
};

}  // namespace rigor::viewer
