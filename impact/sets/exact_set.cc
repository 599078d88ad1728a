// SPDX-License-Identifier: MIT
#include "impact/sets/exact_set.h"

#include <algorithm>

namespace rigor::impact {
namespace {

// Lengths of numbers that differ by less count as equal in the order of what is followed [words].
constexpr std::int64_t kWordsAlike = 8;
// Pieces that are followed in one of the two orders before the other one's turn: spirals show within some dozen.
constexpr int kInOneOrder = 64;
constexpr int kLongestTurn = 12;  // Moves. That of two contacts has four.

ExactVector homogeneous(const std::vector<mpq_class>& point) {
  std::vector<mpq_class> entries{1};
  entries.insert(entries.end(), point.begin(), point.end());
  return ExactVector::ofRationals(entries);
}

}  // namespace

ExactSet::ExactSet(const ImpactProblem& problem, const ExactSetLimits& limits, ExactFriction friction)
    : limits_(limits),
      budget_{0, limits.work, limits.goes_on},
      problem_(problem, ExactProblem::Contacts::kFinite, std::move(friction)),
      start_(homogeneous(problem_.start())),
      faces_(problem_, &budget_) {
  try {
    search();
  } catch (const ExactLimit& reached) {
    limit_ = reached.what();
  }
  // What was found up to a limit is described without one.
  budget_.limit = 0;
  collectFinal();
}

std::vector<ExactVector> ExactSet::pointsOf(int piece, int plane) const {
  const std::vector<ExactVector>& all = pieces_[static_cast<size_t>(piece)].polytope.rays();
  if (plane < 0) return all;
  std::vector<ExactVector> on;
  for (const ExactVector& x : all) {
    if (faces_.plane(plane).signOfDot(x) == 0) on.push_back(x);
  }
  return on;
}

ExactCone ExactSet::partOf(int piece, int plane) const {
  ExactCone part = pieces_[static_cast<size_t>(piece)].polytope;
  if (plane < 0) return part;
  part.intersect(faces_.plane(plane), true);
  part.minimise();
  return part;
}

void ExactSet::search() {
  const std::vector<ExactVector> start{start_};
  const int face = faces_.find(faces_.around(start));
  if (faces_.finished(face)) {
    // Nothing approaches: the start is the outcome.
    Piece piece;
    piece.face = face;
    piece.polytope = ExactCone::ofGenerators(problem_.rank() + 1, start, &budget_);
    insert(std::move(piece));
    return;
  }
  add(face, -1, -1);
  for (int turn = 0; !waiting_.empty(); ++turn) {
    const bool by_length = turn / kInOneOrder % 2 != 0;
    const int next = by_length ? waiting_by_length_.begin()->second : std::get<int>(*waiting_.begin());
    const auto& [zeros, words, number] = orders_[static_cast<size_t>(next)];
    waiting_by_length_.erase({words, number});
    waiting_.erase(orders_[static_cast<size_t>(next)]);
    if (pieces_[static_cast<size_t>(next)].live) closeSpiral(next);
    if (pieces_[static_cast<size_t>(next)].live) follow(next);
  }
}

void ExactSet::follow(int number) {
  const int face = pieces_[static_cast<size_t>(number)].face;
  for (int plane = 0; plane < faces_.numPlanes(); ++plane) {  // Down, to the boundary.
    if (faces_.signs(face)[static_cast<size_t>(plane)] == 0) continue;
    const std::vector<ExactVector> points = pointsOf(number, plane);
    if (points.empty()) continue;
    const int lower = faces_.find(faces_.around(points));
    if (!faces_.finished(lower)) add(lower, number, plane);
  }
  const std::vector<int> entered = faces_.entered(face);
  for (int upper : entered) add(upper, number, -1);
}

void ExactSet::add(int face, int source, int plane) {
  const std::vector<ExactVector> points =
      source < 0 ? std::vector<ExactVector>{start_} : pointsOf(source, plane);
  if (static_cast<int>(list_.size()) <= face) list_.resize(static_cast<size_t>(face) + 1);
  // Each list is closed under post() of its face: points inside one polytope lead nowhere else.
  for (int known : list_[static_cast<size_t>(face)]) {
    const ExactCone& polytope = pieces_[static_cast<size_t>(known)].polytope;
    if (std::all_of(points.begin(), points.end(), [&](const ExactVector& x) { return polytope.contains(x); })) return;
  }
  Step step{face, source, plane, source < 0 ? faces_.post(points, face) : faces_.post(partOf(source, plane), face)};
  Piece piece{face, step.reached, {static_cast<int>(steps_.size())}, true};
  steps_.push_back(std::move(step));
  insert(std::move(piece));
}

/// Where the moves that led here are those of two turns, three polytopes tell a spiral: its limit is added at once.
void ExactSet::closeSpiral(int number) {
  std::vector<int> pieces{number};  // and before them
  std::vector<ExactSpiral::Move> moves;
  for (int turn = 1; turn <= kLongestTurn; ++turn) {
    while (static_cast<int>(moves.size()) < 2 * turn) {
      const std::vector<int>& steps = pieces_[static_cast<size_t>(pieces.back())].steps;
      if (steps.empty()) return;
      const Step& step = steps_[static_cast<size_t>(steps[0])];
      if (step.source < 0 || step.spiral) return;
      moves.push_back({step.face, step.plane});
      pieces.push_back(step.source);
    }
    const auto half = moves.begin() + turn;
    if (!std::equal(moves.begin(), half, half)) continue;
    const auto polytope = [&](int turns) -> const ExactCone& {
      return pieces_[static_cast<size_t>(pieces[static_cast<size_t>(turns * turn)])].polytope;
    };
    std::optional<ExactSpiral> spiral =
        findSpiral(faces_, {std::make_reverse_iterator(half), moves.rend()}, polytope(2), polytope(1), polytope(0));
    if (!spiral) continue;
    std::vector<ExactVector> points = spiral->resting;
    points.insert(points.end(), spiral->turning.begin(), spiral->turning.end());
    points.push_back(spiral->limit);
    const int face = pieces_[static_cast<size_t>(number)].face;
    Step step{face, number, -1, ExactCone::ofGenerators(problem_.rank() + 1, points, &budget_), std::move(spiral)};
    Piece piece{face, step.reached, {static_cast<int>(steps_.size())}, true};
    steps_.push_back(std::move(step));
    insert(std::move(piece));
    return;
  }
}

void ExactSet::insert(Piece piece) {
  if (static_cast<int>(list_.size()) <= piece.face) list_.resize(static_cast<size_t>(piece.face) + 1);
  std::vector<int>& list = list_[static_cast<size_t>(piece.face)];
  if (list.empty()) ++visited_;
  bool changed = true;
  while (changed) {
    changed = false;
    for (size_t k = 0; k < list.size(); ++k) {
      Piece& other = pieces_[static_cast<size_t>(list[k])];
      const bool swallowed = piece.polytope.contains(other.polytope);
      ExactCone hull;
      if (!swallowed && !joinIfConvex(piece.polytope, other.polytope, &budget_, hull)) continue;
      if (!swallowed) {
        piece.polytope = std::move(hull);
        piece.steps.insert(piece.steps.end(), other.steps.begin(), other.steps.end());
      }
      other.live = false;
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(k));
      changed = true;
      break;
    }
  }
  if (static_cast<int>(pieces_.size()) >= limits_.pieces) throw ExactLimit("the limit of pieces");
  const auto number = static_cast<int>(pieces_.size());
  list.push_back(number);
  const ExactFaces::Signs& signs = faces_.signs(piece.face);
  std::int64_t words = 0;
  for (const ExactVector& x : piece.polytope.rays()) words = std::max(words, x.words());
  orders_.emplace_back(std::count(signs.begin(), signs.end(), 0), words / kWordsAlike, number);
  waiting_.insert(orders_.back());
  waiting_by_length_.emplace(words / kWordsAlike, number);
  pieces_.push_back(std::move(piece));
}

void ExactSet::collectFinal() {
  for (size_t number = 0; number < pieces_.size(); ++number) {
    const Piece& piece = pieces_[number];
    if (!piece.live) continue;
    // Inside the closure of a face a contact that approaches there is finished where it no longer moves.
    std::vector<ExactVector> points = piece.polytope.rays();
    for (int i = 0; i < problem_.numContacts(); ++i) {
      const int row = problem_.normalRow(i);
      if (faces_.rowSign(row, faces_.signs(piece.face)) >= 0) continue;
      const ExactVector& plane = faces_.plane(problem_.rows()[static_cast<size_t>(row)].plane);
      std::erase_if(points, [&](const ExactVector& x) { return plane.signOfDot(x) != 0; });
    }
    if (points.empty()) continue;
    Final fresh{ExactCone::ofGenerators(problem_.rank() + 1, points, &budget_), {static_cast<int>(number)}};
    bool known = false;
    for (const Final& other : final_) known = known || other.polytope.contains(fresh.polytope);
    if (known) continue;
    std::erase_if(final_, [&](const Final& other) { return fresh.polytope.contains(other.polytope); });
    final_.push_back(std::move(fresh));
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t a = 0; a < final_.size() && !changed; ++a) {
      for (size_t b = a + 1; b < final_.size() && !changed; ++b) {
        ExactCone hull;
        if (!joinIfConvex(final_[a].polytope, final_[b].polytope, &budget_, hull)) continue;
        final_[a].polytope = std::move(hull);
        final_[a].pieces.insert(final_[a].pieces.end(), final_[b].pieces.begin(), final_[b].pieces.end());
        final_.erase(final_.begin() + static_cast<std::ptrdiff_t>(b));
        changed = true;
      }
    }
  }
}

}  // namespace rigor::impact
