// SPDX-License-Identifier: MIT
// Two bodies in Bullet, with Bullet's own defaults: a die thrown on a floor, and a small box shot at a thin wall.
// Prints their motion as
// `rigor check` reads it; bullet.yaml says what the bodies are.
//
//   example_bullet discrete|continuous HZ SECONDS > motion.csv
//
// `continuous` turns Bullet's continuous collision detection on for the small box.
#include <btBulletDynamicsCommon.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace {

std::unique_ptr<btRigidBody> makeBody(btCollisionShape& shape, double mass, const btVector3& position,
                                      const btVector3& velocity, const btVector3& spin) {
  btVector3 inertia(0, 0, 0);
  if (mass > 0) shape.calculateLocalInertia(mass, inertia);
  btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, &shape, inertia);
  info.m_startWorldTransform.setOrigin(position);
  auto body = std::make_unique<btRigidBody>(info);
  body->setLinearVelocity(velocity);
  body->setAngularVelocity(spin);
  return body;
}

void printRow(double time, const char* name, const btRigidBody& body) {
  const btVector3& p = body.getWorldTransform().getOrigin();
  const btQuaternion q = body.getWorldTransform().getRotation();
  std::printf("%.17g,%s,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", time, name, p.x(), p.y(), p.z(), q.w(), q.x(),
              q.y(), q.z());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4 || (std::strcmp(argv[1], "discrete") != 0 && std::strcmp(argv[1], "continuous") != 0))
    return std::fprintf(stderr, "usage: example_bullet discrete|continuous HZ SECONDS\n"), 2;
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher(&configuration);
  btDbvtBroadphase broad_phase;
  btSequentialImpulseConstraintSolver solver;
  btDiscreteDynamicsWorld world(&dispatcher, &broad_phase, &solver, &configuration);
  world.setGravity({0, 0, -9.81});

  btStaticPlaneShape floor_shape({0, 0, 1}, 0);
  btBoxShape wall_shape({0.01, 1, 1}), die_shape({0.05, 0.05, 0.05}), shot_shape({0.02, 0.02, 0.02});
  const auto floor = makeBody(floor_shape, 0, {0, 0, 0}, {0, 0, 0}, {0, 0, 0});
  const auto wall = makeBody(wall_shape, 0, {5.15, 0, 1}, {0, 0, 0}, {0, 0, 0});
  const auto die = makeBody(die_shape, 1, {0, 0, 0.5}, {1, 0.5, -2}, {10, -7, 5});
  const auto shot = makeBody(shot_shape, 0.1, {0, 0, 1}, {80, 0, 0}, {0, 0, 0});
  if (std::strcmp(argv[1], "continuous") == 0) {
    shot->setCcdMotionThreshold(0.02);
    shot->setCcdSweptSphereRadius(0.015);
  }
  for (btRigidBody* body : {floor.get(), wall.get(), die.get(), shot.get()}) world.addRigidBody(body);

  std::printf("time,body,px,py,pz,qw,qx,qy,qz\n");
  const double rate = std::atof(argv[2]);
  for (int k = 0; k <= std::atof(argv[3]) * rate; ++k) {
    printRow(k / rate, "die", *die);
    printRow(k / rate, "shot", *shot);
    world.stepSimulation(1 / rate, 0);
  }
  for (btRigidBody* body : {floor.get(), wall.get(), die.get(), shot.get()}) world.removeRigidBody(body);
}
