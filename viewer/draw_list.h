// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <string>
#include <vector>

#include "viewer/camera.h"
#include "viewer/color.h"

namespace rigor::viewer {

/// Triangles with flat normals, and the edges that are drawn crisp. Local coordinates [m].
struct Mesh {
  struct Vertex {
    Eigen::Vector3f position, normal;
  };
  std::vector<Vertex> vertices;  ///< Three a triangle.
  std::vector<Eigen::Vector3f> edges;  ///< Two a segment.
};

/// A mesh at a place: world point = origin + placement * local, with `origin` that of the draw list.
struct MeshInstance {
  int mesh = 0;
  int body = -1;  ///< For picking and tests; -1 for none.
  Eigen::Matrix4f placement = Eigen::Matrix4f::Identity();
  Color color;
  bool ghost = false;      ///< Drawn through, casts no shadow.
  bool wireframe = false;  ///< Edges alone.
  bool selected = false;
};

/// Triangles and edges of one frame, relative to the draw list's origin: for very close views (viewer/near_clip.h).
struct NearMesh {
  int body = -1;
  Color color;
  std::vector<Mesh::Vertex> vertices;
  std::vector<Eigen::Vector3f> edges;
};

/// A thick segment, in pixels wide.
struct Line {
  Eigen::Vector3f a, b;
  Color color;
  float width = 1.5f;
  bool on_top = false;  ///< Not hidden by bodies.
};

/// A round mark, in pixels across.
struct Dot {
  Eigen::Vector3f at;
  Color color;
  float size = 8;
};

/// An arrow whose head is a cone; the length is real, thickness in pixels.
struct Arrow {
  Eigen::Vector3f from, to;
  Color color;
  float width = 3;
};

/// A flat translucent patch: witnesses, planes.
struct Patch {
  Eigen::Vector3f corners[4];
  Color color;
};

struct Label {
  Eigen::Vector3f at;
  std::string text;
  Color color;
  float dx = 0, dy = 0;  ///< Shift on the screen [pixels].
};

/// A half-space's surface, drawn as a ground with a grid: through `point`, with unit normal.
struct Ground {
  Eigen::Vector3f point, normal;
  float cell = 1;  ///< Spacing of the fine lines [m]; every tenth is strong.
  float radius = 10;  ///< It fades out at this distance from the draw list's origin [m].
};

/// One frame as plain data: the library fills it, a renderer draws it. Everything in it is relative to `origin`, so
/// that single precision is enough however small the shown part of a scene is.
struct DrawList {
  Eigen::Vector3d origin{0, 0, 0};
  Camera camera;
  Theme theme;
  double shadow_radius = 1;  ///< Radius around the origin that receives shadows [m]; 0: none.
  bool transparent = false;  ///< No background, no ground: alpha 0 where no body is.
  bool show_edges = true;
  std::vector<MeshInstance> meshes;
  std::vector<NearMesh> near_meshes;
  std::vector<Ground> grounds;
  std::vector<Line> lines;
  std::vector<Dot> dots;
  std::vector<Arrow> arrows;
  std::vector<Patch> patches;
  std::vector<Label> labels;

  /// Keeps the memory.
  void clear();
  Eigen::Vector3f local(const Eigen::Vector3d& world) const { return (world - origin).cast<float>(); }
};

/// Draws a list: OpenGL's (viewer/window/gl_renderer.h), or none in tests.
class Renderer {
 public:
  virtual ~Renderer() = default;
  /// The meshes that instances refer to, from now on.
  virtual void setMeshes(const std::vector<Mesh>& meshes) = 0;
  virtual void draw(const DrawList& list, int width, int height) = 0;
};

}  // namespace rigor::viewer
