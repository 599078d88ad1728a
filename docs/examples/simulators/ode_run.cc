// SPDX-License-Identifier: MIT
// A die thrown on a floor in the Open Dynamics Engine, with its quick step. Prints its motion as `rigor check` reads
// it; ode.yaml says what
// the bodies are.
//
//   example_ode HZ SECONDS > motion.csv
#include <ode/ode.h>

#include <cstdio>
#include <cstdlib>

namespace {

struct World {
  dWorldID world;
  dJointGroupID contacts;
};

void touch(void* data, dGeomID a, dGeomID b) {
  const auto& world = *static_cast<World*>(data);
  dContact contacts[8] = {};
  const int count = dCollide(a, b, 8, &contacts[0].geom, sizeof(dContact));
  for (int i = 0; i < count; ++i) {
    contacts[i].surface.mode = dContactApprox1;
    contacts[i].surface.mu = 0.3;
    dJointAttach(dJointCreateContact(world.world, world.contacts, &contacts[i]), dGeomGetBody(a), dGeomGetBody(b));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "usage: example_ode HZ SECONDS\n"), 2;
  dInitODE();
  World world{dWorldCreate(), dJointGroupCreate(0)};
  dWorldSetGravity(world.world, 0, 0, -9.81);
  const dSpaceID space = dHashSpaceCreate(nullptr);
  dCreatePlane(space, 0, 0, 1, 0);
  const dGeomID shape = dCreateBox(space, 0.1, 0.1, 0.1);
  const dBodyID die = dBodyCreate(world.world);
  dMass mass;
  dMassSetBoxTotal(&mass, 1, 0.1, 0.1, 0.1);
  dBodySetMass(die, &mass);
  dGeomSetBody(shape, die);
  dBodySetPosition(die, 0, 0, 0.5);
  dBodySetLinearVel(die, 1, 0.5, -2);
  dBodySetAngularVel(die, 10, -7, 5);

  std::printf("time,body,px,py,pz,qw,qx,qy,qz\n");
  const double rate = std::atof(argv[1]);
  for (int k = 0; k <= std::atof(argv[2]) * rate; ++k) {
    const dReal *p = dBodyGetPosition(die), *q = dBodyGetQuaternion(die);
    std::printf("%.17g,die,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", k / rate,
                p[0], p[1], p[2], q[0], q[1], q[2], q[3]);
    dSpaceCollide(space, &world, touch);
    dWorldQuickStep(world.world, 1 / rate);
    dJointGroupEmpty(world.contacts);
  }
  dJointGroupDestroy(world.contacts);
  dSpaceDestroy(space);
  dWorldDestroy(world.world);
  dCloseODE();
}
