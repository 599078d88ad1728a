// SPDX-License-Identifier: MIT
#include "sim/run/run.h"

#include <stdexcept>

#include "sim/archive.h"

namespace rigor::sim {

namespace {

constexpr std::uint32_t kSnapshotVersion = 17;

template <typename Archive, typename T, typename Each>
void transferList(Archive& archive, std::vector<T>& list, Each&& each) {
  std::uint64_t count = list.size();
  archive(count);
  if (count > (1u << 28)) throw std::invalid_argument("the stored state is damaged");
  list.resize(count);
  for (T& item : list) each(item);
}

template <typename Archive>
void transferPair(Archive& archive, PairKey& pair) {
  archive(pair.body_a)(pair.part_a)(pair.body_b)(pair.part_b);
}

template <typename Archive>
void transferAxis(Archive& archive, advance::SeparatingAxis& axis) {
  archive(axis.kind)(axis.axis)(axis.a0)(axis.a1)(axis.b0)(axis.b1);
}

template <typename Archive>
void transferFeature(Archive& archive, advance::ContactFeature& f) {
  archive(f.kind)(f.a0)(f.a1)(f.b0)(f.b1)(f.face)(f.axis)(f.offset);
}

template <typename Archive>
void transferVector(Archive& archive, Eigen::VectorXd& list) {
  std::uint64_t size = list.size();
  archive(size);
  if (size > (1u << 20)) throw std::invalid_argument("the stored state is damaged");
  list.resize(static_cast<long>(size));
  for (double& value : list) archive(value);
}

template <typename Archive>
void transferActed(Archive& archive, StepImpulses& acted) {
  acted.makeRoom();
  ImpulseRecord& record = acted.record;
  archive(acted.acting)(record.t0)(record.t1)(record.step);
  transferList(archive, record.contacts, [&](ImpulseRecord::Contact& c) {
    transferPair(archive, c.pair);
    archive(c.feature.kind)(c.feature.axis)(c.feature.a0)(c.feature.a1)(c.feature.b0)(c.feature.b1)(c.first)(c.count);
  });
  transferList(archive, record.wrenches,
               [&](ImpulseRecord::Wrench& w) { archive(w.source)(w.robot)(w.joint)(w.first)(w.count); });
  transferList(archive, record.impulses,
               [&](ImpulseRecord::Impulse& impulse) { archive(impulse.time)(impulse.P)(impulse.moment); });
  const auto instants = static_cast<long>(instantsOf(acted.acting).size()),
             impulses = static_cast<long>(record.impulses.size());
  const auto check = [&](const auto& list) {
    for (const auto& c : list)
      if (c.first < 0 || c.count < instants || static_cast<long>(c.first) + c.count > impulses)
        throw std::invalid_argument("the stored state is damaged");
  };
  check(record.contacts), check(record.wrenches);
}

template <typename Archive>
void transferPiece(Archive& archive, advance::MotionPiece& piece) {
  archive(piece.t0)(piece.t1)(piece.p_degree)(piece.q_degree);
  const auto isDegree = [](int degree) { return degree >= 0 && degree <= advance::MotionPiece::kMaxDegree; };
  if (!isDegree(piece.p_degree) || !isDegree(piece.q_degree))
    throw std::invalid_argument("the stored state is damaged");
  for (int i = 0; i <= piece.p_degree; ++i) archive(piece.p[i]);
  for (int i = 0; i <= piece.q_degree; ++i) archive(piece.q[i]);
}

template <typename Archive>
void transferGroup(Archive& archive, Group& group) {
  transferList(archive, group.bodies, [&](int& body) { archive(body); });
  archive(group.clock)(group.held)(group.step_start)(group.memory.next_step)(group.memory.event_window)(
      group.memory.pulled)(group.memory.short_steps)(group.memory.short_releases)(group.memory.short_stops);
  archive(group.memory.velocity_level)(group.memory.goes_on)(group.memory.began);
  for (Pause* pause : {&group.memory.implicit_pause, &group.memory.lift_pause}) archive(pause->left)(pause->of);
  transferActed(archive, group.memory.acted);
  Flight& flight = group.memory.flight;
  archive(flight.t0)(flight.t1)(flight.part)(flight.start_energy)(flight.end_energy);
  for (Eigen::VectorXd* list : {&flight.start.q, &flight.start.v, &flight.start_acceleration, &flight.end.q,
                                &flight.end.v, &flight.end_acceleration})
    transferVector(archive, *list);
  transferList(archive, group.memory.contacts, [&](Contact& c) {
    transferPair(archive, c.pair);
    transferFeature(archive, c.feature);
    archive(c.limit)(c.mode)(c.direction)(c.force)(c.held)(c.in_patch)(c.slips)(c.lets_go)(c.let_go);
  });
  transferList(archive, group.memory.axes, [&](KnownAxis& known) {
    transferPair(archive, known.pair);
    transferAxis(archive, known.axis);
  });
}

}  // namespace

template <typename Archive>
void Run::transfer(Archive& archive) {
  std::uint32_t version = kSnapshotVersion;
  std::uint64_t count = bodies.size();
  archive(version)(count);
  if (version != kSnapshotVersion || count != bodies.size())
    throw std::invalid_argument("the stored state is not of this scene and version");
  transferBodies(archive);
  transferGroups(archive);
  transferClaims(archive);
  transferList(archive, rests_, [&](Rest& rest) {
    archive(rest.time)(rest.body);
    if (rest.body < 0 || rest.body >= static_cast<int>(bodies.size()))
      throw std::invalid_argument("the stored state is damaged");
  });
  touching_.transfer([&](PairKey& pair, int& limit) { transferPair(archive, pair), archive(limit); },
                     [&](advance::ContactFeature& feature) { transferFeature(archive, feature); },
                     [&](auto& value) { archive(value); });
  archive(summary_.steps)(summary_.manifold_changes)(summary_.impacts)(summary_.contacts_made)(
      summary_.contacts_broken);
  archive(summary_.false_liftoffs)(summary_.min_gap)(summary_.min_step)(summary_.max_step)(summary_.mean_step);
  archive(summary_.energy_initial)(summary_.max_energy_increase)(sum_steps_)(reach_);
  zones_.transfer([&](auto& values, auto&& visit) { transferList(archive, values, visit); },
                  [&](auto& value) { archive(value); });
  if (!zones_.isOf(groups_, bodies.size())) throw std::invalid_argument("the stored state is damaged");
  archive(checkpoints_.next)(checkpoints_.interval)(checkpoints_.last)(checkpoints_.count)(checkpoints_.steps);
  archive(checkpoints_.committed);
}

template <typename Archive>
void Run::transferBodies(Archive& archive) {
  for (BodyRuntime& body : bodies) {
    archive(body.state.pose.q)(body.state.pose.p)(body.state.v)(body.state.w)(body.clock)(body.v_start)(body.v_end);
    archive(body.v_back)(body.step)(body.push)(body.push_end)(body.flies)(body.beside_start)(body.beside);
    transferPiece(archive, body.piece);
    transferList(archive, body.past, [&](advance::MotionPiece& piece) { transferPiece(archive, piece); });
  }
  for (RobotRuntime& robot : robots) {
    for (Eigen::VectorXd* list : {&robot.state.q, &robot.state.v, &robot.acceleration, &robot.start.q, &robot.start.v,
                                  &robot.start_acceleration, &robot.effort, &robot.control.tau})
      transferVector(archive, *list);
    transferList(archive, robot.control.memory, [&](double& value) { archive(value); });
    archive(robot.control.samples);
    for (LinkLoad& load : robot.loads) archive(load.P)(load.K)(load.touches);
  }
}

template <typename Archive>
void Run::transferGroups(Archive& archive) {
  std::vector<Group> list;
  groups_.each([&](const Group& group) { list.push_back(group); });
  transferList(archive, list, [&](Group& group) { transferGroup(archive, group); });
  if constexpr (!std::is_same_v<Archive, Packer>) {
    groups_.reset(bodies.size());
    for (Group& group : list) {
      for (const int body : group.bodies)
        if (body < 0 || body >= static_cast<int>(bodies.size()))
          throw std::invalid_argument("the stored state is damaged");
      if (group.bodies.empty()) throw std::invalid_argument("the stored state is damaged");
      groups_.add(std::move(group));
    }
  }
}

template <typename Archive>
void Run::transferClaims(Archive& archive) {
  PendingWitnesses::Lists lists = pending_.lists();
  transferList(archive, lists.witnesses, [&](WitnessRecord& w) {
    transferPair(archive, w.pair);
    archive(w.witness.t0)(w.witness.t1)(w.witness.gap)(w.witness.cross)(w.witness.cosine);
    transferAxis(archive, w.witness.axis);
  });
  transferList(archive, lists.of_body, [&](std::vector<int>& own) {
    transferList(archive, own, [&](int& at) { archive(at); });
  });
  if constexpr (!std::is_same_v<Archive, Packer>) {
    pending_.reset(bodies);
    if (!pending_.take(std::move(lists))) throw std::invalid_argument("the stored state is damaged");
  }
}

std::vector<unsigned char> Run::snapshot() {
  touching_.forget(time() - scales.event_window);
  Packer packer;
  transfer(packer);  // The same function describes both directions; packing changes nothing.
  return packer.take();
}

/// Of a run that was stopped to be looked at: what it goes on from, and then what was handed over.
std::vector<unsigned char> Run::save() {
  if (uncut_.empty()) return snapshot();
  Packer packer;
  packer(handed_)(handed_gap_);
  for (ContinuedSink::End& end : ends_) packer(end.pose.q)(end.pose.p)(end.velocity);
  std::vector<unsigned char> state = uncut_;
  const std::vector<unsigned char> handed = packer.take();
  state.insert(state.end(), handed.begin(), handed.end());
  return state;
}

void Run::restore(const std::vector<unsigned char>& state) {
  Unpacker unpacker(state);
  transfer(unpacker);
  settleIn();
  uncut_.clear(), ends_.clear();
  handed_ = 0;
  handed_gap_ = std::numeric_limits<double>::infinity();
  if (unpacker.atEnd()) return;
  const size_t whole = state.size() - unpacker.left();
  unpacker(handed_)(handed_gap_);
  ends_.resize(bodies.size());
  for (ContinuedSink::End& end : ends_) unpacker(end.pose.q)(end.pose.p)(end.velocity);
  if (!unpacker.atEnd()) throw std::invalid_argument("the stored state is not of this scene");
  uncut_.assign(state.begin(), state.begin() + static_cast<long>(whole));
}

/// Back to a state of this run.
void Run::take(const std::vector<unsigned char>& state) {
  Unpacker unpacker(state);
  transfer(unpacker);
  settleIn();
}

/// What follows from the rest of the state.
void Run::settleIn() {
  tree_.reset(bodies.size());
  for (size_t i = 0; i < bodies.size(); ++i) place(static_cast<int>(i));
}

}  // namespace rigor::sim
