// SPDX-License-Identifier: MIT
#include "viewer/impact_set.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>

namespace rigor::viewer {
namespace {

using Twist = Eigen::Matrix<double, 6, 1>;
using Frame = Eigen::Matrix3d;  ///< Rows: normal, two tangents.

/// Tangents nearest to the world's x, or y for normals along x: the same for all outcomes, and readable.
Frame contactFrame(const Eigen::Vector3d& normal) {
  Frame frame;
  const Eigen::Vector3d n = normal.normalized();
  const Eigen::Vector3d u = std::abs(n[0]) < 0.9 ? Eigen::Vector3d::UnitX() : Eigen::Vector3d::UnitY();
  frame.row(0) = n;
  frame.row(1) = (u - u.dot(n) * n).normalized();
  frame.row(2) = n.cross(Eigen::Vector3d(frame.row(1)));
  return frame;
}

/// One impact of several impacts at one time: the union of their bodies and contacts, velocities before the first and
/// after the last.
struct Joined {
  std::map<int, Twist> before, after;
  std::vector<record::ImpactContactRow> contacts;
  std::string model;
};

Joined joinImpacts(const std::vector<record::ImpactRow>& impacts) {
  Joined joined;
  for (const record::ImpactRow& impact : impacts) {
    joined.model = impact.model;
    for (std::size_t i = 0; i < impact.bodies.size(); ++i) {
      joined.before.try_emplace(impact.bodies[i], impact.before[i]);
      joined.after[impact.bodies[i]] = impact.after[i];
    }
    for (const record::ImpactContactRow& contact : impact.contacts) {
      if (contact.pair.part_a < 0) continue;  // At a joint's limit.
      const bool known = std::any_of(joined.contacts.begin(), joined.contacts.end(), [&](const auto& c) {
        return c.pair == contact.pair && (c.point - contact.point).norm() < 1e-9 * (1 + c.point.norm());
      });
      if (!known) joined.contacts.push_back(contact);
    }
  }
  return joined;
}

}  // namespace

ImpactSet collectImpactSet(RunModel& model, record::Reader& reader, int branch, double time,
                           double last_impact, int samples) {
  ImpactSet set;
  const auto& branches = model.branches();
  // The last fork on the way at or before the time; else the last impact.
  std::vector<int> takers;
  const int owner = model.ownerAt(branch, time);
  std::vector<record::ImpactRow> impacts;
  if (branches[owner].parent >= 0) {
    set.parent = branches[owner].parent;
    set.time = branches[owner].fork_time;
    for (const int child : branches[set.parent].children)
      if (branches[child].fork_time == set.time) takers.push_back(child);
    impacts = reader.impacts(branches[owner].id, set.time, set.time);
  } else {
    impacts = reader.impacts(branches[owner].id, last_impact, last_impact);
    if (impacts.empty()) return set;
    set.time = last_impact;
    takers.push_back(owner);
  }
  const Joined joined = joinImpacts(impacts);
  if (joined.contacts.empty()) return set;

  // Bodies of the contacts; those that move get six columns each.
  std::map<int, int> column;
  for (const auto& contact : joined.contacts)
    for (const int b : {contact.pair.body_a, contact.pair.body_b})
      if (b >= 0 && b < static_cast<int>(model.bodies().size()) && !model.bodies()[b].fixed)
        column.try_emplace(b, static_cast<int>(6 * column.size()));
  std::vector<Placement> placements;
  model.placementsAt(owner, set.time, placements);
  const int n = static_cast<int>(6 * column.size()), m = static_cast<int>(joined.contacts.size());
  impact::ImpactProblem& problem = set.problem;
  problem.mass_matrix.setZero(n, n);
  problem.velocity.setZero(n);
  for (const auto& [b, c] : column) {
    const ModelBody& body = model.bodies()[b];
    problem.mass_matrix.block<3, 3>(c, c) = body.mass * Eigen::Matrix3d::Identity();
    problem.mass_matrix.block<3, 3>(c + 3, c + 3) = placements[b].R * body.inertia * placements[b].R.transpose();
    const auto before = joined.before.find(b);
    if (before != joined.before.end()) problem.velocity.segment<6>(c) = before->second;
    else problem.velocity.segment<6>(c) << placements[b].v, placements[b].w;
  }
  problem.normal.setZero(m, n);
  Eigen::MatrixXd jacobian = Eigen::MatrixXd::Zero(3 * m, n);
  for (int k = 0; k < m; ++k) {
    const auto& contact = joined.contacts[k];
    const Frame frame = contactFrame(contact.normal);
    for (const auto& [b, sign] : {std::pair{contact.pair.body_a, -1.0}, {contact.pair.body_b, 1.0}}) {
      const auto found = column.find(b);
      if (found == column.end()) continue;
      const Eigen::Vector3d arm = contact.point - placements[b].pose.p;
      for (int row = 0; row < 3; ++row) {
        const Eigen::Vector3d direction = frame.row(row);
        jacobian.block<1, 3>(3 * k + row, found->second) += sign * direction.transpose();
        jacobian.block<1, 3>(3 * k + row, found->second + 3) += sign * arm.cross(direction).transpose();
      }
    }
    problem.normal.row(k) = jacobian.row(3 * k);
    problem.tangent.push_back(jacobian.middleRows(3 * k + 1, 2));
    problem.friction.push_back(contact.friction);
    problem.restitution.push_back(contact.restitution);
    const auto along = [](const Eigen::Vector3d& t) {
      int axis = 0;
      t.cwiseAbs().maxCoeff(&axis);
      return fmt::format("{}{}", t[axis] < 0 ? "-" : "", "xyz"[axis]);
    };
    set.axes.push_back(fmt::format("contact {} normal", k + 1));
    for (int row = 1; row < 3; ++row)
      set.axes.push_back(fmt::format("contact {} along {}", k + 1, along(frame.row(row))));
  }
  const auto add = [&](ImpactSet::Kind kind, int taker, std::string label, const Eigen::VectorXd& v) {
    const Eigen::VectorXd coordinates = jacobian * v;
    if (!coordinates.allFinite()) return;
    set.outcomes.push_back({kind, taker, std::move(label), {coordinates.data(), coordinates.data() + coordinates.size()}});
  };

  // The cloud first, so that what matters is drawn over it.
  if (const auto resolver = impact::makeResolver("routh"); resolver && n > 0)
    for (int k = 0; k < samples; ++k) {
      impact::ImpactOutcome outcome;
      if (resolver->resolve(problem, {}, {0, static_cast<std::uint64_t>(k)}, outcome) == impact::ImpactStatus::kResolved)
        add(ImpactSet::Kind::kSample, -1, "sample", outcome.velocity);
    }
  for (const std::string_view name : impact::runResolverNames()) {
    const auto resolver = impact::makeResolver(name);
    if (!resolver || resolver->isRandom() || n == 0) continue;
    std::vector<impact::ImpactOutcome> outcomes;
    try {
      if (resolver->resolveAll(problem, {}, outcomes) != impact::ImpactStatus::kResolved) continue;
    } catch (const std::exception&) {
      continue;  // A model that does not apply to this impact has no mark.
    }
    for (const impact::ImpactOutcome& outcome : outcomes) add(ImpactSet::Kind::kModel, -1, std::string(name), outcome.velocity);
  }
  for (const int taker : takers) {
    const Joined taken = taker == owner ? joined : joinImpacts(reader.impacts(branches[taker].id, set.time, set.time));
    Eigen::VectorXd v = problem.velocity;
    for (const auto& [b, c] : column)
      if (const auto after = taken.after.find(b); after != taken.after.end()) v.segment<6>(c) = after->second;
    add(ImpactSet::Kind::kBranch, taker, branches[taker].id, v);
  }
  return set;
}

}  // namespace rigor::viewer
