// SPDX-License-Identifier: MIT
#include "impact/sets/fan.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "impact/problem/matrix_factors.h"

namespace rigor::impact {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Share of a form that is independent of the others.
constexpr double kIndependent = 1e-6;
// Rays are rounded to this part of their largest entry.
constexpr int kRayBits = 16;
// Parts of its volume and of its normal velocities that a move leaves a cone and a ray at least.
constexpr double kLeastVolume = 0.5, kLeastHeight = 0.3;
// Parts of a way that are tried where it is too long, and how often.
constexpr double kShorterWay = 0.7;
constexpr int kWayTrials = 12;

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

mpq_class largestOf(const std::vector<mpq_class>& entries) {
  mpq_class most = 0;
  for (const mpq_class& entry : entries) most = std::max(most, mpq_class(abs(entry)));
  return most;
}

}  // namespace

Fan::Fan(const ExactProblem& exact, const KineticScale& scale, size_t most) : scale_(&scale) {
  const auto r = static_cast<size_t>(exact.rank());
  if (r == 0 || r >= 20 || size_t{1} << r > most) return;
  for (int k = 0; k < exact.numContacts(); ++k)
    normals_.push_back(exact.rows()[static_cast<size_t>(exact.normalRow(k))].of);
  if (!chooseAxes(exact)) return;
  for (size_t signs = 0; signs < size_t{1} << r; ++signs) {
    Cone cone;
    for (size_t i = 0; i < r; ++i) cone.push_back(static_cast<int>(2 * i + (signs >> i & 1u)));
    cones_.push_back(std::move(cone));
  }
  if (!addStart(exact)) return;
  whole_ = true;
  for (size_t k = 0; k < normals_.size() && whole_; ++k) {
    align(k, most);
    whole_ = cones_.size() <= most;
  }
}

bool Fan::separates(const Cone& cone, int contact) const {
  return std::all_of(cone.begin(), cone.end(), [&](int ray) {
    return signs_[static_cast<size_t>(ray)][static_cast<size_t>(contact)] >= 0;
  });
}

bool Fan::approaches(const Cone& cone, int contact) const {
  return std::all_of(cone.begin(), cone.end(), [&](int ray) {
    return signs_[static_cast<size_t>(ray)][static_cast<size_t>(contact)] <= 0;
  });
}

std::vector<int> Fan::signsOf(const Rationals& state) const {
  std::vector<int> out;
  for (const Rationals& normal : normals_) out.push_back(sgn(product(normal, state)));
  return out;
}

int Fan::addRay(Rationals state, bool round) {
  std::vector<int> signs = signsOf(state);
  if (round) {
    Rationals few = rounded(state, signs);
    if (signsOf(few) == signs) state = std::move(few);
  }
  rays_.push_back(scale_->change(state));
  states_.push_back(std::move(state));
  signs_.push_back(std::move(signs));
  return numRays() - 1;
}

/// Some entries are rounded; the others follow, so that what vanishes vanishes still.
Fan::Rationals Fan::rounded(Rationals state, const std::vector<int>& signs) const {
  std::vector<Rationals> forms;  // eliminated downwards
  std::vector<size_t> pivots;
  for (size_t k = 0; k < signs.size(); ++k) {
    if (signs[k] != 0) continue;
    Rationals form = normals_[k];
    for (size_t i = 0; i < forms.size(); ++i) {
      const mpq_class factor = form[pivots[i]] / forms[i][pivots[i]];
      for (size_t j = 0; j < form.size(); ++j) form[j] -= factor * forms[i][j];
    }
    size_t pivot = 0;
    for (size_t j = 1; j < form.size(); ++j) {
      if (abs(form[j]) > abs(form[pivot])) pivot = j;
    }
    if (sgn(form[pivot]) == 0) continue;
    forms.push_back(std::move(form));
    pivots.push_back(pivot);
  }
  const mpq_class unit = std::ldexp(1.0, std::ilogb(largestOf(state).get_d()) - kRayBits);
  for (mpq_class& entry : state) entry = std::round(mpq_class(entry / unit).get_d()) * unit;
  for (size_t i = forms.size(); i-- > 0;) {
    state[pivots[i]] = 0;
    state[pivots[i]] = -product(forms[i], state) / forms[i][pivots[i]];
  }
  return state;
}

/// Along each axis one velocity alone changes, of: normal ones; the mean slips of all spatial contacts; all others.
bool Fan::chooseAxes(const ExactProblem& exact) {
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
    VectorXd form = scale_->form(candidate);
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
    Rationals axis;
    for (size_t k = 0; k < r; ++k) axis.push_back(columns[k][i]);
    const mpq_class unit = fewDigits(1 / scale_->change(axis).norm());
    for (mpq_class& entry : axis) entry *= unit;
    addRay(axis, false);
    for (mpq_class& entry : axis) entry *= -1;
    addRay(std::move(axis), false);
  }
  return true;
}

/// The start takes the place of a ray that is a multiple of it; else it divides the cones around it.
bool Fan::addStart(const ExactProblem& exact) {
  const size_t r = states_[0].size();
  std::vector<std::vector<mpq_class>> columns(r, std::vector<mpq_class>(r)), parts;
  for (size_t i = 0; i < r; ++i) {
    for (size_t k = 0; k < r; ++k) columns[k][i] = states_[2 * i][k];
    parts.push_back({exact.start()[i]});
  }
  if (!solveExactly(columns, parts)) return false;
  std::vector<int> at;
  Rationals factors;
  const mpq_class unit = fewDigits(1 / scale_->change(exact.start()).norm());
  for (size_t i = 0; i < r; ++i) {
    if (sgn(parts[i][0]) == 0) continue;
    at.push_back(static_cast<int>(2 * i + (parts[i][0] < 0 ? 1 : 0)));
    factors.push_back(abs(parts[i][0]) * unit);
  }
  if (at.empty()) return false;
  start_ = at.size() == 1 ? at[0] : divide(at, factors, false);
  return true;
}

void Fan::align(size_t contact, size_t most) {
  const auto height = [&](int ray) { return product(normals_[contact], states_[static_cast<size_t>(ray)]); };
  // Rays on the plane alone are new, so that edges that cross it are those of now.
  std::set<std::pair<int, int>> crossing;
  for (const Cone& cone : cones_) {
    for (int a : cone) {
      for (int b : cone) {
        if (signs_[static_cast<size_t>(a)][contact] > 0 && signs_[static_cast<size_t>(b)][contact] < 0)
          crossing.emplace(a, b);
      }
    }
  }
  for (const auto& [a, b] : crossing) {
    if (cones_.size() > most) return;
    Rationals factors{-height(b), height(a)};
    const VectorXd sum = factors[0].get_d() * ray(a) + factors[1].get_d() * ray(b);
    const mpq_class unit = fewDigits(1 / sum.norm());
    for (mpq_class& factor : factors) factor *= unit;
    divide({a, b}, factors, true);
  }
}

/// The new ray, the sum of rays times factors, takes the place of each of them wherever all of them meet.
int Fan::divide(const std::vector<int>& at, const Rationals& factors, bool round) {
  Rationals state(states_[0].size(), 0);
  for (size_t k = 0; k < at.size(); ++k) {
    const Rationals& of = states_[static_cast<size_t>(at[k])];
    for (size_t i = 0; i < state.size(); ++i) state[i] += factors[k] * of[i];
  }
  const int made = addRay(std::move(state), round);
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
  return made;
}

Fan::Cut Fan::cut(int a, int b, double part) {
  const double unit = 1 / ((1 - part) * ray(a) + part * ray(b)).norm();
  const Rationals factors{fewDigits((1 - part) * unit), fewDigits(part * unit)};
  return {divide({a, b}, factors, true), factors[0].get_d(), factors[1].get_d()};
}

MatrixXd Fan::directions(int number) const {
  const VectorXd& own = ray(number);
  const Index r = own.size();
  if (number == start_) return MatrixXd(r, 0);
  MatrixXd across(r, 1 + numContacts());
  Index count = 0;
  across.col(count++) = own.normalized();
  for (size_t i = 0; i < normals_.size(); ++i) {
    if (signs_[static_cast<size_t>(number)][i] == 0) across.col(count++) = scale_->form(normals_[i]).normalized();
  }
  return acrossColumns(across.leftCols(count), kIndependent);
}

std::vector<double> Fan::volumes() const {
  std::vector<double> out;
  MatrixXd rays(rays_[0].size(), rays_[0].size());
  for (const Cone& cone : cones_) {
    for (size_t k = 0; k < cone.size(); ++k) rays.col(static_cast<Index>(k)) = ray(cone[k]).normalized();
    out.push_back(determinantOf(rays));
  }
  return out;
}

/// @returns false, and leaves the ray, where a normal velocity would change its sign or most of it.
bool Fan::shift(size_t ray, const VectorXd& way) {
  const VectorXd before = rays_[ray];
  Rationals state = rounded(asRationals(scale_->changeBack((before + way).normalized())), signs_[ray]);
  if (signsOf(state) != signs_[ray]) return false;
  const VectorXd after = scale_->change(state);
  for (size_t i = 0; i < normals_.size(); ++i) {
    const VectorXd normal = scale_->form(normals_[i]);
    if (signs_[ray][i] != 0 && !(std::abs(normal.dot(after)) > kLeastHeight * std::abs(normal.dot(before))))
      return false;
  }
  states_[ray] = std::move(state);
  rays_[ray] = after;
  return true;
}

bool Fan::move(std::vector<VectorXd> ways) {
  const std::vector<double> before = volumes();
  for (int trial = 0; trial < kWayTrials; ++trial) {
    Fan moved = *this;
    for (size_t j = 0; j < ways.size(); ++j) {
      if (ways[j].isZero()) continue;
      for (int shorter = 0; shorter < kWayTrials && !moved.shift(j, ways[j]); ++shorter) ways[j] *= kShorterWay;
    }
    const std::vector<double> after = moved.volumes();
    std::set<int> narrow;
    for (size_t k = 0; k < cones_.size(); ++k) {
      if (!(after[k] / before[k] > kLeastVolume)) narrow.insert(cones_[k].begin(), cones_[k].end());
    }
    if (narrow.empty()) {
      *this = std::move(moved);
      return true;
    }
    for (int j : narrow) ways[static_cast<size_t>(j)] *= kShorterWay;
  }
  return false;
}

void Fan::write(FanProof& proof) const {
  proof.rays = states_;
  proof.cones = cones_;
}

}  // namespace rigor::impact
