// SPDX-License-Identifier: MIT
#include "impact/sets/exact_problem.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "elementary/elementary.h"
#include "impact/problem/field_error.h"
#include "impact/problem/problem_check.h"

namespace rigor::impact {
namespace {

using Rationals = std::vector<mpq_class>;

// Of a limit by the energy, rounded up.
constexpr int kLimitBits = 10;

mpq_class dot(const Rationals& a, const Rationals& b) {
  mpq_class sum = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    if (sgn(a[i]) != 0 && sgn(b[i]) != 0) sum += a[i] * b[i];
  }
  return sum;
}

Rationals decimalsOf(const Eigen::Ref<const Eigen::RowVectorXd>& row) {
  Rationals out;
  for (double entry : row) out.push_back(decimalOf(entry));
  return out;
}

}  // namespace

mpq_class decimalOf(double value) {
  char text[64];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific);
  if (error != std::errc() || !std::isfinite(value)) throw std::invalid_argument("numbers must be finite");
  const std::string all(text, end);
  const size_t e = all.find('e');
  std::string digits = all.substr(0, e);
  long exponent = std::stol(all.substr(e + 1));
  if (const size_t point = digits.find('.'); point != std::string::npos) {
    exponent -= static_cast<long>(digits.size() - point - 1);
    digits.erase(point, 1);
  }
  mpz_class number(digits, 10), power;
  mpz_ui_pow_ui(power.get_mpz_t(), 10, static_cast<unsigned long>(std::labs(exponent)));
  mpq_class out = exponent >= 0 ? mpq_class(number * power) : mpq_class(number, power);
  out.canonicalize();
  return out;
}

bool solveExactly(const std::vector<Rationals>& A, std::vector<Rationals>& B) {
  const size_t n = A.size();
  // Whole numbers, a common factor a row: in Bareiss's elimination every entry is a minor and every division exact, so
  // that numbers grow with n alone. Reduced fractions take a hundred times as long for thirty velocities.
  std::vector<std::vector<mpz_class>> rows(n);
  for (size_t i = 0; i < n; ++i) {
    const std::array<const Rationals*, 2> sides{&A[i], &B[i]};
    mpz_class common = 1;
    for (const Rationals* row : sides)
      for (const mpq_class& x : *row) common = lcm(common, x.get_den());
    for (const Rationals* row : sides)
      for (const mpq_class& x : *row) rows[i].push_back(x.get_num() * (common / x.get_den()));
  }
  mpz_class before = 1;
  for (size_t k = 0; k < n; ++k) {
    size_t pivot = k;
    while (pivot < n && sgn(rows[pivot][k]) == 0) ++pivot;
    if (pivot == n) return false;
    std::swap(rows[pivot], rows[k]);
    for (size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const mpz_class factor = rows[i][k];
      for (size_t j = 0; j < rows[i].size(); ++j) {
        rows[i][j] = rows[i][j] * rows[k][k] - factor * rows[k][j];
        mpz_divexact(rows[i][j].get_mpz_t(), rows[i][j].get_mpz_t(), before.get_mpz_t());
      }
    }
    before = rows[k][k];
  }
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < B[i].size(); ++j) {
      B[i][j] = mpq_class(rows[i][n + j], rows[i][i]);
      B[i][j].canonicalize();
    }
  return true;
}

std::vector<std::pair<mpq_class, mpq_class>> frictionPolygon(int edges) {
  std::vector<std::pair<mpq_class, mpq_class>> corners;
  const auto rounded = [](double value) { return std::abs(value) < 1e-15 ? mpq_class(0) : decimalOf(value); };
  for (int k = 0; k < edges; ++k) {
    if (2 * k >= edges) {
      const auto opposite = corners[static_cast<size_t>(k - edges / 2)];
      corners.emplace_back(-opposite.first, -opposite.second);
    } else {
      const double angle = 2 * std::numbers::pi * k / edges;
      corners.emplace_back(rounded(elementary::cos(angle)), rounded(elementary::sin(angle)));
    }
  }
  return corners;
}

mpq_class rootAbove(const mpq_class& square) {
  double root = std::sqrt(square.get_d());
  while (mpq_class(root) * mpq_class(root) < square) root = std::nextafter(root, HUGE_VAL);
  return mpq_class(root);
}

void ExactProblem::readRows(const ImpactProblem& problem, Contacts contacts) {
  for (int i = 0; i < problem.numContacts(); ++i) {
    const double mu = problem.friction[static_cast<size_t>(i)];
    const bool any = contacts == Contacts::kAny;
    if (std::isinf(mu) && !any)
      throw FieldError("friction", "friction no-slip: exact sets are for finite coefficients");
    friction_.push_back(std::isinf(mu) ? mpq_class(0) : decimalOf(mu));
    normal_row_.push_back(static_cast<int>(rows_.size()));
    rows_.push_back({i, true, std::string("vn").append(std::to_string(i)), true, {}, -1, 1});
    jacobian_.push_back(decimalsOf(problem.normal.row(i)));
    tangent_row_.push_back(-1);
    if (!(mu > 0) || isAnyDirection(i)) continue;
    const Eigen::MatrixXd& T = problem.tangent[static_cast<size_t>(i)];
    tangent_row_.back() = static_cast<int>(rows_.size());
    for (Eigen::Index k = 0; k < T.rows(); ++k) {
      const std::string name = std::string("vt").append(std::to_string(i)).append(k == 0 ? "_0" : "_1");
      rows_.push_back({i, false, name, T.rows() == 1, {}, -1, 1});
      jacobian_.push_back(decimalsOf(T.row(k)));
    }
    if (T.rows() == 2 && !any) addBorders(i);
  }
  const Rationals v = decimalsOf(problem.velocity.transpose());
  mpq_class largest = 0;
  for (const Rationals& row : jacobian_) {
    speeds_.push_back(dot(row, v));
    largest = std::max<mpq_class>(largest, abs(speeds_.back()));
  }
  const mpq_class least = largest * decimalOf(kSnappedSpeed);
  for (mpq_class& speed : speeds_) {
    if (abs(speed) < least) speed = 0;
  }
  speed_ = largest.get_d();
}

/// Slip s is opposed by the edge d_k of least d_k . s: borders are where d_k . s = d_k+1 . s.
void ExactProblem::addBorders(int contact) {
  const auto corners = frictionPolygon(told_.cone_edges);
  const size_t first = jacobian_.size() - 2;
  for (size_t k = 0; 2 * k < corners.size(); ++k) {
    const mpq_class x = corners[k].first - corners[k + 1].first, y = corners[k].second - corners[k + 1].second;
    Rationals row;
    for (size_t j = 0; j < jacobian_[first].size(); ++j)
      row.push_back(x * jacobian_[first][j] + y * jacobian_[first + 1][j]);
    rows_.push_back({contact, false, {}, true, {}, -1, 1});
    jacobian_.push_back(std::move(row));
  }
}

/// Rows that start at 0 come first, so that those that depend on them are 0 too.
void ExactProblem::chooseCoordinates() {
  std::vector<int> order;
  for (const bool zero : {true, false}) {
    for (size_t k = 0; k < rows_.size(); ++k) {
      if ((sgn(speeds_[k]) == 0) == zero) order.push_back(static_cast<int>(k));
    }
  }
  std::vector<ExactVector> sorted;
  for (int k : order) sorted.push_back(ExactVector::ofRationals(jacobian_[static_cast<size_t>(k)]));
  for (int k : independentOnes(sorted)) coordinates_.push_back(order[static_cast<size_t>(k)]);
  for (int k : coordinates_) start_.push_back(speeds_[static_cast<size_t>(k)]);
  // Each row as a combination of the coordinates: Gram's equations, exact as the row lies in their span.
  const size_t r = coordinates_.size();
  std::vector<Rationals> gram(r, Rationals(r)), right(r, Rationals(rows_.size()));
  for (size_t i = 0; i < r; ++i) {
    const Rationals& row = jacobian_[static_cast<size_t>(coordinates_[i])];
    for (size_t j = 0; j < r; ++j) gram[i][j] = dot(row, jacobian_[static_cast<size_t>(coordinates_[j])]);
    for (size_t k = 0; k < rows_.size(); ++k) right[i][k] = dot(row, jacobian_[k]);
  }
  if (!solveExactly(gram, right)) throw std::logic_error("independent rows have a singular Gram matrix");
  for (size_t k = 0; k < rows_.size(); ++k) {
    for (size_t i = 0; i < r; ++i) rows_[k].of.push_back(right[i][k]);
  }
}

void ExactProblem::findPlanes() {
  for (Row& row : rows_) {
    ExactVector plane = ExactVector::ofRationals(row.of);
    if (plane.isZero() || !row.sorts) continue;
    for (size_t p = 0; p < planes_.size() && row.plane < 0; ++p) {
      if (planes_[p] == plane) row.plane = static_cast<int>(p), row.side = 1;
      if (planes_[p] == plane.negated()) row.plane = static_cast<int>(p), row.side = -1;
    }
    if (row.plane >= 0) continue;
    row.plane = static_cast<int>(planes_.size());
    planes_.push_back(std::move(plane));
  }
}

/// Where the force of slip k of a contact with `edges` directions is not the one against the slip.
void ExactProblem::setAgainst(ExactForce& force, int edges) const {
  const int tangent = tangentRow(force.contact);
  if (force.slip == 0 || tangent < 0) return;
  if (edges == 2) {
    force.against.push_back({tangent, force.slip, -force.slip});
    return;
  }
  // Edge k (from 0) opposes where border k is not positive and border k - 1 not negative; the second half of the
  // borders are the first with the other sign.
  const int k = force.slip - 1, half = edges / 2, before = (k + edges - 1) % edges;
  force.against.push_back({tangent + 2 + k % half, k < half ? 1 : -1, (k + 1) % edges + 1});
  force.against.push_back({tangent + 2 + before % half, before < half ? -1 : 1, before + 1});
}

void ExactProblem::findForces(const ImpactProblem& problem, const std::vector<Rationals>& mass) {
  forces_.resize(normal_row_.size());
  const auto corners = frictionPolygon(told_.cone_edges);
  std::vector<Rationals> impulse(mass.size());  // Of each velocity and force.
  for (int i = 0; i < numContacts(); ++i) {
    const mpq_class& mu = friction_[static_cast<size_t>(i)];
    const Rationals normal = decimalsOf(problem.normal.row(i));
    std::vector<Rationals> tangents;
    for (Eigen::Index k = 0; sgn(mu) > 0 && k < problem.tangent[static_cast<size_t>(i)].rows(); ++k)
      tangents.push_back(decimalsOf(problem.tangent[static_cast<size_t>(i)].row(k)));
    const int edges = tangents.empty() ? 1 : tangents.size() == 1 ? 2 : told_.cone_edges;
    for (int k = 0; k < edges; ++k) {
      ExactForce force;
      force.contact = i;
      force.slip = edges == 1 ? 0 : edges == 2 ? 1 - 2 * k : k + 1;
      setAgainst(force, edges);
      forces_[static_cast<size_t>(i)].push_back(std::move(force));
      for (size_t j = 0; j < normal.size(); ++j) {
        mpq_class along = 0;
        if (edges == 2) along = (1 - 2 * k) * tangents[0][j];
        if (edges > 2) {
          const auto& [x, y] = corners[static_cast<size_t>(k)];
          along = x * tangents[0][j] + y * tangents[1][j];
        }
        impulse[j].push_back(normal[j] + mu * along);
      }
    }
  }
  if (!solveExactly(mass, impulse)) throw FieldError("mass_matrix", "mass_matrix must be positive definite");
  size_t column = 0;
  for (std::vector<ExactForce>& of_contact : forces_) {
    for (ExactForce& force : of_contact) {
      for (int c : coordinates_) {
        mpq_class effect = 0;
        for (size_t j = 0; j < mass.size(); ++j) effect += jacobian_[static_cast<size_t>(c)][j] * impulse[j][column];
        force.effect.push_back(effect);
      }
      ++column;
    }
  }
}

bool isPlanarAndInelastic(const ImpactProblem& problem) {
  for (int i = 0; i < problem.numContacts(); ++i) {
    const double mu = problem.friction[static_cast<size_t>(i)];
    if (!std::isfinite(mu) || (mu > 0 && problem.tangent[static_cast<size_t>(i)].rows() != 1)) return false;
  }
  return std::all_of(problem.restitution.begin(), problem.restitution.end(), [](double e) { return e == 0; });
}

void ExactProblem::findLimits(const ImpactProblem& problem, const std::vector<Rationals>& delassus) {
  const Rationals v = decimalsOf(problem.velocity.transpose());
  mpq_class energy = 0;
  for (size_t i = 0; i < v.size(); ++i) {
    for (size_t j = 0; j < v.size(); ++j) {
      const auto row = static_cast<int>(std::max(i, j)), column = static_cast<int>(std::min(i, j));
      energy += v[i] * v[j] * decimalOf(problem.mass_matrix(row, column));
    }
  }
  for (const int row : normal_row_) {
    const auto k = static_cast<size_t>(row);
    // Few digits: they go into every polytope that touches the limit.
    int exponent = 0;
    const double digits = std::frexp(rootAbove(delassus[k][k] * energy).get_d(), &exponent);
    limits_.push_back({row, mpq_class(std::ldexp(std::ceil(std::ldexp(digits, kLimitBits)), exponent - kLimitBits))});
  }
}

ExactProblem::ExactProblem(const ImpactProblem& problem, Contacts contacts, ExactFriction friction)
    : told_(std::move(friction)) {
  checkProblem(problem);
  readRows(problem, contacts);
  chooseCoordinates();
  findPlanes();
  const auto n = static_cast<size_t>(problem.numVelocities());
  std::vector<Rationals> mass(n), response(n, Rationals(rows_.size()));
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j) {
      mass[i].push_back(
          decimalOf(problem.mass_matrix(static_cast<int>(std::max(i, j)), static_cast<int>(std::min(i, j)))));
    }
    for (size_t k = 0; k < rows_.size(); ++k) response[i][k] = jacobian_[k][i];
  }
  if (contacts == Contacts::kFinite) findForces(problem, mass);
  if (!solveExactly(mass, response)) throw FieldError("mass_matrix", "mass_matrix must be positive definite");
  std::vector<Rationals> delassus(rows_.size(), Rationals(rows_.size()));
  for (size_t a = 0; a < rows_.size(); ++a) {
    for (size_t b = 0; b < rows_.size(); ++b) {
      for (size_t i = 0; i < n; ++i) delassus[a][b] += jacobian_[a][i] * response[i][b];
    }
  }

  // v+ = v + M^-1 Jc' Wc^-1 (c+ - Jc v): the coordinates determine the impulse's effect on v.
  const size_t r = coordinates_.size();
  std::vector<Rationals> small(r, Rationals(r)), inverse(r, Rationals(r));
  for (size_t i = 0; i < r; ++i) {
    inverse[i][i] = 1;
    for (size_t j = 0; j < r; ++j) {
      small[i][j] = delassus[static_cast<size_t>(coordinates_[i])][static_cast<size_t>(coordinates_[j])];
    }
  }
  delassus_ = small;
  if (!solveExactly(small, inverse)) throw FieldError("mass_matrix", "mass_matrix must be positive definite");
  if (told_.isRelaxed()) {
    findLimits(problem, delassus);
    return;
  }
  const Rationals v = decimalsOf(problem.velocity.transpose());
  for (size_t i = 0; i < n; ++i) {
    Rationals row(r);
    mpq_class offset = v[i];
    for (size_t j = 0; j < r; ++j) {
      for (size_t k = 0; k < r; ++k) row[j] += response[i][static_cast<size_t>(coordinates_[k])] * inverse[k][j];
      offset -= row[j] * dot(jacobian_[static_cast<size_t>(coordinates_[j])], v);
    }
    velocity_map_.push_back(std::move(row));
    velocity_offset_.push_back(offset);
  }
}

}  // namespace rigor::impact
