// SPDX-License-Identifier: MIT
#include "verify/tables/tables.h"

#include <algorithm>
#include <iterator>

namespace rigor::verify::tables {
namespace {

template <typename Row>
void putBefore(const std::vector<Row>& first, std::vector<Row>& rows) {
  rows.insert(rows.begin(), first.begin(), first.end());
}

}  // namespace

Acted::Acted(const std::vector<kernel::Action>& actions) {
  for (const kernel::Action& action : actions) (action.t0 == action.t1 ? jumps_ : steps_).push_back(&action);
  for (auto* list : {&jumps_, &steps_})
    std::stable_sort(list->begin(), list->end(), [](const auto* a, const auto* b) { return a->t0 < b->t0; });
}

Acted::List Acted::at(const std::vector<const kernel::Action*>& list, double time) {
  const auto [first, last] = std::equal_range(list.begin(), list.end(), time, [](const auto& a, const auto& b) {
    const auto timeOf = [](const auto& x) {
      if constexpr (std::is_same_v<std::decay_t<decltype(x)>, double>) return x;
      else return x->t0;
    };
    return timeOf(a) < timeOf(b);
  });
  return {first, last};
}

std::vector<Finding> Tables::check(const kernel::BranchProof& proof, recorded::TableRows rows) {
  const kernel::Branch& row = proof.branch();
  End& end = ends_[static_cast<std::size_t>(&row - proof.run().branches.data())];
  if (row.parent >= 0) end = ends_[static_cast<std::size_t>(row.parent)];
  putBefore(end.untold.events, rows.events), putBefore(end.untold.impacts, rows.impacts);
  putBefore(end.untold.joints, rows.joints);
  end.untold = {};
  std::vector<Finding> open;
  if (!proof.sound()) return open;
  if (proof.instant()) {
    // What happened there is told of the next branch's motion; that this one ends in a fork is not.
    std::erase_if(rows.events, [&](const recorded::EventRow& event) {
      return event.kind == "fork" && event.time == row.end_time;
    });
    end.untold = std::move(rows);
    return open;
  }
  const ShownMotion motion(proof);
  const Acted acted(proof.rows().actions);
  const Branch branch{text_, motion, acted, rows, open};
  checkImpacts(branch);
  checkJoints(branch);
  checkEvents(branch, end.touching);
  return open;
}

}  // namespace rigor::verify::tables
