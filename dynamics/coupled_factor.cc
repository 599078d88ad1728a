// SPDX-License-Identifier: MIT
#include "dynamics/coupled_factor.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "dynamics/mass_matrix.h"
#include "elementary/wide.h"

namespace rigor::dynamics {

namespace {

using CoupledNode = ArticulatedModel::Node;

int coupledDofs(const CoupledNode& node) {
  return node.kind == CoupledNode::kFloating ? 6 : node.kind == CoupledNode::kSpherical ? 3 : 1;
}

/// Of the entries (j, k), j < k, of column k of L^T that are not left out.
std::span<const int> rowsOf(const ArticulatedWorkspace& workspace, int k) {
  return std::span(workspace.coupled_rows).subspan(workspace.coupled_first[k],
                                                  workspace.coupled_first[k + 1] - workspace.coupled_first[k]);
}

/// Up to four columns.
RIGOR_WIDE __attribute__((flatten)) void solveFourCoupled(ArticulatedWorkspace& workspace,
                                                          Eigen::Ref<Eigen::MatrixXd> x) {
  using elementary::Four, elementary::load, elementary::store;
  const Eigen::MatrixXd& U = workspace.coupled_mass;
  const int n = static_cast<int>(U.cols()), count = static_cast<int>(x.cols());
  double* const lanes = workspace.coupled_lanes.data();
  for (int k = 0; k < n; ++k)
    for (int c = 0; c < 4; ++c) lanes[4 * k + c] = c < count ? x(k, c) : 0;
  const int *first = workspace.coupled_first.data(), *rows = workspace.coupled_rows.data();
  for (int k = n; k-- > 0;) {
    const double* const y = lanes + 4 * k;
    if (y[0] == 0 && y[1] == 0 && y[2] == 0 && y[3] == 0) continue;  // Most impulses act on few joints.
    const double* const column = &U(0, k);
    const Four pushed = load<Four>(y) / column[k];
    store(pushed, lanes + 4 * k);
    for (int e = first[k]; e < first[k + 1]; ++e) {
      double* const other = lanes + 4 * rows[e];
      store(load<Four>(other) - column[rows[e]] * pushed, other);
    }
  }
  for (int k = 0; k < n; ++k) {
    const double* const column = &U(0, k);
    Four sum = load<Four>(lanes + 4 * k);
    for (int e = first[k]; e < first[k + 1]; ++e) sum -= column[rows[e]] * load<Four>(lanes + 4 * rows[e]);
    store(sum / column[k], lanes + 4 * k);
  }
  for (int c = 0; c < count; ++c)
    for (int k = 0; k < n; ++k) x(k, c) = lanes[4 * k + c];
}

}  // namespace

void layOutCoupled(const ArticulatedModel& model, ArticulatedWorkspace& workspace) {
  const int n = model.numVelocities();
  const std::span<const CoupledNode> nodes = model.nodes();
  std::vector<std::vector<char>> meets(n, std::vector<char>(n, 0));
  const auto note = [&](const CoupledNode& a, const CoupledNode& b) {
    for (int i = a.v; i < a.v + coupledDofs(a); ++i)
      for (int j = b.v; j < b.v + coupledDofs(b); ++j) meets[std::max(i, j)][std::min(i, j)] = 1;
  };
  for (size_t i = 1; i < nodes.size(); ++i)
    for (int j = static_cast<int>(i); j != 0; j = nodes[j].parent) note(nodes[i], nodes[j]);
  std::vector<std::vector<int>> rows(n);
  for (int k = n; k-- > 0;) {
    for (int j = 0; j < k; ++j)
      if (meets[k][j]) rows[k].push_back(j);
    for (const int j : rows[k])  // What k meets meets each other through it.
      for (const int i : rows[k])
        if (i < j) meets[j][i] = 1;
  }
  workspace.coupled_first.assign(1, 0);
  workspace.coupled_rows.clear();
  for (const std::vector<int>& row : rows) {
    workspace.coupled_rows.insert(workspace.coupled_rows.end(), row.begin(), row.end());
    workspace.coupled_first.push_back(static_cast<int>(workspace.coupled_rows.size()));
  }
  workspace.coupled_mass.setZero(n, n);
  workspace.coupled_lanes.assign(4 * static_cast<size_t>(n), 0.0);
}

void factorCoupled(const ArticulatedModel& model, ArticulatedWorkspace& workspace, double implicit_time) {
  Eigen::MatrixXd& U = workspace.coupled_mass;
  calcMassMatrix(model, workspace, U);
  if (implicit_time > 0) {
    for (size_t n = 1; n < workspace.nodes.size(); ++n) {
      const CoupledNode& node = model.nodes()[n];
      if (node.kind == CoupledNode::kFloating) continue;
      for (int k = 0; k < coupledDofs(node); ++k)
        U(node.v + k, node.v + k) +=
            implicit_time * node.ratio * node.ratio * workspace.dissipation(node, workspace.nodes[n]);
    }
  }
  for (int k = static_cast<int>(U.cols()); k-- > 0;) {
    const std::span<const int> rows = rowsOf(workspace, k);
    U(k, k) = std::sqrt(U(k, k));
    for (const int j : rows) U(j, k) /= U(k, k);
    for (const int j : rows)
      for (const int i : rows) {
        if (i > j) break;
        U(i, j) -= U(i, k) * U(j, k);
      }
  }
}

void solveCoupled(ArticulatedWorkspace& workspace, Eigen::Ref<Eigen::MatrixXd> x) {
  for (Eigen::Index k = 0; k < x.cols(); k += 4)
    solveFourCoupled(workspace, x.middleCols(k, std::min<Eigen::Index>(4, x.cols() - k)));
}

}  // namespace rigor::dynamics
