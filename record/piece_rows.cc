// SPDX-License-Identifier: MIT
#include "record/piece_rows.h"

#include <algorithm>

#include "record/pending_rows.h"

namespace rigor::record {

void PieceRows::turn(int body, const verify::recorded::Turning& turning) {
  const auto place = static_cast<std::size_t>(body);
  if (place >= turnings_.size()) turnings_.resize(place + 1);
  turnings_[place] = turning;
}

bool PieceRows::isLast(std::int64_t step, double t0, double t1) const {
  if (last_.empty()) return false;
  const verify::kernel::Piece& first = last_.front().piece;
  return first.step == step && first.t0 == t0 && first.t1 == t1;
}

void PieceRows::add(const sim::PieceRecord& record) {
  if (!is_open_ || !isLast(record.step, record.piece.t0, record.piece.t1)) {
    close();
    last_.clear();
    is_open_ = true;
  }
  const auto body = static_cast<std::size_t>(record.body);
  if (body >= place_of_.size()) place_of_.resize(body + 1);
  if (!isInLast(body)) place_of_[body] = last_.size();
  last_.push_back({plainPiece(record), body < turnings_.size() ? turnings_[body] : verify::recorded::Turning{}});
}

void PieceRows::close() {
  if (!is_open_) return;
  is_open_ = false;
  for (const auto& [piece, turning] : last_) {
    const auto body = static_cast<std::size_t>(piece.body);
    if (body >= ends_.size()) ends_.resize(body + 1);
    packer_.add(piece, ends_[body], turning);
  }
  const verify::recorded::Bytes& motions = packer_.finish();
  const verify::kernel::Piece& first = last_.front().piece;
  bytes_.insert(bytes_.end(), motions.begin(), motions.end());
  rows_.push_back({first.step, first.t0, first.t1, motions.size()});
}

const verify::kernel::Piece* PieceRows::inLastRow(int body, std::int64_t step, double t0, double t1) const {
  if (!isLast(step, t0, t1)) return nullptr;
  const auto place = static_cast<std::size_t>(body);
  return isInLast(place) ? &last_[place_of_[place]].piece : nullptr;
}

void PieceRows::clear() {
  is_open_ = false;
  last_.clear(), rows_.clear(), bytes_.clear();
}

}  // namespace rigor::record
