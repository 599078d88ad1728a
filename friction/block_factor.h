// SPDX-License-Identifier: MIT
#pragma once
#include <span>
#include <utility>
#include <vector>

namespace rigor::friction {

/// Velocities of a body that nothing guides.
constexpr int kFreeBody = 6;

/// A square matrix of blocks on a graph (symmetric in which blocks are there, not in what they hold), and its block LU.
///
/// Rows are eliminated in an approximate minimum degree order of the graph, a pure function of it; each block pivots
/// within itself only. Where the factors fill in, and what each product is subtracted from, is found once a graph.
/// Blocks of 6 x 6 have a kernel of their own. No allocation while the graph stays the same.
class BlockFactor {
 public:
  /// @param sizes  Of the diagonal blocks.  @param edges  Pairs i != j of coupled blocks; duplicates and either order
  /// allowed.
  void setGraph(std::span<const int> sizes, std::span<const std::pair<int, int>> edges);

  /// Place of block (i, j) of those that setGraph() was given, column-major with leading dimension sizes[i]; valid
  /// until setGraph().
  double* diagonal(int i) { return values_.data() + diagonal_[position_[i]]; }
  double* block(int i, int j);
  /// Block (i, j) by the number of its edge in the list given: first -> second (true) or second -> first.
  double* edge(int number, bool forward) {
    return values_.data() + (forward ? edge_[number].first : edge_[number].second);
  }

  void setZero();
  /// Factors in place. @returns false at a zero or NaN pivot.
  [[nodiscard]] bool factor();
  /// Solves in place with the factors; x holds the blocks' unknowns in the order of setGraph().
  void solve(double* x);

 private:
  struct Update {
    int a, b, target;  // values[target] -= values[a] * values[b]
    int rows, inner, columns;
  };
  void order(std::span<const std::pair<int, int>> pairs);
  void fill(std::span<const std::pair<int, int>> pairs);
  void place();
  int find(int i, int j) const;  // Positions, i > j: number of the block below the diagonal.
  void divide(int k, double* x, int rows);

  std::vector<int> sizes_, given_sizes_;              // By position, as given.
  std::vector<std::pair<int, int>> given_, pairs_, edge_;
  std::vector<int> position_, body_;                  // Of each body in the order; its inverse.
  std::vector<int> first_;                            // Of each body's unknowns.
  std::vector<int> start_, row_;                      // Below the diagonal by columns.
  std::vector<int> lower_, upper_, diagonal_;         // Places in values_.
  std::vector<Update> updates_;
  std::vector<int> update_start_;
  std::vector<double> values_, x_, scratch_;
  std::vector<int> pivots_, pivot_start_;
  std::vector<std::vector<int>> columns_;
};

}  // namespace rigor::friction
