// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "impact/sets/exact_faces.h"
#include "impact/sets/exact_spiral.h"

namespace rigor::impact {

/// Limits of the search for an exact set, in counts that do not depend on the machine.
struct ExactSetLimits {
  std::int64_t work = 4'000'000'000;  ///< Products of entries, about: 2 to 10 of them take a microsecond.
  int pieces = 20'000;                ///< Polytopes that are followed.
  GoesOn goes_on = nullptr;
};

/// All outcomes of an impact without restitution in the inclusion of Routh, Halm and Posa: a union of polytopes,
/// exact.
///
/// Guarantee: every point of final() is the end of a motion of the inclusion, or a limit of such ends. With complete()
/// they are all ends of motions that switch finitely often between faces, and their limits; else the search met a limit
/// (`limit()`), and they are some of them. Algorithm and proof: docs/impact-sets.md. With
/// relaxed friction a complete set holds all outcomes, and more. Deterministic.
class ExactSet {
 public:
  /// Where a polytope of the list comes from: it is post() of the part of piece `source` on `plane` (all of it: -1), or
  /// of the start. With a spiral: what its turns reach from points of the source, its limit too.
  struct Step {
    int face = 0, source = -1, plane = -1;
    ExactCone reached;
    std::optional<ExactSpiral> spiral = std::nullopt;
  };
  /// One polytope of the list of a face: the exact union of the results of `steps`.
  struct Piece {
    int face = 0;
    ExactCone polytope;
    std::vector<int> steps;
    bool live = true;  ///< Not swallowed by a later one.
  };
  /// One polytope of outcomes, part of a piece.
  struct Final {
    ExactCone polytope;
    std::vector<int> pieces;  ///< Those that it was joined from.
  };

  explicit ExactSet(const ImpactProblem& problem, const ExactSetLimits& limits = {}, ExactFriction friction = {});
  ExactSet(const ExactSet&) = delete;
  ExactSet& operator=(const ExactSet&) = delete;

  bool complete() const { return limit_.empty(); }
  const std::string& limit() const { return limit_; }
  const ExactProblem& problem() const { return problem_; }
  /// Coordinates before the impact, homogeneous.
  const ExactVector& start() const { return start_; }
  const ExactFaces& faces() const { return faces_; }
  const std::vector<Piece>& pieces() const { return pieces_; }
  const std::vector<Step>& steps() const { return steps_; }
  const std::vector<Final>& final() const { return final_; }
  int facesVisited() const { return visited_; }
  std::int64_t work() const { return budget_.work; }
  /// Points of a piece on a plane; all of them for -1.
  std::vector<ExactVector> pointsOf(int piece, int plane) const;

 private:
  ExactCone partOf(int piece, int plane) const;
  void search();
  void follow(int piece);
  void add(int face, int source, int plane);
  void closeSpiral(int piece);
  void insert(Piece piece);
  void collectFinal();

  ExactSetLimits limits_;
  ExactBudget budget_;
  ExactProblem problem_;
  ExactVector start_;
  ExactFaces faces_;
  std::vector<Piece> pieces_;
  std::vector<Step> steps_;
  std::vector<Final> final_;
  std::vector<std::vector<int>> list_;  // of each face: its live pieces
  // Pieces that are to be followed, after the planes that hold their face: those of large faces swallow what comes from
  // small ones, so that less is followed in vain. Of equal ones, after the length of their numbers: these grow from
  // step to step, and what has long ones often lies in what short ones reach. By turns those of the shortest numbers
  // come first whatever their face: else thin parts that lie in what waits may be added for ever.
  using Order = std::tuple<std::ptrdiff_t, std::int64_t, int>;
  std::set<Order> waiting_;
  std::set<std::pair<std::int64_t, int>> waiting_by_length_;
  std::vector<Order> orders_;  // of all pieces
  std::string limit_;
  int visited_ = 0;
};

}  // namespace rigor::impact
