// SPDX-License-Identifier: MIT
#include "impact/sets/directed_search.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "impact/random_stream.h"
#include "impact/sets/linear_program.h"

namespace rigor::impact {
namespace {

using Rationals = std::vector<mpq_class>;

// Heights of planes, relative to the largest speed before, that are zero up to rounding of a walk in doubles.
constexpr double kOnPlane = 1e-11;
// Lengths of a walk, pushes that act at once in one of its moves, and attempts to draw a move.
constexpr int kMostMoves = 120, kMostPushes = 20, kAttempts = 100;
// Share of the walks in which one contact acts at a time.
constexpr double kSequentialWalks = 0.3;
// Share of the forces beyond a border of slip that are those of the next edge of the cone.
constexpr double kNeighbours = 0.8;
// In half of the walks where what is pressed resists, the share of the moves that are drawn as one balance of all. In
// it, of those contacts that approach the share that push; of those that do not slip the share that go on so.
constexpr double kBalanced = 0.8, kPushing = 0.7, kSticking = 0.5;
// Zero of the program that draws it, of entries of order one.
constexpr double kBalanceZero = 1e-10;
// Share of the moves that go on until a velocity reaches zero.
constexpr double kFullMoves = 0.7;  // of half of the walks; all of the others'
// Walks between two calls of SearchOptions::goes_on.
constexpr long kBetween = 256;
// A part of a move is a rational number with this denominator.
constexpr long kParts = 1024;

/// A move: pushes whose weights keep planes at zero, until `stop` does so (part = kParts) or for a part of that way.
struct Move {
  std::vector<int> pushes, kept;
  int stop = -1;
  long part = kParts;
};

struct Walk {
  std::vector<Move> moves;
  std::vector<double> weights;  // accumulated, of all pushes
  bool ended = false;
};

/// A walk and what it is worth.
struct Ranked {
  double value = 0;
  Walk walk;
};
/// How a walk draws its moves.
struct Habits {
  double resist = 0;      // How often what would be pressed together resists: never, by chance, always.
  double full = 1;        // Share of the moves that go all the way.
  bool persists = false;  // A contact goes on while it approaches.
  bool balances = false;  // Moves are drawn as a balance of all contacts.
};
// Walks that are kept of each direction: the best alone is a trap.
constexpr size_t kPool = 8;

/// Null vector of a k x (k + 1) matrix, scaled to a first entry of 1; empty where it is not unique or has an entry <=
/// 0.
template <typename T>
std::vector<T> balance(std::vector<std::vector<T>> rows, size_t count, const T& least) {
  using std::abs;
  std::vector<size_t> pivots;
  size_t next = 0;
  for (size_t j = count; j-- > 1 && next < rows.size();) {
    size_t best = next;
    for (size_t i = next; i < rows.size(); ++i) {
      if (abs(rows[i][j]) > abs(rows[best][j])) best = i;
    }
    if (!(abs(rows[best][j]) > least)) return {};
    std::swap(rows[next], rows[best]);
    for (size_t i = 0; i < rows.size(); ++i) {
      if (i == next || rows[i][j] == 0) continue;
      const T factor = rows[i][j] / rows[next][j];
      for (size_t k = 0; k < count; ++k) rows[i][k] -= factor * rows[next][k];
    }
    pivots.push_back(j);
    ++next;
  }
  if (pivots.size() + 1 != count) return {};
  // Rows beyond must follow from the others: nearly dependent ones do so in doubles alone.
  for (; next < rows.size(); ++next) {
    if (!(abs(rows[next][0]) <= least)) return {};
  }
  std::vector<T> weights(count, T(1));
  for (size_t i = 0; i < pivots.size(); ++i) {
    weights[pivots[i]] = -rows[i][0] / rows[i][pivots[i]];
    if (!(weights[pivots[i]] > least)) return {};
  }
  return weights;
}

/// The problem as planes and pushes, in numbers of type T.
template <typename T>
struct Board {
  std::vector<T> start;                  // heights of the planes
  std::vector<std::vector<T>> effect;    // of each push on each plane
};

class Search {
 public:
  Search(const ExactProblem& problem, const SearchOptions& options)
      : problem_(problem), options_(options), quantities_(quantitiesOf(problem)), random_({options.seed, 0}) {
    if (options.contacts_alone) quantities_.resize(quantities_.size() - problem.velocityMap().size());  // The last.
    double speed = problem.speed() > 0 ? problem.speed() : 1;
    for (const ExactVector& plane : problem.planes()) {
      // Of each plane the row that it belongs to, so that heights are speeds.
      for (const ExactProblem::Row& row : problem.rows()) {
        if (row.plane < 0 || row.side < 0 || !(problem.planes()[static_cast<size_t>(row.plane)] == plane)) continue;
        rows_.push_back(row.of);
        break;
      }
    }
    for (int i = 0; i < problem.numContacts(); ++i) {
      for (const ExactForce& force : problem.forces(i)) pushes_.push_back(&force);
    }
    for (const Rationals& row : rows_) {
      exact_.start.push_back(product(row, problem.start()));
      rounded_.start.push_back(exact_.start.back().get_d() / speed);
    }
    for (const ExactForce* push : pushes_) {
      exact_.effect.emplace_back();
      rounded_.effect.emplace_back();
      double largest = 0;
      for (const Rationals& row : rows_) {
        exact_.effect.back().push_back(product(row, push->effect));
        largest = std::max(largest, std::abs(exact_.effect.back().back().get_d()));
      }
      scale_.push_back(largest > 0 ? largest : 1);
      for (const mpq_class& entry : exact_.effect.back())
        rounded_.effect.back().push_back(entry.get_d() / scale_.back());
    }
    for (const ExactQuantity& quantity : quantities_) {
      gains_.emplace_back();
      for (size_t p = 0; p < pushes_.size(); ++p)
        gains_.back().push_back(product(quantity.of, pushes_[p]->effect).get_d() / scale_[p]);
    }
  }

  std::vector<SetCertificate::Chain> run() {
    const size_t goals = 2 * quantities_.size();
    pools_.assign(goals, {});
    for (long k = 0; k < options_.walks && goesOn(); ++k) offer(draw({}));
    for (long k = 0; k < options_.improvements; ++k) {
      for (size_t g = 0; g < goals && goesOn(); ++g) {
        if (pools_[g].empty()) continue;
        // Half of the attempts at the best one, the others at those behind it.
        const int from = random_.uniform() < 0.5 ? 0 : pick(pools_[g].size());
        offer(vary(pools_[g][static_cast<size_t>(from)].walk.moves));
      }
    }
    std::vector<SetCertificate::Chain> chains;
    for (const std::vector<Ranked>& pool : pools_) {
      for (const Ranked& ranked : pool) {
        std::optional<SetCertificate::Chain> chain = follow(ranked.walk);
        if (!chain) continue;  // Not the same moves in rational numbers: the next best.
        chains.push_back(std::move(*chain));
        break;
      }
    }
    return chains;
  }

 private:
  /// Of the walk that is next.
  bool goesOn() {
    const auto goals = static_cast<long>(pools_.size());
    if (!ended_ && options_.goes_on && done_ % kBetween == 0)
      ended_ = !options_.goes_on(done_, options_.walks + options_.improvements * goals);
    ++done_;
    return !ended_;
  }

  static mpq_class product(const Rationals& a, const Rationals& b) {
    mpq_class sum = 0;
    for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
  }

  double valueOf(const Walk& walk, size_t goal) const {
    const std::vector<double>& gain = gains_[goal / 2];
    double sum = 0;
    for (size_t p = 0; p < gain.size(); ++p) sum += gain[p] * walk.weights[p];
    return goal % 2 ? -sum : sum;
  }

  int rowSign(int row, const std::vector<int>& signs) const {
    const ExactProblem::Row& r = problem_.rows()[static_cast<size_t>(row)];
    return r.plane < 0 ? 0 : r.side * signs[static_cast<size_t>(r.plane)];
  }
  bool mayPush(size_t push, const std::vector<int>& signs) const {
    const ExactForce& force = *pushes_[push];
    return rowSign(problem_.normalRow(force.contact), signs) <= 0 &&
           std::none_of(force.against.begin(), force.against.end(), [&](const ExactForce::Against& against) {
             return rowSign(against.row, signs) == against.sign;
           });
  }
  bool isFinished(const std::vector<int>& signs) const {
    for (int i = 0; i < problem_.numContacts(); ++i) {
      if (rowSign(problem_.normalRow(i), signs) < 0) return false;
    }
    return true;
  }

  /// Weights that keep the move's planes at zero, and where they lead.
  template <typename T>
  bool weigh(const Board<T>& board, const Move& move, const T& least, std::vector<T>& weights,
             std::vector<T>& direction) const {
    std::vector<std::vector<T>> rows;
    for (int plane : move.kept) {
      rows.emplace_back();
      for (int push : move.pushes)
        rows.back().push_back(board.effect[static_cast<size_t>(push)][static_cast<size_t>(plane)]);
    }
    weights = balance(rows, move.pushes.size(), least);
    if (weights.empty()) return false;
    direction.assign(board.start.size(), T(0));
    for (size_t k = 0; k < weights.size(); ++k) {
      for (size_t p = 0; p < direction.size(); ++p)
        direction[p] += weights[k] * board.effect[static_cast<size_t>(move.pushes[k])][p];
    }
    for (int plane : move.kept) direction[static_cast<size_t>(plane)] = 0;
    return true;
  }

  /// Direction of a move from heights with these signs, and the face that it is on.
  template <typename T>
  bool aim(const Board<T>& board, const Move& move, const std::vector<int>& signs, const T& least,
           std::vector<T>& weights, std::vector<T>& direction, std::vector<int>& face) const {
    if (!weigh(board, move, least, weights, direction)) return false;
    face = signs;
    for (size_t p = 0; p < face.size(); ++p) {
      if (face[p] == 0) face[p] = direction[p] > least ? 1 : direction[p] < -least ? -1 : 0;
    }
    if (isFinished(face)) return false;
    return std::all_of(move.pushes.begin(), move.pushes.end(),
                       [&](int push) { return mayPush(static_cast<size_t>(push), face); });
  }

  int pick(size_t count) {
    return std::min(static_cast<int>(count) - 1, static_cast<int>(random_.uniform() * static_cast<double>(count)));
  }

  int pushOf(int contact, int slip) const {
    for (size_t p = 0; p < pushes_.size(); ++p) {
      if (pushes_[p]->contact == contact && (slip == 0 || pushes_[p]->slip == slip)) return static_cast<int>(p);
    }
    return -1;
  }
  /// The force that takes over; where it acts already, another one of the contact.
  int pushBeyond(const Move& move, int contact, int slip) {
    const int push = pushOf(contact, slip);
    const auto count = problem_.forces(contact).size();
    if (count <= 2 || (!holds(move.pushes, push) && random_.uniform() < kNeighbours)) return push;
    const int other = push - slip + 1 + pick(count);  // A spatial contact's are numbered from 1, in a row.
    return holds(move.pushes, other) ? push : other;
  }
  int anyPush(int contact, const std::vector<int>& signs) {
    std::vector<int> able;
    for (size_t p = 0; p < pushes_.size(); ++p) {
      if (pushes_[p]->contact == contact && mayPush(p, signs)) able.push_back(static_cast<int>(p));
    }
    return able.empty() ? -1 : able[static_cast<size_t>(pick(able.size()))];
  }
  int planeOf(int row) const { return row < 0 ? -1 : problem_.rows()[static_cast<size_t>(row)].plane; }
  static bool holds(const std::vector<int>& list, int value) {
    return std::find(list.begin(), list.end(), value) != list.end();
  }

  /// Adds what a push needs to be allowed (sticking), and, with probability `resist`, contacts that it would press
  /// together.
  bool complete(Move& move, const std::vector<int>& signs, double resist) {
    std::vector<double> weights, direction;
    std::vector<int> asked;
    while (move.pushes.size() <= kMostPushes) {
      if (!weigh(rounded_, move, kOnPlane, weights, direction)) return false;
      const auto along = [&](int row) {
        const ExactProblem::Row& r = problem_.rows()[static_cast<size_t>(row)];
        return r.plane < 0 ? 0.0 : r.side * direction[static_cast<size_t>(r.plane)];
      };
      int added = -1, plane = -1;
      for (size_t k = 0; k < move.pushes.size() && added < 0; ++k) {
        const ExactForce& force = *pushes_[static_cast<size_t>(move.pushes[k])];
        for (const ExactForce::Against& against : force.against) {
          plane = planeOf(against.row);
          if (plane < 0 || signs[static_cast<size_t>(plane)] != 0 || along(against.row) * against.sign <= kOnPlane ||
              holds(move.kept, plane))
            continue;
          added = pushBeyond(move, force.contact, against.beyond);
          break;
        }
      }
      for (int i = 0; i < problem_.numContacts() && added < 0; ++i) {
        const int row = problem_.normalRow(i);
        plane = planeOf(row);
        if (plane < 0 || rowSign(row, signs) != 0 || along(row) >= -kOnPlane || holds(asked, i) ||
            holds(move.kept, plane))
          continue;
        asked.push_back(i);
        if (random_.uniform() < resist) added = anyPush(i, signs);
      }
      if (added < 0) return true;
      if (holds(move.pushes, added)) return false;
      move.pushes.push_back(added);
      move.kept.push_back(plane);
    }
    return false;
  }

  /// A random balance: contacts that approach push, and those at rest, each asked with probability `resist`, are kept
  /// at rest by pushes of theirs. Pushes are empty where there is none.
  Move drawBalance(const std::vector<int>& signs, double resist) {
    Move move;
    std::vector<int> able;
    std::vector<bool> approaches;
    for (int i = 0; i < problem_.numContacts(); ++i) {
      const int normal = problem_.normalRow(i), sign = rowSign(normal, signs);
      if (sign > 0 || random_.uniform() > (sign < 0 ? kPushing : resist)) continue;
      if (sign == 0 && planeOf(normal) >= 0) move.kept.push_back(planeOf(normal));
      const size_t first = able.size();
      for (size_t p = 0; p < pushes_.size(); ++p) {
        if (pushes_[p]->contact == i && mayPush(p, signs)) able.push_back(static_cast<int>(p));
      }
      if (able.size() - first > 1 && random_.uniform() > kSticking) {
        able[first] = able[first + static_cast<size_t>(pick(able.size() - first))];
        able.resize(first + 1);
      } else if (able.size() - first > 1) {
        for (size_t k = first; k < able.size(); ++k) {
          for (const ExactForce::Against& against : pushes_[static_cast<size_t>(able[k])]->against) {
            const int plane = planeOf(against.row);
            if (plane >= 0 && signs[static_cast<size_t>(plane)] == 0 && !holds(move.kept, plane))
              move.kept.push_back(plane);
          }
        }
      }
      approaches.resize(able.size(), sign < 0);
    }
    std::vector<std::vector<double>> A(1, std::vector<double>(able.size(), 0.0));
    std::vector<double> b(move.kept.size() + 1, 0.0), cost;
    b[0] = 1;
    for (size_t k = 0; k < able.size(); ++k) {
      A[0][k] = approaches[k] ? 1 : 0;
      cost.push_back(random_.uniform());
    }
    for (int plane : move.kept) {
      A.emplace_back();
      for (int push : able) A.back().push_back(rounded_.effect[static_cast<size_t>(push)][static_cast<size_t>(plane)]);
    }
    LinearProgram<double> program(std::move(A), std::move(b), std::move(cost), kBalanceZero);
    if (program.solve() != ProgramStatus::kOptimal) return move;
    const std::vector<double> weights = program.solution();
    for (size_t k = 0; k < able.size(); ++k) {
      if (weights[k] > kOnPlane) move.pushes.push_back(able[k]);
    }
    return move;
  }

  /// @param last  a contact that goes on if it still approaches; -1: none.
  Move drawMove(const std::vector<int>& signs, const Habits& habits, int last) {
    std::vector<int> able;
    for (size_t p = 0; p < pushes_.size(); ++p) if (mayPush(p, signs)) able.push_back(static_cast<int>(p));
    Move move;
    if (last >= 0 && rowSign(problem_.normalRow(last), signs) < 0) {
      std::erase_if(able, [&](int p) { return pushes_[static_cast<size_t>(p)]->contact != last; });
    }
    if (able.empty()) return move;
    if (habits.balances && random_.uniform() < kBalanced) {
      move = drawBalance(signs, random_.uniform() < 0.5 ? habits.resist : std::sqrt(random_.uniform()));
    } else {
      move.pushes.push_back(able[static_cast<size_t>(pick(able.size()))]);
      if (!complete(move, signs, habits.resist)) move.pushes.clear();
    }
    move.part = random_.uniform() <= habits.full ? kParts : 1 + static_cast<long>(random_.uniform() * (kParts - 1));
    return move;
  }

  /// Keeps the walk among the best of every goal that it is good for.
  void offer(const Walk& walk) {
    if (!walk.ended) return;
    for (size_t g = 0; g < pools_.size(); ++g) {
      std::vector<Ranked>& pool = pools_[g];
      const double value = valueOf(walk, g);
      if (pool.size() >= kPool && value <= pool.back().value) continue;
      const auto place =
          std::find_if(pool.begin(), pool.end(), [&](const Ranked& other) { return value >= other.value; });
      if (place != pool.end() && value - place->value <= kOnPlane * std::abs(value)) continue;  // Known.
      pool.insert(place, {value, walk});
      if (pool.size() > kPool) pool.pop_back();
    }
  }

  /// The walk with a new end, or with a move that is shortened, prolonged, left out, drawn anew or put in; the others
  /// follow where they can.
  Walk vary(std::vector<Move> moves) {
    const double u = random_.uniform();
    const auto at = static_cast<size_t>(random_.uniform() * static_cast<double>(moves.size()));
    if (at >= moves.size() || u < 0.35) {
      moves.resize(std::min(at, moves.size()));
    } else if (u < 0.5) {
      moves[at].pushes.clear();
    } else if (u < 0.6) {
      moves.insert(moves.begin() + static_cast<std::ptrdiff_t>(at), Move{});
    } else if (u < 0.7) {
      moves.erase(moves.begin() + static_cast<std::ptrdiff_t>(at));
    } else {
      moves[at].part = u < 0.8 ? kParts : 1 + static_cast<long>(random_.uniform() * (kParts - 1));
    }
    return draw(moves);
  }

  Habits drawHabits() {
    Habits habits;
    // A share of the walks takes one contact after the other, to its end.
    const bool sequential = random_.uniform() < kSequentialWalks;
    if (!sequential) habits.resist = std::floor(random_.uniform() * 2.999) / 2;
    habits.persists = sequential || random_.uniform() < 0.5;
    if (!sequential && random_.uniform() >= 0.5) habits.full = kFullMoves;
    habits.balances = habits.resist > 0 && random_.uniform() < 0.5;
    return habits;
  }

  /// A walk that begins with those of `moves` that are possible, moves without pushes drawn, and goes on at random.
  Walk draw(const std::vector<Move>& moves) {
    Walk walk;
    walk.weights.assign(pushes_.size(), 0.0);
    std::vector<double> height = rounded_.start, weights, direction;
    std::vector<int> signs, face;
    const Habits habits = drawHabits();
    int last = -1;
    size_t next = 0;
    for (double h : height) signs.push_back(h > kOnPlane ? 1 : h < -kOnPlane ? -1 : 0);
    while (!isFinished(signs)) {
      if (walk.moves.size() >= kMostMoves) return walk;
      Move move;
      bool found = false;
      for (; next < moves.size() && !found; ++next) {
        move = moves[next].pushes.empty() ? drawMove(signs, habits, -1) : moves[next];
        found = !move.pushes.empty() && aim(rounded_, move, signs, kOnPlane, weights, direction, face);
      }
      for (int attempt = 0; attempt < kAttempts && !found; ++attempt) {
        move = drawMove(signs, habits, habits.persists ? last : -1);
        found = !move.pushes.empty() && aim(rounded_, move, signs, kOnPlane, weights, direction, face);
      }
      if (!found || !advance(move, face, weights, direction, height, signs, walk)) return walk;
      last = pushes_[static_cast<size_t>(move.pushes[0])]->contact;
      walk.moves.push_back(std::move(move));
    }
    walk.ended = true;
    return walk;
  }

  /// Takes the move. @returns false where nothing stops it.
  bool advance(Move& move, const std::vector<int>& face, const std::vector<double>& weights,
               const std::vector<double>& direction, std::vector<double>& height, std::vector<int>& signs,
               Walk& walk) const {
    double length = HUGE_VAL;
    for (size_t p = 0; p < signs.size(); ++p) {
      if (signs[p] == 0 || signs[p] * direction[p] >= -kOnPlane) continue;
      const double here = -height[p] / direction[p];
      if (here < length) length = here, move.stop = static_cast<int>(p);
    }
    if (!std::isfinite(length)) return false;
    length *= static_cast<double>(move.part) / kParts;
    for (size_t k = 0; k < weights.size(); ++k)
      walk.weights[static_cast<size_t>(move.pushes[k])] += length * weights[k];
    for (size_t p = 0; p < signs.size(); ++p) {
      height[p] += length * direction[p];
      if (face[p] == 0 || std::abs(height[p]) <= kOnPlane) height[p] = 0;
      signs[p] = height[p] > 0 ? 1 : height[p] < 0 ? -1 : 0;
    }
    if (move.part == kParts) height[static_cast<size_t>(move.stop)] = 0, signs[static_cast<size_t>(move.stop)] = 0;
    return true;
  }

  /// The same moves in rational numbers.
  std::optional<SetCertificate::Chain> follow(const Walk& walk) const {
    SetCertificate::Chain chain;
    Rationals height = exact_.start, weights, direction, end = problem_.start();
    std::vector<int> signs, face;
    for (const Move& move : walk.moves) {
      signs.clear();
      for (const mpq_class& h : height) signs.push_back(sgn(h));
      if (isFinished(signs) || !aim(exact_, move, signs, mpq_class(0), weights, direction, face)) return {};
      const auto stop = static_cast<size_t>(move.stop);
      if (sgn(direction[stop]) == 0) return {};
      const mpq_class length = -height[stop] / direction[stop] * mpq_class(move.part, kParts);
      if (sgn(length) <= 0) return {};
      for (size_t p = 0; p < height.size(); ++p) {
        height[p] += length * direction[p];
        if (sgn(height[p]) * face[p] < 0 || (face[p] == 0 && sgn(height[p]) != 0)) return {};
      }
      SetCertificate::Segment segment;
      for (size_t row = 0; row < problem_.rows().size(); ++row)
        segment.face.push_back(rowSign(static_cast<int>(row), face));
      for (size_t k = 0; k < weights.size(); ++k) {
        const ExactForce& force = *pushes_[static_cast<size_t>(move.pushes[k])];
        segment.forces.push_back({force.contact, force.slip, weights[k] * length});
        for (size_t i = 0; i < end.size(); ++i) end[i] += weights[k] * length * force.effect[i];
      }
      chain.segments.push_back(std::move(segment));
    }
    for (int i = 0; i < problem_.numContacts(); ++i) {
      if (sgn(product(problem_.rows()[static_cast<size_t>(problem_.normalRow(i))].of, end)) < 0) return {};
    }
    chain.end = std::move(end);
    return chain;
  }

  const ExactProblem& problem_;
  SearchOptions options_;
  std::vector<ExactQuantity> quantities_;
  RandomStream random_;
  long done_ = 0;
  bool ended_ = false;
  std::vector<Rationals> rows_;           // of each plane
  std::vector<const ExactForce*> pushes_;
  std::vector<double> scale_;             // effects of a push are divided by
  Board<mpq_class> exact_;
  Board<double> rounded_;                 // heights relative to the largest speed before
  std::vector<std::vector<double>> gains_;  // of each quantity and push
  std::vector<std::vector<Ranked>> pools_;  // of each direction, the best first
};

}  // namespace

std::vector<SetCertificate::Chain> searchExtremes(const ExactProblem& problem, const SearchOptions& options) {
  return Search(problem, options).run();
}

EnergyBound boundByEnergy(const ExactProblem& problem, const ExactQuantity& quantity) {
  // The part of v that contacts can change has the energy c'W^-1 c / 2, and |a.c|^2 <= (a'W a)(c'W^-1 c).
  const size_t r = problem.start().size();
  std::vector<Rationals> solved(r, Rationals(1));
  for (size_t i = 0; i < r; ++i) solved[i][0] = problem.start()[i];
  if (!solveExactly(problem.delassus(), solved))
    throw std::logic_error("a Delassus matrix of independent rows is singular");
  mpq_class energy = 0, response = 0;
  for (size_t i = 0; i < r; ++i) energy += problem.start()[i] * solved[i][0];
  for (size_t i = 0; i < r; ++i) {
    for (size_t j = 0; j < r; ++j) response += quantity.of[i] * problem.delassus()[i][j] * quantity.of[j];
  }
  const mpq_class most = rootAbove(energy * response);
  EnergyBound bound{quantity.offset - most, quantity.offset + most};
  if (quantity.name.rfind("vn", 0) == 0 && bound.low < 0) bound.low = 0;
  return bound;
}

}  // namespace rigor::impact
