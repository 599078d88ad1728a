// SPDX-License-Identifier: MIT
#include "verify/kernel/prove.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace rigor::verify::kernel {
namespace {

std::string findFault(const Body& body, int robots) {
  if (!finite(body.centre) || !finite(body.position) || !finite(body.orientation) || !finite(body.velocity) ||
      !finite(body.angular_velocity))
    return "a number of its start is not finite";
  if (!body.fixed && !(std::isfinite(body.mass) && finite(body.inertia))) return "its mass is not finite";
  if (!(body.friction >= 0 && std::isfinite(body.friction))) return "its friction is no number";
  if (body.orientation == Quaternion{}) return "its orientation is no rotation";
  if (body.fixed && body.centre != Vector3{}) return "it is fixed, and its pose is not that of its origin";
  if (body.robot < -1 || body.robot >= robots) return "it is a link of no robot";
  if (body.parts.empty() && body.robot < 0) return "it has no parts";
  for (const Part& part : body.parts) {
    if (part.half_space && !body.fixed) return "a half-space on a body that is not fixed";
    if (part.half_space && (!finite(part.normal) || part.normal == Vector3{} || !std::isfinite(part.offset)))
      return "its half-space has no finite normal and offset";
    if (!part.half_space && part.vertices.size() < 4) return "a part has fewer than four vertices";
    if (!std::all_of(part.vertices.begin(), part.vertices.end(), [](const Vector3& v) { return finite(v); }))
      return "a vertex is not finite";
    bool sound = finite(part.axis) && std::isfinite(part.radius) && !(part.half_space && !part.core.empty());
    for (const Vector3& v : part.core) sound = sound && finite(v);
    if (!sound || (part.core.empty() ? part.radius != 0 : !roundIsSound(part)))
      return "a round part is no solid that holds its vertices";
  }
  return {};
}

std::string findFault(const Joint& joint, const std::vector<Body>& bodies, std::ptrdiff_t robot) {
  if (joint.parent < -1 || joint.child < 0 || std::max(joint.parent, joint.child) >= std::ssize(bodies) ||
      joint.parent == joint.child || bodies[joint.child].robot != robot)
    return "it joins no two links of its robot";
  if (!finite(joint.parent_point) || !finite(joint.parent_frame) || !finite(joint.child_point) ||
      !finite(joint.child_frame) || !finite(joint.axis) ||
      !finite(Vector3{joint.damping, joint.friction, joint.armature}))
    return "a number of its frames, or of what acts along its axis, is not finite";
  if (joint.parent_frame == Quaternion{} || joint.child_frame == Quaternion{} || joint.axis == Vector3{})
    return "it has no frame or axis";
  return {};
}

class RunProof {
 public:
  RunProof(const Run& run, const ReadBranch& read, bool laws, const DischargeAll& discharge)
      : run_(run), read_(read), laws_(laws), discharge_(discharge), origins_(run.branches.size()) {}

  Result prove() {
    result_.min_gap = result_.horizon = std::numeric_limits<double>::infinity();
    checkModel();
    checkTree();
    if (result_.open.empty())
      for (std::size_t i = 0; i < run_.branches.size(); ++i) proveBranch(i);
    result_.complete = result_.open.empty() && run_.unexplored == 0 && result_.horizon >= run_.until;
    if (run_.done && !(result_.horizon >= run_.until))
      open({true, -1, -1, -1, result_.horizon, "the run says that it is done, and ends before its time"}, "");
    if (!result_.open.empty()) result_.min_gap = 0;
    return result_;
  }

 private:
  void open(const Finding& finding, const std::string& branch) { result_.open.push_back({finding, branch}); }

  void checkModel() {
    const std::vector<Body>& bodies = run_.model.bodies;
    const auto bad = [&](int a, int b, const std::string& reason) { open({true, -1, a, b, 0, reason}, ""); };
    if (!(run_.gap_floor > 0 && std::isfinite(run_.gap_floor))) bad(-1, -1, "the record claims no positive gap floor");
    if (run_.actions_known && !(run_.gap_nominal > 0 && std::isfinite(run_.gap_nominal)))
      bad(-1, -1, "the record has no nominal gap");
    if (!finite(run_.model.gravity)) bad(-1, -1, "gravity is not finite");
    for (std::size_t i = 0; laws_ && i < kLaws; ++i)
      if (const double bound = run_.bounds[i]; !(bound >= 0 && bound <= kLargestBounds[i]) && run_.actions_known)
        bad(-1, -1, std::string("the record declares no bound that means anything for the law: ") + kLawNames[i]);
    for (const Robot& robot : run_.model.robots)
      for (const Joint& joint : robot.joints)
        if (const std::string fault = findFault(joint, bodies, &robot - run_.model.robots.data()); !fault.empty())
          bad(-1, -1, "joint '" + joint.name + "': " + fault);
    if (std::isnan(run_.until)) bad(-1, -1, "the record does not say until when it was to run");
    std::set<std::string> names;
    for (int b = 0; b < static_cast<int>(bodies.size()); ++b) {
      if (const std::string fault = findFault(bodies[b], static_cast<int>(run_.model.robots.size())); !fault.empty())
        bad(b, -1, fault);
      if (!names.insert(bodies[b].name).second) bad(b, -1, "two bodies have this name");
    }
    // Links of one robot may be exempt from collisions; nothing else may.
    for (const auto& [a, b] : run_.model.ignored_pairs) {
      const auto exists = [&](int body) { return body >= 0 && body < static_cast<int>(bodies.size()); };
      if (!exists(a) || !exists(b) || a == b || bodies[a].robot < 0 || bodies[a].robot != bodies[b].robot)
        bad(exists(a) ? a : -1, exists(b) ? b : -1, "an exempt pair is no pair of links of one robot");
    }
  }

  void checkTree() {
    std::set<std::string> ids;
    for (std::size_t i = 0; i < run_.branches.size(); ++i) {
      const Branch& branch = run_.branches[i];
      const auto bad = [&](const std::string& reason) { open({true, -1, -1, -1, branch.start(), reason}, branch.id); };
      if (!ids.insert(branch.id).second) bad("two branches have this identity");
      if ((branch.parent == -1) != (i == 0)) bad("there is not one root of all branches");
      if (branch.parent != -1 && !(branch.parent >= 0 && branch.parent < static_cast<int>(i)))
        bad("its parent is no branch before it");
    }
    if (run_.branches.empty()) open({true, -1, -1, -1, 0, "there is no branch"}, "");
  }

  void proveBranch(std::size_t number) {
    const Branch& branch = run_.branches[number];
    if (branch.parent == -1) origins_[number] = Origin();
    const BranchProof proof(run_, branch, read_(number), origins_[number]);
    origins_[number].reset();
    for (const Finding& finding : proof.malformed()) open(finding, branch.id);
    Residuals worst{};
    for (const Finding& finding : discharge_(proof, laws_ && proof.sound(), worst)) open(finding, branch.id);
    for (std::size_t i = 0; i < kLaws; ++i)
      if (auto& law = result_.laws[i]; worst[i].value > law.value || law.branch.empty()) law = {worst[i], branch.id};
    if (!proof.instant()) result_.min_gap = std::min(result_.min_gap, branch.min_gap);
    bool leaf = true;
    for (std::size_t i = number + 1; i < run_.branches.size(); ++i) {
      if (run_.branches[i].parent != static_cast<int>(number)) continue;
      leaf = false;
      origins_[i] = proof.originOf(run_.branches[i]);
    }
    if (leaf) result_.horizon = std::min(result_.horizon, proof.horizon());
  }

  const Run& run_;
  const ReadBranch& read_;
  const bool laws_;
  const DischargeAll& discharge_;
  std::vector<std::optional<Origin>> origins_;  // Of branches whose parent is done.
  Result result_;
};

}  // namespace

std::vector<Finding> dischargeAll(const BranchProof& proof, bool laws, Residuals& worst) {
  std::vector<Finding> open;
  for (const Obligation& obligation : proof.obligations())
    if (std::optional<Finding> finding = proof.discharge(obligation)) open.push_back(*std::move(finding));
  if (!laws || !open.empty()) return open;  // They speak of motions that are sound.
  const Laws of_motion(proof);
  if (!of_motion.malformed().empty()) return of_motion.malformed();
  Laws::Instants known;
  for (const Laws::Duty& duty : of_motion.duties())
    for (Finding& finding : of_motion.discharge(duty, worst, known)) open.push_back(std::move(finding));
  return open;
}

Result prove(const Run& run, const ReadBranch& read, bool laws, const DischargeAll& discharge) {
  return RunProof(run, read, laws, discharge).prove();
}

}  // namespace rigor::verify::kernel
