// SPDX-License-Identifier: MIT
#pragma once
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "verify/kernel/claims.h"

namespace rigor::verify::kernel {

/// Something that is not proved, and where.
struct Finding {
  bool refuted = true;  ///< It is wrong; else it was not shown to be right.
  std::int64_t piece = -1;
  int body_a = -1, body_b = -1;
  double time = 0;
  std::string reason;
};

/// Where a branch begins: as the model says, or as its parent's motion is at the fork. Ancestors of no length pass on
/// what they start from, and what acted in them.
struct Origin {
  struct State {
    std::array<double, 7> pose{};      ///< Of the centre; compared bit for bit.
    std::array<double, 6> velocity{};  ///< v, w before anything acts there.
  };
  bool of_model = true;
  std::vector<State> states;  ///< A body each; unused where of_model.
  std::vector<Impact> impacts;
  std::vector<Action> actions;
};

/// One thing that is to be proved about a branch.
struct Obligation {
  enum class Kind : std::uint32_t {
    kOrientation,  ///< `number`: a piece. Its quaternion vanishes nowhere.
    kJoin,         ///< A piece. It starts where the body's piece before it ends, bit for bit.
    kStart,        ///< A body. Its first piece starts where the branch does.
    kEnd,          ///< A body. Its last piece ends where the branch does.
    kClaim,        ///< A claim, over all pieces that it meets.
    kCoverage,     ///< A pair of parts. Every instant is covered by a claim or by boxes.
  };
  Kind kind;
  std::uint32_t number;
};

/// What is to be proved about one branch, derived from its rows: with nothing of it open, at every instant from the
/// branch's start to horizon() all pairs of parts that may collide are at least the branch's min_gap apart, and motions
/// are continuous. discharge() may be called from any thread.
class BranchProof {
 public:
  /// @param origin  Nothing where it is unknown, which stays open.
  BranchProof(const Run& run, const Branch& branch, BranchRows rows, const std::optional<Origin>& origin);

  /// Open from the start: what is malformed, so that nothing can be derived from it.
  const std::vector<Finding>& malformed() const { return malformed_; }
  const std::vector<Obligation>& obligations() const { return obligations_; }
  std::optional<Finding> discharge(const Obligation& obligation) const;

  double horizon() const { return horizon_; }  ///< Up to here there is a motion of everything [s].
  /// Nothing more can be said about it: some row has no meaning.
  bool sound() const { return malformed_.empty(); }
  bool instant() const { return instant_; }    ///< The branch has no length and moves nothing.
  std::optional<Origin> originOf(const Branch& child) const;

  // For filters, which prove some obligations faster.
  struct Pair {
    int body_a, part_a, body_b, part_b;
    std::size_t first, last;  ///< Its claims, by t0.
  };
  const Run& run() const { return run_; }
  const Branch& branch() const { return branch_; }
  const BranchRows& rows() const { return rows_; }
  const std::optional<Origin>& origin() const { return origin_; }
  const std::vector<Pair>& pairs() const { return pairs_; }
  std::span<const Piece> piecesOf(int body) const { return motion_[static_cast<std::size_t>(body)]; }
  /// Of a body's pieces, those that meet the open interval.
  PieceRange piecesIn(int body, double from, double to) const;
  /// The impact of a body at a time that comes first; nothing if there is none.
  const Impact* firstImpact(int body, double time) const;
  /// Intervals of a pair that no claim covers.
  std::vector<std::pair<double, double>> holesOf(const Pair& pair) const;

 private:
  bool sortPieces();
  void sortClaims();
  void derive();
  std::optional<Finding> dischargeJoin(const Piece& piece) const;
  std::optional<Finding> dischargeStart(int body) const;
  std::optional<Finding> dischargeModelStart(int body) const;
  std::optional<Finding> dischargeEnd(int body) const;
  std::optional<Finding> dischargeClaim(const Claim& claim) const;
  std::optional<Finding> dischargeCoverage(const Pair& pair) const;
  Finding about(const Piece& piece, double time, std::string reason, bool refuted = true) const;
  const Run& run_;
  const Branch& branch_;
  BranchRows rows_;
  const std::optional<Origin> origin_;
  double horizon_ = 0;
  bool instant_ = false;
  std::vector<Piece> fixed_;                     // Poses of fixed bodies, at their numbers.
  std::vector<std::span<const Piece>> motion_;   // Of each body, in order of time.
  std::vector<Pair> pairs_;
  std::vector<Finding> malformed_;
  std::vector<Obligation> obligations_;
};

}  // namespace rigor::verify::kernel
