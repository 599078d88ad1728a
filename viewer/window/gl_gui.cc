// SPDX-License-Identifier: MIT
#include "viewer/window/gl_gui.h"

#include <imgui.h>

#include <algorithm>
#include <cstddef>

namespace rigor::viewer {
namespace {

constexpr const char* kVertex = R"(
layout(location = 0) in vec2 a_position;
layout(location = 1) in vec2 a_texture;
layout(location = 2) in vec4 a_color;
uniform vec2 u_shift, u_size;
out vec2 v_texture;
out vec4 v_color;
void main() {
  v_texture = a_texture;
  v_color = a_color;
  vec2 p = (a_position - u_shift) / u_size * 2.0 - 1.0;
  gl_Position = vec4(p.x, -p.y, 0.0, 1.0);
}
)";
constexpr const char* kFragment = R"(
in vec2 v_texture;
in vec4 v_color;
uniform sampler2D u_texture;
out vec4 color;
void main() { color = v_color * texture(u_texture, v_texture); }
)";

}  // namespace

GlGui::GlGui() : program_("gui", kVertex, kFragment) {
  unsigned char* pixels;
  int width, height;
  ImGui::GetIO().Fonts->GetTexDataAsRGBA32(&pixels, &width, &height);
  glGenTextures(1, &font_);
  glBindTexture(GL_TEXTURE_2D, font_);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
  ImGui::GetIO().Fonts->SetTexID(reinterpret_cast<ImTextureID>(static_cast<std::uintptr_t>(font_)));
  glGenVertexArrays(1, &array_);
  glGenBuffers(1, &vertices_);
  glGenBuffers(1, &indices_);
  glBindVertexArray(array_);
  glBindBuffer(GL_ARRAY_BUFFER, vertices_);
  glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, indices_);
  const auto attribute = [](unsigned index, int count, unsigned type, bool normalized, std::size_t offset) {
    glEnableVertexAttribArray(index);
    glVertexAttribPointer(index, count, type, normalized, sizeof(ImDrawVert), reinterpret_cast<const void*>(offset));
  };
  attribute(0, 2, GL_FLOAT, false, offsetof(ImDrawVert, pos));
  attribute(1, 2, GL_FLOAT, false, offsetof(ImDrawVert, uv));
  attribute(2, 4, GL_UNSIGNED_BYTE, true, offsetof(ImDrawVert, col));
  glBindVertexArray(0);
}

GlGui::~GlGui() {
  glDeleteTextures(1, &font_);
  glDeleteBuffers(1, &vertices_);
  glDeleteBuffers(1, &indices_);
  glDeleteVertexArrays(1, &array_);
}

void GlGui::draw(const ImDrawData& data) {
  const float dense_x = data.FramebufferScale.x, dense_y = data.FramebufferScale.y;
  const int width = static_cast<int>(data.DisplaySize.x * dense_x),
            height = static_cast<int>(data.DisplaySize.y * dense_y);
  if (width <= 0 || height <= 0) return;
  glViewport(0, 0, width, height);
  glDisable(GL_DEPTH_TEST);
  glDisable(GL_CULL_FACE);
  glEnable(GL_BLEND);
  glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
  glEnable(GL_SCISSOR_TEST);
  glBindVertexArray(array_);
  glBindBuffer(GL_ARRAY_BUFFER, vertices_);
  glActiveTexture(GL_TEXTURE0);
  program_.use();
  program_.set("u_texture", 0);
  program_.set("u_shift", Eigen::Vector2f(data.DisplayPos.x, data.DisplayPos.y));
  program_.set("u_size", Eigen::Vector2f(data.DisplaySize.x, data.DisplaySize.y));
  for (int n = 0; n < data.CmdListsCount; ++n) {
    const ImDrawList& list = *data.CmdLists[n];
    glBufferData(GL_ARRAY_BUFFER, list.VtxBuffer.Size * static_cast<GLsizeiptr>(sizeof(ImDrawVert)),
                 list.VtxBuffer.Data, GL_STREAM_DRAW);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, list.IdxBuffer.Size * static_cast<GLsizeiptr>(sizeof(ImDrawIdx)),
                 list.IdxBuffer.Data, GL_STREAM_DRAW);
    for (const ImDrawCmd& command : list.CmdBuffer) {
      if (command.UserCallback) continue;  // None of rigor's panels uses one.
      const float x0 = (command.ClipRect.x - data.DisplayPos.x) * dense_x;
      const float y0 = (command.ClipRect.y - data.DisplayPos.y) * dense_y;
      const float x1 = (command.ClipRect.z - data.DisplayPos.x) * dense_x;
      const float y1 = (command.ClipRect.w - data.DisplayPos.y) * dense_y;
      if (x1 <= x0 || y1 <= y0) continue;
      glScissor(static_cast<int>(x0), static_cast<int>(static_cast<float>(height) - y1), static_cast<int>(x1 - x0),
                static_cast<int>(y1 - y0));
      glBindTexture(GL_TEXTURE_2D, static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(command.GetTexID())));
      glDrawElementsBaseVertex(GL_TRIANGLES, static_cast<int>(command.ElemCount),
                               sizeof(ImDrawIdx) == 2 ? GL_UNSIGNED_SHORT : GL_UNSIGNED_INT,
                               reinterpret_cast<const void*>(command.IdxOffset * sizeof(ImDrawIdx)),
                               static_cast<int>(command.VtxOffset));
    }
  }
  glDisable(GL_SCISSOR_TEST);
  glBindVertexArray(0);
}

}  // namespace rigor::viewer
