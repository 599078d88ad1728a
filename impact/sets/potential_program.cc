// SPDX-License-Identifier: MIT
#include "impact/sets/potential_program.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

#include "elementary/elementary.h"
#include "impact/problem/matrix_factors.h"
#include "impact/sets/cone_rays.h"

namespace rigor::impact {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// What a row may grow, of a potential of order one: tubes of rows that must vanish get an inside.
constexpr double kRelaxed = 1e-6;
// Relative gap to the smallest value at which it ends.
constexpr double kGap = 2e-4;
// Newton steps with one weight of the goal; the weight's factor from one to the next.
constexpr int kSteps = 120;
constexpr double kFactor = 10;
// Sums of products that count as one unit of work.
constexpr double kProductsOfWork = 640;

/// (a.x)(b.x) as a symmetric matrix.
MatrixXd productOf(const VectorXd& a, const VectorXd& b) {
  const MatrixXd half = a * b.transpose() / 2;
  return half + half.transpose();
}

/// By products, whose one logarithm it is: logarithms of each took half of the time. NaN where one is not positive.
template <class Vector>
double sumOfLogs(const Vector& x) {
  constexpr Index kFactors = 512;  // Each is at least 1/2: no product of so many underflows.
  double product = 1, exponents = 0;
  int exponent;
  for (Index k = 0; k < x.size(); ++k) {
    if (!(x[k] > 0 && std::isfinite(x[k]))) return std::numeric_limits<double>::quiet_NaN();
    product *= std::frexp(x[k], &exponent);
    exponents += exponent;
    if (k % kFactors == kFactors - 1) product = std::frexp(product, &exponent), exponents += exponent;
  }
  return elementary::log(product) + exponents * std::numbers::ln2;
}

class Barrier {
 public:
  Barrier(const PotentialTask& task, std::int64_t& work) : task_(task), work_(work), r_(task.start.size()) {
    listParameters();
    listRows();
    listEnds();
  }

  bool solve(const std::function<bool()>& goes_on, FoundPotential& found) {
    begin();
    double value = 0;
    if (!evaluate(x_, 0, value)) return false;
    const double count = static_cast<double>(rows_.rows() + x_.size() - reduced_.cols()) +
                         static_cast<double>(ends_.size()) * static_cast<double>(r_);
    for (double weight = count; weight < 1e16; weight *= kFactor) {
      for (int k = 0; k < kSteps && step(weight); ++k) {
        if (work_ <= 0 || !goes_on()) return false;
      }
      found.value = cost_.dot(x_);
      if (count / weight < kGap * std::max(found.value, 1e-6)) break;
    }
    report(found);
    return true;
  }

 private:
  struct Parameter {
    MatrixXd square;
    std::vector<Index> forms;  // whose signs it has
  };
  struct End {
    std::vector<MatrixXd> of, less;  // of each reduced parameter; of each product
  };

  double signOf(const Parameter& parameter, const std::vector<int>& signs) const {
    double sign = 1;
    for (Index a : parameter.forms) sign *= signs[static_cast<size_t>(a)];
    return sign;
  }
  VectorXd form(Index a) const { return task_.forms.row(a).transpose(); }

  void listParameters() {
    const Index forms = task_.forms.rows();
    for (Index i = 0; i < r_; ++i) {
      for (Index j = i; j < r_; ++j)
        parameters_.push_back({productOf(VectorXd::Unit(r_, i), VectorXd::Unit(r_, j)), {}});
    }
    for (Index a = 0; a < forms; ++a) {
      for (Index j = 0; j < r_; ++j) parameters_.push_back({productOf(form(a), VectorXd::Unit(r_, j)), {a}});
    }
    for (Index a = 0; a < forms; ++a) {
      for (Index b = a + 1; b < forms; ++b) parameters_.push_back({productOf(form(a), form(b)), {a, b}});
    }
  }

  /// Growth along each force, on the rays of the cone where it acts; equalities leave the reduced parameters.
  void listRows() {
    const auto count = static_cast<Index>(parameters_.size());
    std::vector<VectorXd> rows;
    std::vector<char> equal;
    std::map<std::vector<long>, size_t> known;
    const auto add = [&](const VectorXd& row) {
      const double length = row.norm();
      if (length < 1e-12) return;
      std::vector<long> key, opposite;
      for (double entry : row / length) key.push_back(std::lround(entry * 1e8)), opposite.push_back(-key.back());
      if (known.contains(key)) return;
      if (const auto at = known.find(opposite); at != known.end()) {
        equal[at->second] = 1;
        return;
      }
      known[key] = rows.size();
      rows.push_back(row);
      equal.push_back(0);
    };
    for (const std::vector<int>& signs : task_.parts) {
      for (const ScaledForce& force : task_.forces) {
        if (signs[static_cast<size_t>(force.contact)] > 0) continue;
        MatrixXd slope(count, r_), H(task_.forms.rows() + force.borders.rows(), r_);
        for (Index b = 0; b < count; ++b) {
          const Parameter& parameter = parameters_[static_cast<size_t>(b)];
          slope.row(b) = 2 * signOf(parameter, signs) * (parameter.square * force.effect).transpose();
        }
        for (Index a = 0; a < task_.forms.rows(); ++a) H.row(a) = signs[static_cast<size_t>(a)] * task_.forms.row(a);
        H.bottomRows(force.borders.rows()) = -force.borders;
        const ConeRays cone = coneRays(H);
        for (const VectorXd& ray : cone.rays) add(slope * ray);
        for (const VectorXd& line : cone.lines) add(slope * line), add(-slope * line);
        work_ -= 200 + static_cast<std::int64_t>(static_cast<double>(cone.rays.size() * static_cast<size_t>(count)) /
                                                 kProductsOfWork);
      }
    }
    MatrixXd gram = MatrixXd::Zero(count, count);
    Index bounds = 0;
    for (size_t k = 0; k < rows.size(); ++k) {
      if (equal[k]) gram += rows[k] * rows[k].transpose() / rows[k].squaredNorm();
      bounds += equal[k] ? 0 : 1;
    }
    const Spectrum spectrum = spectrumOf(gram);
    Index free = 0;
    while (free < count && spectrum.values[free] < 1e-10) ++free;
    reduced_ = spectrum.vectors.leftCols(free);
    rows_.resize(bounds, free);
    bounds = 0;
    for (size_t k = 0; k < rows.size(); ++k) {
      if (!equal[k]) rows_.row(bounds++) = rows[k].transpose() * reduced_;
    }
  }

  std::vector<VectorXd> positiveOnes(const std::vector<int>& signs) const {
    std::vector<VectorXd> out;
    for (Index a = 0; a < task_.forms.rows(); ++a) out.push_back(signs[static_cast<size_t>(a)] * form(a));
    out.push_back(task_.goal);
    return out;
  }

  void listEnds() {
    for (const std::vector<int>& signs : task_.parts) {
      if (std::any_of(signs.begin(), signs.begin() + task_.contacts, [](int sign) { return sign < 0; })) continue;
      End end;
      for (Index q = 0; q < reduced_.cols(); ++q) {
        MatrixXd sum = MatrixXd::Zero(r_, r_);
        for (size_t b = 0; b < parameters_.size(); ++b)
          sum += reduced_(static_cast<Index>(b), q) * signOf(parameters_[b], signs) * parameters_[b].square;
        end.of.push_back(std::move(sum));
      }
      const std::vector<VectorXd> positive = positiveOnes(signs);
      for (size_t a = 0; a < positive.size(); ++a) {
        for (size_t b = a; b < positive.size(); ++b) end.less.push_back(productOf(positive[a], positive[b]));
      }
      ends_.push_back(std::move(end));
    }
  }

  Index products() const { return (task_.forms.rows() + 1) * (task_.forms.rows() + 2) / 2; }

  /// The energy, large enough.
  void begin() {
    const auto count = static_cast<Index>(parameters_.size());
    VectorXd energy = VectorXd::Zero(count), cost(count);
    std::vector<int> signs;
    for (Index a = 0; a < task_.forms.rows(); ++a) signs.push_back(form(a).dot(task_.start) < -1e-9 ? -1 : 1);
    for (Index b = 0; b < count; ++b) {
      const Parameter& parameter = parameters_[static_cast<size_t>(b)];
      cost[b] = signOf(parameter, signs) * task_.start.dot(parameter.square * task_.start);
      if (parameter.forms.empty() && parameter.square.trace() > 0.5) energy[b] = 1.3;
    }
    const Index all = reduced_.cols() + products() * static_cast<Index>(ends_.size());
    x_ = VectorXd::Constant(all, 0.05 / static_cast<double>(products()));
    x_.head(reduced_.cols()) = reduced_.transpose() * energy;
    cost_ = VectorXd::Zero(all);
    cost_.head(reduced_.cols()) = reduced_.transpose() * cost;
  }

  VectorXd slackOf(const VectorXd& x) const {
    return VectorXd::Constant(rows_.rows(), kRelaxed) - rows_ * x.head(reduced_.cols());
  }
  Index firstProduct(size_t end) const { return reduced_.cols() + products() * static_cast<Index>(end); }
  MatrixXd endOf(size_t number, const VectorXd& x) const {
    MatrixXd S = -task_.goal * task_.goal.transpose();
    for (Index q = 0; q < reduced_.cols(); ++q) S += x[q] * ends_[number].of[static_cast<size_t>(q)];
    for (Index q = 0; q < products(); ++q)
      S -= x[firstProduct(number) + q] * ends_[number].less[static_cast<size_t>(q)];
    return S;
  }

  /// Goal and barriers. @returns false outside.
  bool evaluate(const VectorXd& x, double weight, double& value) const {
    const VectorXd slack = slackOf(x);
    const auto products = x.tail(x.size() - reduced_.cols());
    if (slack.size() > 0 && !(slack.minCoeff() > 0)) return false;
    if (products.size() > 0 && !(products.minCoeff() > 0)) return false;
    value = weight * cost_.dot(x) - sumOfLogs(slack) - sumOfLogs(products);
    for (size_t k = 0; k < ends_.size(); ++k) {
      MatrixXd factor = endOf(k, x);
      if (!choleskyInPlace(factor)) return false;
      value -= 2 * sumOfLogs(factor.diagonal());
    }
    return std::isfinite(value);
  }

  void addEnd(size_t number, VectorXd& gradient, MatrixXd& hessian) const {
    const MatrixXd inverse = inverseOf(endOf(number, x_));
    const End& end = ends_[number];
    const auto count = static_cast<Index>(end.of.size() + end.less.size()), own = static_cast<Index>(end.of.size());
    MatrixXd left(r_ * r_, count), right(r_ * r_, count);
    const auto place = [&](Index q) { return q < own ? q : firstProduct(number) + q - own; };
    for (Index q = 0; q < count; ++q) {
      const MatrixXd one =
          q < own ? end.of[static_cast<size_t>(q)] : MatrixXd(-end.less[static_cast<size_t>(q - own)]);
      const MatrixXd between = inverse * one * inverse;
      left.col(q) = between.reshaped();
      right.col(q) = one.reshaped();
      gradient[place(q)] -= (inverse * one).trace();
    }
    const MatrixXd block = left.transpose() * right;
    for (Index a = 0; a < count; ++a) {
      for (Index b = 0; b < count; ++b) hessian(place(a), place(b)) += block(a, b);
    }
  }

  /// One Newton step. @returns false at the minimum, or where rounding stops it.
  bool step(double weight) {
    const Index own = reduced_.cols(), all = x_.size();
    const VectorXd slack = slackOf(x_), inverse = slack.cwiseInverse();
    VectorXd gradient = weight * cost_;
    gradient.head(own) += rows_.transpose() * inverse;
    MatrixXd hessian = MatrixXd::Zero(all, all), corner = MatrixXd::Zero(own, own);
    const MatrixXd scaled = inverse.asDiagonal() * rows_;
    corner.selfadjointView<Eigen::Lower>().rankUpdate(scaled.transpose());
    hessian.topLeftCorner(own, own) = corner.selfadjointView<Eigen::Lower>();
    for (Index j = own; j < all; ++j) {
      gradient[j] -= 1 / x_[j];
      hessian(j, j) += 1 / (x_[j] * x_[j]);
    }
    for (size_t k = 0; k < ends_.size(); ++k) addEnd(k, gradient, hessian);
    hessian.diagonal().array() += 1e-12 * hessian.trace() / static_cast<double>(all);
    const double products = static_cast<double>(rows_.rows()) * static_cast<double>(own * own) / 2 +
                            static_cast<double>(all * all) * static_cast<double>(all) / 3;
    work_ -= static_cast<std::int64_t>(products / kProductsOfWork);
    const VectorXd dx = -solveSymmetric(hessian, gradient);
    const double decrease = -gradient.dot(dx);
    if (!(decrease > 1e-2)) return false;
    double length = 1, before = 0, after = 0;
    const VectorXd along = rows_ * dx.head(own);
    for (Index i = 0; i < along.size(); ++i) {
      if (along[i] > 0) length = std::min(length, 0.95 * slack[i] / along[i]);
    }
    for (Index j = own; j < all; ++j) {
      if (dx[j] < 0) length = std::min(length, -0.95 * x_[j] / dx[j]);
    }
    if (!evaluate(x_, weight, before)) return false;
    for (int k = 0; k < 40; ++k, length /= 2) {
      if (!evaluate(x_ + length * dx, weight, after) || after > before - 0.05 * length * decrease) continue;
      x_ += length * dx;
      return true;
    }
    return false;
  }

  void report(FoundPotential& found) const {
    const VectorXd p = reduced_ * x_.head(reduced_.cols());
    const Index forms = task_.forms.rows();
    found.square = MatrixXd::Zero(r_, r_);
    found.linear = MatrixXd::Zero(forms, r_);
    found.cross = MatrixXd::Zero(forms, forms);
    Index next = 0;
    for (Index i = 0; i < r_; ++i) {
      for (Index j = i; j < r_; ++j, ++next) found.square += p[next] * parameters_[static_cast<size_t>(next)].square;
    }
    for (Index a = 0; a < forms; ++a) {
      for (Index j = 0; j < r_; ++j) found.linear(a, j) = p[next++];
    }
    for (Index a = 0; a < forms; ++a) {
      for (Index b = a + 1; b < forms; ++b) found.cross(a, b) = p[next++];
    }
    found.products.clear();
    for (size_t k = 0; k < ends_.size(); ++k) {
      MatrixXd& products = found.products.emplace_back(MatrixXd::Zero(forms + 1, forms + 1));
      Index at = firstProduct(k);
      for (Index a = 0; a <= forms; ++a) {
        for (Index b = a; b <= forms; ++b) products(a, b) = x_[at++];
      }
    }
  }

  const PotentialTask& task_;
  std::int64_t& work_;
  Index r_;
  std::vector<Parameter> parameters_;
  MatrixXd rows_, reduced_;  // rows_ times reduced parameters <= kRelaxed; what reduced parameters stand for
  std::vector<End> ends_;
  VectorXd x_, cost_;        // reduced parameters, then products of each end
};

}  // namespace

MatrixXd FoundPotential::of(const std::vector<int>& signs, const MatrixXd& forms) const {
  MatrixXd out = square;
  for (Index a = 0; a < forms.rows(); ++a) {
    const double sign = signs[static_cast<size_t>(a)];
    out += sign * productOf(forms.row(a).transpose(), linear.row(a).transpose());
    for (Index b = a + 1; b < forms.rows(); ++b)
      out += sign * signs[static_cast<size_t>(b)] * cross(a, b) *
             productOf(forms.row(a).transpose(), forms.row(b).transpose());
  }
  return out;
}

bool findPotential(const PotentialTask& task, const std::function<bool()>& goes_on, std::int64_t& work,
                   FoundPotential& found) {
  return Barrier(task, work).solve(goes_on, found);
}

}  // namespace rigor::impact
