// SPDX-License-Identifier: MIT
#include "impact/sets/fan.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace rigor::impact {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// Share of a form that is independent of the others.
constexpr double kIndependent = 1e-6;

mpq_class product(const std::vector<mpq_class>& a, const std::vector<mpq_class>& b) {
  mpq_class sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// A rational number of few digits near a positive one.
mpq_class fewDigits(double value) {
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  return std::ldexp(std::round(std::ldexp(mantissa, 12)), exponent - 12);
}

}  // namespace

Fan::Fan(const ExactProblem& exact, const KineticScale& scale, size_t most) {
  const auto r = static_cast<size_t>(exact.rank());
  if (r == 0 || r >= 20 || size_t{1} << r > most) return;
  const auto contacts = static_cast<size_t>(exact.numContacts());
  if (!chooseAxes(exact, scale)) return;
  for (const std::vector<mpq_class>& axis : axes_) {
    for (const int sign : {1, -1}) {
      rays_.push_back(scale.change(axis) * sign);
      heights_.emplace_back();
      for (size_t k = 0; k < contacts; ++k)
        heights_.back().push_back(product(exact.rows()[static_cast<size_t>(exact.normalRow(static_cast<int>(k)))].of,
                                          axis) * sign);
    }
  }
  for (size_t signs = 0; signs < size_t{1} << r; ++signs) {
    Cone cone;
    for (size_t i = 0; i < r; ++i) cone.push_back(static_cast<int>(2 * i + (signs >> i & 1u)));
    cones_.push_back(std::move(cone));
  }
  if (!addStart(exact)) return;
  whole_ = true;
  for (size_t k = 0; k < contacts && whole_; ++k) {
    align(k, most);
    whole_ = cones_.size() <= most;
  }
}

bool Fan::separates(const Cone& cone, int contact) const {
  return std::all_of(cone.begin(), cone.end(), [&](int ray) {
    return sgn(heights_[static_cast<size_t>(ray)][static_cast<size_t>(contact)]) >= 0;
  });
}

bool Fan::approaches(const Cone& cone, int contact) const {
  return std::all_of(cone.begin(), cone.end(), [&](int ray) {
    return sgn(heights_[static_cast<size_t>(ray)][static_cast<size_t>(contact)]) <= 0;
  });
}

/// Along each axis one velocity alone changes, of: normal ones; the mean slips of all spatial contacts; all others.
bool Fan::chooseAxes(const ExactProblem& exact, const KineticScale& scale) {
  const auto r = static_cast<size_t>(exact.rank());
  std::vector<std::vector<mpq_class>> candidates, forms;
  for (int i = 0; i < exact.numContacts(); ++i)
    candidates.push_back(exact.rows()[static_cast<size_t>(exact.normalRow(i))].of);
  for (const int tangent : {0, 1}) {
    std::vector<mpq_class> mean(r, 0);
    for (int i = 0; i < exact.numContacts(); ++i) {
      if (exact.forces(i).size() <= 2) continue;
      const std::vector<mpq_class>& row = exact.rows()[static_cast<size_t>(exact.tangentRow(i) + tangent)].of;
      for (size_t k = 0; k < r; ++k) mean[k] += row[k];
    }
    candidates.push_back(std::move(mean));
  }
  for (const ExactProblem::Row& row : exact.rows()) candidates.push_back(row.of);
  Eigen::MatrixXd spanned(exact.rank(), 0);  // orthonormal
  for (const std::vector<mpq_class>& candidate : candidates) {
    VectorXd form = scale.form(candidate);
    const double length = form.norm();
    for (int twice = 0; twice < 2; ++twice) form -= spanned * (spanned.transpose() * form);
    if (forms.size() == r || !(form.norm() > kIndependent * length)) continue;
    spanned.conservativeResize(Eigen::NoChange, spanned.cols() + 1);
    spanned.rightCols(1) = form.normalized();
    forms.push_back(candidate);
  }
  if (forms.size() < r) return false;
  std::vector<std::vector<mpq_class>> columns(r, std::vector<mpq_class>(r, 0));
  for (size_t i = 0; i < r; ++i) columns[i][i] = 1;
  if (!solveExactly(forms, columns)) return false;
  for (size_t i = 0; i < r; ++i) {
    std::vector<mpq_class> axis;
    for (size_t k = 0; k < r; ++k) axis.push_back(columns[k][i]);
    const mpq_class unit = fewDigits(1 / scale.change(axis).norm());
    for (mpq_class& entry : axis) entry *= unit;
    axes_.push_back(std::move(axis));
  }
  return true;
}

bool Fan::addStart(const ExactProblem& exact) {
  const size_t r = axes_.size();
  std::vector<std::vector<mpq_class>> columns(r, std::vector<mpq_class>(r)), parts;
  for (size_t i = 0; i < r; ++i) {
    for (size_t k = 0; k < r; ++k) columns[k][i] = axes_[i][k];
    parts.push_back({exact.start()[i]});
  }
  if (!solveExactly(columns, parts)) return false;
  std::vector<int> at;
  std::vector<mpq_class> factors;
  for (size_t i = 0; i < r; ++i) {
    if (sgn(parts[i][0]) == 0) continue;
    at.push_back(static_cast<int>(2 * i + (parts[i][0] < 0 ? 1 : 0)));
    factors.push_back(abs(parts[i][0]));
  }
  start_ = at.size() == 1 ? at[0] : divide(at, std::move(factors));
  return true;
}

void Fan::align(size_t contact, size_t most) {
  const auto height = [&](int ray) -> const mpq_class& { return heights_[static_cast<size_t>(ray)][contact]; };
  // Rays on the plane alone are new, so that edges that cross it are those of now.
  std::set<std::pair<int, int>> crossing;
  for (const Cone& cone : cones_) {
    for (int a : cone) {
      for (int b : cone) {
        if (sgn(height(a)) > 0 && sgn(height(b)) < 0) crossing.emplace(a, b);
      }
    }
  }
  for (const auto& [a, b] : crossing) {
    if (cones_.size() > most) return;
    divide({a, b}, {-height(b), height(a)});
  }
}

/// The sum of rays times factors, which are scaled so that it has a length of about one.
VectorXd Fan::raySum(const std::vector<int>& at, std::vector<mpq_class>& factors) const {
  VectorXd ray = VectorXd::Zero(rays_[0].size());
  for (size_t k = 0; k < at.size(); ++k) ray += factors[k].get_d() * rays_[static_cast<size_t>(at[k])];
  const mpq_class scale = fewDigits(1 / ray.norm());
  for (mpq_class& factor : factors) factor *= scale;
  return ray * scale.get_d();
}

int Fan::divide(const std::vector<int>& at, std::vector<mpq_class> factors) {
  rays_.push_back(raySum(at, factors));
  std::vector<mpq_class> heights(heights_[0].size(), 0);
  for (size_t k = 0; k < at.size(); ++k) {
    for (size_t i = 0; i < heights.size(); ++i) heights[i] += factors[k] * heights_[static_cast<size_t>(at[k])][i];
  }
  heights_.push_back(std::move(heights));
  const int made = static_cast<int>(rays_.size()) - 1;
  std::vector<Cone> divided;
  const auto has = [](const Cone& cone, int of) { return std::find(cone.begin(), cone.end(), of) != cone.end(); };
  std::erase_if(cones_, [&](const Cone& cone) {
    if (!std::all_of(at.begin(), at.end(), [&](int of) { return has(cone, of); })) return false;
    for (int of : at) {
      divided.push_back(cone);
      std::replace(divided.back().begin(), divided.back().end(), of, made);
    }
    return true;
  });
  cones_.insert(cones_.end(), divided.begin(), divided.end());
  divisions_.push_back({at, std::move(factors)});
  return made;
}

Fan::Cut Fan::cut(int a, int b, double part) {
  parts_.push_back(part);
  Cut out;
  out.ray = divide({a, b}, {fewDigits(1 - part), fewDigits(part)});
  out.of_a = divisions_.back().factors[0].get_d();
  out.of_b = divisions_.back().factors[1].get_d();
  // Their signs are all that is needed of heights any more.
  for (mpq_class& height : heights_.back()) height = sgn(height);
  return out;
}

void Fan::move(const std::vector<double>& parts) {
  parts_ = parts;
  const size_t before = divisions_.size() - parts_.size();
  for (size_t k = 0; k < parts_.size(); ++k) {
    FanProof::Division& division = divisions_[before + k];
    division.factors = {fewDigits(1 - parts_[k]), fewDigits(parts_[k])};
    rays_[rays_.size() - parts_.size() + k] = raySum(division.rays, division.factors);
  }
}

void Fan::write(FanProof& proof) const {
  proof.axes = axes_;
  proof.divisions = divisions_;
}

}  // namespace rigor::impact
