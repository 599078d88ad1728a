// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "sim/sink.h"
#include "verify/record/motions.h"

namespace rigor::record {

/// Rows of the table `pieces` that no transaction has yet, packed as they come: a tenth of the bytes of the pieces.
class PieceRows {
 public:
  struct Row {
    std::int64_t step;
    double t0, t1;
    std::span<const unsigned char> motions;
  };

  /// How the model's bodies hang on others.
  void carry(std::vector<verify::recorded::Carriage> carriages) { packer_.carry(std::move(carriages)); }
  /// Where a body turns about its carrier at the end of its next piece, as far as known.
  void turn(int body, const verify::recorded::Turning& turning);
  /// The next pieces lean on none.
  void restart() { ends_.clear(); }
  /// A piece that shares step and interval with the one before goes into the same row.
  void add(const sim::PieceRecord& record);
  /// The piece of a body in the row that was begun last, if that is this step's over [t0, t1]; or null. Valid until
  /// add().
  const verify::kernel::Piece* inLastRow(int body, std::int64_t step, double t0, double t1) const;

  template <typename Use>
  void each(const Use& use) {
    close();
    std::size_t at = 0;
    for (const Head& row : rows_) {
      use(Row{row.step, row.t0, row.t1, std::span(bytes_).subspan(at, row.size)});
      at += row.size;
    }
  }
  void clear();

 private:
  struct Head {
    std::int64_t step;
    double t0, t1;
    std::size_t size;
  };
  struct Entry {
    verify::kernel::Piece piece;
    verify::recorded::Turning turning;
  };
  void close();  // What was begun becomes a row.
  bool isLast(std::int64_t step, double t0, double t1) const;

  std::vector<Entry> last_;  // Of the row that was begun, or of the one before.
  std::vector<std::size_t> place_of_;  // By body: of the first one in last_, where it has one; else anything.
  bool isInLast(std::size_t body) const {
    return body < place_of_.size() && place_of_[body] < last_.size() &&
           last_[place_of_[body]].piece.body == static_cast<int>(body);
  }
  bool is_open_ = false;
  verify::recorded::MotionPacker packer_;
  std::vector<verify::recorded::BodyEnd> ends_;
  std::vector<verify::recorded::Turning> turnings_;
  std::vector<Head> rows_;
  verify::recorded::Bytes bytes_;
};

}  // namespace rigor::record
