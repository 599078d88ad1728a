// SPDX-License-Identifier: MIT
#include "sim/step/impact_stage.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <stdexcept>

#include "impact/model_registry.h"
#include "impact/models/routh.h"
#include "impact/problem/matrix_products.h"

namespace rigor::sim {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using friction::CoulombStatus;
using impact::ImpactStatus;

namespace {

// Where Newton's method fails on the round cones, impacts of more contacts than these are taken all at once: paths of
// polygons have many pivots.
constexpr int kMaxPolygon = 4;
// Residual of a joint impact, of the approach speed that is none.
constexpr double kJointShare = 0.1;
// The first is twice what the proof takes for none. Without friction there always is an answer.
constexpr double kRoughFriction[] = {20, 4, 1, 0};

}  // namespace

ImpactStage::ImpactStage(StepContext& context) : x_(context), options_(context.scene.impact) {
  options_.capture_speed = x_.scales.capture_speed;
  if (!impact::makeResolver(x_.scene.impact_model))
    throw std::invalid_argument("impact model '" + x_.scene.impact_model + "' is not known");
}

/// Coordinates: six of every free body, then those of the robots. @returns their number.
int ImpactStage::layOut() {
  const SystemState& start = x_.start;
  column_.assign(start.size(), -1);
  robot_column_.resize(start.robots.size());
  int n = 0;
  blocks_.clear();
  const auto add = [&](int size) {
    if (size > 0) blocks_.push_back({n, size});
    n += size;
    return n - size;
  };
  for (size_t i = 0; i < start.size(); ++i)
    if (start[i].robot < 0) column_[i] = add(6);
  closed_.resize(start.robots.size());
  for (size_t r = 0; r < start.robots.size(); ++r) {
    closed_[r] = x_.contacts.system().closedVelocities(start.robots[r]);
    robot_column_[r] = add(sizeOf(static_cast<int>(r)));
  }
  involved_.clear();
  for (size_t c = 0; c < x_.contacts.size(); ++c)
    if (x_.contacts[c].in_patch && !x_.contacts[c].isBrake()) involved_.push_back(static_cast<int>(c));
  return n;
}

/// Coordinates of a robot in the problem.
int ImpactStage::sizeOf(int robot) const {
  const Eigen::MatrixXd& closed = closed_[robot];
  return closed.rows() > 0 ? static_cast<int>(closed.cols()) : x_.start.robots[robot].model->numVelocities();
}

/// A robot's velocities, which keep its loops closed, in the problem's coordinates.
void ImpactStage::reduce(int robot, const Eigen::VectorXd& v, Eigen::VectorXd& coordinates) const {
  auto own = coordinates.segment(robot_column_[robot], sizeOf(robot));
  if (closed_[robot].rows() > 0) own = closed_[robot].transpose() * v;
  else own = v;
}

void ImpactStage::writeBodies(int n, impact::ImpactProblem& problem) {
  problem.mass_matrix.setZero(n, n);
  problem.velocity.resize(n);
  for (size_t i = 0; i < x_.start.size(); ++i) {
    const auto& body = x_.start[i];
    const int k = column_[i];
    if (k < 0) continue;
    const Matrix3d R = body.state.pose.rotation();
    problem.mass_matrix.block<3, 3>(k, k) = body.model->mass * Matrix3d::Identity();
    problem.mass_matrix.block<3, 3>(k + 3, k + 3) = R * body.model->inertia * R.transpose();
    problem.velocity.segment<6>(k) = body.state.velocity();
  }
  for (size_t r = 0; r < x_.start.robots.size(); ++r) {
    const SystemRobot& robot = x_.start.robots[r];
    const int k = robot_column_[r], size = sizeOf(static_cast<int>(r)), nv = robot.model->numVelocities();
    const Eigen::MatrixXd& closed = closed_[r];
    auto block = problem.mass_matrix.block(k, k, size, size);
    if (closed.rows() == 0) {
      x_.contacts.system().robotMassMatrix(robot, block);
    } else {
      robot_mass_.setZero(nv, nv);
      x_.contacts.system().robotMassMatrix(robot, robot_mass_);
      block = impact::congruence(closed, robot_mass_);
      block = (0.5 * (block + block.transpose())).eval();
    }
    reduce(static_cast<int>(r), robot.state.v, problem.velocity);
  }
}

void ImpactStage::writeContacts(int n, Space& space) {
  impact::ImpactProblem& problem = space.problem;
  const int m = static_cast<int>(involved_.size());
  problem.normal.resize(m, n);
  problem.tangent.resize(m);
  problem.friction.resize(m);
  problem.restitution.resize(m);
  for (int i = 0; i < m; ++i) {
    const Contact& c = x_.contacts[involved_[i]];
    const auto& k = x_.contacts.kinematics(involved_[i]);
    Eigen::MatrixXd& rows = space.rows;
    rows.setZero(3, n);
    if (c.slot_a >= 0 && column_[c.slot_a] >= 0) rows.middleCols<6>(column_[c.slot_a]) = k.Ja;
    if (c.slot_b >= 0 && column_[c.slot_b] >= 0) rows.middleCols<6>(column_[c.slot_b]) = k.Jb;
    for (size_t r = 0; r < x_.start.robots.size(); ++r) {
      const int robot = static_cast<int>(r);
      auto own = rows.middleCols(robot_column_[r], sizeOf(robot));
      if (closed_[r].rows() == 0) {
        x_.contacts.system().addRobotRows(involved_[i], robot, own);
        continue;
      }
      robot_rows_.setZero(3, x_.start.robots[r].model->numVelocities());
      x_.contacts.system().addRobotRows(involved_[i], robot, robot_rows_);
      own = impact::matrixProduct(robot_rows_, closed_[r]);
    }
    problem.normal.row(i) = rows.row(0);
    problem.tangent[i] = rows.bottomRows(c.isLimit() ? 0 : 2);
    problem.friction[i] = c.friction;
    problem.restitution[i] = c.restitution;
  }
}

ImpactResult ImpactStage::resolve(std::uint64_t path, StepResult& result) {
  const int n = layOut(), m = static_cast<int>(involved_.size());
  Space& space = spaces_[m > kMaxSampled ? std::pair(0, 0) : std::pair(n, m)];
  if (!space.resolver) space.resolver = impact::makeResolver(x_.scene.impact_model);
  writeBodies(n, space.problem);
  writeContacts(n, space);
  // Slow hits are captured so that bounces come to an end. Elastic ones without gravity have none.
  const auto& e = space.problem.restitution;
  const bool endless =
      x_.scene.gravity.isZero(0) && std::all_of(e.begin(), e.end(), [](double one) { return one >= 1; });
  options_.capture_speed = endless ? x_.scales.approach : x_.scales.capture_speed;
  impact::ImpactOutcome& outcome = space.outcome;
  const impact::RandomKey key{x_.seed, x_.forks ? path ^ x_.forks->branch() : path};
  const ImpactStatus status = apply(key, space);
  if (x_.forks) {
    const bool repeated = x_.forks->repeat() != nullptr;
    if (!repeated && status == ImpactStatus::kResolved && x_.t0 >= x_.forks->from() && forksHere(key, space))
      return ImpactResult::kFork;
    x_.forks->took({status, outcome.velocity, outcome.impulses});
  }
  const bool by_model = status == ImpactStatus::kResolved;
  if (!by_model && !resolveTogether(space)) return ImpactResult::kFailed;
  record(outcome, by_model, result);
  return ImpactResult::kResolved;
}

/// What the model makes of it: an answer that changes something, or none.
ImpactStatus ImpactStage::apply(const impact::RandomKey& key, Space& space) {
  impact::ImpactOutcome& outcome = space.outcome;
  const int m = static_cast<int>(involved_.size());
  const auto& friction = space.problem.friction;
  const auto& restitution = space.problem.restitution;
  const auto isPositive = [](double x) { return x > 0; };
  const bool rebounds = std::any_of(restitution.begin(), restitution.end(), isPositive);
  const bool together = m > kMaxSampled && (!rebounds || std::any_of(friction.begin(), friction.end(), isPositive));
  options_.own[std::string(impact::kPolygonOption)] = m <= kMaxPolygon;
  const ImpactChoice* repeated = x_.forks ? x_.forks->repeat() : nullptr;
  auto status = ImpactStatus::kUnfinished;
  if (repeated) {
    status = repeated->status;
    outcome.velocity = repeated->velocity, outcome.impulses = repeated->impulses;
  } else if (!together) {
    status = space.resolver->resolve(space.problem, options_, key, outcome);
  }
  if (status == ImpactStatus::kResolved &&
      std::all_of(outcome.impulses.begin(), outcome.impulses.end(), [](const auto& j) { return j.isZero(0); }))
    status = ImpactStatus::kUnfinished;  // Too slow for the model's own tolerance.
  if (status != ImpactStatus::kResolved) outcome.velocity.resize(0), outcome.impulses.clear();
  return status;
}

/// Whether the trajectory branches here; the fork then has the contacts of the problem.
bool ImpactStage::forksHere(const impact::RandomKey& key, const Space& space) {
  double lightest = std::numeric_limits<double>::infinity();
  for (const SystemBody& body : x_.start)
    if (body.model->mass > 0) lightest = std::min(lightest, body.model->mass);
  if (!x_.forks->isAmbiguous(space.problem, options_, x_.scene.impact_model, key, space.outcome,
                             x_.scales.capture_speed, lightest))
    return false;
  auto& contacts = x_.forks->fork().contacts;
  contacts.clear();
  for (const int i : involved_) {
    const Contact& c = x_.contacts[i];
    auto& contact =
        contacts.emplace_back(ImpactContactRecord{c.pair, {}, {}, c.friction, c.restitution, Vector3d::Zero()});
    if (c.isLimit()) {
      x_.contacts.system().limitPlace(x_.start, c, contact.normal, contact.point);
      continue;
    }
    const auto& k = x_.contacts.kinematics(i);
    contact.point = k.point, contact.normal = k.frame.row(0).transpose(), contact.tangent = k.frame.row(1).transpose();
  }
  return true;
}

/// All contacts act at once. Where Newton's method does not solve that, the plastic impact may be solved from polygons.
bool ImpactStage::resolveTogether(Space& space) {
  impact::ImpactOutcome& outcome = space.outcome;
  const double tolerance = kJointShare * x_.scales.approach;
  if (joint_.resolve(space.problem, blocks_, options_.capture_speed, tolerance, outcome)) return true;
  if (!solvePlastic()) return false;
  const ContactSystem& system = x_.contacts.system();
  outcome.velocity.resize(space.problem.numVelocities());
  outcome.impulses.clear();
  for (size_t i = 0; i < x_.start.size(); ++i)
    if (column_[i] >= 0) outcome.velocity.segment<6>(column_[i]) = system.velocities()[i];
  for (size_t r = 0; r < x_.start.robots.size(); ++r)
    reduce(static_cast<int>(r), system.robotVelocities(static_cast<int>(r)), outcome.velocity);
  for (const int c : involved_) outcome.impulses.push_back(system.impulse(c));
  return true;
}

/// All contacts at once, as a plastic impact. Contacts without slip may jam so that no impulse stops them all: then
/// with friction so large that the proof counts it as none (docs/proof.md, cone), or what there is an answer for: what
/// still slips is stopped by the decision after it. @returns whether there is an answer.
bool ImpactStage::solvePlastic() {
  const auto solves = [&] {
    return x_.contacts.solveVelocities(x_.start, Vector3d::Zero(), 0) != CoulombStatus::kFailed;
  };
  bool solved = solves();
  if (solved) return true;
  std::vector<Contact*> rough;
  for (Contact& c : x_.contacts)
    if (std::isinf(c.friction)) rough.push_back(&c);
  for (size_t k = 0; k < std::size(kRoughFriction) && !rough.empty() && !solved; ++k) {
    for (Contact* const c : rough) c->friction = kRoughFriction[k];
    solved = solves();
  }
  for (Contact* const c : rough) c->friction = impact::kNoSlip;
  return solved;
}

/// Gives the bodies that an impulse changed their velocities, and records them.
void ImpactStage::record(const impact::ImpactOutcome& outcome, bool by_model, StepResult& result) {
  ImpactRecord record = x_.ledger.open(by_model ? std::string_view(x_.scene.impact_model) : impact::kCoulombImpact);
  for (size_t i = 0; i < involved_.size(); ++i) {
    if (outcome.impulses[i].isZero(0)) continue;
    Vector3d impulse = Vector3d::Zero();
    impulse.head(outcome.impulses[i].size()) = outcome.impulses[i];
    x_.ledger.add(involved_[i], impulse, record);
  }
  x_.ledger.noteBefore(record);
  // Free bodies get what the recorded impulses give: models solve their equations to less than rounding.
  for (size_t i = 0; i < involved_.size(); ++i) {
    const Contact& c = x_.contacts[involved_[i]];
    const auto& k = x_.contacts.kinematics(involved_[i]);
    const auto& impulse = outcome.impulses[i];
    if (c.isLimit() || impulse.isZero(0)) continue;
    const auto push = [&](int slot, const Eigen::Matrix<double, 6, 3>& response) {
      if (slot < 0 || column_[slot] < 0) return;
      dynamics::RigidBodyState& state = x_.start[slot].state;
      state.setVelocity(state.velocity() + response.leftCols(impulse.size()) * impulse);
    };
    push(c.slot_a, k.WJa), push(c.slot_b, k.WJb);
  }
  for (size_t r = 0; r < x_.start.robots.size(); ++r) {
    if (!x_.ledger.changes(x_.start.robots[r].first_slot)) continue;
    const Eigen::VectorXd v = outcome.velocity.segment(robot_column_[r], sizeOf(static_cast<int>(r)));
    x_.contacts.system().setRobotVelocity(x_.start, static_cast<int>(r), closed_[r].rows() > 0 ? closed_[r] * v : v);
  }
  x_.ledger.close(std::move(record), result.impacts);
}

ImpactResult ImpactStage::close(StepResult& result) {
  if (!solvePlastic()) return ImpactResult::kFailed;
  ImpactRecord record = x_.ledger.open(impact::kCoulombImpact);
  for (size_t i = 0; i < x_.contacts.size(); ++i) {
    const Vector3d impulse = x_.contacts.impulse(i);
    if (!impulse.isZero(0)) x_.ledger.add(i, impulse, record);
  }
  x_.ledger.noteBefore(record);
  x_.contacts.system().applyVelocities(x_.start);
  result.closed = true;
  x_.ledger.close(std::move(record), result.impacts);
  return ImpactResult::kResolved;
}

}  // namespace rigor::sim
