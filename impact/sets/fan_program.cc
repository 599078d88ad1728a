// SPDX-License-Identifier: MIT
#include "impact/sets/fan_program.h"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "impact/problem/matrix_factors.h"

namespace rigor::impact {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Of entries and costs of order one: what rows and costs may be off at the end. Rows make a potential, costs tell only
// how near it is to the best one.
constexpr double kRowsMet = 1e-8, kCostsMet = 2e-4;
// Relative gap of the goal at the end.
constexpr double kGoalGap = 5e-3;
// Steps at most, and from a near guess: those that end take some twenty to forty.
constexpr int kMostSteps = 120, kMostNearSteps = 60;
// Gaps, relative to the goal, that show that the rows contradict each other.
constexpr double kContradicts = 1e6;
// Least slacks, and their products with multipliers, of a cold start, and of one from a guess that is far or near.
constexpr double kColdSlack = 1, kColdProduct = 1e-4, kFarSlack = 0.1, kFarProduct = 1e-4, kNearSlack = 1e-3,
                 kNearProduct = 1e-5;
// Share of the way to the boundary that a step takes.
constexpr double kOfTheWay = 0.99;
// Columns of rows whose products are added up together, before they go to the large matrix, at most.
constexpr int kBlockColumns = 48;
// Sums of products that count as one unit of work.
constexpr double kProductsPerUnit = 280;

/// A'DA of the rows, block by block: rows that follow each other share their columns (those of a cone's values), and
/// the sums of a block stay in the fastest memory. Lower part.
class NormalMatrix {
 public:
  explicit NormalMatrix(const RowProgram& program) : p_(program), local_(program.columns.size()) {
    for (size_t row = 0; row < p_.rows();) row = addBlock(row);
  }

  void addTo(MatrixXd& normal, const VectorXd& weights) const {
    std::array<double, kBlockColumns * kBlockColumns> sums;
    for (const Block& block : blocks_) {
      const size_t count = block.columns.size();
      std::fill_n(sums.begin(), count * kBlockColumns, 0.0);
      for (size_t row = block.first; row < block.last; ++row)
        addRow(row, weights[static_cast<Index>(row)], sums.data());
      for (size_t k = 0; k < count; ++k) {
        double* column = &normal(0, block.columns[k]);
        for (size_t l = k; l < count; ++l) column[block.columns[l]] += sums[k * kBlockColumns + l];
      }
    }
    for (size_t row : wide_) addWide(row, weights[static_cast<Index>(row)], normal);
  }

 private:
  struct Block {
    size_t first = 0, last = 0;
    std::vector<int> columns;    // ascending
  };

  /// @returns the row after its last.
  size_t addBlock(size_t row) {
    if (const size_t own = p_.first[row + 1] - p_.first[row]; own == 1 || own > kBlockColumns) {
      wide_.push_back(row);
      return row + 1;
    }
    Block block{row, row, {}};
    for (; block.last < p_.rows(); ++block.last) {
      const auto from = p_.columns.begin() + static_cast<std::ptrdiff_t>(p_.first[block.last]),
                 to = p_.columns.begin() + static_cast<std::ptrdiff_t>(p_.first[block.last + 1]);
      if (to - from == 1) break;
      std::vector<int> both;
      std::set_union(block.columns.begin(), block.columns.end(), from, to, std::back_inserter(both));
      if (both.size() > kBlockColumns) break;
      block.columns = std::move(both);
    }
    for (size_t k = p_.first[block.first]; k < p_.first[block.last]; ++k) {
      const auto place = std::lower_bound(block.columns.begin(), block.columns.end(), p_.columns[k]);
      local_[k] = static_cast<std::uint8_t>(place - block.columns.begin());
    }
    const size_t last = block.last;
    blocks_.push_back(std::move(block));
    return last;
  }

  void addRow(size_t row, double weight, double* sums) const {
    for (size_t k = p_.first[row]; k < p_.first[row + 1]; ++k) {
      const double factor = weight * p_.entries[k];
      double* column = sums + size_t{local_[k]} * kBlockColumns;
      for (size_t l = k; l < p_.first[row + 1]; ++l) column[local_[l]] += factor * p_.entries[l];
    }
  }

  void addWide(size_t row, double weight, MatrixXd& normal) const {
    for (size_t k = p_.first[row]; k < p_.first[row + 1]; ++k) {
      const double factor = weight * p_.entries[k];
      double* column = &normal(0, p_.columns[k]);
      for (size_t l = k; l < p_.first[row + 1]; ++l) column[p_.columns[l]] += factor * p_.entries[l];
    }
  }

  const RowProgram& p_;
  std::vector<std::uint8_t> local_;   // of each entry, its column's place in its block
  std::vector<Block> blocks_;
  std::vector<size_t> wide_;          // rows on their own: of one entry, or of very many
};

class InteriorPoint {
 public:
  InteriorPoint(const RowProgram& program, std::int64_t& work, RowSolution& solution)
      : p_(program), work_(work), x_(solution.x), z_(solution.multipliers), far_(solution.far),
        rows_(static_cast<Index>(program.rows())), columns_(program.cost.size()),
        limits_(Eigen::Map<const VectorXd>(program.limits.data(), rows_)), rows_of_normal_(program) {
    for (size_t i = 0; i < p_.rows(); ++i) {
      const auto count = static_cast<double>(p_.first[i + 1] - p_.first[i]);
      products_ += count * (count + 20) / 2;
    }
    const auto n = static_cast<double>(columns_);
    products_ += n * n * n / 3;
  }

  RowStatus run(const std::function<bool()>& goes_on) {
    const int most = x_.size() == columns_ && !far_ ? kMostNearSteps : kMostSteps;
    begin();
    for (int k = 0; k < most; ++k) {
      const VectorXd off_rows = limits_ - at_x_ - s_, off_costs = -p_.cost - transposed(z_);
      const double product = s_.dot(z_) / static_cast<double>(rows_);
      if (!(product * static_cast<double>(rows_) < kContradicts * std::max(std::abs(p_.cost.dot(x_)), 1.0)))
        return RowStatus::kDiverged;
      if (off_rows.lpNorm<Eigen::Infinity>() < kRowsMet && off_costs.lpNorm<Eigen::Infinity>() < kCostsMet &&
          product * static_cast<double>(rows_) < kGoalGap * std::max(p_.cost.dot(x_), 1e-3))
        return RowStatus::kSolved;
      work_ -= static_cast<std::int64_t>(products_ / kProductsPerUnit) + 1;
      if (work_ <= 0 || !goes_on()) return RowStatus::kEnded;
      if (!step(off_rows, off_costs, product)) return RowStatus::kDiverged;
    }
    return RowStatus::kDiverged;
  }

 private:
  void begin() {
    const bool cold = x_.size() != columns_;
    if (cold) x_ = VectorXd::Zero(columns_);
    at_x_ = times(x_);
    s_ = (limits_ - at_x_).cwiseMax(cold ? kColdSlack : far_ ? kFarSlack : kNearSlack);
    z_ = (cold ? kColdProduct : far_ ? kFarProduct : kNearProduct) * s_.cwiseInverse();
  }

  VectorXd times(const VectorXd& x) const {
    VectorXd out(rows_);
    for (size_t i = 0; i < p_.rows(); ++i) out[static_cast<Index>(i)] = p_.times(i, x);
    return out;
  }
  VectorXd transposed(const VectorXd& y) const {
    VectorXd out = VectorXd::Zero(columns_);
    for (size_t i = 0; i < p_.rows(); ++i) {
      const double factor = y[static_cast<Index>(i)];
      for (size_t k = p_.first[i]; k < p_.first[i + 1]; ++k) out[p_.columns[k]] += factor * p_.entries[k];
    }
    return out;
  }

  /// A'D A x, of each row while it is at hand.
  VectorXd timesNormal(const VectorXd& weights, const VectorXd& x) const {
    VectorXd out = VectorXd::Zero(columns_);
    for (size_t i = 0; i < p_.rows(); ++i) {
      const double factor = weights[static_cast<Index>(i)] * p_.times(i, x);
      for (size_t k = p_.first[i]; k < p_.first[i + 1]; ++k) out[p_.columns[k]] += factor * p_.entries[k];
    }
    return out;
  }

  void factorize(const VectorXd& weights) {
    normal_.setZero(columns_, columns_);
    rows_of_normal_.addTo(normal_, weights);
    // Free directions of x, and rounding.
    normal_.diagonal() = normal_.diagonal() * (1 + 1e-13) + VectorXd::Constant(columns_, 1e-9);
    factored_ = choleskyInPlace(normal_);
  }

  struct Direction {
    VectorXd x, along, s, z;  // along: A dx
  };
  /// A dx + ds = off_rows, A'dz = off_costs, s dz + z ds = product. @param refined  Else up to the factor's rounding.
  Direction solve(const VectorXd& off_rows, const VectorXd& off_costs, const VectorXd& product,
                  const VectorXd& weights, bool refined) const {
    Direction d;
    const VectorXd base = product.cwiseQuotient(s_) - weights.cwiseProduct(off_rows);
    const VectorXd right = off_costs - transposed(base);
    d.x = right;
    solveCholesky(normal_, d.x);
    if (refined) {
      VectorXd rest = right - timesNormal(weights, d.x);
      solveCholesky(normal_, rest);
      d.x += rest;
    }
    d.along = times(d.x);
    d.z = base + weights.cwiseProduct(d.along);
    d.s = off_rows - d.along;
    return d;
  }
  static double lengthOf(const VectorXd& value, const VectorXd& change, double most) {
    for (Index i = 0; i < value.size(); ++i) {
      if (change[i] < 0) most = std::min(most, -value[i] / change[i]);
    }
    return most;
  }

  bool step(const VectorXd& off_rows, const VectorXd& off_costs, double product) {
    const VectorXd weights = z_.cwiseQuotient(s_);
    factorize(weights);
    if (!factored_) return false;
    const VectorXd complement = -s_.cwiseProduct(z_);
    const Direction affine = solve(off_rows, off_costs, complement, weights, false);
    const double s_length = lengthOf(s_, affine.s, 1), z_length = lengthOf(z_, affine.z, 1);
    const double then =
        (s_ + s_length * affine.s).dot(z_ + z_length * affine.z) / static_cast<double>(rows_) / product;
    const VectorXd centred = complement - affine.s.cwiseProduct(affine.z) +
                             VectorXd::Constant(rows_, then * then * then * product);
    const Direction d = solve(off_rows, off_costs, centred, weights, true);
    const double primal = std::min(1.0, kOfTheWay * lengthOf(s_, d.s, HUGE_VAL));
    const double dual = std::min(1.0, kOfTheWay * lengthOf(z_, d.z, HUGE_VAL));
    x_ += primal * d.x;
    at_x_ += primal * d.along;
    s_ += primal * d.s;
    z_ += dual * d.z;
    return std::max(primal, dual) > 1e-6;
  }

  const RowProgram& p_;
  std::int64_t& work_;
  VectorXd& x_;
  VectorXd& z_;
  bool far_;
  Index rows_, columns_;
  VectorXd limits_, s_, at_x_;         // at_x_: A x
  NormalMatrix rows_of_normal_;
  MatrixXd normal_;  // Factored: L in the lower triangle.
  bool factored_ = false;
  double products_ = 0;
};

}  // namespace

RowStatus solveRows(const RowProgram& program, const std::function<bool()>& goes_on, std::int64_t& work,
                    RowSolution& solution) {
  return InteriorPoint(program, work, solution).run(goes_on);
}

}  // namespace rigor::impact
