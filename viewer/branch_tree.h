// SPDX-License-Identifier: MIT
#pragma once
#include <set>
#include <string>
#include <vector>

#include "viewer/final_states.h"
#include "viewer/run_model.h"

namespace rigor::viewer {

/// The branch tree as lanes over time: one lane a branch, children below the parent that they leave, heaviest first. A
/// collapsed branch hides its descendants; more than kLanes lanes are drawn as bundles of their subtree.
struct BranchLane {
  int branch;
  int lane;            ///< Row from the top.
  double from, to;     ///< Times of its line [s].
  int parent_lane;     ///< -1 for the root.
  float thickness;     ///< Of its weight: 0 to 1, the root's being 1.
  int hidden;          ///< Descendants that are not drawn.
};

/// Lanes of the visible branches in row order. `collapsed` hides descendants. O(branches).
std::vector<BranchLane> layoutBranches(const RunModel& model, const std::set<int>& collapsed);

/// The branches to collapse so that about `limit` lanes are left: the deepest small ones first. Empty if all fit.
std::set<int> collapseToFit(const RunModel& model, int limit);

/// Probability of reaching a branch from the root: the product of the weights on the way, each of them relative to its
/// siblings'.
std::vector<double> reachWeights(const RunModel& model);

/// Branches whose id, given name, status, choice ("contact 1 slides") or end ("die: face 3 up") contains `text`,
/// letters of either case, in recorded order. Of a text with commas every part has to be found. @param finals  May be
/// null.
std::vector<int> searchBranches(const RunModel& model, const std::vector<std::string>& names, const std::string& text,
                                const FinalStates* finals = nullptr);

/// What was chosen at the fork of a branch: a letter for each contact (f, t, s); empty if the record does not say.
std::string contactLetters(const ModelBranch& branch);

/// Branches that a time lies in: at a fork its children. O(branches).
std::vector<int> branchesAt(const RunModel& model, double time);

/// Neighbours for the keyboard; the branch itself where there is none.
int parentOf(const RunModel& model, int branch);
int firstChildOf(const RunModel& model, int branch);
/// The next (step = 1) or previous (-1) child of the same parent, around the end.
int siblingOf(const RunModel& model, int branch, int step);

/// First time after which the ways to two branches differ [s]; the shorter one's end where they do not.
double firstDifference(const RunModel& model, int a, int b);

}  // namespace rigor::viewer
