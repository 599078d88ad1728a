// SPDX-License-Identifier: MIT
#include "record/followers.h"

namespace rigor::record {

Followers::Followers(Reader& reader) {
  const verify::recorded::ModelText& text = reader.file().text();
  for (std::size_t r = 0; r < text.joints.size(); ++r) {
    const verify::kernel::Robot& robot = text.model.robots[r];
    for (std::size_t j = 0; j < text.joints[r].size(); ++j) {
      const verify::recorded::JointText& joint = text.joints[r][j];
      if (joint.leader.empty()) continue;
      of_[robot.name + "/" + joint.leader].push_back(
          {robot.name + "/" + robot.joints[j].name, joint.ratio, joint.offset});
    }
  }
}

void Followers::with(const JointRow& leader, const std::function<void(const JointRow&)>& use) const {
  use(leader);
  const auto found = of_.find(leader.joint);
  if (found == of_.end()) return;
  for (const Follower& one : found->second)
    use({leader.time, one.name, one.ratio * leader.position + one.offset, one.ratio * leader.velocity, 0});
}

}  // namespace rigor::record
