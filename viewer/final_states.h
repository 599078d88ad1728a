// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <unordered_map>
#include <vector>

#include "geom/box_face.h"
#include "viewer/run_model.h"

namespace rigor::viewer {

/// How a leaf of the branch tree ends.
struct FinalState {
  bool known = false;    ///< It was looked at.
  bool resting = false;  ///< No body moves at its end.
  double since = 0;      ///< The last body came to rest then [s].
  struct UpperFace {
    int number;  ///< As faceUp() says.
    bool die;
  };
  std::vector<UpperFace> faces;  ///< Of each body that is a box.
  std::string text;              ///< "die: face 3 up, block: +z up, at rest"; for searching and tooltips.
  int joined = -1;       ///< A leaf before it that ends in the same state; -1: none.
};

/// Looks at the ends of all leaves, a few at a time, and finds those that end in the same state: every body at rest
/// within kSame of its size and as many radians of where it is in the other. O(leaves), of a few pieces each.
class FinalStates {
 public:
  static constexpr double kSame = 0.05;

  /// Forgets everything: the record grew, or another was opened.
  void reset() { *this = {}; }
  /// Looks at more leaves until `budget` [s] is spent. @returns whether some were new. @throws record::RecordError.
  bool work(RunModel& model, double budget);
  bool complete(const RunModel& model) const { return next_ >= model.branches().size(); }
  std::size_t seen() const { return next_; }  ///< Branches that were looked at.
  /// Of a leaf that was looked at; null otherwise.
  const FinalState* of(int branch) const {
    return branch >= 0 && branch < static_cast<int>(states_.size()) && states_[branch].known ? &states_[branch]
                                                                                             : nullptr;
  }

 private:
  void look(RunModel& model, int leaf);
  void join(const RunModel& model, int leaf);

  std::size_t next_ = 0;
  std::vector<FinalState> states_;
  std::vector<Placement> placements_;
  std::unordered_map<int, std::vector<Placement>> kept_;           // Of resting leaves that stand for a state.
  std::unordered_multimap<std::uint64_t, int> cells_;              // Of the first moving body's place.
};

using geom::faceAxis;
using geom::faceUp;
/// Whether a body is one box with faces along its axes, so that faceUp() means something; `half` its half edges.
bool isBox(const ModelBody& body, Eigen::Vector3d* half = nullptr);
/// Whether a body is a box about as long as wide whose name says that it is a die.
bool isDie(const ModelBody& body, Eigen::Vector3d* half = nullptr);

}  // namespace rigor::viewer
