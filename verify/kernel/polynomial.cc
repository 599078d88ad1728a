// SPDX-License-Identifier: MIT
#include "verify/kernel/polynomial.h"

#include <algorithm>

namespace rigor::verify::kernel {
namespace {

constexpr int kMaxDepth = 48;        // Bisections of one interval.
constexpr int kMaxIntervals = 2000;  // Intervals looked at for one answer.

}  // namespace

Polynomial Polynomial::bezier(const double* control, int stride, int degree) {
  std::vector<Number> c;
  double binomial = 1;
  for (int i = 0; i <= degree; binomial = binomial * (degree - i) / (i + 1), ++i)
    c.push_back(Number(control[i * stride]) * binomial);
  return Polynomial(std::move(c));
}

void Polynomial::elevate(int degree) {
  // f = f (u + (1 - u)): in this form every coefficient adds its left neighbour.
  while (this->degree() < degree) {
    c_.push_back(c_.back());
    for (std::size_t i = c_.size() - 2; i >= 1; --i) c_[i].add(c_[i - 1]);
  }
}

Polynomial& Polynomial::add(const Polynomial& a, int sign) {
  if (a.degree() < degree()) {
    Polynomial higher = a;
    higher.elevate(degree());
    return add(higher, sign);
  }
  elevate(a.degree());
  for (int i = 0; i <= degree(); ++i) c_[i].add(a.c_[i], sign);
  return *this;
}

Polynomial& Polynomial::addProduct(const Polynomial& a, const Polynomial& b, int sign) {
  if (a.degree() + b.degree() != degree()) return add(a * b, sign);
  for (int i = 0; i <= a.degree(); ++i)
    for (int j = 0; j <= b.degree(); ++j) c_[i + j].addProduct(a.c_[i], b.c_[j], sign);
  return *this;
}

Polynomial& Polynomial::addProduct(const Polynomial& a, const Number& b, int sign) {
  if (a.degree() != degree()) return add(a * b, sign);
  for (int i = 0; i <= degree(); ++i) c_[i].addProduct(a.c_[i], b, sign);
  return *this;
}

Polynomial operator*(const Polynomial& a, const Polynomial& b) {
  return std::move(Polynomial(std::vector<Number>(a.degree() + b.degree() + 1)).addProduct(a, b));
}

Polynomial operator*(const Polynomial& a, const Number& b) {
  return std::move(Polynomial(std::vector<Number>(a.degree() + 1)).addProduct(a, b));
}

void Polynomial::addLeastProduct(const Polynomial& a, const Number& low, const Number& high) {
  for (int i = 0; i <= degree(); ++i) c_[i].addProduct(a.c_[i], sgn(a.c_[i]) < 0 ? high : low);
}

// Horner's scheme in u and 1 - u, which are lines times 1 / h.
Polynomial Polynomial::over(const Number& from, const Number& to, const Number& h) const {
  const Polynomial u(std::vector{from, to}), rest(std::vector{h - from, h - to});
  Polynomial f = c_[0], power = 1;
  for (int i = 1; i <= degree(); ++i) f = (f * rest).addProduct(power = power * u, c_[i]);
  return f;
}

bool Polynomial::provesSign(bool strict) const {
  return std::all_of(c_.begin(), c_.end(), [](const Number& x) { return sgn(x) >= 0; }) &&
         !(strict && (sgn(c_.front()) == 0 || sgn(c_.back()) == 0));
}

Answer isNonNegative(const Polynomial& f, double& where, bool strict) {
  if (f.provesSign(strict)) return Answer::kYes;
  struct Interval {
    Polynomial f;
    double from, to;
    int depth;
  };
  const int worst = strict ? 0 : -1;  // An end with this sign or less decides.
  std::vector<Interval> stack{{f, 0, 1, 0}};
  for (int looked = 0; !stack.empty(); ++looked) {
    const Interval all = std::move(stack.back());
    stack.pop_back();
    where = all.from;
    if (all.f.sign() <= worst) return Answer::kNo;
    if (all.f.provesSign(strict)) continue;
    where = all.to;
    if (sgn(all.f.coefficients().back()) <= worst) return Answer::kNo;
    if (all.depth >= kMaxDepth || looked >= kMaxIntervals) return Answer::kUndecided;
    const double middle = (all.from + all.to) / 2;
    stack.push_back({all.f.over(1, 2, 2), middle, all.to, all.depth + 1});
    stack.push_back({all.f.over(0, 1, 2), all.from, middle, all.depth + 1});
  }
  return Answer::kYes;
}

}  // namespace rigor::verify::kernel
