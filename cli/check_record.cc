// SPDX-License-Identifier: MIT
#include "cli/check_record.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "advance/certificate.h"
#include "cli/version.h"
#include "elementary/require.h"
#include "geom/shape.h"
#include "record/writer.h"

namespace rigor::cli {
namespace {

/// Quaternions of one sign: a piece turns the nearer way, and the next one starts where it ends, bit for bit. From time
/// 0 on.
void join(check::Trajectory& trajectory) {
  double begin = HUGE_VAL;
  for (const check::Track& track : trajectory.tracks)
    if (!track.empty()) begin = std::min(begin, track.time.front());
  for (check::Track& track : trajectory.tracks) {
    for (double& time : track.time) time -= begin;
    for (std::size_t i = 1; i < track.pose.size(); ++i)
      if (track.pose[i].q.dot(track.pose[i - 1].q) < 0) track.pose[i].q = -track.pose[i].q;
  }
}

/// The scene as the record has it: what moves starts where and as fast as its samples do, and is followed at its
/// origin.
sim::Scene givenScene(sim::Scene scene, const check::Trajectory& trajectory, check::Interpolation interpolation) {
  scene.text.clear();
  scene.files.clear();
  scene.until = 0;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    sim::Body& body = scene.bodies[b];
    const check::Track& track = trajectory.tracks[b];
    if (track.empty()) {
      body.fixed = true;
      continue;
    }
    body.fixed = false;
    body.centre.setZero();
    body.pose = track.pose.front();
    std::size_t first = 0;  // Of the samples at the first time the last one: the motion goes on from it.
    while (track.time[first + 1] == track.time.front()) ++first;
    check::pieceBetween(track, first, interpolation).velocityAt(track.time.front(), body.velocity,
                                                                body.angular_velocity);
    scene.until = std::max(scene.until, track.time.back());
  }
  return scene;
}

double largestBody(const sim::Scene& scene) {
  double size = 0;
  for (const sim::Body& body : scene.bodies)
    for (const geom::Shape& part : body.parts)
      if (const auto* polytope = std::get_if<geom::Polytope>(&part))
        for (int v = 0; v < polytope->numVertices(); ++v) size = std::max(size, polytope->vertex(v).norm());
  return size > 0 ? size : 1;
}

}  // namespace

struct CheckRecord::Impl {
  sim::Scene scene;
  double floor = 0, end = 0;
  long interval = 0;
  std::unique_ptr<record::Writer> writer;
  std::vector<advance::Witness> witnesses;
};

std::string CheckRecord::refusal(const sim::Scene& scene, const check::Trajectory& trajectory) {
  if (!scene.robots.empty()) return "-o records scenes of bodies; this one has robots";
  if (trajectory.branch != "0") return "-o records a trajectory of branch 0; this one is of " + trajectory.branch;
  for (const check::Track& track : trajectory.tracks)
    if (!track.empty() && track.time.front() == track.time.back())
      return "-o records motions; this trajectory is of one instant";
  return {};
}

CheckRecord::CheckRecord(const std::string& path, bool replace, const std::string& source, sim::Scene scene,
                         check::Trajectory& trajectory, check::Interpolation interpolation)
    : impl_(std::make_unique<Impl>()) {
  RIGOR_REQUIRE(refusal(scene, trajectory).empty());
  join(trajectory);
  Impl& c = *impl_;
  c.scene = givenScene(std::move(scene), trajectory, interpolation);
  c.floor = kClaimedGap * largestBody(c.scene);
  const nlohmann::ordered_json options{
      {"origin", "check"},
      {"trajectory", source},
      {"interpolate", interpolation == check::Interpolation::kHermite ? "hermite" : "linear"}};
  record::RunInfo info;
  info.build = RIGOR_BUILD;
  info.options = record::optionsText(options);
  info.gap_nominal = 2 * c.floor;
  info.gap_floor = c.floor;
  info.until = c.scene.until;
  record::WriterOptions writer_options;
  writer_options.replace = replace;
  c.writer = std::make_unique<record::Writer>(path, c.scene, info, writer_options);
}

CheckRecord::~CheckRecord() = default;

void CheckRecord::piece(int body, const advance::MotionPiece& piece) {
  sim::PieceRecord record{body, impl_->interval, piece, {}, {}, {}, {}};
  piece.velocityAt(piece.t0, record.v_start, record.w_start);
  piece.velocityAt(piece.t1, record.v_end, record.w_end);
  impl_->writer->piece(record);
}

void CheckRecord::near(int body_a, int part_a, int body_b, int part_b, const advance::MovingPart& A,
                       const advance::MovingPart& B, const check::PairMemory& memory) {
  Impl& c = *impl_;
  c.witnesses.clear();
  const std::span<const advance::SeparatingAxis> axes(&memory.axis, memory.has_axis ? 1 : 0);
  if (advance::certify(A, B, axes, c.floor, c.witnesses) != advance::CertifyStatus::kCertified)
    return;  // verify says so.
  for (const advance::Witness& witness : c.witnesses) c.writer->witness({{body_a, part_a, body_b, part_b}, witness});
}

void CheckRecord::done(double time) {
  impl_->end = time;
  impl_->writer->checkpoint(time, ++impl_->interval, {});
}

double CheckRecord::reach() const { return 2 * impl_->floor; }

void CheckRecord::finish(const std::string& summary) {
  impl_->writer->endBranch(impl_->end, impl_->floor, "done");
  impl_->writer->finish("done", "", summary);
}

}  // namespace rigor::cli
