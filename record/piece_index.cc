// SPDX-License-Identifier: MIT
#include "record/piece_index.h"

#include <fmt/format.h>

#include <algorithm>

#include "verify/record/motions.h"

namespace rigor::record {

using verify::recorded::BodyEnd;
using verify::recorded::PackedMotion;

void PieceIndex::refresh() {
  for (auto& [number, branch] : branches_) branch.current = false;
}

const PieceIndex::Branch& PieceIndex::at(int branch) {
  Branch& index = branches_[branch];
  if (index.current) return index;
  index.current = true;
  index.starts.resize(file_.model().bodies.size());
  const auto range = file_.rowsOf("pieces", branch);
  if (!range) return index;
  const std::int64_t first = std::max(range->first, index.last_row + 1);
  index.last_row = range->second;
  file_.forEachPieceRow(first, range->second, [&](const verify::recorded::RunFile::PieceRow& row) {
    for (const PackedMotion& motion : row.motions) {
      std::vector<Start>& starts = index.starts[static_cast<std::size_t>(motion.body)];
      if (!starts.empty() && row.t0 <= starts.back().t0)
        file_.connection().damaged(
            fmt::format("row {} of 'pieces' does not come after the piece of its body before it", row.id));
      starts.push_back({row.t0, row.id});
    }
  });
  return index;
}

verify::kernel::Piece PieceIndex::read(const std::vector<Start>& starts, std::size_t number, int body) {
  // What the row leaves out stands in the row of the piece before, except what that one leaves out itself: its end
  // never.
  BodyEnd end;
  std::optional<verify::kernel::Piece> found;
  const auto load = [&](std::int64_t id, bool whole) {
    file_.forEachPieceRow(id, id, [&](const verify::recorded::RunFile::PieceRow& row) {
      for (PackedMotion& motion : row.motions) {
        if (motion.body != body) continue;
        verify::kernel::Piece& m = motion.piece;
        if (whole) {
          try {
            verify::recorded::complete(motion, end);
          } catch (const verify::recorded::BlobError& error) {
            file_.connection().damaged(fmt::format("row {} of 'pieces' {}", row.id, error.what));
          }
          found = m;
        } else {
          end.known = true;
          std::copy_n(m.p[m.p_degree], 3, end.p), std::copy_n(m.q[m.q_degree], 4, end.q),
              std::copy_n(m.velocity + 6, 6, end.velocity);
        }
      }
    });
  };
  if (number > 0) load(starts[number - 1].row, false);
  load(starts[number].row, true);
  if (!found) file_.connection().damaged("a row of 'pieces' is gone");
  return *found;
}

std::optional<verify::kernel::Piece> PieceIndex::latest(int branch, int body, double time) {
  const std::vector<Start>& starts = at(branch).starts[static_cast<std::size_t>(body)];
  const auto after =
      std::upper_bound(starts.begin(), starts.end(), time, [](double t, const Start& s) { return t < s.t0; });
  if (after == starts.begin()) return std::nullopt;
  return read(starts, static_cast<std::size_t>(after - starts.begin()) - 1, body);
}

std::optional<double> PieceIndex::startAfter(int branch, int body, double time) {
  const std::vector<Start>& starts = at(branch).starts[static_cast<std::size_t>(body)];
  const auto after =
      std::upper_bound(starts.begin(), starts.end(), time, [](double t, const Start& s) { return t < s.t0; });
  return after == starts.end() ? std::nullopt : std::optional(after->t0);
}

std::optional<double> PieceIndex::startBefore(int branch, int body, double time) {
  const std::vector<Start>& starts = at(branch).starts[static_cast<std::size_t>(body)];
  const auto from =
      std::lower_bound(starts.begin(), starts.end(), time, [](const Start& s, double t) { return s.t0 < t; });
  return from == starts.begin() ? std::nullopt : std::optional(std::prev(from)->t0);
}

}  // namespace rigor::record
