// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "record/export.h"
#include "record/followers.h"

namespace rigor::record {
namespace {

/// A joint whose coordinates can be told from its links, and their names.
struct NamedJoint {
  const verify::kernel::Joint* joint;
  std::vector<std::string> names;
};

std::vector<NamedJoint> namedJoints(Reader& reader) {
  std::vector<NamedJoint> list;
  const std::vector<verify::kernel::Robot>& robots = reader.file().model().robots;
  for (std::size_t r = 0; r < robots.size(); ++r) {
    const std::vector<std::string>& known = reader.file().coordinates()[r];
    for (const verify::kernel::Joint& joint : robots[r].joints) {
      if (joint.loop) continue;
      NamedJoint named{&joint, {}};
      const std::string whole = robots[r].name + "/" + joint.name;
      const auto add = [&](const std::string& name) {
        if (std::find(known.begin(), known.end(), name) == known.end()) return false;
        named.names.push_back(name);
        return true;
      };
      if (!add(whole))
        for (int k = 0; add(whole + "." + std::to_string(k)); ++k) {}
      if (!named.names.empty()) list.push_back(std::move(named));
    }
  }
  return list;
}

/// Tells coordinates at any time. Whole turns and efforts come from the recorded rows.
class JointEvaluation {
 public:
  JointEvaluation(Reader& reader, const std::string& branch)
      : reader_(reader), branch_(branch), joints_(namedJoints(reader)) {
    reader.forEachJoint(branch, [&](const JointRow& row) { recorded_[row.joint].push_back(row); });
    for (auto& [name, rows] : recorded_)
      std::stable_sort(rows.begin(), rows.end(), [](const JointRow& a, const JointRow& b) { return a.time < b.time; });
  }

  void at(double time, const std::function<void(const JointRow&)>& use) {
    for (const NamedJoint& named : joints_) {
      const auto parent = stateOf(named.joint->parent, time), child = stateOf(named.joint->child, time);
      if (!parent || !child) continue;
      const std::vector<verify::recorded::CoordinateState> found = jointPosition(*named.joint, *parent, *child);
      for (std::size_t k = 0; k < std::min(found.size(), named.names.size()); ++k) {
        JointRow row{time, named.names[k], found[k].position, found[k].velocity, 0};
        const bool turns = named.joint->type != verify::kernel::JointType::kPrismatic &&
                           !(named.joint->type == verify::kernel::JointType::kPlanar && k < 2);
        if (const JointRow* before = latest(row.joint, time)) {
          row.effort = before->effort;
          // A step turns a joint by what its speed says, to far less than half a turn.
          const double expected = before->position + before->velocity * (time - before->time);
          if (turns) row.position += 2 * M_PI * std::round((expected - row.position) / (2 * M_PI));
        }
        use(row);
      }
    }
  }

 private:
  std::optional<BodyState> stateOf(int body, double time) {
    if (body < 0) return BodyState{};
    if (!reader_.pieceAt(branch_, body, time)) return std::nullopt;
    return reader_.stateAt(branch_, body, time);
  }
  const JointRow* latest(const std::string& joint, double time) const {
    const auto rows = recorded_.find(joint);
    if (rows == recorded_.end()) return nullptr;
    const auto after = std::upper_bound(rows->second.begin(), rows->second.end(), time,
                                        [](double t, const JointRow& row) { return t < row.time; });
    return after == rows->second.begin() ? nullptr : &*(after - 1);
  }

  Reader& reader_;
  std::string branch_;
  std::vector<NamedJoint> joints_;
  std::map<std::string, std::vector<JointRow>> recorded_;
};

}  // namespace

void forEachJointState(Reader& reader, const std::string& branch, const std::function<void(const JointRow&)>& use,
                       const ExportTimes& times) {
  if (reader.file().model().robots.empty()) return;
  const BranchRow row = reader.branch(branch);
  const Followers followers(reader);
  const auto use_all = [&](const JointRow& joint) { followers.with(joint, use); };
  if (!times.everyStep()) {
    JointEvaluation joints(reader, branch);
    for (const double time : times.within(row.fork_time, row.end_time)) joints.at(time, use_all);
    return;
  }
  double last = -INFINITY;
  reader.forEachJoint(branch, [&](const JointRow& joint) {
    last = std::max(last, joint.time);
    use_all(joint);
  });
  if (last < row.end_time) JointEvaluation(reader, branch).at(row.end_time, use_all);
}

}  // namespace rigor::record
