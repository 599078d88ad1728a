// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "sim/step/body_box.h"

namespace rigor::sim {

/// Finds boxes that meet, by a sweep along x.
class MeetingBoxes {
 public:
  /// visit(i, j) for every pair that meets, once, until it returns false. @pre no NaN.
  template <typename Visit>
  void each(std::span<const BodyBox> boxes, Visit&& visit) {
    order_.resize(boxes.size());
    std::iota(order_.begin(), order_.end(), 0);
    std::sort(order_.begin(), order_.end(),
              [&](int i, int j) { return boxes[i].lower.x() < boxes[j].lower.x(); });
    for (std::size_t k = 0; k < order_.size(); ++k)
      for (std::size_t l = k + 1; l < order_.size(); ++l) {
        const BodyBox &a = boxes[order_[k]], &b = boxes[order_[l]];
        if (b.lower.x() > a.upper.x()) break;
        if (a.isNear(b, 0) && !visit(order_[k], order_[l])) return;
      }
  }

 private:
  std::vector<int> order_;
};

}  // namespace rigor::sim
