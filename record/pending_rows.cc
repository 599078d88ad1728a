// SPDX-License-Identifier: MIT
#include "record/pending_rows.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <string_view>

namespace rigor::record {
namespace {

// Characters of a double in its shortest form: a sign, 17 digits, a point or an exponent of three digits, with room.
constexpr std::size_t kLongestReal = 40;

/// A double as JSON, in its shortest form that reads back the same: with a point or an exponent, so that it stays one.
void appendReal(std::string& out, double x) {
  char text[kLongestReal];
  const char* end = fmt::format_to(text, FMT_COMPILE("{}"), x);
  const std::string_view shortest(text, static_cast<std::size_t>(end - text));
  out += shortest;
  if (shortest.find_first_of(".e") == std::string_view::npos) out += ".0";
}

void appendTriple(std::string& out, std::string_view key, const Eigen::Vector3d& v) {
  out.append("\"").append(key).append("\":[");
  for (int i = 0; i < 3; ++i) {
    if (i > 0) out += ',';
    appendReal(out, v[i]);
  }
  out += "],";
}

/// @throws nothing: every number of an impact is finite but a friction without bound, which JSON has no number for.
void appendContact(std::string& out, const sim::ImpactContactRecord& c) {
  out += "{\"e\":";
  appendReal(out, c.restitution);
  out += ',';
  appendTriple(out, "impulse", c.impulse);
  if (!c.limit.empty()) out.append(c.limit).append(",");
  out += "\"mu\":";
  if (std::isinf(c.friction)) out += "\"no-slip\"";
  else appendReal(out, c.friction);
  out += ',';
  appendTriple(out, "normal", c.normal);
  out += fmt::format("\"pair\":[{},{},{},{}],", c.pair.body_a, c.pair.part_a, c.pair.body_b, c.pair.part_b);
  appendTriple(out, "point", c.point);
  if (!c.tangent.isZero(0)) appendTriple(out, "tangent", c.tangent);
  out.back() = '}';
}

}  // namespace

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
  std::string contacts = "[";
  for (const sim::ImpactContactRecord& contact : record.contacts) {
    if (contacts.size() > 1) contacts += ',';
    appendContact(contacts, contact);
  }
  contacts += ']';
  PendingRows::Impact impact{record.time, std::string(record.model), {record.bodies.begin(), record.bodies.end()}, {},
                             {},          std::move(contacts)};
  for (const auto& velocity : record.before)
    impact.before.insert(impact.before.end(), velocity.data(), velocity.data() + 6);
  for (const auto& velocity : record.after)
    impact.after.insert(impact.after.end(), velocity.data(), velocity.data() + 6);
  return impact;
}

}  // namespace rigor::record
