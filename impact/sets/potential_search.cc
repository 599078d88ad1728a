// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "impact/sets/exact_program.h"
#include "impact/sets/kinetic_scale.h"
#include "impact/sets/potential_bounds.h"
#include "impact/sets/potential_program.h"

namespace rigor::impact {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Rationals = std::vector<mpq_class>;
using Signs = SetCertificate::Signs;

// Forms up to which all signs are looked at, and the largest rank.
constexpr size_t kMostForms = 12, kMostRank = 16;

class PotentialSearch {
 public:
  PotentialSearch(const ImpactProblem& problem, const ExactProblem& exact, const ExactQuantity& quantity, int side,
                  const std::vector<Rationals>& features)
      : exact_(exact), quantity_(quantity), scale_(problem, exact) {
    proof_.side = side;
    proof_.features = features;
    for (int i = 0; i < exact.numContacts(); ++i)
      forms_.push_back(exact.rows()[static_cast<size_t>(exact.normalRow(i))].of);
    forms_.insert(forms_.end(), features.begin(), features.end());
  }

  bool run(std::int64_t& work, const std::function<bool()>& goes_on) {
    if (forms_.size() > kMostForms || exact_.rank() > static_cast<int>(kMostRank) || exact_.rank() == 0) return false;
    if (!scale() || !scale_.begin(quantity_, proof_.side, proof_)) return false;
    task_.forces = scale_.forces();
    Signs signs;
    listParts(signs, {}, work);
    for (size_t k = 0; k < proof_.parts.size(); ++k) {
      if (proof_.parts[k].needless.empty() && inside_[k]) task_.parts.push_back(proof_.parts[k].signs);
    }
    FoundPotential found;
    if (!findPotential(task_, goes_on, work, found)) return false;
    return prove(found);
  }

  PotentialProof takeProof() { return std::move(proof_); }

 private:
  /// Forms and the goal, of length one.
  bool scale() {
    if (!scale_.valid()) return false;
    task_.start = scale_.start();
    task_.contacts = exact_.numContacts();
    task_.forms.resize(static_cast<Index>(forms_.size()), exact_.rank());
    for (size_t a = 0; a < forms_.size(); ++a) {
      const VectorXd form = scale_.form(forms_[a]);
      lengths_.push_back(form.norm());
      if (!(lengths_.back() > 0)) return false;
      task_.forms.row(static_cast<Index>(a)) = form.transpose() / lengths_.back();
    }
    const VectorXd goal = scale_.form(quantity_.of) * proof_.side;
    goal_length_ = goal.norm();
    if (!(goal_length_ > 0)) return false;
    task_.goal = goal / goal_length_;
    return true;
  }

  /// All signs; those that no states inside have with the reason, found for the first signs that show it.
  void listParts(Signs& signs, const Rationals& reason, std::int64_t& work) {
    if (signs.size() == forms_.size()) {
      PotentialProof::Part& part = proof_.parts.emplace_back();
      part.signs = signs;
      part.needless = reason;
      if (!reason.empty()) part.needless.resize(forms_.size(), 0);
      inside_.push_back(reason.empty() && hasInside(signs));
      return;
    }
    for (const int sign : {-1, 1}) {
      signs.push_back(sign);
      work -= 10;
      listParts(signs, reason.empty() && !hasInside(signs) ? reasonAgainst(signs) : reason, work);
      signs.pop_back();
    }
  }

  bool hasInside(const Signs& signs) const {
    const auto count = static_cast<Index>(signs.size()), r = static_cast<Index>(exact_.rank());
    MatrixXd A(r + 1, count);
    for (Index a = 0; a < count; ++a) {
      A.col(a).head(r) = signs[static_cast<size_t>(a)] * task_.forms.row(a).transpose();
      A(r, a) = 1;
    }
    VectorXd x;
    return !solveRounded(A, VectorXd::Unit(r + 1, r), VectorXd::Zero(count), x);
  }

  Rationals reasonAgainst(const Signs& signs) const {
    const auto r = static_cast<size_t>(exact_.rank());
    std::vector<Rationals> A(r + 1, Rationals(signs.size(), 0));
    Rationals b(r + 1, 0), x;
    b[r] = 1;
    for (size_t a = 0; a < signs.size(); ++a) {
      for (size_t i = 0; i < r; ++i) A[i][a] = signs[a] * forms_[a][i];
      if ((signs[a] > 0) == (a < static_cast<size_t>(exact_.numContacts()))) A[r][a] = 1;
    }
    if (!solveNonnegative(A, b, Rationals(signs.size(), 0), x)) return {};
    return x;
  }

  bool prove(const FoundPotential& found) {
    toCoordinates(found);
    double growth = 0;
    size_t end = 0;
    for (size_t k = 0; k < proof_.parts.size(); ++k) {
      PotentialProof::Part& part = proof_.parts[k];
      if (!part.needless.empty()) continue;
      const bool ended = std::all_of(part.signs.begin(), part.signs.begin() + task_.contacts,
                                     [](int sign) { return sign > 0; });
      if (ended) {
        if (!inside_[k] || end >= found.products.size()) return false;
        addProducts(found.products[end++], part);
        continue;
      }
      const MatrixXd square = found.of(part.signs, task_.forms);
      for (const ScaledForce& force : task_.forces) {
        const bool acts = part.signs[static_cast<size_t>(force.contact)] < 0;
        if (acts && !addSlope(square, force, part, growth)) return false;
      }
    }
    return bound(found, growth);
  }

  double scaleOfValue() const { return goal_length_ * goal_length_; }

  void toCoordinates(const FoundPotential& found) {
    const Index r = exact_.rank();
    MatrixXd square(r, r), half(r, r);
    for (Index j = 0; j < r; ++j) half.col(j) = scale_.formBack(found.square.col(j));
    for (Index i = 0; i < r; ++i) square.row(i) = scale_.formBack(half.row(i).transpose()).transpose();
    square *= scaleOfValue() / (scale_.size() * scale_.size());
    square = (square + square.transpose()).eval() / 2;
    for (Index i = 0; i < r; ++i) proof_.square.push_back(asRationals(square.row(i).transpose()));
    for (Index a = 0; a < task_.forms.rows(); ++a) {
      const double length = lengths_[static_cast<size_t>(a)];
      proof_.linear.push_back(asRationals(scale_.formBack(found.linear.row(a).transpose()) * scaleOfValue() /
                                          (scale_.size() * length)));
      Rationals& cross = proof_.cross.emplace_back();
      for (Index b = a + 1; b < task_.forms.rows(); ++b)
        cross.emplace_back(found.cross(a, b) * scaleOfValue() / (length * lengths_[static_cast<size_t>(b)]));
    }
  }

  void addProducts(const MatrixXd& products, PotentialProof::Part& part) const {
    std::vector<double> lengths = lengths_;
    lengths.push_back(goal_length_);
    for (size_t a = 0; a < lengths.size(); ++a) {
      Rationals& row = part.products.emplace_back();
      for (size_t b = a; b < lengths.size(); ++b)
        row.emplace_back(products(static_cast<Index>(a), static_cast<Index>(b)) * scaleOfValue() /
                         (lengths[a] * lengths[b]));
    }
  }

  /// Factors with the least rest.
  bool addSlope(const MatrixXd& square, const ScaledForce& force, PotentialProof::Part& part, double& growth) const {
    const VectorXd slope = 2 * square * force.effect;
    const Index r = exact_.rank(), forms = task_.forms.rows(), borders = force.borders.rows();
    MatrixXd A(r, forms + borders + 2 * r);
    for (Index a = 0; a < forms; ++a)
      A.col(a) = -part.signs[static_cast<size_t>(a)] * task_.forms.row(a).transpose();
    A.middleCols(forms, borders) = force.borders.transpose();
    A.middleCols(forms + borders, r).setIdentity();
    A.rightCols(r) = -MatrixXd::Identity(r, r);
    VectorXd c = VectorXd::Zero(A.cols()), x;
    c.tail(2 * r).setOnes();
    if (!solveRounded(A, slope, c, x)) return false;
    x = x.cwiseMax(0.0);
    const VectorXd rest = x.segment(forms + borders, r) - x.tail(r);
    const double effect = force.effect_length * scaleOfValue() / scale_.size();
    growth = std::max(growth, rest.norm() * effect * scale_.energy() / scale_.size());
    PotentialProof::Slope& out = part.slopes.emplace_back();
    out.contact = force.contact;
    out.slip = force.slip;
    for (Index a = 0; a < forms; ++a)
      out.planes.emplace_back(x[a] * effect / lengths_[static_cast<size_t>(a)]);
    for (Index b = 0; b < borders; ++b)
      out.borders.emplace_back(x[forms + b] * effect / force.border_lengths[static_cast<size_t>(b)]);
    return true;
  }

  /// The least bound, of few digits, that the checker accepts.
  bool bound(const FoundPotential& found, double growth) {
    growth = growth * (1 + 1e-6) + 1e-13 * scaleOfValue();
    proof_.growth = growth;
    double value = std::sqrt(std::max(found.value, 0.0) * scaleOfValue() + growth * proof_.weights.get_d());
    std::string failure;
    double widening = 1e-6;
    for (int attempt = 0; attempt < 12; ++attempt, widening *= 4) {
      proof_.bound = proof_.side * (mpq_class(std::ceil(value * 1e7)) / 10'000'000 + proof_.side * quantity_.offset);
      if (checkPotential(proof_, failure)) return true;
      value *= 1 + widening;
    }
    return false;
  }

  const ExactProblem& exact_;
  const ExactQuantity& quantity_;
  KineticScale scale_;
  PotentialProof proof_;
  PotentialTask task_;
  std::vector<Rationals> forms_;
  double goal_length_ = 1;
  std::vector<double> lengths_;
  std::vector<char> inside_;        // of each part
};

}  // namespace

std::optional<PotentialProof> searchPotential(const ImpactProblem& problem, const ExactProblem& exact,
                                              const ExactQuantity& quantity, int side,
                                              const std::vector<std::vector<mpq_class>>& features, std::int64_t& work,
                                              const std::function<bool()>& goes_on) {
  PotentialSearch search(problem, exact, quantity, side, features);
  if (!search.run(work, goes_on)) return {};
  return search.takeProof();
}

}  // namespace rigor::impact
