// SPDX-License-Identifier: MIT
#include <algorithm>
#include <map>
#include <optional>

#include "impact/sets/certify.h"
#include "impact/sets/exact_program.h"

namespace rigor::impact {
namespace {

using Rationals = std::vector<mpq_class>;

// Passes in which half-spaces are tightened: one may give room to others.
constexpr int kTightenings = 8;

/// A half-space (b, a), or its boundary where `free`, that a reason may use `index` of.
struct Known {
  int index = 0;
  Rationals halfspace;
  bool free = false;
};

Rationals negated(Rationals halfspace) {
  for (mpq_class& entry : halfspace) entry = -entry;
  return halfspace;
}

/// Of the largest entry but the first.
long exponentOf(const Rationals& halfspace) {
  mpq_class largest = 0;
  for (size_t i = 1; i < halfspace.size(); ++i) largest = std::max<mpq_class>(largest, abs(halfspace[i]));
  if (sgn(largest) == 0) return 0;
  return static_cast<long>(mpz_sizeinbase(largest.get_num_mpz_t(), 2)) -
         static_cast<long>(mpz_sizeinbase(largest.get_den_mpz_t(), 2));
}

/// Of a half-space whose entries are integers, along a ray.
mpq_class growthAlong(const Rationals& halfspace, const ExactVector& ray) {
  mpz_class sum = 0;
  for (size_t i = 1; i < halfspace.size(); ++i)
    mpz_addmul(sum.get_mpz_t(), halfspace[i].get_num_mpz_t(), ray[static_cast<int>(i)].get_mpz_t());
  return sum;
}

/// What may be known of a state and of one that forces lead to from there, as a linear program for reasons.
class Reasons {
 public:
  Reasons(std::vector<Known> source, std::vector<Known> target, const std::vector<ExactVector>& rays, size_t rank)
      : rank_(rank) {
    for (const bool of_source : {true, false}) {
      for (Known& known : of_source ? source : target) {
        if (known.free) columns_.push_back({{known.index, negated(known.halfspace), true}, of_source, -1});
        columns_.push_back({std::move(known), of_source, 1});
      }
    }
    const size_t count = columns_.size() + rays.size();
    A_.assign(rank + rays.size(), Rationals(count, 0));
    c_.assign(count, 0);
    scales_.rows.assign(rank, 0);
    for (const ExactVector& ray : rays) scales_.rows.push_back(exponentOf(ray.rationals()));
    for (const Column& column : columns_) scales_.columns.push_back(exponentOf(column.known.halfspace));
    for (size_t g = 0; g < rays.size(); ++g) scales_.columns.push_back(-scales_.rows[rank + g]);
    for (size_t j = 0; j < columns_.size(); ++j) {
      const Rationals& halfspace = columns_[j].known.halfspace;
      for (size_t i = 0; i < rank; ++i) A_[i][j] = halfspace[i + 1];
      c_[j] = halfspace[0];
      if (!columns_[j].of_source) continue;
      for (size_t g = 0; g < rays.size(); ++g) A_[rank + g][j] = growthAlong(halfspace, rays[g]);
    }
    for (size_t g = 0; g < rays.size(); ++g) A_[rank + g][columns_.size() + g] = -1;
  }

  struct Column {
    Known known;  // as it is used
    bool of_source = false;
    int sign = 1;
  };
  const std::vector<Column>& columns() const { return columns_; }

  /// Factors of the columns that make goal >= 0; false where there are none.
  bool prove(const Rationals& goal, Rationals& x) const {
    if (proveByOne(goal, x)) return true;
    Rationals b(A_.size(), 0);
    std::copy(goal.begin() + 1, goal.end(), b.begin());
    const bool contradiction = std::all_of(b.begin(), b.end(), [](const mpq_class& entry) { return sgn(entry) == 0; });
    if (!contradiction) return solveWithin(A_, b, c_, goal[0], x, scales_);
    // Any multiple of a contradiction is one, so its size is prescribed.
    std::vector<Rationals> A = A_;
    ProgramScales scales = scales_;
    A.push_back(c_);
    b.push_back(goal[0]);
    scales.rows.push_back(0);
    return solveNonnegative(A, b, Rationals(c_.size(), 0), x, scales);
  }

 private:
  /// Most goals are among what is known.
  bool proveByOne(const Rationals& goal, Rationals& x) const {
    for (size_t j = 0; j < columns_.size(); ++j) {
      if (columns_[j].known.halfspace != goal) continue;
      const bool kept = std::all_of(A_.begin() + static_cast<std::ptrdiff_t>(rank_), A_.end(),
                                    [&](const Rationals& along) { return sgn(along[j]) >= 0; });
      if (!kept) continue;
      x.assign(c_.size(), 0);
      x[j] = 1;
      return true;
    }
    return false;
  }

  size_t rank_;
  std::vector<Column> columns_;
  std::vector<Rationals> A_;  // rows: of the goal, then along each ray, with what is left over
  Rationals c_;
  ProgramScales scales_;
};

class OuterProof {
 public:
  OuterProof(const ExactSet& set, SetCertificate& certificate) : set_(set), faces_(set.faces()), out_(certificate) {
    for (int plane = 0; plane < faces_.numPlanes(); ++plane) {
      for (size_t row = 0; row < problem().rows().size(); ++row) {
        if (problem().rows()[row].plane == plane && problem().rows()[row].side > 0) {
          row_.push_back(static_cast<int>(row));
          break;
        }
      }
    }
  }

  bool make() {
    for (const ExactProblem::Limit& limit : problem().limits()) out_.limits.push_back({limit.row, limit.value});
    listElements();
    if (!addSteps()) return false;
    dropNeedless();
    for (int pass = 0; pass < kTightenings && tighten(); ++pass) continue;
    return addBounds();
  }

 private:
  const ExactProblem& problem() const { return set_.problem(); }
  /// Of signs of planes that need not be those of a face.
  bool isFinished(const ExactFaces::Signs& signs) const {
    for (int i = 0; i < problem().numContacts(); ++i) {
      if (faces_.rowSign(problem().normalRow(i), signs) < 0) return false;
    }
    return true;
  }
  int faceOf(size_t element) const { return set_.pieces()[static_cast<size_t>(pieces_[element])].face; }

  void listElements() {
    for (size_t number = 0; number < set_.pieces().size(); ++number) {
      const ExactSet::Piece& piece = set_.pieces()[number];
      if (!piece.live) continue;
      SetCertificate::Element element;
      element.face = rowSigns(faces_, faces_.signs(piece.face));
      for (const ExactVector& halfspace : piece.polytope.halfspaces()) {
        Rationals rationals = halfspace.rationals();
        // A point's cone is bounded by w >= 0 alone, which says nothing of its states.
        const bool says =
            std::any_of(rationals.begin() + 1, rationals.end(), [](const mpq_class& entry) { return sgn(entry) != 0; });
        if (says) element.halfspaces.push_back(std::move(rationals));
      }
      // Equalities that the face's own planes do not give.
      std::vector<ExactVector> all;
      for (int plane = 0; plane < faces_.numPlanes(); ++plane) {
        if (faces_.signs(piece.face)[static_cast<size_t>(plane)] == 0) all.push_back(faces_.plane(plane));
      }
      const size_t own = all.size();
      all.insert(all.end(), piece.polytope.equalities().begin(), piece.polytope.equalities().end());
      for (int k : independentOnes(all)) {
        if (static_cast<size_t>(k) < own) continue;
        element.halfspaces.push_back(all[static_cast<size_t>(k)].rationals());
        element.halfspaces.push_back(negated(element.halfspaces.back()));
      }
      of_face_[piece.face].push_back(static_cast<int>(pieces_.size()));
      pieces_.push_back(static_cast<int>(number));
      out_.elements.push_back(std::move(element));
    }
  }

  /// Of the elements that the start leads to.
  bool addSteps() {
    const std::vector<ExactVector> start{set_.start()};
    const int first = elementAround(faces_.numberOf(faces_.around(start)), start);
    if (first < 0) return false;
    needed_.assign(pieces_.size(), false);
    needed_[static_cast<size_t>(first)] = true;
    std::vector<size_t> waiting{static_cast<size_t>(first)};
    while (!waiting.empty()) {
      const size_t e = waiting.back(), before = out_.steps.size();
      waiting.pop_back();
      if (faces_.finished(faceOf(e))) continue;
      if (!addDown(e) || !addUp(e)) return false;
      for (size_t k = before; k < out_.steps.size(); ++k) {
        const int into = out_.steps[k].into;
        if (into < 0 || needed_[static_cast<size_t>(into)]) continue;
        needed_[static_cast<size_t>(into)] = true;
        waiting.push_back(static_cast<size_t>(into));
      }
    }
    return true;
  }

  /// Elements whose motions others hold as well.
  void dropNeedless() {
    std::vector<int> number;  // of each element, among those that are needed
    size_t count = 0;
    for (size_t e = 0; e < pieces_.size(); ++e) {
      number.push_back(static_cast<int>(count));
      if (!needed_[e]) continue;
      if (e != count) out_.elements[count] = std::move(out_.elements[e]);
      pieces_[count++] = pieces_[e];
    }
    out_.elements.resize(count);
    pieces_.resize(count);
    for (SetCertificate::Step& step : out_.steps) {
      step.element = number[static_cast<size_t>(step.element)];
      if (step.into >= 0) step.into = number[static_cast<size_t>(step.into)];
    }
  }

  /// Half-spaces that no motion into their element comes near are moved up to where one does. @returns whether any is.
  bool tighten() {
    std::vector<std::vector<std::optional<mpq_class>>> room;  // of each half-space, where it is known
    for (size_t e = 0; e < pieces_.size(); ++e) room.push_back(roomAtStart(e));
    for (const SetCertificate::Step& step : out_.steps) {
      for (size_t h = 0; step.into >= 0 && h < step.reasons.size(); ++h) {
        std::optional<mpq_class>& known = room[static_cast<size_t>(step.into)][h];
        const std::optional<mpq_class> here = roomOf(step, h);
        if (here && (!known || *here < *known)) known = here;
      }
    }
    bool any = false;
    for (size_t e = 0; e < room.size(); ++e) {
      for (size_t h = 0; h < room[e].size(); ++h) {
        if (!room[e][h] || *room[e][h] == 0) continue;
        out_.elements[e].halfspaces[h][0] -= *room[e][h];
        any = true;
      }
    }
    return any;
  }

  /// By how much each half-space of an element may move for it to hold the start, if it does.
  std::vector<std::optional<mpq_class>> roomAtStart(size_t e) const {
    const std::vector<Rationals>& halfspaces = out_.elements[e].halfspaces;
    std::vector<std::optional<mpq_class>> room(halfspaces.size());
    if (faceOf(e) != faces_.numberOf(faces_.around({set_.start()}))) return room;
    const std::vector<mpq_class> start = set_.start().point();
    std::vector<std::optional<mpq_class>> heights;
    for (const Rationals& halfspace : halfspaces) {
      mpq_class height = halfspace[0];
      for (size_t i = 0; i < start.size(); ++i) height += halfspace[i + 1] * start[i];
      if (height < 0) return room;
      heights.emplace_back(std::move(height));
    }
    return heights;
  }

  /// By how much the half-space may move for the step's reason to hold; nothing where it is its own reason.
  std::optional<mpq_class> roomOf(const SetCertificate::Step& step, size_t h) const {
    const std::vector<Rationals>& source = out_.elements[static_cast<size_t>(step.element)].halfspaces;
    mpq_class left = out_.elements[static_cast<size_t>(step.into)].halfspaces[h][0];
    for (const SetCertificate::Term& term : step.reasons[h].source) {
      const auto index = static_cast<size_t>(term.index);
      if (index >= source.size()) continue;
      if (step.element == step.into && index == h && term.factor == 1) return {};
      left -= term.factor * source[index][0];
    }
    const auto rows = static_cast<int>(problem().rows().size());
    for (const SetCertificate::Term& term : step.reasons[h].target) {
      if (term.index >= rows) left -= term.factor * out_.limits[static_cast<size_t>(term.index - rows) / 2].value;
    }
    return left;
  }

  /// What is known of a state in element e whose planes have these signs; indices as in SetCertificate::Reason::source.
  std::vector<Known> sourceOf(size_t e, const ExactFaces::Signs& signs) const {
    std::vector<Known> known;
    const std::vector<Rationals>& halfspaces = out_.elements[e].halfspaces;
    for (size_t h = 0; h < halfspaces.size(); ++h) known.push_back({static_cast<int>(h), halfspaces[h], false});
    appendPlanes(signs, static_cast<int>(halfspaces.size()), known);
    return known;
  }

  void appendPlanes(const ExactFaces::Signs& signs, int offset, std::vector<Known>& known) const {
    for (size_t plane = 0; plane < signs.size(); ++plane) {
      Rationals halfspace = faces_.plane(static_cast<int>(plane)).rationals();
      // The reason's factor refers to the row, whose size is another.
      if (signs[plane] < 0) halfspace = negated(halfspace);
      known.push_back({offset + row_[plane], std::move(halfspace), signs[plane] == 0});
    }
  }

  /// The row that stands for a plane, as a half-space.
  Rationals rowOf(size_t plane) const {
    Rationals out{0};
    const Rationals& of = problem().rows()[static_cast<size_t>(row_[plane])].of;
    out.insert(out.end(), of.begin(), of.end());
    return out;
  }

  /// Factor that turns multiples of a plane's integer vector into those of its row.
  mpq_class rowFactor(int row) const {
    const ExactProblem::Row& r = problem().rows()[static_cast<size_t>(row)];
    const ExactVector& plane = problem().planes()[static_cast<size_t>(r.plane)];
    for (int i = 0; i < plane.size(); ++i) {
      if (sgn(plane[i]) != 0) return mpq_class(plane[i]) / r.of[static_cast<size_t>(i)];
    }
    return 1;
  }

  /// What the energy allows, in rationals: indices as in SetCertificate::Reason::target.
  std::vector<Known> knownLimits() const {
    std::vector<Known> known;
    int index = static_cast<int>(problem().rows().size());
    for (const ExactProblem::Limit& limit : problem().limits()) {
      for (const int side : {-1, 1}) {
        Rationals halfspace{limit.value};
        for (const mpq_class& entry : problem().rows()[static_cast<size_t>(limit.row)].of)
          halfspace.push_back(side * entry);
        known.push_back({index++, std::move(halfspace), false});
      }
    }
    return known;
  }

  /// What states of element e with these signs of planes are, where nothing moves.
  Reasons standing(size_t e, const ExactFaces::Signs& signs) const {
    return {sourceOf(e, signs), {}, {}, static_cast<size_t>(problem().rank())};
  }

  /// goal >= 0, if there is a reason.
  bool prove(const Rationals& goal, const Reasons& reasons, int source_planes, SetCertificate::Reason& reason) const {
    Rationals x;
    if (!reasons.prove(goal, x)) return false;
    reason = {};
    for (size_t j = 0; j < reasons.columns().size(); ++j) {
      if (sgn(x[j]) == 0) continue;
      const Reasons::Column& column = reasons.columns()[j];
      const int index = column.known.index;
      const bool limit = !column.of_source && index >= static_cast<int>(problem().rows().size());
      const bool plane = !limit && (!column.of_source || index >= source_planes);
      mpq_class factor = column.sign * x[j];
      if (plane) factor *= abs(rowFactor(column.of_source ? index - source_planes : index));
      (column.of_source ? reason.source : reason.target).push_back({index, factor});
    }
    return true;
  }

  /// Reasons why what element e moves to on face `target` lies in element `into`.
  bool proveInto(size_t e, const ExactFaces::Signs& from, int target, int into, SetCertificate::Step& step) const {
    std::vector<Known> planes;
    appendPlanes(faces_.signs(target), 0, planes);
    for (Known& known : knownLimits()) planes.push_back(std::move(known));
    const Reasons reasons(sourceOf(e, from), std::move(planes), faces_.rays(target),
                          static_cast<size_t>(problem().rank()));
    step.into = into;
    for (const Rationals& halfspace : out_.elements[static_cast<size_t>(into)].halfspaces) {
      SetCertificate::Reason reason;
      if (!prove(halfspace, reasons, planesOffset(e), reason)) return false;
      step.reasons.push_back(std::move(reason));
    }
    return true;
  }

  int planesOffset(size_t e) const { return static_cast<int>(out_.elements[e].halfspaces.size()); }

  int elementAround(int face, const std::vector<ExactVector>& points) const {
    const auto list = of_face_.find(face);
    if (list == of_face_.end()) return -1;
    for (int e : list->second) {
      const ExactCone& polytope = set_.pieces()[static_cast<size_t>(pieces_[static_cast<size_t>(e)])].polytope;
      if (std::all_of(points.begin(), points.end(), [&](const ExactVector& x) { return polytope.contains(x); }))
        return e;
    }
    return -1;
  }

  bool addDown(size_t e) {
    const ExactFaces::Signs signs = faces_.signs(faceOf(e));
    for (int plane = 0; plane < faces_.numPlanes(); ++plane) {
      if (signs[static_cast<size_t>(plane)] == 0) continue;
      SetCertificate::Step step;
      step.element = static_cast<int>(e);
      step.row = row_[static_cast<size_t>(plane)];
      ExactFaces::Signs cut = signs;
      cut[static_cast<size_t>(plane)] = 0;
      const Reasons reasons = standing(e, cut);
      const std::vector<ExactVector> points = set_.pointsOf(pieces_[e], plane);
      if (points.empty()) {
        step.target = rowSigns(faces_, cut);
        if (isFinished(cut)) {  // No motion goes on there: no reason is needed.
          out_.steps.push_back(std::move(step));
          continue;
        }
        Rationals never(static_cast<size_t>(problem().rank()) + 1, 0);
        never[0] = -1;
        SetCertificate::Reason reason;
        if (!prove(never, reasons, planesOffset(e), reason)) return false;
        step.reasons.push_back(std::move(reason));
        out_.steps.push_back(std::move(step));
        continue;
      }
      const ExactFaces::Signs lower = faces_.around(points);
      for (size_t other = 0; other < lower.size(); ++other) {
        if (lower[other] != 0 || cut[other] == 0) continue;
        Rationals goal = rowOf(other);
        if (cut[other] > 0) goal = negated(goal);
        SetCertificate::Reason reason;
        if (!prove(goal, reasons, planesOffset(e), reason)) return false;
        step.zero_rows.push_back(row_[other]);
        step.zeros.push_back(std::move(reason));
      }
      step.target = rowSigns(faces_, lower);
      const int face = faces_.numberOf(lower);
      if (!faces_.finished(face)) {
        const int into = elementAround(face, points);
        if (into < 0 || !proveInto(e, lower, face, into, step)) return false;
      }
      out_.steps.push_back(std::move(step));
    }
    return true;
  }

  bool addUp(size_t e) {
    const int face = faceOf(e);
    const ExactFaces::Signs signs = faces_.signs(face);
    const std::vector<int>& entered = faces_.knownEntered(face);
    bool done = true;
    faces_.forEveryUpper(signs, [&](const ExactFaces::Signs& target) {
      const int number = done ? faces_.numberOf(target) : -1;
      if (!done || faces_.finished(number)) return;
      if (target != signs && std::find(entered.begin(), entered.end(), number) == entered.end()) {
        done = addBarrier(face, number);
        return;
      }
      SetCertificate::Step step;
      step.element = static_cast<int>(e);
      step.target = rowSigns(faces_, target);
      const int into = target == signs ? static_cast<int>(e) : elementAround(number, set_.pointsOf(pieces_[e], -1));
      done = into >= 0 && proveInto(e, signs, number, into, step);
      if (done) out_.steps.push_back(std::move(step));
    });
    return done;
  }

  bool addBarrier(int face, int number) {
    if (!barriers_.insert({{face, number}, true}).second) return true;
    const ExactFaces::Signs& from = faces_.signs(face);
    const ExactFaces::Signs& target = faces_.signs(number);
    std::vector<Known> planes;
    appendPlanes(target, 0, planes);
    // Only what changes its sign, and what stays zero, is known of the direction.
    std::vector<Known> local;
    for (size_t plane = 0; plane < target.size(); ++plane) {
      if (from[plane] == 0) local.push_back(planes[plane]);
    }
    // w.d >= 0 for all directions that the forces give: w is free where the forces allow it.
    std::vector<Known> any;
    for (int i = 0; i < problem().rank(); ++i) {
      Rationals axis(static_cast<size_t>(problem().rank()) + 1, 0);
      axis[static_cast<size_t>(i) + 1] = 1;
      any.push_back({0, std::move(axis), true});
    }
    const Reasons reasons(std::move(any), std::move(local), faces_.rays(number),
                          static_cast<size_t>(problem().rank()));
    for (size_t plane = 0; plane < target.size(); ++plane) {
      if (from[plane] != 0 || target[plane] == 0) continue;
      Rationals goal = rowOf(plane);
      if (target[plane] > 0) goal = negated(goal);
      SetCertificate::Barrier barrier;
      if (!prove(goal, reasons, 1 << 20, barrier.reason)) continue;
      barrier.reason.source.clear();  // It is the rest.
      barrier.face = rowSigns(faces_, from);
      barrier.target = rowSigns(faces_, target);
      barrier.row = row_[plane];
      out_.barriers.push_back(std::move(barrier));
      return true;
    }
    return false;
  }

  bool addBounds() {
    const std::vector<ExactQuantity> quantities = quantitiesOf(problem());
    const PolytopeUnion outcomes(set_);
    for (size_t q = 0; q < quantities.size(); ++q) {
      out_.bounds[q].outer_low = outcomes.smallest(quantities[q]).value;
      out_.bounds[q].outer_high = outcomes.largest(quantities[q]).value;
    }
    for (size_t e = 0; e < pieces_.size(); ++e) {
      ExactFaces::Signs signs = faces_.signs(faceOf(e));
      for (int i = 0; i < problem().numContacts(); ++i) {
        const int row = problem().normalRow(i);
        if (faces_.rowSign(row, signs) < 0)
          signs[static_cast<size_t>(problem().rows()[static_cast<size_t>(row)].plane)] = 0;
      }
      const Reasons reasons = standing(e, signs);
      Rationals never(static_cast<size_t>(problem().rank()) + 1, 0);
      never[0] = -1;
      SetCertificate::Reason reason;
      std::vector<ExactVector> points = set_.pointsOf(pieces_[e], -1);
      for (size_t plane = 0; plane < signs.size(); ++plane) {
        if (signs[plane] != 0) continue;
        std::erase_if(points,
                      [&](const ExactVector& x) { return faces_.plane(static_cast<int>(plane)).signOfDot(x) != 0; });
      }
      if (points.empty()) {
        if (!prove(never, reasons, planesOffset(e), reason)) return false;
        out_.unfinished.push_back(static_cast<int>(e));
        out_.why_unfinished.push_back(std::move(reason));
        continue;
      }
      for (size_t q = 0; q < quantities.size(); ++q) {
        Rationals goal{quantities[q].offset - out_.bounds[q].outer_low};
        goal.insert(goal.end(), quantities[q].of.begin(), quantities[q].of.end());
        if (!prove(goal, reasons, planesOffset(e), reason)) return false;
        out_.bounds[q].low.push_back(reason);
        goal = negated(goal);
        goal[0] = out_.bounds[q].outer_high - quantities[q].offset;
        if (!prove(goal, reasons, planesOffset(e), reason)) return false;
        out_.bounds[q].high.push_back(reason);
      }
    }
    return true;
  }

  const ExactSet& set_;
  const ExactFaces& faces_;
  SetCertificate& out_;
  std::vector<int> row_;     // of each plane: a row with its zeros, on its positive side
  std::vector<int> pieces_;  // of each element
  std::vector<char> needed_;  // of each element
  std::map<int, std::vector<int>> of_face_;  // of all elements before the needless ones go
  std::map<std::pair<int, int>, bool> barriers_;
};

}  // namespace

bool certifyFromOutside(const ExactSet& set, SetCertificate& certificate) {
  return OuterProof(set, certificate).make();
}

}  // namespace rigor::impact
