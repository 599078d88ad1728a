// SPDX-License-Identifier: MIT
// Runs a model in MuJoCo, with MuJoCo's own defaults, and prints its motion.
//
//   example_mujoco MODEL.xml SECONDS > motion.csv
//
// A row a step: time; `contact`, the least distance of MuJoCo's own contacts [m] (0: none; negative: so deep); qpos;
// and the pose of every
// body, BODY.px .. BODY.qz, quaternions [w, x, y, z].
#include <mujoco/mujoco.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace {

void printHeader(const mjModel& model) {
  std::printf("time,contact");
  for (int i = 0; i < model.nq; ++i) std::printf(",q%d", i);
  for (int b = 1; b < model.nbody; ++b)
    for (const char* what : {"px", "py", "pz", "qw", "qx", "qy", "qz"})
      std::printf(",%s.%s", mj_id2name(&model, mjOBJ_BODY, b), what);
  std::printf("\n");
}

void printRow(const mjModel& model, const mjData& data) {
  double least = 0;
  for (int i = 0; i < data.ncon; ++i) least = std::min(least, data.contact[i].dist);
  std::printf("%.17g,%.17g", data.time, least);
  for (int i = 0; i < model.nq; ++i) std::printf(",%.17g", data.qpos[i]);
  for (int b = 1; b < model.nbody; ++b) {
    for (int i = 0; i < 3; ++i) std::printf(",%.17g", data.xpos[3 * b + i]);
    for (int i = 0; i < 4; ++i) std::printf(",%.17g", data.xquat[4 * b + i]);
  }
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "usage: example_mujoco MODEL.xml SECONDS\n"), 2;
  char error[1000] = "";
  mjModel* model = mj_loadXML(argv[1], nullptr, error, sizeof error);
  if (!model) return std::fprintf(stderr, "%s: %s\n", argv[1], error), 3;
  mjData* data = mj_makeData(model);
  if (model->nkey > 0) mj_resetDataKeyframe(model, data, 0);
  printHeader(*model);
  for (const double end = std::atof(argv[2]); data->time < end;) {
    mj_step1(model, data);  // Poses and contacts at `time`.
    printRow(*model, *data);
    mj_step2(model, data);
  }
  mj_deleteData(data);
  mj_deleteModel(model);
}
