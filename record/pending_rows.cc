// SPDX-License-Identifier: MIT
#include "record/pending_rows.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace rigor::record {

verify::kernel::Piece plainPiece(const sim::PieceRecord& record) {
  const advance::MotionPiece& m = record.piece;
  verify::kernel::Piece piece;
  piece.step = record.step, piece.body = record.body;
  piece.p_degree = m.p_degree, piece.q_degree = m.q_degree;
  piece.t0 = m.t0, piece.t1 = m.t1;
  for (int i = 0; i <= m.p_degree; ++i) std::copy_n(m.p[i].data(), 3, piece.p[i]);
  for (int i = 0; i <= m.q_degree; ++i) std::copy_n(m.q[i].data(), 4, piece.q[i]);
  int at = 0;
  for (const Eigen::Vector3d* v : {&record.v_start, &record.w_start, &record.v_end, &record.w_end}) {
    std::copy_n(v->data(), 3, piece.velocity + at);
    at += 3;
  }
  return piece;
}

sim::PieceRecord pieceRecord(const verify::kernel::Piece& piece) {
  sim::PieceRecord record;
  advance::MotionPiece& m = record.piece;
  record.body = piece.body, record.step = static_cast<long>(piece.step);
  m.p_degree = piece.p_degree, m.q_degree = piece.q_degree;
  m.t0 = piece.t0, m.t1 = piece.t1;
  for (int i = 0; i <= m.p_degree; ++i) m.p[i] = Eigen::Vector3d(piece.p[i]);
  for (int i = 0; i <= m.q_degree; ++i) m.q[i] = Eigen::Vector4d(piece.q[i]);
  record.v_start = Eigen::Vector3d(piece.velocity), record.w_start = Eigen::Vector3d(piece.velocity + 3);
  record.v_end = Eigen::Vector3d(piece.velocity + 6), record.w_end = Eigen::Vector3d(piece.velocity + 9);
  return record;
}

PendingRows::Impact plainImpact(const sim::ImpactRecord& record) {
  nlohmann::json contacts = nlohmann::json::array();
  const auto triple = [](const Eigen::Vector3d& v) { return nlohmann::json{v[0], v[1], v[2]}; };
  for (const sim::ImpactContactRecord& c : record.contacts) {
    nlohmann::json contact = {{"pair", {c.pair.body_a, c.pair.part_a, c.pair.body_b, c.pair.part_b}},
                              {"point", triple(c.point)},
                              {"normal", triple(c.normal)},
                              {"e", c.restitution},
                              {"impulse", triple(c.impulse)}};
    if (!c.tangent.isZero(0)) contact["tangent"] = triple(c.tangent);
    // JSON has no infinity.
    if (!c.limit.empty()) contact.update(nlohmann::json::parse("{" + c.limit + "}"));
    contact["mu"] = std::isinf(c.friction) ? nlohmann::json("no-slip") : nlohmann::json(c.friction);
    contacts.push_back(std::move(contact));
  }
  PendingRows::Impact impact{
      record.time, std::string(record.model), {record.bodies.begin(), record.bodies.end()}, {}, {}, contacts.dump()};
  for (const auto& velocity : record.before)
    impact.before.insert(impact.before.end(), velocity.data(), velocity.data() + 6);
  for (const auto& velocity : record.after)
    impact.after.insert(impact.after.end(), velocity.data(), velocity.data() + 6);
  return impact;
}

}  // namespace rigor::record
