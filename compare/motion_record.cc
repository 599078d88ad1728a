// SPDX-License-Identifier: MIT
#include "compare/motion_record.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <variant>

#include "advance/certificate.h"

namespace rigor::compare {

MotionRecord::MotionRecord(const std::string& path, bool replace, const sim::Scene& scene, const record::RunInfo& info,
                           double reach)
    : floor_(info.gap_floor), reach_(reach), least_(reach), scene_(scene), started_(scene.bodies.size(), 0) {
  if (path.empty()) return;
  record::WriterOptions options;
  options.replace = replace;
  writer_ = std::make_unique<record::Writer>(path, scene, info, options);
}

MotionRecord::~MotionRecord() = default;

void MotionRecord::piece(int body, const advance::MotionPiece& piece) {
  if (!writer_) return;
  sim::PieceRecord record{body, interval_, piece, {}, {}, {}, {}};
  piece.velocityAt(piece.t0, record.v_start, record.w_start);
  piece.velocityAt(piece.t1, record.v_end, record.w_end);
  if (!started_[body]) explainStart(record);
  writer_->piece(record);
}

void MotionRecord::explainStart(const sim::PieceRecord& first) {
  started_[first.body] = 1;
  const sim::Body& body = scene_.bodies[first.body];
  const Eigen::Vector3d arm = body.pose.rotation() * body.centre;
  Eigen::Matrix<double, 6, 1> given, own;
  given << body.velocity + body.angular_velocity.cross(arm), body.angular_velocity;
  own << first.v_start, first.w_start;
  if (given == own) return;
  start_.time = first.piece.t0, start_.model = "velocity-set";
  start_.bodies.push_back(first.body), start_.before.push_back(given), start_.after.push_back(own);
}

void MotionRecord::near(int body_a, int part_a, int body_b, int part_b, const advance::MovingPart& A,
                        const advance::MovingPart& B, const check::PairMemory& memory) {
  witnesses_.clear();
  const std::span<const advance::SeparatingAxis> axes(&memory.axis, memory.has_axis ? 1 : 0);
  if (advance::certify(A, B, axes, floor_, witnesses_) != advance::CertifyStatus::kCertified) {
    ++unproved_;
    claim({body_a, part_a, body_b, part_b}, A, memory);
    return;
  }
  for (const advance::Witness& witness : witnesses_) {
    least_ = std::min(least_, witness.gap);
    if (writer_) writer_->witness({{body_a, part_a, body_b, part_b}, witness});
  }
}

/// What the record says of the pair, for the verifier to refute.
void MotionRecord::claim(const sim::PairKey& pair, const advance::MovingPart& A, const check::PairMemory& memory) {
  advance::Witness witness;
  witness.t0 = A.motion->ta, witness.t1 = A.motion->tb, witness.gap = floor_;
  if (const auto* plane = std::get_if<geom::HalfSpace>(A.shape)) witness.axis.axis = plane->normal;
  else if (memory.has_axis && memory.axis.kind != advance::AxisKind::kEdges) witness.axis = memory.axis;
  else return;
  if (writer_) writer_->witness({pair, witness});
}

void MotionRecord::done(double time) {
  end_ = time;
  ++interval_;
  if (writer_ && !start_.bodies.empty()) {
    writer_->impact(start_);
    start_ = {};
  }
  if (writer_) writer_->checkpoint(time, interval_, {});
}

void MotionRecord::finish(const std::string& status, const std::string& message, const std::string& summary) {
  if (!writer_) return;
  writer_->endBranch(end_, std::max(floor_, provedGap()), status);
  writer_->finish(status, message, summary);
}

}  // namespace rigor::compare
