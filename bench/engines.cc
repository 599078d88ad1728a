// SPDX-License-Identifier: MIT
// Whole scenes of boxes in rigor, Bullet and ODE: processor time per simulated second, and the deepest penetration of
// any pair after a step (at most every 4 ms), measured by geom::separation() on the poses that each engine reports. One
// JSON object a line.
//
// Bullet and ODE run with their own defaults (Bullet: sequential impulses, 10 iterations, sleeping; ODE: quick step, 20
// iterations, no sleeping), in double precision, with the scene's friction, no restitution, and boxes as boxes.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <Eigen/Geometry>
#include <atomic>
#include <cmath>
#include <ctime>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "geom/separation.h"
#include "scenes/loader.h"
#include "sim/simulation.h"

#ifdef RIGOR_BENCH_BULLET
#include <btBulletDynamicsCommon.h>
#endif
#ifdef RIGOR_BENCH_ODE
#include <ode/ode.h>
#endif

namespace {

using Eigen::Vector3d;
using rigor::geom::Polytope;
using rigor::geom::Pose;
using rigor::sim::Scene;

double cpuSeconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// A convex part on its own: fixed compounds are taken apart, moving bodies here have one part.
struct Part {
  const Polytope* solid = nullptr;  ///< A box, parallel to the body's axes; null: the half-space z <= 0.
  bool fixed = false;
  Vector3d size, centre;  ///< Of the box, body frame.
  Vector3d v{0, 0, 0}, w{0, 0, 0};
  Pose start;  ///< Of the body origin.
  double mass = 0, friction = 0;
};

std::vector<Part> partsOf(const Scene& scene) {
  std::vector<Part> parts;
  for (const auto& body : scene.bodies)
    for (const auto& shape : body.parts) {
      Part part;
      part.solid = std::get_if<Polytope>(&shape);
      part.fixed = body.fixed;
      if (part.solid) {
        const Vector3d low = part.solid->vertices().rowwise().minCoeff();
        const Vector3d high = part.solid->vertices().rowwise().maxCoeff();
        part.size = high - low;
        part.centre = (low + high) / 2;
      }
      part.v = body.velocity, part.w = body.angular_velocity;
      part.start = body.pose;
      part.start.q.normalize();
      part.mass = body.mass;
      part.friction = body.material.friction;
      parts.push_back(part);
    }
  return parts;
}

/// Another engine with the scene's parts in it. Bodies have their origin in the centre of their box.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual void step(double h) = 0;
  virtual Pose pose(size_t part) const = 0;
};

Pose centrePose(const Part& part) {
  return {part.start.q, part.solid ? Vector3d(part.start * part.centre) : Vector3d(0, 0, 0)};
}

#ifdef RIGOR_BENCH_BULLET
class Bullet : public Engine {
 public:
  Bullet(const std::vector<Part>& parts, const Vector3d& gravity) {
    world_.setGravity({gravity[0], gravity[1], gravity[2]});
    for (const Part& part : parts) {
      std::unique_ptr<btCollisionShape> shape;
      if (part.solid) shape = std::make_unique<btBoxShape>(btVector3(part.size[0], part.size[1], part.size[2]) / 2);
      else shape = std::make_unique<btStaticPlaneShape>(btVector3(0, 0, 1), 0);
      btVector3 inertia(0, 0, 0);
      if (!part.fixed) shape->calculateLocalInertia(part.mass, inertia);
      btRigidBody::btRigidBodyConstructionInfo info(part.fixed ? 0 : part.mass, nullptr, shape.get(), inertia);
      const Pose pose = centrePose(part);
      info.m_startWorldTransform = btTransform(btQuaternion(pose.q[1], pose.q[2], pose.q[3], pose.q[0]),
                                               btVector3(pose.p[0], pose.p[1], pose.p[2]));
      info.m_friction = std::sqrt(part.friction);  // Bullet multiplies the frictions of a pair.
      auto body = std::make_unique<btRigidBody>(info);
      body->setLinearVelocity({part.v[0], part.v[1], part.v[2]});
      body->setAngularVelocity({part.w[0], part.w[1], part.w[2]});
      world_.addRigidBody(body.get());
      shapes_.push_back(std::move(shape));
      bodies_.push_back(std::move(body));
    }
  }
  ~Bullet() override {
    for (auto& body : bodies_) world_.removeRigidBody(body.get());
  }
  void step(double h) override { world_.stepSimulation(h, 0); }
  Pose pose(size_t part) const override {
    const btTransform& X = bodies_[part]->getWorldTransform();
    const btQuaternion q = X.getRotation();
    const btVector3& p = X.getOrigin();
    return {{q.w(), q.x(), q.y(), q.z()}, {p.x(), p.y(), p.z()}};
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

#ifdef RIGOR_BENCH_ODE
class Ode : public Engine {
 public:
  Ode(const std::vector<Part>& parts, const Vector3d& gravity) : friction_(parts.back().friction) {
    dInitODE();
    world_ = dWorldCreate();
    dWorldSetGravity(world_, gravity[0], gravity[1], gravity[2]);
    space_ = dHashSpaceCreate(nullptr);
    group_ = dJointGroupCreate(0);
    for (const Part& part : parts) {
      const dGeomID geom = part.solid ? dCreateBox(space_, part.size[0], part.size[1], part.size[2])
                                      : dCreatePlane(space_, 0, 0, 1, 0);
      geoms_.push_back(geom);
      if (!part.solid) continue;
      if (!part.fixed) {
        const dBodyID body = dBodyCreate(world_);
        dMass mass;
        dMassSetBoxTotal(&mass, part.mass, part.size[0], part.size[1], part.size[2]);
        dBodySetMass(body, &mass);
        dGeomSetBody(geom, body);
        dBodySetLinearVel(body, part.v[0], part.v[1], part.v[2]);
        dBodySetAngularVel(body, part.w[0], part.w[1], part.w[2]);
      }
      const Pose pose = centrePose(part);
      const dQuaternion q{pose.q[0], pose.q[1], pose.q[2], pose.q[3]};
      dGeomSetPosition(geom, pose.p[0], pose.p[1], pose.p[2]);
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
  Pose pose(size_t part) const override {
    dQuaternion q;
    dGeomGetQuaternion(geoms_[part], q);
    const dReal* p = dGeomGetPosition(geoms_[part]);
    return {{q[0], q[1], q[2], q[3]}, {p[0], p[1], p[2]}};
  }

 private:
  static void touch(void* self, dGeomID a, dGeomID b) {
    auto* ode = static_cast<Ode*>(self);
    if (!dGeomGetBody(a) && !dGeomGetBody(b)) return;
    dContact contacts[8] = {};
    const int count = dCollide(a, b, 8, &contacts[0].geom, sizeof(dContact));
    for (int i = 0; i < count; ++i) {
      contacts[i].surface.mode = dContactApprox1;
      contacts[i].surface.mu = ode->friction_;
      dJointAttach(dJointCreateContact(ode->world_, ode->group_, &contacts[i]), dGeomGetBody(a), dGeomGetBody(b));
    }
  }
  dWorldID world_;
  dSpaceID space_;
  dJointGroupID group_;
  double friction_;
  std::vector<dGeomID> geoms_;
};
#endif

/// Deepest overlap of two parts, not both fixed [m].
double penetration(const std::vector<Part>& parts, const std::vector<Polytope>& centred, const Engine& engine) {
  double depth = 0;
  std::vector<Pose> poses;
  for (size_t i = 0; i < parts.size(); ++i) poses.push_back(parts[i].solid ? engine.pose(i) : Pose{});
  for (size_t j = 0; j < parts.size(); ++j)
    for (size_t i = 0; i < parts.size(); ++i) {
      if (parts[j].fixed || i == j || (i > j && !parts[i].fixed)) continue;
      if (!parts[i].solid) {
        const Eigen::Matrix3d R = poses[j].rotation();
        depth = std::max(depth, -(poses[j].p[2] + (R.row(2) * centred[j].vertices()).minCoeff()));
        continue;
      }
      if ((poses[i].p - poses[j].p).norm() > (parts[i].size.norm() + parts[j].size.norm()) / 2) continue;
      rigor::geom::SeparationCache cache;
      depth = std::max(depth, -rigor::geom::separation(centred[i], poses[i], centred[j], poses[j], cache).distance);
    }
  return depth;
}

constexpr double kLookEvery = 4e-3;  ///< Looking for penetration takes longer than a step [s].

struct Run {
  double cpu = 0, depth = 0;
};

Run run(const std::string& name, const std::vector<Part>& parts, const Scene& scene, double h, double until) {
  std::unique_ptr<Engine> engine;
#ifdef RIGOR_BENCH_BULLET
  if (name == "bullet") engine = std::make_unique<Bullet>(parts, scene.gravity);
#endif
#ifdef RIGOR_BENCH_ODE
  if (name == "ode") engine = std::make_unique<Ode>(parts, scene.gravity);
#endif
  std::vector<Polytope> centred;
  for (const Part& part : parts) centred.push_back(Polytope::box(part.solid ? part.size : Vector3d::Ones()));
  Run result;
  const long steps = std::lround(until / h), stride = std::max(1L, std::lround(kLookEvery / h));
  for (long k = 0; k < steps; ++k) {
    const double start = cpuSeconds();
    engine->step(h);
    result.cpu += cpuSeconds() - start;
    if (k % stride == 0) result.depth = std::max(result.depth, penetration(parts, centred, *engine));
  }
  return result;
}

/// How far rigor gets in `budget` seconds of processor time, without recording.
void runRigor(Scene scene, double until, double budget) {
  std::atomic<bool> interrupt{false};
  rigor::sim::Sink sink;
  rigor::sim::Simulation simulation(std::move(scene), 0);
  const double start = cpuSeconds();
  const auto summary = simulation.run(until, sink, &interrupt,
                                      [&](double, long) { interrupt = cpuSeconds() - start > budget; });
  const double cpu = cpuSeconds() - start;
  fmt::print("{{\"scene\":\"pile-100\",\"engine\":\"rigor\",\"h\":null,\"reached\":{:.4f},\"cpu\":{:.2f},\"steps\":{},"
             "\"cpu_per_second\":{:.4g},\"penetration\":0,\"min_gap\":{:.3g},\"failed\":{}}}\n",
             summary.time, cpu, summary.steps, summary.time > 0 ? cpu / summary.time : 0, summary.min_gap,
             summary.status == rigor::sim::RunStatus::kFailed);
  if (!summary.message.empty()) fmt::print(stderr, "pile-100: {}\n", summary.message);
}

void turnAtRandom(Scene& scene, std::mt19937_64& random) {
  auto uniform = [&] { return 2 * static_cast<double>(random() >> 11) * 0x1p-53 - 1; };
  auto& die = scene.bodies[1];
  for (int i = 0; i < 4; ++i) die.pose.q[i] = uniform();
  die.velocity = {uniform(), uniform(), uniform() - 1};
  die.angular_velocity = 10 * Vector3d(uniform(), uniform(), uniform());
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Whole scenes in rigor, Bullet and ODE: time per simulated second, penetration. One line of JSON each."};
  double budget = 20, until = 5;
  int count = 100;
  app.add_option("--budget", budget, "Processor time that rigor gets for the pile [s]; 0: none")->capture_default_str();
  app.add_option("--until", until, "Simulated time of the pile [s]")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--count", count, "Throws of the die, of 3 s each")->check(CLI::PositiveNumber)->capture_default_str();
  CLI11_PARSE(app, argc, argv);

  std::vector<std::string> engines;
#ifdef RIGOR_BENCH_BULLET
  engines.push_back("bullet");
#endif
#ifdef RIGOR_BENCH_ODE
  engines.push_back("ode");
#endif
  const std::string folder = RIGOR_SOURCE_DIR "/scenes/";
  const Scene pile = rigor::scenes::loadScene(folder + "pile-100.yaml");
  if (budget > 0) runRigor(pile, until, budget);
  for (const auto& engine : engines)
    for (const double h : {1. / 60, 1e-3}) {
      const Run result = run(engine, partsOf(pile), pile, h, until);
      fmt::print("{{\"scene\":\"pile-100\",\"engine\":\"{}\",\"h\":{:.6g},\"reached\":{},\"cpu_per_second\":{:.4g},"
                 "\"penetration\":{:.3g}}}\n",
                 engine, h, until, result.cpu / until, result.depth);
      std::fflush(stdout);
    }
  for (const auto& engine : engines)
    for (const double h : {1. / 60, 1e-3}) {
      std::mt19937_64 random(1);
      Scene die = rigor::scenes::loadScene(folder + "die.yaml");
      double cpu = 0, depth = 0, sum = 0;
      for (int k = 0; k < count; ++k) {
        turnAtRandom(die, random);
        const Run result = run(engine, partsOf(die), die, h, die.until);
        cpu += result.cpu, depth = std::max(depth, result.depth), sum += result.depth;
      }
      fmt::print("{{\"scene\":\"die\",\"engine\":\"{}\",\"h\":{:.6g},\"throws\":{},\"cpu_per_second\":{:.4g},"
                 "\"penetration\":{:.3g},\"mean_penetration\":{:.3g}}}\n",
                 engine, h, count, cpu / (count * die.until), depth, sum / count);
      std::fflush(stdout);
    }
}
