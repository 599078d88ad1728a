// SPDX-License-Identifier: MIT
#include "viewer/scene_painter.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <span>

#include "viewer/final_states.h"
#include "viewer/near_clip.h"

namespace rigor::viewer {
namespace {

constexpr double kBand = 3;          ///< Contacts are shown up to this many nominal gaps.
constexpr double kReach = 0.35;      ///< Near pairs are shown up to this many sizes.
constexpr double kNear = 1e-3;       ///< Bodies this many radii from the eye or more are placed in single precision.
constexpr double kNearReach = 2000;  ///< Of a very close view, in distances of the eye: more would cost precision.
constexpr int kTrailSamples = 96;
constexpr int kGhostLimit = 24;      ///< Branches drawn as ghosts.
constexpr int kLabelLimit = 60;      ///< Labels are dropped, farthest pairs first, before they hide the scene.
constexpr double kRound =
    0.87;  ///< Cosine of the angle between two faces below which their edge is not drawn: 30 degrees.
constexpr double kPipRadius = 0.19;  ///< Of a die's half edge,
constexpr double kPipHeight = 2e-3;  ///< above its faces.
constexpr int kPipCorners = 20;
constexpr Color kPipColor{0.11f, 0.13f, 0.17f, 1};
constexpr float kGhostAlpha = 0.28f, kSeeThroughAlpha = 0.16f;

Mesh makeMesh(const ModelBody& body, std::span<const geom::Shape> parts) {
  Mesh mesh;
  for (const geom::Shape& part : parts) {
    const auto* polytope = std::get_if<geom::Polytope>(&part);
    if (!polytope) continue;
    // About the centre of mass: small numbers in single precision, and p is that point.
    const auto local = [&](int v) -> Eigen::Vector3f { return (polytope->vertex(v) - body.centre).cast<float>(); };
    for (int f = 0; f < polytope->numFaces(); ++f) {
      const auto loop = polytope->faceVertices(f);
      const Eigen::Vector3f normal = polytope->face(f).normal.cast<float>();
      for (std::size_t i = 2; i < loop.size(); ++i)
        for (const std::size_t corner : {std::size_t{0}, i - 1, i})
          mesh.vertices.push_back({local(loop[corner]), normal});
    }
    for (const auto& edge : polytope->edges()) {
      // A polytope that stands for something round shows its shape, not its facets.
      if (polytope->face(edge.left).normal.dot(polytope->face(edge.right).normal) > kRound) continue;
      mesh.edges.push_back(local(edge.tail));
      mesh.edges.push_back(local(edge.head));
    }
  }
  return mesh;
}

/// A large fixed part on the eye's side of what is looked at: a wall of a box, a lid, a floor seen from below.
bool hidesTheScene(const Eigen::Vector3d& centre, double radius, const Camera& camera, double size) {
  return radius > 2.5 * size && (centre - camera.target).dot(camera.backward()) > 0.2 * radius;
}

/// 1, 2 or 5 times a power of ten, at least x.
double niceLength(double x) {
  const double power = std::pow(10, std::floor(std::log10(x)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= x * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

}  // namespace

std::string lengthText(double metres) {
  const double a = std::abs(metres);
  if (a == 0) return "0 m";
  for (const auto& [unit, scale] : {std::pair{"m", 1.0}, {"mm", 1e-3}, {"\xC2\xB5m", 1e-6}, {"nm", 1e-9}})
    if (a >= 0.9995 * scale) return fmt::format("{:.3g} {}", metres / scale, unit);
  return fmt::format("{:.3g} pm", metres / 1e-12);
}

ScenePainter::ScenePainter(RunModel& model) : finder_(model) {
  int moving = 0, fixed = 0;
  for (int b = 0; b < static_cast<int>(model.bodies().size()); ++b) {
    const ModelBody& body = model.bodies()[b];
    color_index_.push_back(body.fixed ? fixed++ : moving++);
    fixed_.push_back(body.fixed);
    const std::size_t parts_a_mesh = body.fixed ? 1 : std::max<std::size_t>(1, body.parts.size());
    for (std::size_t first = 0; first < body.parts.size(); first += parts_a_mesh) {
      Mesh mesh = makeMesh(body, std::span(body.parts).subspan(first, parts_a_mesh));
      if (mesh.vertices.empty()) continue;
      Eigen::AlignedBox3d box;
      for (const Mesh::Vertex& v : mesh.vertices) box.extend(v.position.cast<double>());
      owners_.push_back({b, body.centre + box.center(), box.diagonal().norm() / 2});
      meshes_.push_back(std::move(mesh));
    }
    addPips(b, body);
  }
  all_.assign(model.bodies().size(), true);
  std::set<std::string> robots;
  for (const ModelBody& body : model.bodies())
    if (const auto slash = body.name.find('/'); slash != std::string::npos) robots.insert(body.name.substr(0, slash));
  for (const ModelBody& body : model.bodies())
    names_.push_back(robots.size() > 1 ? body.name : body.name.substr(body.name.find('/') + 1));
}

/// The pips of a die as flat discs just above its faces: one more mesh of the body.
void ScenePainter::addPips(int b, const ModelBody& body) {
  Eigen::Vector3d half;
  if (!isDie(body, &half)) return;
  Mesh mesh;
  const Eigen::Vector3d centre = std::get<geom::Polytope>(body.parts[0]).vertex(0);
  Eigen::AlignedBox3d box(centre, centre);
  for (int v = 0; v < 8; ++v) box.extend(std::get<geom::Polytope>(body.parts[0]).vertex(v));
  for (int axis = 0; axis < 3; ++axis)
    for (const double side : {1.0, -1.0}) {
      const Eigen::Vector3d n = side * Eigen::Vector3d::Unit(axis), u = Eigen::Vector3d::Unit((axis + 1) % 3),
                            v = n.cross(u);
      const int face = faceUp(Eigen::Matrix3d::Identity(), n);
      std::vector<Eigen::Vector2d> at;
      if (face % 2) at.push_back({0, 0});
      if (face > 1) at.push_back({1, 1}), at.push_back({-1, -1});
      if (face > 3) at.push_back({1, -1}), at.push_back({-1, 1});
      if (face == 6) at.push_back({1, 0}), at.push_back({-1, 0});
      const double across = half.minCoeff();
      for (const Eigen::Vector2d& spot : at) {
        const Eigen::Vector3d middle = box.center() - body.centre + n * (half[axis] + kPipHeight * across) +
                                       0.5 * spot[0] * half[(axis + 1) % 3] * u +
                                       0.5 * spot[1] * half[(axis + 2) % 3] * v;
        const auto rim = [&](int i) -> Eigen::Vector3f {
          const double angle = 2 * std::numbers::pi * i / kPipCorners;
          return (middle + kPipRadius * across * (std::cos(angle) * u + std::sin(angle) * v)).cast<float>();
        };
        for (int i = 0; i < kPipCorners; ++i)
          for (const Eigen::Vector3f& corner : {Eigen::Vector3f(middle.cast<float>()), rim(i), rim(i + 1)})
            mesh.vertices.push_back({corner, n.cast<float>()});
      }
    }
  owners_.push_back({b, box.center(), half.norm(), true});
  meshes_.push_back(std::move(mesh));
}

bool ScenePainter::anyMoving() const {
  for (std::size_t b = 0; b < placements_.size(); ++b)
    if (placements_[b].known && !fixed_[b]) return true;
  return false;
}

Eigen::AlignedBox3d ScenePainter::box(const RunModel& model, const std::vector<Placement>& placements) const {
  const double size = model.size() > 0 ? model.size() : 1;
  Eigen::AlignedBox3d box;
  for (std::size_t b = 0; b < placements.size(); ++b) {
    const ModelBody& body = model.bodies()[b];
    if (!placements[b].known || body.radius == 0 || (body.fixed && body.radius > 8 * size)) continue;
    const Eigen::Vector3d r = Eigen::Vector3d::Constant(body.radius);
    box.extend(placements[b].pose.p - r);
    box.extend(placements[b].pose.p + r);
  }
  if (box.isEmpty()) box = Eigen::AlignedBox3d(Eigen::Vector3d::Constant(-size), Eigen::Vector3d::Constant(size));
  return box;
}

void ScenePainter::bounds(const RunModel& model, const std::vector<Placement>& placements, Eigen::Vector3d& centre,
                          double& radius) const {
  const Eigen::AlignedBox3d whole = box(model, placements);
  centre = whole.center();
  radius = std::max(whole.diagonal().norm() / 2, model.size() > 0 ? model.size() : 1);
}

int ScenePainter::pick(const RunModel& model, const std::vector<Placement>& placements, const Ray& ray,
                       double* distance) {
  int hit = -1;
  double nearest = INFINITY;
  for (std::size_t b = 0; b < placements.size(); ++b) {
    const ModelBody& body = model.bodies()[b];
    if (!placements[b].known || body.radius == 0) continue;
    const Eigen::Vector3d offset = ray.from - placements[b].pose.p;
    if ((offset - offset.dot(ray.direction) * ray.direction).norm() > body.radius) continue;
    const Eigen::Matrix3d back = placements[b].R.transpose();
    const Eigen::Vector3d from = back * offset + body.centre, direction = back * ray.direction;
    for (const geom::Shape& part : body.parts) {
      const auto* polytope = std::get_if<geom::Polytope>(&part);
      if (!polytope) continue;
      double enter = 0, leave = INFINITY;
      for (const auto& face : polytope->faces()) {
        const double height = face.normal.dot(from) - face.offset, rate = face.normal.dot(direction);
        if (rate < 0) enter = std::max(enter, height / -rate);
        else if (rate > 0) leave = std::min(leave, -height / rate);
        else if (height > 0) leave = -1;
      }
      if (enter <= leave && enter < nearest) nearest = enter, hit = static_cast<int>(b);
    }
  }
  if (distance) *distance = nearest;
  return hit;
}

void ScenePainter::paint(RunModel& model, const View& view, const Annotations& annotations, DrawList& list) {
  list.clear();
  list.camera = view.camera;
  list.theme = themeOf(view.dark);
  list.transparent = view.transparent;
  list.show_edges = view.shows(Overlay::kEdges);
  model.placementsAt(view.branch, view.time, placements_);
  if (view.followed >= 0 && placements_[view.followed].known) list.camera.target = placements_[view.followed].pose.p;
  list.origin = list.camera.target;

  Eigen::Vector3d centre;
  double radius;
  bounds(model, placements_, centre, radius);
  list.camera.far_extent = (centre - list.origin).norm() + radius;
  list.shadow_radius =
      view.shows(Overlay::kShadow) ? std::min(list.camera.far_extent, 4 * list.camera.distance) : 0;

  if (view.shows(Overlay::kGrid) || view.shows(Overlay::kShadow)) paintGrounds(model, view, list);
  paintBodies(model, placements_, view, false, all_, list);
  paintGhosts(model, view, list);
  const bool near_pairs = view.shows(Overlay::kClosest) || view.shows(Overlay::kGaps);
  if (near_pairs || view.shows(Overlay::kContacts) || view.shows(Overlay::kNormals)) {
    finder_.find(model, placements_, kBand * model.gapNominal(), near_pairs ? kReach * model.size() : 0);
    paintContacts(model, view, list);
  }
  if (view.shows(Overlay::kWitnesses)) paintWitnesses(model, annotations, list);
  if (view.shows(Overlay::kImpulses)) {
    double largest = 0;
    for (const ShownImpulse& i : annotations.impulses) largest = std::max(largest, i.impulse.norm());
    const double scale = 1.6 * model.size() / largest;
    for (const ShownImpulse& i : annotations.impulses) {
      if (!(largest > 0) || (i.impulse + i.friction).norm() < 1e-3 * largest) continue;
      const Eigen::Vector3f from = list.local(i.point);
      const auto arrow = [&](const Eigen::Vector3d& part, const Color& color, float width) {
        if (part.norm() > 1e-3 * largest)
          list.arrows.push_back({from, from + (scale * part).cast<float>(), color.withAlpha(1 - 0.8f * i.age), width});
      };
      arrow(i.impulse, list.theme.impulse, 4);
      arrow(i.friction, list.theme.friction, 3);
      if (i.age == 0 && static_cast<int>(list.labels.size()) < kLabelLimit)
        list.labels.push_back({from, fmt::format("{:.3g} N s", i.impulse.norm()), list.theme.impulse, 10, 6});
    }
  }
  paintMotion(model, view, list);
}

void ScenePainter::paintBodies(const RunModel& model, const std::vector<Placement>& placements, const View& view,
                               bool ghost, const std::vector<bool>& only, DrawList& list) {
  for (std::size_t m = 0; m < meshes_.size(); ++m) {
    const int b = owners_[m].body;
    const ModelBody& body = model.bodies()[b];
    const Placement& place = placements[b];
    if (!only[b] || !place.known) continue;
    if (owners_[m].pips && (ghost || !view.shows(Overlay::kPips) || view.shows(Overlay::kWireframe))) continue;
    if (list.camera.distance < kNear * body.radius) {
      if (ghost || (m > 0 && owners_[m - 1].body == b)) continue;
      NearMesh& near = list.near_meshes.emplace_back();
      near.body = b;
      near.color = bodyColor(color_index_[b], body.fixed);
      appendNear(body, place, list.origin, kNearReach * list.camera.distance, near);
      list.shadow_radius = 0;
      continue;
    }
    MeshInstance instance;
    instance.mesh = static_cast<int>(m);
    instance.body = b;
    instance.placement.topLeftCorner<3, 3>() = place.R.cast<float>();
    instance.placement.topRightCorner<3, 1>() = list.local(place.pose.p);
    instance.color = bodyColor(color_index_[b], body.fixed);
    instance.ghost = ghost;
    if (ghost) instance.color.a = kGhostAlpha;
    if (body.fixed && hidesTheScene(place.at(owners_[m].centre, body.centre), owners_[m].radius, list.camera,
                                    model.size())) {
      instance.color.a = kSeeThroughAlpha;
      instance.ghost = true;
    }
    instance.wireframe = view.shows(Overlay::kWireframe);
    instance.selected = !ghost && (b == view.selected || b == view.hovered);
    if (owners_[m].pips) instance.color = kPipColor, instance.selected = false;
    list.meshes.push_back(instance);
  }
}

void ScenePainter::paintGrounds(const RunModel& model, const View& view, DrawList& list) {
  const double cell = niceLength(view.camera.distance / 12);
  const auto add = [&](const Eigen::Vector3d& normal, const Eigen::Vector3d& point) {
    // The node of the grid nearest to the origin of the list, in double precision; strong lines are every tenth.
    const Eigen::Vector3d u = std::abs(normal[2]) > 0.99 ? Eigen::Vector3d::UnitX() : normal.unitOrthogonal();
    const Eigen::Vector3d e1 = (u - u.dot(normal) * normal).normalized(), e2 = normal.cross(e1);
    const Eigen::Vector3d foot = list.origin - normal.dot(list.origin - point) * normal;
    const double step = 10 * cell;
    const Eigen::Vector3d node =
        foot - std::remainder(e1.dot(foot), step) * e1 - std::remainder(e2.dot(foot), step) * e2;
    Ground ground;
    ground.point = list.local(node);
    ground.normal = normal.cast<float>();
    ground.cell = static_cast<float>(view.shows(Overlay::kGrid) ? cell : 0);
    ground.radius = static_cast<float>(12 * view.camera.distance + 3 * std::abs((foot - list.origin).norm()));
    list.grounds.push_back(ground);
  };
  for (std::size_t b = 0; b < model.bodies().size(); ++b)
    for (const geom::Shape& part : model.bodies()[b].parts)
      if (const auto* plane = std::get_if<geom::HalfSpace>(&part); plane && placements_[b].known) {
        const Eigen::Vector3d n = (placements_[b].R * plane->normal).normalized();
        const Eigen::Vector3d origin = placements_[b].origin(model.bodies()[b].centre).p;
        add(n, origin + plane->offset / plane->normal.norm() * n);
      }
}

void ScenePainter::paintContacts(const RunModel& model, const View& view, DrawList& list) {
  const float length = static_cast<float>(0.5 * model.size());
  for (const ShownContact& contact : finder_.contacts()) {
    const Eigen::Vector3f at = list.local(contact.point);
    if (view.shows(Overlay::kContacts)) list.dots.push_back({at, list.theme.contact, 9});
    if (view.shows(Overlay::kNormals))
      list.arrows.push_back({at, at + length * contact.normal.cast<float>(), list.theme.normal, 2.5f});
  }
  if (!view.shows(Overlay::kClosest) && !view.shows(Overlay::kGaps)) return;
  std::vector<const ClosestPair*> pairs;
  for (const ClosestPair& pair : finder_.closest()) pairs.push_back(&pair);
  std::sort(pairs.begin(), pairs.end(),
            [](const ClosestPair* a, const ClosestPair* b) { return a->distance < b->distance; });
  for (const ClosestPair* pair : pairs) {
    const Eigen::Vector3f a = list.local(pair->point_a), b = list.local(pair->point_b);
    if (view.shows(Overlay::kClosest)) {
      list.lines.push_back({a, b, list.theme.closest, 2, true});
      list.dots.push_back({a, list.theme.closest, 6});
      list.dots.push_back({b, list.theme.closest, 6});
    }
    if (view.shows(Overlay::kGaps) && static_cast<int>(list.labels.size()) < kLabelLimit)
      list.labels.push_back({(a + b) / 2, lengthText(pair->distance), list.theme.text, 8, -8});
  }
}

void ScenePainter::paintWitnesses(const RunModel& model, const Annotations& annotations, DrawList& list) {
  const auto& bodies = model.bodies();
  for (const ShownWitness& shown : annotations.witnesses) {
    const sim::PairKey& pair = shown.pair;
    const auto valid = [&](int body, int part) {
      return body >= 0 && body < static_cast<int>(bodies.size()) && placements_[body].known && part >= 0 &&
             part < static_cast<int>(bodies[body].parts.size());
    };
    if (!valid(pair.body_a, pair.part_a) || !valid(pair.body_b, pair.part_b)) continue;
    const Placement &XA = placements_[pair.body_a], &XB = placements_[pair.body_b];
    const auto* pa = std::get_if<geom::Polytope>(&bodies[pair.body_a].parts[pair.part_a]);
    const auto* pb = std::get_if<geom::Polytope>(&bodies[pair.body_b].parts[pair.part_b]);
    if (!pb) continue;
    const advance::SeparatingAxis& axis = shown.witness.axis;
    Eigen::Vector3d n;
    if (axis.kind == advance::AxisKind::kEdges) {
      const auto inside = [](int v, const geom::Polytope* p) { return v >= 0 && v < p->numCorners(); };
      if (!pa || !inside(axis.a0, pa) || !inside(axis.a1, pa) || !inside(axis.b0, pb) || !inside(axis.b1, pb)) continue;
      n = (XA.R * (pa->corner(axis.a1) - pa->corner(axis.a0)))
              .cross(XB.R * (pb->corner(axis.b1) - pb->corner(axis.b0)));
    } else {
      n = (axis.kind == advance::AxisKind::kFixedInA ? XA.R : XB.R) * axis.axis;
    }
    if (!(n.norm() > 0)) continue;
    n.normalize();
    // Midway between the supports of the two parts along the axis.
    double high = -INFINITY, low = INFINITY;
    Eigen::Vector3d at_a = XA.pose.p, at_b = XB.pose.p;
    const auto& A = bodies[pair.body_a];
    const auto& B = bodies[pair.body_b];
    if (pa)
      for (int v = 0; v < pa->numVertices(); ++v) {
        const Eigen::Vector3d x = XA.at(pa->vertex(v), A.centre);
        if (n.dot(x) > high) high = n.dot(x), at_a = x;
      }
    for (int v = 0; v < pb->numVertices(); ++v) {
      const Eigen::Vector3d y = XB.at(pb->vertex(v), B.centre);
      if (n.dot(y) < low) low = n.dot(y), at_b = y;
    }
    if (!pa) {
      const auto& plane = std::get<geom::HalfSpace>(A.parts[pair.part_a]);
      high = n.dot(XA.origin(A.centre).p) + plane.offset / plane.normal.norm();
      at_a = at_b - (low - high) * n;
    }
    const Eigen::Vector3d middle = (at_a + at_b) / 2;
    const Eigen::Vector3d centre = middle - (n.dot(middle) - (high + low) / 2) * n;
    const double size = 0.9 * (pa ? std::min(A.radius, B.radius) : B.radius);
    const Eigen::Vector3d u = n.unitOrthogonal() * size, v = n.cross(u);
    Patch patch;
    patch.color = list.theme.witness;
    const Eigen::Vector3d corners[4] = {centre - u - v, centre + u - v, centre + u + v, centre - u + v};
    for (int i = 0; i < 4; ++i) patch.corners[i] = list.local(corners[i]);
    list.patches.push_back(patch);
    for (int i = 0; i < 4; ++i)
      list.lines.push_back(
          {patch.corners[i], patch.corners[(i + 1) % 4], list.theme.witness.withAlpha(0.8f), 1.2f, false});
  }
}

void ScenePainter::paintGhosts(RunModel& model, const View& view, DrawList& list) {
  const auto paintBranch = [&](int branch) {
    model.placementsAt(branch, view.time, ghost_placements_);
    differing_.assign(model.bodies().size(), false);
    for (std::size_t b = 0; b < differing_.size(); ++b)
      differing_[b] = !model.bodies()[b].fixed && ghost_placements_[b].known &&
                      (ghost_placements_[b].pose.p != placements_[b].pose.p ||
                       ghost_placements_[b].pose.q != placements_[b].pose.q);
    paintBodies(model, ghost_placements_, view, true, differing_, list);
  };
  if (view.compared >= 0 && view.compared != view.branch) paintBranch(view.compared);
  if (!view.shows(Overlay::kGhosts)) return;
  int drawn = 0;
  for (const int branch : view.ghosts) {
    if (branch == view.branch || branch == view.compared) continue;
    paintBranch(branch);
    if (++drawn == kGhostLimit) break;
  }
}

void ScenePainter::paintJoints(const RunModel& model, DrawList& list) {
  for (const ModelJoint& joint : model.joints()) {
    const Placement& place = placements_[joint.body];
    if (!place.known) continue;
    const ModelBody& link = model.bodies()[joint.body];
    const double reach = 0.45 * std::max(link.radius, 0.5 * model.size());
    const Eigen::Vector3d middle = place.at(joint.point, link.centre), way = reach * (place.R * joint.axis);
    const Eigen::Vector3f at = list.local(middle);
    if (joint.slides) {
      list.arrows.push_back({at, list.local(middle + way), list.theme.joint, 3});
      list.arrows.push_back({at, list.local(middle - way), list.theme.joint, 3});
    } else {
      list.lines.push_back({list.local(middle - way), list.local(middle + way), list.theme.joint, 3, true});
      list.dots.push_back({at, list.theme.joint, 7});
    }
  }
}

void ScenePainter::paintMotion(RunModel& model, const View& view, DrawList& list) {
  const double size = model.size();
  for (std::size_t b = 0; b < placements_.size(); ++b) {
    const ModelBody& body = model.bodies()[b];
    if (!placements_[b].known) continue;
    const Eigen::Vector3f at = list.local(placements_[b].pose.p);
    if (view.shows(Overlay::kVelocities) && !body.fixed) {
      // A velocity's arrow is the way of 0.1 s; no longer than eight sizes.
      const Eigen::Vector3d way = 0.1 * placements_[b].v;
      const double scale = std::min(1.0, 8 * size / std::max(way.norm(), 1e-300));
      if (way.norm() > 1e-3 * size)
        list.arrows.push_back({at, at + (scale * way).cast<float>(), list.theme.velocity, 3});
      const Eigen::Vector3d spin = size / 10 * placements_[b].w;
      const double shrink = std::min(1.0, 4 * size / std::max(spin.norm(), 1e-300));
      if (spin.norm() > 1e-2 * size)
        list.arrows.push_back({at, at + (shrink * spin).cast<float>(), list.theme.angular, 2});
    }
    if (view.shows(Overlay::kAxes) && body.radius > 0) {
      const Eigen::Vector3f origin = list.local(placements_[b].origin(body.centre).p);
      const Color colors[3] = {list.theme.axis_x, list.theme.axis_y, list.theme.axis_z};
      for (int k = 0; k < 3; ++k)
        list.lines.push_back({origin, origin + (1.3 * body.radius * placements_[b].R.col(k)).cast<float>(), colors[k],
                              2.5f, true});
    }
    if (view.shows(Overlay::kNames) && body.radius > 0 && list.labels.size() < kLabelLimit)
      list.labels.push_back({at, names_[b], list.theme.text, 0, -18});
  }
  if (view.shows(Overlay::kJoints)) paintJoints(model, list);
  if (!view.shows(Overlay::kTrails) || !model.isRecord()) return;
  // Samples on a grid of times, so that while time runs only new ones are looked up.
  const double step = view.trail_length / kTrailSamples;
  if (trail_branch_ != view.branch || trail_step_ != step) trail_.clear();
  trail_branch_ = view.branch;
  trail_step_ = step;
  const long last = static_cast<long>(std::floor(view.time / step));
  const long first = std::max(0L, last - kTrailSamples);
  if (!trail_.empty() && (trail_.front().slot > last || trail_.back().slot < first)) trail_.clear();
  while (!trail_.empty() && trail_.front().slot < first) trail_.pop_front();
  while (!trail_.empty() && trail_.back().slot > last) trail_.pop_back();
  const auto sample = [&](long slot) {
    TrailColumn column{slot, {}};
    for (int b = 0; b < static_cast<int>(placements_.size()); ++b) {
      if (model.bodies()[b].fixed) continue;
      const sim::PieceRecord* piece = model.pieceAt(view.branch, b, static_cast<double>(slot) * step);
      column.points.push_back(piece ? piece->piece.at(std::clamp(static_cast<double>(slot) * step, piece->piece.t0,
                                                                 piece->piece.t1)).p
                                    : Eigen::Vector3d::Constant(NAN));
    }
    return column;
  };
  if (trail_.empty()) trail_.push_back(sample(last));
  while (trail_.front().slot > first) trail_.push_front(sample(trail_.front().slot - 1));
  while (trail_.back().slot < last) trail_.push_back(sample(trail_.back().slot + 1));
  int moving = 0;
  for (std::size_t b = 0; b < placements_.size(); ++b) {
    if (model.bodies()[b].fixed) continue;
    const Color color = bodyColor(color_index_[b], false);
    for (std::size_t i = 0; i < trail_.size(); ++i) {
      const Eigen::Vector3d& from = trail_[i].points[moving];
      const Eigen::Vector3d& to = i + 1 < trail_.size() ? trail_[i + 1].points[moving] : placements_[b].pose.p;
      if (!from.allFinite() || !to.allFinite() || from == to) continue;
      const float age = static_cast<float>(last - trail_[i].slot) / kTrailSamples;
      list.lines.push_back({list.local(from), list.local(to), color.withAlpha(0.9f * (1 - age)), 2.2f, false});
    }
    ++moving;
  }
}

}  // namespace rigor::viewer
