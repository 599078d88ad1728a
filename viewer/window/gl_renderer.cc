// SPDX-License-Identifier: MIT
#include "viewer/window/gl_renderer.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "viewer/window/gl_program.h"
#include "viewer/window/shaders.h"

namespace rigor::viewer {
namespace {

constexpr int kShadowSize = 1024;
constexpr int kSamples = 4;
const Eigen::Vector3f kKeyLight = Eigen::Vector3f(0.35f, -0.45f, 0.85f).normalized();

/// A vertex array with one buffer whose contents change every frame.
struct Stream {
  unsigned array = 0, buffer = 0;
  void create() {
    glGenVertexArrays(1, &array);
    glGenBuffers(1, &buffer);
    glBindVertexArray(array);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
  }
  void fill(const std::vector<float>& data) const {
    glBindVertexArray(array);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(data.size() * sizeof(float)), data.data(), GL_STREAM_DRAW);
  }
  void destroy() const {
    glDeleteVertexArrays(1, &array);
    glDeleteBuffers(1, &buffer);
  }
};

/// Describes attribute `index`: `count` floats at float `offset` of rows of `stride` floats; advances per instance.
void attribute(int index, int count, int stride, int offset, bool per_instance) {
  glEnableVertexAttribArray(index);
  glVertexAttribPointer(index, count, GL_FLOAT, GL_FALSE, static_cast<int>(stride * sizeof(float)),
                        reinterpret_cast<const void*>(offset * sizeof(float)));
  glVertexAttribDivisor(index, per_instance ? 1 : 0);
}

struct MeshBuffers {
  unsigned array = 0, buffer = 0, edge_array = 0, edge_buffer = 0;
  int vertices = 0, edges = 0;
};

}  // namespace

struct GlRenderer::Impl {
  GlProgram mesh{"mesh", shaders::kMeshVertex, std::string(shaders::kShadow) + shaders::kMeshFragment};
  GlProgram depth{"depth", shaders::kMeshVertex, shaders::kDepthFragment};
  GlProgram ground{"ground", shaders::kGroundVertex, std::string(shaders::kShadow) + shaders::kGroundFragment};
  GlProgram line{"line", shaders::kLineVertex, shaders::kLineFragment};
  GlProgram dot{"dot", shaders::kDotVertex, shaders::kDotFragment};
  GlProgram flat{"flat", shaders::kFlatVertex, shaders::kFlatFragment};
  GlProgram sky{"sky", shaders::kSkyVertex, shaders::kSkyFragment};
  Stream lines, dots, patches, near, near_edges, nothing;
  std::vector<MeshBuffers> meshes;
  unsigned shadow_texture = 0, shadow_target = 0;
  unsigned sampled_target = 0, sampled_color = 0, sampled_depth = 0, target = 0, color = 0;
  int width = 0, height = 0;
  Eigen::Matrix4f light = Eigen::Matrix4f::Identity();
  std::vector<float> scratch;

  Impl() {
    lines.create();
    attribute(0, 3, 11, 0, true);
    attribute(1, 3, 11, 3, true);
    attribute(2, 4, 11, 6, true);
    attribute(3, 1, 11, 10, true);
    dots.create();
    attribute(0, 3, 8, 0, true);
    attribute(1, 4, 8, 3, true);
    attribute(2, 1, 8, 7, true);
    patches.create();
    attribute(0, 3, 7, 0, false);
    attribute(1, 4, 7, 3, false);
    near.create();
    attribute(0, 3, 6, 0, false);
    attribute(1, 3, 6, 3, false);
    near_edges.create();
    attribute(0, 3, 6, 0, true);
    attribute(1, 3, 6, 3, true);
    nothing.create();
    glGenTextures(1, &shadow_texture);
    glBindTexture(GL_TEXTURE_2D, shadow_texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT24, kShadowSize, kShadowSize, 0, GL_DEPTH_COMPONENT, GL_FLOAT,
                 nullptr);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
    glGenFramebuffers(1, &shadow_target);
    glBindFramebuffer(GL_FRAMEBUFFER, shadow_target);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, shadow_texture, 0);
    glDrawBuffer(GL_NONE);
    glReadBuffer(GL_NONE);
    check("shadow");
    glGenFramebuffers(1, &sampled_target);
    glGenFramebuffers(1, &target);
    glGenRenderbuffers(1, &sampled_color);
    glGenRenderbuffers(1, &sampled_depth);
    glGenRenderbuffers(1, &color);
  }
  ~Impl() {
    for (const Stream* stream : {&lines, &dots, &patches, &near, &near_edges, &nothing}) stream->destroy();
    dropMeshes();
    glDeleteTextures(1, &shadow_texture);
    for (const unsigned* id : {&shadow_target, &sampled_target, &target}) glDeleteFramebuffers(1, id);
    for (const unsigned* id : {&sampled_color, &sampled_depth, &color}) glDeleteRenderbuffers(1, id);
  }

  static void check(const char* what) {
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
      throw std::runtime_error(std::string("the driver cannot draw to a picture in memory: ") + what);
  }
  void dropMeshes() {
    for (const MeshBuffers& m : meshes) {
      for (const unsigned* id : {&m.array, &m.edge_array}) glDeleteVertexArrays(1, id);
      for (const unsigned* id : {&m.buffer, &m.edge_buffer}) glDeleteBuffers(1, id);
    }
    meshes.clear();
  }
  void resize(int w, int h) {
    if (w == width && h == height) return;
    width = w;
    height = h;
    int samples = 0;
    glGetIntegerv(GL_MAX_SAMPLES, &samples);
    samples = std::min(samples, kSamples);
    glBindRenderbuffer(GL_RENDERBUFFER, sampled_color);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, GL_RGBA8, w, h);
    glBindRenderbuffer(GL_RENDERBUFFER, sampled_depth);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, GL_DEPTH_COMPONENT24, w, h);
    glBindFramebuffer(GL_FRAMEBUFFER, sampled_target);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, sampled_color);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, sampled_depth);
    check("multisampling");
    glBindRenderbuffer(GL_RENDERBUFFER, color);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, w, h);
    glBindFramebuffer(GL_FRAMEBUFFER, target);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, color);
    check("picture");
  }

  void drawShadow(const DrawList& list) {
    // The light's box around the shown sphere.
    const float r = static_cast<float>(list.shadow_radius);
    const Eigen::Vector3f side = kKeyLight.unitOrthogonal(), up = kKeyLight.cross(side);
    light.setIdentity();
    light.block<1, 3>(0, 0) = side / r;
    light.block<1, 3>(1, 0) = up / r;
    light.block<1, 3>(2, 0) = -kKeyLight / (3 * r);
    glBindFramebuffer(GL_FRAMEBUFFER, shadow_target);
    glViewport(0, 0, kShadowSize, kShadowSize);
    glDisable(GL_BLEND);
    glEnable(GL_DEPTH_TEST);
    glDepthMask(GL_TRUE);
    glClear(GL_DEPTH_BUFFER_BIT);
    depth.use();
    depth.set("u_clip", light);
    for (const MeshInstance& m : list.meshes) {
      if (m.ghost || m.wireframe) continue;
      depth.set("u_model", m.placement);
      glBindVertexArray(meshes[m.mesh].array);
      glDrawArrays(GL_TRIANGLES, 0, meshes[m.mesh].vertices);
    }
  }

  void setShadow(const GlProgram& program, bool on) const {
    program.set("u_shadow_map", 0);
    program.set("u_light", light);
    program.set("u_shadow_taps", on ? 16 : 0);
    program.set("u_shadow_texel", 1.0f / kShadowSize);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, shadow_texture);
  }

  void drawMeshes(const DrawList& list, const Eigen::Matrix4f& clip, bool shadow, bool ghosts) {
    const Eigen::Vector3f eye =
        (list.camera.eye() - list.camera.target + (list.camera.target - list.origin)).cast<float>();
    mesh.use();
    setShadow(mesh, shadow && !ghosts);
    mesh.set("u_clip", clip);
    mesh.set("u_key", kKeyLight);
    mesh.set("u_eye", eye);
    for (const MeshInstance& m : list.meshes) {
      if (m.ghost != ghosts || m.wireframe) continue;
      mesh.set("u_model", m.placement);
      mesh.set("u_color", m.color);
      mesh.set("u_glow", m.selected ? 0.22f : 0.0f);
      glBindVertexArray(meshes[m.mesh].array);
      glDrawArrays(GL_TRIANGLES, 0, meshes[m.mesh].vertices);
    }
  }

  void drawNear(const DrawList& list, bool edges) {
    if (list.near_meshes.empty()) return;
    const Eigen::Matrix4f identity = Eigen::Matrix4f::Identity();
    for (const NearMesh& m : list.near_meshes) {
      mesh.use();
      mesh.set("u_model", identity);
      mesh.set("u_color", m.color);
      mesh.set("u_glow", 0.0f);
      scratch.clear();
      for (const Mesh::Vertex& v : m.vertices) push(v.position), push(v.normal);
      near.fill(scratch);
      glDrawArrays(GL_TRIANGLES, 0, static_cast<int>(m.vertices.size()));
    }
    if (!edges) return;
    line.use();
    line.set("u_model", identity);
    line.set("u_use_flat", 1.0f);
    line.set("u_flat_color", list.theme.edge);
    line.set("u_flat_width", 1.4f);
    scratch.clear();
    for (const NearMesh& m : list.near_meshes)
      for (const Eigen::Vector3f& v : m.edges) push(v);
    near_edges.fill(scratch);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, static_cast<int>(scratch.size() / 6));
  }

  void beginLines(const Eigen::Matrix4f& clip, float bias, bool head) const {
    line.use();
    line.set("u_clip", clip);
    line.set("u_model", Eigen::Matrix4f(Eigen::Matrix4f::Identity()));
    line.set("u_size", Eigen::Vector2f(static_cast<float>(width), static_cast<float>(height)));
    line.set("u_bias", bias);
    line.set("u_use_flat", 0.0f);
    line.set("u_head", head ? 1.0f : 0.0f);
  }

  void drawEdges(const DrawList& list, const Eigen::Matrix4f& clip, bool edges) {
    beginLines(clip, 2e-4f, false);
    line.set("u_use_flat", 1.0f);
    for (const MeshInstance& m : list.meshes) {
      if (!edges && !m.wireframe && !m.selected) continue;
      Color c = m.wireframe ? mix(m.color, list.theme.edge, 0.2f) : list.theme.edge;
      c.a = m.ghost ? 0.35f : 0.85f;
      if (m.selected) c = list.theme.selection;
      line.set("u_flat_color", c);
      line.set("u_flat_width", m.selected ? 3.0f : 1.4f);
      line.set("u_model", m.placement);
      glBindVertexArray(meshes[m.mesh].edge_array);
      glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, meshes[m.mesh].edges);
    }
  }

  void push(const Eigen::Vector3f& v) { scratch.insert(scratch.end(), v.data(), v.data() + 3); }
  void push(const Color& c) { scratch.insert(scratch.end(), {c.r, c.g, c.b, c.a}); }

  void drawLines(const DrawList& list, const Eigen::Matrix4f& clip, bool on_top) {
    scratch.clear();
    int count = 0;
    for (const Line& l : list.lines)
      if (l.on_top == on_top) push(l.a), push(l.b), push(l.color), scratch.push_back(l.width), ++count;
    if (count == 0) return;
    beginLines(clip, 1e-4f, false);
    lines.fill(scratch);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, count);
  }

  void drawArrows(const DrawList& list, const Eigen::Matrix4f& clip) {
    if (list.arrows.empty()) return;
    scratch.clear();
    for (const Arrow& a : list.arrows) {
      const Eigen::Vector3f neck = a.from + 0.93f * (a.to - a.from);
      push(a.from), push(neck), push(a.color), scratch.push_back(a.width);
    }
    beginLines(clip, 1e-4f, false);
    lines.fill(scratch);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, static_cast<int>(list.arrows.size()));
    scratch.clear();
    for (const Arrow& a : list.arrows) push(a.from), push(a.to), push(a.color), scratch.push_back(a.width + 1.5f);
    line.set("u_head", 1.0f);
    lines.fill(scratch);
    glDrawArraysInstanced(GL_TRIANGLES, 0, 3, static_cast<int>(list.arrows.size()));
  }

  void drawDots(const DrawList& list, const Eigen::Matrix4f& clip) {
    if (list.dots.empty()) return;
    scratch.clear();
    for (const Dot& d : list.dots) push(d.at), push(d.color), scratch.push_back(d.size);
    dot.use();
    dot.set("u_clip", clip);
    dot.set("u_size", Eigen::Vector2f(static_cast<float>(width), static_cast<float>(height)));
    dots.fill(scratch);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, static_cast<int>(list.dots.size()));
  }

  void drawPatches(const DrawList& list, const Eigen::Matrix4f& clip) {
    if (list.patches.empty()) return;
    scratch.clear();
    for (const Patch& p : list.patches)
      for (const int corner : {0, 1, 2, 0, 2, 3}) push(p.corners[corner]), push(p.color);
    flat.use();
    flat.set("u_clip", clip);
    patches.fill(scratch);
    glDrawArrays(GL_TRIANGLES, 0, static_cast<int>(6 * list.patches.size()));
  }

  void drawGrounds(const DrawList& list, const Eigen::Matrix4f& clip, bool shadow) {
    ground.use();
    setShadow(ground, shadow);
    ground.set("u_clip", clip);
    ground.set("u_ground", list.theme.ground);
    ground.set("u_grid", list.theme.grid);
    ground.set("u_grid_strong", list.theme.grid_strong);
    ground.set("u_shadow_strength", 1.0f);
    glBindVertexArray(nothing.array);
    for (const Ground& g : list.grounds) {
      const Eigen::Vector3f u =
          std::abs(g.normal[2]) > 0.99f ? Eigen::Vector3f::UnitX().eval() : g.normal.unitOrthogonal().eval();
      const Eigen::Vector3f e1 = (u - u.dot(g.normal) * g.normal).normalized(), e2 = g.normal.cross(e1);
      const Eigen::Vector3f eye = (list.camera.eye() - list.origin).cast<float>();
      ground.set("u_point", g.point);
      ground.set("u_e1", e1);
      ground.set("u_e2", e2);
      ground.set("u_normal", g.normal);
      ground.set("u_view", Eigen::Vector3f(eye - g.point));
      ground.set("u_cell", g.cell);
      ground.set("u_radius", g.radius);
      glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    }
  }
};

GlRenderer::GlRenderer() : impl_(std::make_unique<Impl>()) {}
GlRenderer::~GlRenderer() = default;

void GlRenderer::setMeshes(const std::vector<Mesh>& meshes) {
  Impl& r = *impl_;
  r.dropMeshes();
  for (const Mesh& mesh : meshes) {
    MeshBuffers& buffers = r.meshes.emplace_back();
    buffers.vertices = static_cast<int>(mesh.vertices.size());
    buffers.edges = static_cast<int>(mesh.edges.size() / 2);
    glGenVertexArrays(1, &buffers.array);
    glGenBuffers(1, &buffers.buffer);
    glBindVertexArray(buffers.array);
    glBindBuffer(GL_ARRAY_BUFFER, buffers.buffer);
    static_assert(sizeof(Mesh::Vertex) == 6 * sizeof(float) && sizeof(Eigen::Vector3f) == 3 * sizeof(float));
    glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(mesh.vertices.size() * sizeof(Mesh::Vertex)),
                 mesh.vertices.data(), GL_STATIC_DRAW);
    attribute(0, 3, 6, 0, false);
    attribute(1, 3, 6, 3, false);
    glGenVertexArrays(1, &buffers.edge_array);
    glGenBuffers(1, &buffers.edge_buffer);
    glBindVertexArray(buffers.edge_array);
    glBindBuffer(GL_ARRAY_BUFFER, buffers.edge_buffer);
    glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(mesh.edges.size() * sizeof(Eigen::Vector3f)),
                 mesh.edges.data(), GL_STATIC_DRAW);
    attribute(0, 3, 6, 0, true);
    attribute(1, 3, 6, 3, true);
  }
  glBindVertexArray(0);
}

void GlRenderer::draw(const DrawList& list, int width, int height) {
  Impl& r = *impl_;
  r.resize(width, height);
  const double aspect = static_cast<double>(width) / height;
  Eigen::Matrix4d view = list.camera.viewMatrix();
  view.topRightCorner<3, 1>() += view.topLeftCorner<3, 3>() * (list.origin - list.camera.target);
  const Eigen::Matrix4f clip = (list.camera.projectionMatrix(aspect) * view).cast<float>();
  const bool shadow = list.shadow_radius > 0;

  glDisable(GL_SCISSOR_TEST);
  glDisable(GL_CULL_FACE);
  glDisable(GL_STENCIL_TEST);
  glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
  glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
  if (shadow) r.drawShadow(list);

  glBindFramebuffer(GL_FRAMEBUFFER, r.sampled_target);
  glViewport(0, 0, width, height);
  glEnable(GL_MULTISAMPLE);
  glEnable(GL_DEPTH_TEST);
  glDepthFunc(GL_LEQUAL);
  glDepthMask(GL_TRUE);
  glClearColor(0, 0, 0, 0);
  glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
  // Alpha adds up, so that a transparent picture keeps what covers it.
  glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
  if (!list.transparent) {
    glDisable(GL_DEPTH_TEST);
    r.sky.use();
    r.sky.set("u_top", list.theme.background_top);
    r.sky.set("u_bottom", list.theme.background_bottom);
    glBindVertexArray(r.nothing.array);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_BLEND);
    glDepthMask(GL_FALSE);  // Contacts lie 1e-8 m above it: depth cannot tell, order does.
    r.drawGrounds(list, clip, shadow);
    glDepthMask(GL_TRUE);
  }
  glDisable(GL_BLEND);
  r.drawMeshes(list, clip, shadow, false);
  glEnable(GL_BLEND);
  r.drawEdges(list, clip, list.show_edges);
  r.drawNear(list, list.show_edges);
  r.drawMeshes(list, clip, shadow, true);
  r.drawLines(list, clip, false);
  glDepthMask(GL_FALSE);
  r.drawPatches(list, clip);
  glDisable(GL_DEPTH_TEST);
  r.drawLines(list, clip, true);
  r.drawArrows(list, clip);
  r.drawDots(list, clip);
  glDepthMask(GL_TRUE);

  glBindFramebuffer(GL_READ_FRAMEBUFFER, r.sampled_target);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, r.target);
  glBlitFramebuffer(0, 0, width, height, 0, 0, width, height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
  glBindVertexArray(0);
}

void GlRenderer::present(int x, int y, int width, int height) const {
  glBindFramebuffer(GL_READ_FRAMEBUFFER, impl_->target);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
  glBlitFramebuffer(0, 0, impl_->width, impl_->height, x, y, x + width, y + height, GL_COLOR_BUFFER_BIT,
                    GL_NEAREST);
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

void GlRenderer::bindPicture() const {
  glBindFramebuffer(GL_FRAMEBUFFER, impl_->target);
  glViewport(0, 0, impl_->width, impl_->height);
}

Image GlRenderer::readPicture() const {
  Image image{impl_->width, impl_->height, {}};
  image.rgba.resize(4 * static_cast<std::size_t>(image.width) * image.height);
  glBindFramebuffer(GL_FRAMEBUFFER, impl_->target);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  std::vector<std::uint8_t> rows(image.rgba.size());
  glReadPixels(0, 0, image.width, image.height, GL_RGBA, GL_UNSIGNED_BYTE, rows.data());
  const std::size_t stride = 4 * static_cast<std::size_t>(image.width);
  for (int y = 0; y < image.height; ++y)
    std::copy_n(rows.begin() + static_cast<std::ptrdiff_t>((image.height - 1 - y) * stride), stride,
                image.rgba.begin() + static_cast<std::ptrdiff_t>(y * stride));
  // Colours were multiplied with their cover while they were blended onto nothing.
  for (std::size_t i = 0; i < image.rgba.size(); i += 4)
    if (const int a = image.rgba[i + 3]; a > 0 && a < 255)
      for (int k = 0; k < 3; ++k)
        image.rgba[i + k] = static_cast<std::uint8_t>(std::min(255, image.rgba[i + k] * 255 / a));
  return image;
}

int GlRenderer::largestPicture() {
  int size = 0;
  glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &size);
  return size;
}

}  // namespace rigor::viewer
