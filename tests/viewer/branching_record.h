// SPDX-License-Identifier: MIT
#pragma once
#include "tests/verify/synthetic_record.h"

/// Records with branches, made by hand.
namespace rigor::synthetic {

/// A die that is thrown up and "hit" at t = fork in mid-air: `outcomes` branches "0/0", "0/1", ... leave with
/// velocities that differ along x, weights 1, 2, 3, ... (normalised). Each has `pieces` pieces of `h` seconds before
/// and after the fork. The root ends at the fork.
struct ForkedDie {
  int outcomes = 3, pieces = 5;
  double h = 0.02;
  double forkTime() const { return fork; }
  double fork = 0, end = 0;

  Eigen::Vector3d velocityAfter(int outcome) const { return {0.4 * (outcome - 1), 0.1, 2}; }

  void write(const std::string& path, bool finish = true) {
    sim::Scene scene;
    scene.name = "forked";
    scene.bodies = {fixedPlane("table"), cube("die", 0.1)};
    sim::Body& die = scene.bodies[1];
    die.pose.p = {0, 0, 0.5};
    die.velocity = {0.5, 0, 1};
    die.angular_velocity = {3, 2, 1};
    scene.text = "name: forked\nbodies:\n" + bodyText(scene.bodies[0], 0) + bodyText(die, 0.1);
    record::Writer writer(path, scene, runInfo(), replacing());
    Flight flight{1, die.pose.p, die.velocity, die.angular_velocity, scene.gravity, die.pose.q};
    sim::PieceRecord last;
    long step = 0;
    for (int i = 0; i < pieces; ++i) {
      last = flight.step(h, step++);
      writer.piece(last);
      writer.witness({{0, 0, 1, 0}, {last.piece.t0, last.piece.t1, {}, 0.1 + 0.01 * i, 0, 0}});
      writer.checkpoint(last.piece.t1, step, {});
    }
    fork = flight.t;
    writer.endBranch(fork, 0.1, "done");
    const Flight at_fork = flight;
    double total = 0;
    for (int k = 0; k < outcomes; ++k) total += k + 1;
    for (int k = 0; k < outcomes; ++k) {
      writer.beginBranch(
          {"0/" + std::to_string(k), "0", fork, "{\"sample\": " + std::to_string(k) + "}", (k + 1) / total});
      flight = at_fork;
      sim::ImpactRecord impact{fork, "routh", {1}, {}, {}, {}};
      Eigen::Matrix<double, 6, 1> before, after;
      before << last.v_end, last.w_end;
      flight.v = velocityAfter(k);
      after << flight.v, flight.w;
      impact.before = {before};
      impact.after = {after};
      const Eigen::Vector3d impulse = after.head<3>() - before.head<3>();
      impact.contacts = {{{0, 0, 1, 0}, flight.p - Eigen::Vector3d(0, 0, 0.05), {0, 0, 1}, 0.3, 0,
                          {impulse[2], impulse[0], impulse[1]}}};
      writer.impact(impact);
      long own = step;
      for (int i = 0; i < pieces; ++i) {
        const sim::PieceRecord piece = flight.step(h, own++);
        writer.piece(piece);
        writer.checkpoint(piece.piece.t1, own, {});
      }
      end = flight.t;
      if (finish || k + 1 < outcomes) writer.endBranch(end, 0.1, "done");
    }
    if (finish) writer.finish("done", "", "{}");
  }
};

/// A path that is gone at the end, with what SQLite may leave beside it.
struct TemporaryRecord {
  explicit TemporaryRecord(const std::string& name) : path(temporaryPath(name)) { remove(); }
  ~TemporaryRecord() { remove(); }
  void remove() const {
    for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove_all(path + suffix);
  }
  std::string path;
};

}  // namespace rigor::synthetic
