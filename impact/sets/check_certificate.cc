// SPDX-License-Identifier: MIT
#include "impact/sets/check_certificate.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include "elementary/elementary.h"
#include "impact/sets/certificate_model.h"

namespace rigor::impact {
namespace proof {
namespace {

using Reason = SetCertificate::Reason;

class Check {
 public:
  explicit Check(const SetCertificate& certificate)
      : c_(certificate), model_(certificate.problem, certificate.coordinates) {}

  bool isRelaxed() const { return model_.relaxed; }

  void inner() {
    require(!c_.chains.empty(), "no chain");
    require(!model_.relaxed, "chains of a problem whose friction is relaxed");
    for (const SetCertificate::Chain& chain : c_.chains) followChain(chain);
    for (const std::vector<int>& piece : c_.pieces) {
      for (int k : piece) at(k, c_.chains.size(), "a piece with a corner that no chain ends in");
    }
    std::vector<std::string> names;
    const std::vector<Row> quantities = model_.quantities(names);
    require(c_.bounds.size() == quantities.size(), "bounds of other quantities");
    for (size_t q = 0; q < quantities.size(); ++q) {
      const SetCertificate::Bound& bound = c_.bounds[q];
      require(bound.name == names[q], "bounds of other quantities");
      require(bound.inner_low <= bound.inner_high, "inner bounds the wrong way round");
      for (const auto& [chain, value] :
           {std::pair{bound.low_chain, &bound.inner_low}, std::pair{bound.high_chain, &bound.inner_high}}) {
        const size_t k = at(chain, c_.chains.size(), "an inner bound without a chain");
        require(rowValue(quantities[q], c_.chains[k].end) == *value, "an inner bound that its chain does not attain");
      }
    }
  }

  void outer() {
    for (const SetCertificate::Element& element : c_.elements) {
      model_.requireFace(element.face);
      for (const Row& halfspace : element.halfspaces) {
        require(halfspace.size() == model_.rank + 1, "a half-space of another dimension");
        // So every term of a reason has a direction, and none can be altered: sums must be exact.
        require(std::any_of(halfspace.begin() + 1, halfspace.end(), [](const Q& entry) { return sgn(entry) != 0; }),
                "a half-space without a direction");
      }
    }
    for (const SetCertificate::Limit& limit : c_.limits) {
      const size_t row = at(limit.row, model_.rows.size(), "a limit of no row");
      require(limit.value >= 0 && limit.value * limit.value >= model_.most[row],
              "a limit below what the energy allows");
    }
    require(holdsStart(), "no element that holds the start");
    for (const SetCertificate::Barrier& barrier : c_.barriers) addBarrier(barrier);
    for (const SetCertificate::Step& step : c_.steps) addStep(step);
    for (size_t e = 0; e < c_.elements.size(); ++e) requireClosed(e);
    outerBounds();
  }

 private:
  void requireInClosure(const Row& u, const Signs& face) const {
    for (size_t k = 0; k < face.size(); ++k) {
      if (!model_.sorts[k]) continue;
      const int sign = sgn(product(model_.rows[k], u));
      require(face[k] == 0 ? sign == 0 : sign * face[k] >= 0, "a motion that leaves its face");
    }
  }

  bool approaches(const Row& u, const Signs& face) const {
    for (size_t i : model_.normal_row) {
      if (face[i] < 0 && product(model_.rows[i], u) < 0) return true;
    }
    return false;
  }

  void push(const std::vector<SetCertificate::Force>& forces, const Signs& face, Row& u) const {
    for (const SetCertificate::Force& force : forces) {
      require(force.weight >= 0, "a force that pulls");
      require(model_.mayPush(force.contact, force.slip, face), "a force that its face does not have");
      addTimes(u, force.weight, model_.effect(force.contact, force.slip));
    }
  }

  void followChain(const SetCertificate::Chain& chain) const {
    Row u = model_.start, beside = model_.start;
    const bool limit = !chain.beside.empty();
    require(!limit || chain.beside.size() == chain.segments.size(), "a motion beside with other segments");
    for (size_t k = 0; k < chain.segments.size(); ++k) {
      const Signs& face = chain.segments[k].face;
      model_.requireFace(face);
      requireInClosure(u, face);
      // A segment moves only while a contact approaches; the limit of such segments too.
      require(approaches(limit ? beside : u, face), "a segment that starts where nothing approaches");
      push(chain.segments[k].forces, face, u);
      requireInClosure(u, face);
      if (!limit) continue;
      requireInClosure(beside, face);
      push(chain.beside[k], face, beside);
      requireInClosure(beside, face);
    }
    require(u == chain.end, "a chain that does not end where it says");
    for (size_t i : model_.normal_row)
      require(product(model_.rows[i], u) >= 0, "a chain that ends while a contact approaches");
  }

  bool holdsStart() const {
    for (const SetCertificate::Element& element : c_.elements) {
      bool inside = true;
      for (size_t k = 0; k < model_.rows.size(); ++k)
        inside = inside && (!model_.sorts[k] || sgn(product(model_.rows[k], model_.start)) == element.face[k]);
      for (const Row& halfspace : element.halfspaces) inside = inside && rowValue(halfspace, model_.start) >= 0;
      if (inside) return true;
    }
    return false;
  }

  /// goal >= 0 (b, a) from the element's half-spaces and the signs of its states; and from those of the target after
  /// `forces`.
  void requireReason(const Row& goal, const Reason& reason, const SetCertificate::Element* element, const Signs& source,
                     const Signs* target, const std::vector<Row>& forces) const {
    Row rest(goal.begin() + 1, goal.end()), used(model_.rank, 0);
    const auto take = [&](const Signs& signs, size_t row, const Q& factor, Row& sum) {
      require(model_.sorts[row], "a reason by a row that no face tells the sign of");
      require(signs[row] == 0 || factor >= 0, "a reason with a factor of the wrong sign");
      addTimes(sum, signs[row] == 0 ? factor : Q(factor * signs[row]), model_.rows[row]);
    };
    Q constant = 0;
    for (const SetCertificate::Term& term : reason.source) {
      require(element != nullptr && term.index >= 0, "a reason from nothing");
      const size_t k = static_cast<size_t>(term.index), count = element->halfspaces.size();
      if (k < count) {
        require(term.factor >= 0, "a reason with a factor of the wrong sign");
        const Row& halfspace = element->halfspaces[k];
        constant += term.factor * halfspace[0];
        addTimes(used, term.factor, Row(halfspace.begin() + 1, halfspace.end()));
      } else {
        take(source, at(static_cast<int>(k - count), model_.rows.size(), "a reason from no row"), term.factor, used);
      }
    }
    Row after(model_.rank, 0);
    for (const SetCertificate::Term& term : reason.target) {
      require(target != nullptr, "a reason from no target");
      const auto rows = static_cast<int>(model_.rows.size());
      if (term.index >= rows) {  // What the energy limits: value - row, value + row.
        const size_t k = at(term.index - rows, 2 * c_.limits.size(), "a reason from no limit");
        require(term.factor >= 0, "a reason with a factor of the wrong sign");
        constant += term.factor * c_.limits[k / 2].value;
        addTimes(after, k % 2 == 0 ? Q(-term.factor) : term.factor,
                 model_.rows[static_cast<size_t>(c_.limits[k / 2].row)]);
        continue;
      }
      take(*target, at(term.index, model_.rows.size(), "a reason from no row"), term.factor, after);
    }
    addTimes(rest, -1, after);
    require(rest == used, "a reason that does not add up");
    require(constant <= goal[0], "a reason that is too weak");
    for (const Row& force : forces) require(product(used, force) >= 0, "a reason that a force defeats");
  }

  Row rowAs(size_t row, int sign) const {
    Row out{0};
    for (const Q& entry : model_.rows[row]) out.push_back(sign * entry);
    return out;
  }

  void addBarrier(const SetCertificate::Barrier& barrier) {
    model_.requireFace(barrier.face);
    model_.requireFace(barrier.target);
    const size_t row = at(barrier.row, model_.rows.size(), "a barrier at no row");
    require(barrier.face[row] == 0 && barrier.target[row] != 0, "a barrier that is not passed");
    Row rest = rowAs(row, -barrier.target[row]);
    rest.erase(rest.begin());
    require(barrier.reason.source.empty(), "a barrier with reasons from its source");
    for (const SetCertificate::Term& term : barrier.reason.target) {
      const size_t k = at(term.index, model_.rows.size(), "a reason from no row");
      // Of the direction only signs are known that are new, and zeros.
      require(barrier.face[k] == 0, "a reason from a row that does not bound the direction");
      require(barrier.target[k] == 0 || term.factor >= 0, "a reason with a factor of the wrong sign");
      addTimes(rest, barrier.target[k] == 0 ? Q(-term.factor) : Q(-term.factor * barrier.target[k]), model_.rows[k]);
    }
    for (const Row& force : model_.forces(barrier.target))
      require(product(rest, force) >= 0, "a barrier that a force passes");
    barriers_.insert({barrier.face, barrier.target});
  }

  void addStep(const SetCertificate::Step& step) {
    const size_t e = at(step.element, c_.elements.size(), "a step from no element");
    const SetCertificate::Element& element = c_.elements[e];
    Signs source = element.face;
    size_t plane = model_.rows.size();
    if (step.row >= 0) {
      plane = model_.plane[at(step.row, model_.rows.size(), "a step at no row")];
      require(source[plane] != 0, "a step to a plane that holds the element");
      clear(plane, source);
      require(step.zeros.size() == step.zero_rows.size(), "zeros without reasons");
      Signs lower = source;
      for (size_t k = 0; k < step.zeros.size(); ++k) {
        const size_t row = at(step.zero_rows[k], model_.rows.size(), "a zero of no row");
        require(source[row] != 0, "a zero that was one");
        requireReason(rowAs(row, -source[row]), step.zeros[k], &element, source, nullptr, {});
        clear(model_.plane[row], lower);
      }
      if (step.into < 0 && model_.isFinished(lower)) {
        // Nothing moves there: outerBounds() looks at the states themselves.
        require(step.reasons.empty(), "a reason for what needs none");
      } else if (step.into < 0) {
        require(step.reasons.size() == 1, "a part that is empty without a reason");
        Row never(model_.rank + 1, 0);
        never[0] = -1;
        requireReason(never, step.reasons[0], &element, source, nullptr, {});
      }
      source = lower;
      require(step.target == lower, "a step to another face");
    }
    model_.requireFace(step.target);
    if (step.into >= 0) {
      require(step.row >= 0 || isUpper(step.target, source), "a step to a face that does not hold the element");
      const SetCertificate::Element& into = c_.elements[at(step.into, c_.elements.size(), "a step into no element")];
      require(into.face == step.target, "a step into an element of another face");
      require(step.reasons.size() == into.halfspaces.size(), "a step without a reason for each half-space");
      const std::vector<Row> forces = model_.forces(step.target);
      for (size_t k = 0; k < step.reasons.size(); ++k) {
        requireReason(into.halfspaces[k], step.reasons[k], &element, source, &step.target, forces);
      }
    } else {
      require(step.row >= 0, "a step up into nothing");
    }
    if (step.row >= 0) {
      down_.insert({e, plane});
    } else {
      up_.insert({e, step.target});
    }
  }

  void clear(size_t plane, Signs& signs) const {
    for (size_t k = 0; k < signs.size(); ++k) {
      if (model_.plane[k] == plane) signs[k] = 0;
    }
  }

  static bool isUpper(const Signs& upper, const Signs& lower) {
    for (size_t k = 0; k < lower.size(); ++k) {
      if (lower[k] != 0 && upper[k] != lower[k]) return false;
    }
    return true;
  }

  /// Every plane that an element can reach and every face it can move on has its step or barrier.
  void requireClosed(size_t e) const {
    const Signs& face = c_.elements[e].face;
    if (model_.isFinished(face)) return;
    std::vector<size_t> zero;
    for (size_t k = 0; k < face.size(); ++k) {
      if (model_.plane[k] != k || model_.side[k] == 0) continue;
      if (face[k] == 0) zero.push_back(k);
      require(face[k] == 0 || down_.contains({e, k}), "a plane without a step");
    }
    Signs target = face;
    requireUppers(e, zero, 0, target);
  }

  /// All signs of the planes that hold the element's face, but those that no slip has.
  void requireUppers(size_t e, const std::vector<size_t>& zero, size_t next, Signs& target) const {
    if (!model_.isSlip(target, next < zero.size() ? zero[next] : target.size())) return;
    if (next == zero.size()) {
      require(model_.isFinished(target) || up_.contains({e, target}) ||
                  barriers_.contains({c_.elements[e].face, target}),
              "a face without a step");
      return;
    }
    for (const int sign : {0, 1, -1}) {
      for (size_t k = zero[next]; k < target.size(); ++k) {
        if (model_.plane[k] == zero[next]) target[k] = model_.side[k] * sign;
      }
      requireUppers(e, zero, next + 1, target);
    }
    for (size_t k = zero[next]; k < target.size(); ++k) {
      if (model_.plane[k] == zero[next]) target[k] = 0;
    }
  }

  void outerBounds() {
    std::vector<std::string> names;
    const std::vector<Row> quantities = model_.quantities(names);
    require(c_.bounds.size() == quantities.size(), "bounds of other quantities");
    require(c_.unfinished.size() == c_.why_unfinished.size(), "elements without finished states and no reasons");
    std::map<size_t, const Reason*> never;
    for (size_t k = 0; k < c_.unfinished.size(); ++k)
      never[at(c_.unfinished[k], c_.elements.size(), "no element")] = &c_.why_unfinished[k];
    size_t counted = 0;
    for (size_t e = 0; e < c_.elements.size(); ++e) {
      const SetCertificate::Element& element = c_.elements[e];
      Signs source = element.face;
      for (size_t i : model_.normal_row) {
        if (source[i] < 0) clear(model_.plane[i], source);
      }
      if (never.contains(e)) {
        Row impossible(model_.rank + 1, 0);
        impossible[0] = -1;
        requireReason(impossible, *never[e], &element, source, nullptr, {});
        continue;
      }
      for (size_t q = 0; q < quantities.size(); ++q) {
        const SetCertificate::Bound& bound = c_.bounds[q];
        require(counted < bound.low.size() && counted < bound.high.size(), "an outer bound without reasons");
        Row goal = quantities[q];
        goal[0] -= bound.outer_low;
        requireReason(goal, bound.low[counted], &element, source, nullptr, {});
        goal = quantities[q];
        for (Q& entry : goal) entry = -entry;
        goal[0] += bound.outer_high;
        requireReason(goal, bound.high[counted], &element, source, nullptr, {});
      }
      ++counted;
    }
    for (const SetCertificate::Bound& bound : c_.bounds) {
      require(bound.low.size() == counted && bound.high.size() == counted, "reasons for nothing");
      require(c_.chains.empty() || (bound.outer_low <= bound.inner_low && bound.inner_high <= bound.outer_high),
              "bounds that cross");
    }
  }

  const SetCertificate& c_;
  Model model_;
  std::set<std::pair<Signs, Signs>> barriers_;
  std::set<std::pair<size_t, size_t>> down_;
  std::set<std::pair<size_t, Signs>> up_;
};

/// Corners on the unit circle at equal angles from (1, 0) on, to 1e-15 (the polygon of `cone_edges`).
bool isRegular(const Matrix& polygon) {
  for (size_t k = 0; k < polygon.size(); ++k) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(polygon.size());
    if (polygon[k].size() != 2 || !(std::abs(polygon[k][0].get_d() - elementary::cos(angle)) <= 1e-15) ||
        !(std::abs(polygon[k][1].get_d() - elementary::sin(angle)) <= 1e-15))
      return false;
  }
  return !polygon.empty();
}

bool prints(double value, const Q& rational) {
  char text[512];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed);
  if (error != std::errc()) return false;
  std::string digits(text, end);
  size_t places = 0;
  if (const size_t point = digits.find('.'); point != std::string::npos) {
    places = digits.size() - point - 1;
    digits.erase(point, 1);
  }
  mpz_class power;
  mpz_ui_pow_ui(power.get_mpz_t(), 10, places);
  return rational * power == mpq_class(mpz_class(digits, 10));
}

}  // namespace
}  // namespace proof

CertificateVerdict checkCertificate(const SetCertificate& certificate) {
  CertificateVerdict verdict;
  try {
    proof::Check check(certificate);
    try {
      check.inner();
      verdict.inner = true;
    } catch (const std::exception& failure) {
      verdict.failure = failure.what();
    }
    // A relaxed problem is proved from outside alone; every other certificate needs both.
    if (!verdict.inner && !check.isRelaxed()) return verdict;
    proof::require(certificate.complete, "no outer part");
    check.outer();
    verdict.outer = true;
  } catch (const std::exception& failure) {
    verdict.failure = failure.what();
  }
  return verdict;
}

bool isAbout(const SetCertificate& certificate, const ImpactProblem& problem) {
  const SetCertificate::Problem& known = certificate.problem;
  const auto n = static_cast<size_t>(problem.numVelocities()), m = static_cast<size_t>(problem.numContacts());
  if (known.velocity.size() != n || known.mass_matrix.size() != n || known.normal.size() != m ||
      known.tangent.size() != m || known.friction.size() != m) {
    return false;
  }
  const auto same = [&](const proof::Row& row, const auto& values) {
    if (row.size() != static_cast<size_t>(values.size())) return false;
    for (size_t i = 0; i < row.size(); ++i) {
      if (!proof::prints(values[static_cast<Eigen::Index>(i)], row[i])) return false;
    }
    return true;
  };
  if (!same(known.velocity, problem.velocity)) return false;
  for (size_t i = 0; i < n; ++i) {
    if (!same(known.mass_matrix[i], problem.mass_matrix.row(static_cast<Eigen::Index>(i)))) return false;
  }
  for (size_t i = 0; i < m; ++i) {
    if (!same(known.normal[i], problem.normal.row(static_cast<Eigen::Index>(i))) ||
        !proof::prints(problem.friction[i], known.friction[i]))
      return false;
    const auto tangents = problem.friction[i] > 0 ? problem.tangent[i].rows() : 0;
    if (static_cast<Eigen::Index>(known.tangent[i].size()) != tangents) return false;
    for (Eigen::Index t = 0; t < tangents; ++t) {
      if (!same(known.tangent[i][static_cast<size_t>(t)], problem.tangent[i].row(t))) return false;
    }
    if (tangents == 2 && !proof::isRegular(known.polygon)) return false;
  }
  return true;
}

}  // namespace rigor::impact
