// SPDX-License-Identifier: MIT
#include "compare/peer_engine.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <stdexcept>

#ifdef RIGOR_PEER_BULLET
#include <btBulletDynamicsCommon.h>
#endif
#ifdef RIGOR_PEER_ODE
#include <ode/ode.h>
#endif
#ifdef RIGOR_PEER_MUJOCO
#include <mujoco/mujoco.h>
#endif

namespace rigor::compare {
namespace {

using Eigen::Vector3d;
using geom::Polytope;
using geom::Pose;

/// Eight vertices, all of them corners of the bounding box.
bool isBox(const Polytope& solid, const Vector3d& centre, const Vector3d& size) {
  if (solid.numVertices() != 8) return false;
  for (int k = 0; k < 8; ++k)
    if (!((solid.vertex(k) - centre).cwiseAbs().isApprox(size / 2, 1e-12))) return false;
  return true;
}

}  // namespace

std::vector<Part> partsOf(const sim::Scene& scene) {
  std::vector<Part> parts;
  for (const auto& body : scene.bodies)
    for (const auto& shape : body.parts) {
      Part part;
      part.name = body.name;
      part.fixed = body.fixed;
      part.mass = body.mass, part.inertia = body.inertia;
      part.friction = body.material.friction, part.restitution = body.material.restitution;
      Pose origin = body.pose;
      origin.q.normalize();
      const Eigen::Matrix3d R = origin.rotation();
      if (const auto* solid = std::get_if<Polytope>(&shape)) {
        const Vector3d low = solid->vertices().rowwise().minCoeff(), high = solid->vertices().rowwise().maxCoeff();
        const Vector3d centre = body.fixed ? Vector3d((low + high) / 2) : body.centre;
        part.size = high - low;
        part.is_box = isBox(*solid, centre, part.size);
        std::vector<Vector3d> vertices;
        for (int k = 0; k < solid->numVertices(); ++k) vertices.push_back(solid->vertex(k) - centre);
        part.solid = Polytope::fromPoints(vertices);
        part.start = {origin.q, origin.p + R * centre};
        part.v = body.velocity + body.angular_velocity.cross(R * centre);
        part.w = body.angular_velocity;
      } else {
        const auto& plane = std::get<geom::HalfSpace>(shape);
        const double length = plane.normal.norm();
        part.plane.normal = R * plane.normal / length;
        part.plane.offset = plane.offset / length + part.plane.normal.dot(origin.p);
        part.start = {{1, 0, 0, 0}, {0, 0, 0}};
      }
      parts.push_back(std::move(part));
    }
  return parts;
}

namespace {

#ifdef RIGOR_PEER_BULLET
class Bullet : public PeerEngine {
 public:
  Bullet(const std::vector<Part>& parts, const Vector3d& gravity, const std::vector<std::size_t>& order) {
    world_.setGravity({gravity[0], gravity[1], gravity[2]});
    bodies_.resize(parts.size());
    for (const std::size_t k : order) {
      const Part& part = parts[k];
      std::unique_ptr<btCollisionShape> shape;
      if (!part.solid) {
        const Vector3d& n = part.plane.normal;
        shape = std::make_unique<btStaticPlaneShape>(btVector3(n[0], n[1], n[2]), part.plane.offset);
      } else if (part.is_box) {
        shape = std::make_unique<btBoxShape>(btVector3(part.size[0], part.size[1], part.size[2]) / 2);
      } else {
        auto hull = std::make_unique<btConvexHullShape>();
        for (int i = 0; i < part.solid->numVertices(); ++i) {
          const Vector3d x = part.solid->vertex(i);
          hull->addPoint({x[0], x[1], x[2]}, false);
        }
        hull->recalcLocalAabb();
        hull->setMargin(0);  // It would come on top of the hull.
        shape = std::move(hull);
      }
      const Vector3d inertia = part.fixed ? Vector3d(0, 0, 0) : Vector3d(part.inertia.diagonal());
      btRigidBody::btRigidBodyConstructionInfo info(part.fixed ? 0 : part.mass, nullptr, shape.get(),
                                                    {inertia[0], inertia[1], inertia[2]});
      const Pose& pose = part.start;
      info.m_startWorldTransform = btTransform(btQuaternion(pose.q[1], pose.q[2], pose.q[3], pose.q[0]),
                                               btVector3(pose.p[0], pose.p[1], pose.p[2]));
      info.m_friction = std::sqrt(part.friction);
      info.m_restitution = std::sqrt(part.restitution);
      auto body = std::make_unique<btRigidBody>(info);
      body->setLinearVelocity({part.v[0], part.v[1], part.v[2]});
      body->setAngularVelocity({part.w[0], part.w[1], part.w[2]});
      world_.addRigidBody(body.get());
      shapes_.push_back(std::move(shape));
      bodies_[k] = std::move(body);
    }
  }
  ~Bullet() override {
    for (auto& body : bodies_) world_.removeRigidBody(body.get());
  }
  void step(double h) override { world_.stepSimulation(h, 0); }
  Pose pose(std::size_t part) const override {
    const btTransform& X = bodies_[part]->getWorldTransform();
    const btQuaternion q = X.getRotation();
    const btVector3& p = X.getOrigin();
    return {{q.w(), q.x(), q.y(), q.z()}, {p.x(), p.y(), p.z()}};
  }
  void velocity(std::size_t part, Vector3d& v, Vector3d& w) const override {
    const btVector3 &a = bodies_[part]->getLinearVelocity(), &b = bodies_[part]->getAngularVelocity();
    v = {a.x(), a.y(), a.z()}, w = {b.x(), b.y(), b.z()};
  }

 private:
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  btDbvtBroadphase broad_phase_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_{&dispatcher_, &broad_phase_, &solver_, &configuration_};
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
};
#endif

#ifdef RIGOR_PEER_ODE
class Ode : public PeerEngine {
 public:
  Ode(const std::vector<Part>& parts, const Vector3d& gravity, const std::vector<std::size_t>& order) : parts_(parts) {
    dInitODE();
    world_ = dWorldCreate();
    dWorldSetGravity(world_, gravity[0], gravity[1], gravity[2]);
    space_ = dHashSpaceCreate(nullptr);
    group_ = dJointGroupCreate(0);
    geoms_.resize(parts.size());
    hulls_.resize(parts.size());
    for (const std::size_t k : order) {
      const Part& part = parts_[k];
      dGeomID geom;
      if (!part.solid) {
        const Vector3d& n = part.plane.normal;
        geom = dCreatePlane(space_, n[0], n[1], n[2], part.plane.offset);
      } else if (part.is_box) {
        geom = dCreateBox(space_, part.size[0], part.size[1], part.size[2]);
      } else {
        geom = convex(*part.solid, hulls_[k]);
      }
      geoms_[k] = geom;
      dGeomSetData(geom, const_cast<Part*>(&part));
      if (!part.solid) continue;
      if (!part.fixed) {
        const dBodyID body = dBodyCreate(world_);
        dMass mass;
        const Eigen::Matrix3d& I = part.inertia;
        dMassSetParameters(&mass, part.mass, 0, 0, 0, I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2));
        dBodySetMass(body, &mass);
        dGeomSetBody(geom, body);
        dBodySetLinearVel(body, part.v[0], part.v[1], part.v[2]);
        dBodySetAngularVel(body, part.w[0], part.w[1], part.w[2]);
      }
      const dQuaternion q{part.start.q[0], part.start.q[1], part.start.q[2], part.start.q[3]};
      dGeomSetPosition(geom, part.start.p[0], part.start.p[1], part.start.p[2]);
      dGeomSetQuaternion(geom, q);
    }
  }
  ~Ode() override {
    dJointGroupDestroy(group_);
    dSpaceDestroy(space_);
    dWorldDestroy(world_);
    dCloseODE();
  }
  void step(double h) override {
    dSpaceCollide(space_, this, &Ode::touch);
    dWorldQuickStep(world_, h);
    dJointGroupEmpty(group_);
  }
  Pose pose(std::size_t part) const override {
    if (!parts_[part].solid) return {};
    dQuaternion q;
    dGeomGetQuaternion(geoms_[part], q);
    const dReal* p = dGeomGetPosition(geoms_[part]);
    return {{q[0], q[1], q[2], q[3]}, {p[0], p[1], p[2]}};
  }
  void velocity(std::size_t part, Vector3d& v, Vector3d& w) const override {
    v.setZero(), w.setZero();
    const dBodyID body = parts_[part].solid ? dGeomGetBody(geoms_[part]) : nullptr;
    if (!body) return;
    v = Eigen::Map<const Vector3d>(dBodyGetLinearVel(body)), w = Eigen::Map<const Vector3d>(dBodyGetAngularVel(body));
  }

 private:
  /// ODE keeps pointers to these.
  struct Hull {
    std::vector<dReal> planes, points;
    std::vector<unsigned int> polygons;
  };
  dGeomID convex(const Polytope& solid, Hull& hull) {
    for (int i = 0; i < solid.numVertices(); ++i)
      for (int c = 0; c < 3; ++c) hull.points.push_back(solid.vertex(i)[c]);
    for (int f = 0; f < solid.numFaces(); ++f) {
      const auto loop = solid.faceVertices(f);
      for (int c = 0; c < 3; ++c) hull.planes.push_back(solid.face(f).normal[c]);
      hull.planes.push_back(solid.face(f).offset);
      hull.polygons.push_back(static_cast<unsigned int>(loop.size()));
      for (const int v : loop) hull.polygons.push_back(static_cast<unsigned int>(v));
    }
    return dCreateConvex(space_, hull.planes.data(), static_cast<unsigned int>(solid.numFaces()), hull.points.data(),
                         static_cast<unsigned int>(solid.numVertices()), hull.polygons.data());
  }
  static void touch(void* self, dGeomID a, dGeomID b) {
    auto* ode = static_cast<Ode*>(self);
    const bool moves_a = dGeomGetClass(a) != dPlaneClass && dGeomGetBody(a);
    const bool moves_b = dGeomGetClass(b) != dPlaneClass && dGeomGetBody(b);
    if (!moves_a && !moves_b) return;
    const auto &A = *static_cast<const Part*>(dGeomGetData(a)), &B = *static_cast<const Part*>(dGeomGetData(b));
    dContact contacts[8] = {};
    const int count = dCollide(a, b, 8, &contacts[0].geom, sizeof(dContact));
    for (int i = 0; i < count; ++i) {
      contacts[i].surface.mode = dContactApprox1 | dContactBounce;
      contacts[i].surface.mu = std::sqrt(A.friction * B.friction);
      contacts[i].surface.bounce = std::max(A.restitution, B.restitution);
      dJointAttach(dJointCreateContact(ode->world_, ode->group_, &contacts[i]), moves_a ? dGeomGetBody(a) : nullptr,
                   moves_b ? dGeomGetBody(b) : nullptr);
    }
  }
  std::vector<Part> parts_;
  dWorldID world_;
  dSpaceID space_;
  dJointGroupID group_;
  std::vector<dGeomID> geoms_;
  std::vector<Hull> hulls_;
};
#endif

#ifdef RIGOR_PEER_MUJOCO
class MuJoCo : public PeerEngine {
 public:
  MuJoCo(const std::vector<Part>& parts, const Vector3d& gravity, const std::vector<std::size_t>& order)
      : parts_(parts) {
    mju_user_warning = [](const char* text) { fmt::print(stderr, "rigor-peers: MuJoCo: {}\n", text); };
    const std::string text = modelText(parts, gravity, order);
    const auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    mj_makeEmptyFileVFS(files.get(), "scene.xml", static_cast<int>(text.size()));
    std::memcpy(files->filedata[mj_findFileVFS(files.get(), "scene.xml")], text.data(), text.size());
    char error[1000] = "";
    model_ = mj_loadXML("scene.xml", files.get(), error, sizeof error);
    mj_deleteVFS(files.get());
    if (!model_) throw std::runtime_error(std::string("MuJoCo refuses the scene: ") + error);
    data_ = mj_makeData(model_);
    address_.assign(parts.size(), -1), dof_.assign(parts.size(), -1), body_.assign(parts.size(), -1);
    for (std::size_t k = 0; k < parts.size(); ++k) {
      if (parts[k].fixed) continue;
      body_[k] = mj_name2id(model_, mjOBJ_BODY, ("p" + std::to_string(k)).c_str());
      const int joint = model_->body_jntadr[body_[k]];
      address_[k] = model_->jnt_qposadr[joint], dof_[k] = model_->jnt_dofadr[joint];
      const Vector3d w = parts[k].start.rotation().transpose() * parts[k].w;
      for (int c = 0; c < 3; ++c) data_->qvel[dof_[k] + c] = parts[k].v[c], data_->qvel[dof_[k] + 3 + c] = w[c];
    }
    mj_forward(model_, data_);
  }
  ~MuJoCo() override { mj_deleteData(data_), mj_deleteModel(model_); }
  void step(double h) override {
    model_->opt.timestep = h;
    mj_step(model_, data_);
  }
  Pose pose(std::size_t part) const override {
    if (parts_[part].fixed) return parts_[part].start;
    const mjtNum* q = data_->qpos + address_[part];
    return {{q[3], q[4], q[5], q[6]}, {q[0], q[1], q[2]}};
  }
  void velocity(std::size_t part, Vector3d& v, Vector3d& w) const override {
    v.setZero(), w.setZero();
    if (parts_[part].fixed) return;
    const mjtNum* u = data_->qvel + dof_[part];
    v = {u[0], u[1], u[2]};
    w = pose(part).rotation() * Vector3d(u[3], u[4], u[5]);  // Its angular velocities are in the body's axes.
  }

 private:
  static std::string numbers(std::initializer_list<double> list) {
    std::string text;
    for (const double x : list) text += fmt::format("{}{:.17g}", text.empty() ? "" : " ", x);
    return text;
  }
  static std::string modelText(const std::vector<Part>& parts, const Vector3d& g,
                               const std::vector<std::size_t>& order) {
    std::string assets, bodies;
    for (const std::size_t k : order) {
      const Part& part = parts[k];
      std::string geom;
      if (!part.solid) {
        const Vector3d n = part.plane.normal, p = part.plane.offset * n;
        geom = fmt::format(R"(<geom type="plane" size="0 0 1" pos="{}" zaxis="{}")", numbers({p[0], p[1], p[2]}),
                           numbers({n[0], n[1], n[2]}));
      } else if (part.is_box) {
        geom = fmt::format(R"(<geom type="box" size="{}")",
                           numbers({part.size[0] / 2, part.size[1] / 2, part.size[2] / 2}));
      } else {
        std::string vertices;
        for (int i = 0; i < part.solid->numVertices(); ++i)
          vertices += numbers({part.solid->vertex(i)[0], part.solid->vertex(i)[1], part.solid->vertex(i)[2]}) + " ";
        assets += fmt::format("<mesh name=\"m{}\" vertex=\"{}\"/>", k, vertices);
        geom = fmt::format(R"(<geom type="mesh" mesh="m{}")", k);
      }
      geom += fmt::format(R"( condim="3" friction="{:.17g} 0 0"/>)",
                          std::min(part.friction, 1e3));  // No-slip has no number.
      if (!part.solid) {
        bodies += geom;
        continue;
      }
      const Pose& X = part.start;
      const Eigen::Matrix3d& I = part.inertia;
      const std::string mass = fmt::format(R"(<freejoint/><inertial pos="0 0 0" mass="{:.17g}" fullinertia="{}"/>)",
                                           part.mass, numbers({I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)}));
      bodies += fmt::format(R"(<body name="p{}" pos="{}" quat="{}">{}{}</body>)", k, numbers({X.p[0], X.p[1], X.p[2]}),
                            numbers({X.q[0], X.q[1], X.q[2], X.q[3]}), part.fixed ? "" : mass, geom);
    }
    // Its own room for contacts is full at a hundred cubes; what finds no room does not act.
    const std::size_t contacts = kMuJoCoContacts * (5 + parts.size());
    return fmt::format(
        R"(<mujoco><compiler inertiafromgeom="false" balanceinertia="false"/><option gravity="{}" cone="elliptic"/>)"
        R"(<size nconmax="{}" njmax="{}"/><asset>{}</asset><worldbody>{}</worldbody></mujoco>)",
        numbers({g[0], g[1], g[2]}), contacts, 3 * contacts, assets, bodies);
  }

  static constexpr std::size_t kMuJoCoContacts = 20;  // Room for so many a body, each of three rows.

  std::vector<Part> parts_;
  mjModel* model_ = nullptr;
  mjData* data_ = nullptr;
  std::vector<int> address_, dof_, body_;
};
#endif

}  // namespace

std::vector<std::string> peerNames() {
  std::vector<std::string> names;
#ifdef RIGOR_PEER_BULLET
  names.push_back("bullet");
#endif
#ifdef RIGOR_PEER_ODE
  names.push_back("ode");
#endif
#ifdef RIGOR_PEER_MUJOCO
  names.push_back("mujoco");
#endif
  return names;
}

std::unique_ptr<PeerEngine> makePeer(const std::string& name, const std::vector<Part>& parts, const Vector3d& gravity,
                                     const std::vector<std::size_t>& order) {
  std::vector<std::size_t> sequence = order;
  if (sequence.empty()) {
    sequence.resize(parts.size());
    std::iota(sequence.begin(), sequence.end(), std::size_t{0});
  }
#ifdef RIGOR_PEER_BULLET
  if (name == "bullet") return std::make_unique<Bullet>(parts, gravity, sequence);
#endif
#ifdef RIGOR_PEER_ODE
  if (name == "ode") return std::make_unique<Ode>(parts, gravity, sequence);
#endif
#ifdef RIGOR_PEER_MUJOCO
  if (name == "mujoco") return std::make_unique<MuJoCo>(parts, gravity, sequence);
#endif
  return nullptr;
}

}  // namespace rigor::compare
