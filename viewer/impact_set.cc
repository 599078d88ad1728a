// SPDX-License-Identifier: MIT
#include "viewer/impact_set.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "impact/models/routh.h"
#include "impact/samples/outcome_set.h"
#include "sim/simulation.h"

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

void nameAxes(const std::vector<Frame>& frames, ImpactSet& set) {
  for (std::size_t k = 0; k < frames.size(); ++k) {
    const auto along = [](const Eigen::Vector3d& t) {
      int axis = 0;
      t.cwiseAbs().maxCoeff(&axis);
      return fmt::format("{}{}", t[axis] < 0 ? "-" : "", "xyz"[axis]);
    };
    set.axes.push_back(fmt::format("contact {} normal", k + 1));
    for (int row = 1; row < 3; ++row)
      set.axes.push_back(fmt::format("contact {} along {}", k + 1, along(frames[k].row(row))));
  }
}

template <typename Contact>
void describeContacts(const RunModel& model, const std::vector<Contact>& contacts, ImpactSet& set) {
  const auto name = [&](int b) {
    return b >= 0 && b < static_cast<int>(model.bodies().size()) ? model.bodies()[b].name : std::string("?");
  };
  for (const Contact& contact : contacts) {
    set.contacts.push_back(name(contact.pair.body_a) + " - " + name(contact.pair.body_b));
    set.points.push_back(contact.point);
    set.normals.push_back(contact.normal);
  }
}

std::vector<double> coordinatesOf(const ImpactSet& set, const Eigen::VectorXd& v) {
  const Eigen::VectorXd c = set.rows * v;
  return {c.data(), c.data() + c.size()};
}

void add(ImpactSet& set, ImpactSet::Outcome outcome, const Eigen::VectorXd& velocity) {
  outcome.coordinates = coordinatesOf(set, velocity);
  for (const double c : outcome.coordinates)
    if (!std::isfinite(c)) return;
  set.outcomes.push_back(std::move(outcome));
}

sim::ImpactChoice choiceOf(const impact::ImpactOutcome& outcome) {
  return {impact::ImpactStatus::kResolved, outcome.velocity, outcome.impulses};
}

bool interrupted(const std::atomic<bool>* interrupt) { return interrupt && *interrupt; }

void addSamples(ImpactSet& set, int samples, const std::atomic<bool>* interrupt) {
  const auto resolver = impact::makeResolver("routh");
  for (int k = 0; k < samples && !interrupted(interrupt); ++k) {
    impact::ImpactOutcome outcome;
    const impact::RandomKey key{set.sample_key.seed, set.sample_key.path + static_cast<std::uint64_t>(k)};
    if (resolver->resolve(set.problem, set.options, key, outcome) != impact::ImpactStatus::kResolved) continue;
    add(set, {ImpactSet::Kind::kSample, -1, fmt::format("sample {}", k), k, {}, choiceOf(outcome), k},
        outcome.velocity);
  }
}

void addModels(ImpactSet& set, const std::atomic<bool>* interrupt) {
  for (const std::string& name : impact::runResolverNames()) {
    const auto resolver = impact::makeResolver(name);
    if (!resolver || resolver->isRandom() || interrupted(interrupt)) continue;
    std::vector<impact::ImpactOutcome> outcomes;
    try {
      if (resolver->resolveAll(set.problem, set.options, outcomes) != impact::ImpactStatus::kResolved) continue;
    } catch (const std::exception&) {
      continue;  // A model that does not apply to this impact has no mark.
    }
    for (std::size_t i = 0; i < outcomes.size(); ++i)
      add(set, {ImpactSet::Kind::kModel, -1, name, static_cast<long>(i), {}, choiceOf(outcomes[i])},
          outcomes[i].velocity);
  }
}

/// What is proved of all outcomes; its vertices are outcomes among the others.
void addProofs(ImpactSet& set, double effort, const std::atomic<bool>* interrupt) {
  try {
    set.proved = proveOutcomes(
        set.problem, set.options.cone_edges, set.rows, [&] { return !interrupted(interrupt); }, effort);
  } catch (const std::invalid_argument& error) {
    set.proved.note = error.what();
  }
  for (std::size_t k = 0; k < set.proved.ways.size(); ++k) {
    const impact::ImpactOutcome& end = set.proved.ways[k].back();
    add(set, {ImpactSet::Kind::kVertex, -1, fmt::format("vertex {}", k), static_cast<long>(k), {}, choiceOf(end)},
        end.velocity);
  }
}

/// What matters is drawn over the cloud: vertices, models, then branches.
void sortForDrawing(ImpactSet& set) {
  std::stable_sort(set.outcomes.begin(), set.outcomes.end(),
                   [](const auto& a, const auto& b) { return static_cast<int>(a.kind) > static_cast<int>(b.kind); });
}

/// The problem as the simulation poses it.
ImpactSet replayedSet(RunModel& model, ForkReplay& replay, const ImpactPlace& place, int samples,
                      const std::atomic<bool>* interrupt) {
  ImpactSet set;
  set.place = place;
  auto replayed = std::make_shared<ReplayedFork>(place.parent.empty() ? replay.atImpact(place.time, interrupt)
                                                                      : replay.atEndOf(place.parent, interrupt));
  const sim::Fork& fork = replayed->fork;
  set.problem = fork.problem;
  set.options = fork.options;
  set.sample_key = fork.sample_key;
  const int m = set.problem.numContacts();
  set.rows.resize(3 * m, set.problem.numVelocities());
  std::vector<Frame> frames;
  for (int k = 0; k < m; ++k) {
    const auto& contact = fork.contacts.at(k);
    const Frame& frame = frames.emplace_back(contactFrame(contact.normal));
    const Eigen::Vector3d t1 = contact.tangent, t2 = contact.normal.cross(contact.tangent);
    set.rows.row(3 * k) = set.problem.normal.row(k);
    set.rows.middleRows(3 * k + 1, 2).setZero();
    if (set.problem.tangent[k].rows() < 2) continue;  // A joint's limit.
    for (int row = 1; row < 3; ++row)  // From the simulation's tangents to those of the axes.
      set.rows.row(3 * k + row) = frame.row(row).dot(t1) * set.problem.tangent[k].row(0) +
                                  frame.row(row).dot(t2) * set.problem.tangent[k].row(1);
  }
  nameAxes(frames, set);
  describeContacts(model, fork.contacts, set);
  set.before = coordinatesOf(set, set.problem.velocity);
  set.replayed = replayed;
  addSamples(set, samples, interrupt);
  const std::size_t cloud = set.outcomes.size();
  const auto sampleOf = [&](const Eigen::VectorXd& velocity) {
    for (std::size_t i = 0; i < cloud; ++i)
      if (set.outcomes[i].choice.velocity == velocity) return set.outcomes[i].number;
    return -1L;
  };
  const int parent = place.parent.empty() ? -1 : model.findBranch(place.parent);
  for (std::size_t k = 0; k < fork.alternatives.size(); ++k) {
    const sim::ImpactChoice& choice = fork.alternatives[k].outcome;
    int branch = parent < 0 ? (k == 0 ? model.findBranch(place.branch) : -1)
                            : model.findBranch(fmt::format("{}/{}", place.parent, k));
    const auto kind = branch >= 0 ? ImpactSet::Kind::kBranch : ImpactSet::Kind::kOpen;
    add(set,
        {kind,
         branch,
         branch >= 0 ? model.branches()[branch].id : fmt::format("outcome {}", k),
         static_cast<long>(k),
         {},
         choice,
         sampleOf(choice.velocity)},
        choice.velocity);
  }
  if (parent < 0) return set;
  // Branches that were added say which outcome they went on with.
  for (const int child : model.branches()[parent].children) {
    const auto json = nlohmann::json::parse(model.branches()[child].choice, nullptr, false);
    if (!json.is_object() || !json.contains("velocity") || !json["velocity"].is_array()) continue;
    std::vector<double> v;
    for (const auto& x : json["velocity"]) v.push_back(x.is_number() ? x.get<double>() : NAN);
    if (static_cast<int>(v.size()) != set.problem.numVelocities()) continue;
    const Eigen::VectorXd velocity = Eigen::Map<const Eigen::VectorXd>(v.data(), static_cast<long>(v.size()));
    add(set, {ImpactSet::Kind::kBranch, child, model.branches()[child].id, -1, {}, {}, sampleOf(velocity)}, velocity);
  }
  return set;
}

// Steps along a segment of a chain of forces, over which everything changes in proportion.
constexpr int kPartsOfASegment = 8;

ImpulseStep stepOf(const ImpactSet& set, const impact::ImpactOutcome& reached) {
  ImpulseStep step{coordinatesOf(set, reached.velocity), {}};
  for (const Eigen::VectorXd& impulse : reached.impulses) {
    step.impulse.push_back(impulse[0]);
    step.impulse.push_back(impulse.tail(impulse.size() - 1).norm());
  }
  return step;
}

ImpulseStep startOf(const ImpactSet& set) {
  return {set.before, std::vector<double>(2 * set.problem.friction.size(), 0.0)};
}

/// The problem rebuilt from the record's masses, contacts and velocities: of free bodies, and of the contacts that
/// received an impulse.
ImpactSet rebuiltSet(RunModel& model, const ImpactPlace& place, int samples, const std::atomic<bool>* interrupt) {
  ImpactSet set;
  set.place = place;
  record::Reader reader(model.path());
  const auto& branches = model.branches();
  const int owner = model.findBranch(place.branch), parent = place.parent.empty() ? -1 : model.findBranch(place.parent);
  std::vector<int> takers;
  if (parent >= 0) {
    for (const int child : branches[parent].children)
      if (branches[child].fork_time == place.time) takers.push_back(child);
  } else if (owner >= 0) {
    takers.push_back(owner);
  }
  if (owner < 0 || takers.empty()) return set;
  const Joined joined = joinImpacts(reader.impacts(place.branch, place.time, place.time));
  if (joined.contacts.empty()) return set;

  // Bodies of the contacts; those that move get six columns each.
  std::map<int, int> column;
  for (const auto& contact : joined.contacts)
    for (const int b : {contact.pair.body_a, contact.pair.body_b})
      if (b >= 0 && b < static_cast<int>(model.bodies().size()) && !model.bodies()[b].fixed) {
        if (model.bodies()[b].name.find('/') != std::string::npos)
          return set;  // A link has no six velocities of its own.
        column.try_emplace(b, static_cast<int>(6 * column.size()));
      }
  std::vector<Placement> placements;
  model.placementsAt(owner, place.time, placements);
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
  set.rows.setZero(3 * m, n);
  std::vector<Frame> frames;
  for (int k = 0; k < m; ++k) {
    const auto& contact = joined.contacts[k];
    const Frame& frame = frames.emplace_back(contactFrame(contact.normal));
    for (const auto& [b, sign] : {std::pair{contact.pair.body_a, -1.0}, {contact.pair.body_b, 1.0}}) {
      const auto found = column.find(b);
      if (found == column.end()) continue;
      const Eigen::Vector3d arm = contact.point - placements[b].pose.p;
      for (int row = 0; row < 3; ++row) {
        const Eigen::Vector3d direction = frame.row(row);
        set.rows.block<1, 3>(3 * k + row, found->second) += sign * direction.transpose();
        set.rows.block<1, 3>(3 * k + row, found->second + 3) += sign * arm.cross(direction).transpose();
      }
    }
    problem.normal.row(k) = set.rows.row(3 * k);
    problem.tangent.push_back(set.rows.middleRows(3 * k + 1, 2));
    problem.friction.push_back(contact.friction);
    problem.restitution.push_back(contact.restitution);
  }
  nameAxes(frames, set);
  describeContacts(model, joined.contacts, set);
  set.before = coordinatesOf(set, problem.velocity);
  addSamples(set, samples, interrupt);
  for (const int taker : takers) {
    const Joined taken =
        taker == owner ? joined : joinImpacts(reader.impacts(branches[taker].id, place.time, place.time));
    Eigen::VectorXd v = problem.velocity;
    for (const auto& [b, c] : column)
      if (const auto after = taken.after.find(b); after != taken.after.end()) v.segment<6>(c) = after->second;
    add(set, {ImpactSet::Kind::kBranch, taker, branches[taker].id}, v);
  }
  return set;
}

}  // namespace

std::optional<ImpactPlace> findImpact(const RunModel& model, RunIndex& index, int branch, double time) {
  const auto& branches = model.branches();
  const int owner = model.ownerAt(branch, time);
  const ModelBranch& shown = branches[owner];
  // A branch whose fork nobody has followed ends there.
  if (shown.status == "budget" && shown.isLeaf() && time >= shown.end_time && shown.end_time > shown.fork_time)
    return ImpactPlace{shown.id, shown.id, shown.end_time};
  if (shown.parent >= 0) return ImpactPlace{shown.id, branches[shown.parent].id, shown.fork_time};
  for (int b = branch; b != owner; b = branches[b].parent)
    if (branches[b].parent == owner) return ImpactPlace{branches[b].id, shown.id, branches[b].fork_time};
  // The shown branch itself forks later.
  for (const int child : shown.children)
    if (branches[child].fork_time >= shown.end_time)
      return ImpactPlace{branches[child].id, shown.id, branches[child].fork_time};
  const double last = index.lastImpact(owner, time), next = index.nextImpact(owner, time);
  if (std::isfinite(last)) return ImpactPlace{shown.id, "", last};
  if (std::isfinite(next)) return ImpactPlace{shown.id, "", next};
  return std::nullopt;
}

ImpactSet collectImpactSet(RunModel& model, ForkReplay* replay, const ImpactPlace& place, const StudyEffort& effort,
                           const std::atomic<bool>* interrupt, const std::function<void(const ImpactSet&)>& early) {
  ImpactSet set;
  std::string note;
  if (replay) {
    try {
      set = replayedSet(model, *replay, place, effort.samples, interrupt);
    } catch (const ReplayError& error) {
      note = error.what();
    } catch (const sim::SceneError& error) {
      note = error.what();
    }
  }
  if (interrupted(interrupt)) throw ReplayError("interrupted");
  if (!set.replayed) set = rebuiltSet(model, place, effort.samples, interrupt), set.note = note;
  if (!set.empty()) {
    if (early) early(set);
    addModels(set, interrupt);
    sortForDrawing(set);
    if (early) early(set);
    addProofs(set, effort.proofs, interrupt);
    sortForDrawing(set);
  }
  if (interrupted(interrupt)) throw ReplayError("interrupted");
  set.complete = true;
  return set;
}

std::vector<ImpulseStep> impulseProcess(const ImpactSet& set, long number) {
  std::vector<ImpulseStep> steps;
  if (number < 0) return steps;
  impact::Routh sampler;
  std::vector<impact::ImpactOutcome> trace;
  impact::ImpactOutcome outcome;
  sampler.traceTo(&trace);
  const impact::RandomKey key{set.sample_key.seed, set.sample_key.path + static_cast<std::uint64_t>(number)};
  if (sampler.resolve(set.problem, set.options, key, outcome) != impact::ImpactStatus::kResolved) return steps;
  steps.push_back(startOf(set));
  for (const impact::ImpactOutcome& step : trace) steps.push_back(stepOf(set, step));
  return steps;
}

std::vector<ImpulseStep> chainProcess(const ImpactSet& set, long number) {
  std::vector<ImpulseStep> steps;
  if (number < 0 || number >= static_cast<long>(set.proved.ways.size())) return steps;
  steps.push_back(startOf(set));
  impact::ImpactOutcome from;
  from.velocity = set.problem.velocity;
  for (const impact::ImpactOutcome& to : set.proved.ways[static_cast<std::size_t>(number)]) {
    for (int part = 1; part <= kPartsOfASegment; ++part) {
      const double share = static_cast<double>(part) / kPartsOfASegment;
      impact::ImpactOutcome reached = to;
      reached.velocity += (share - 1) * (to.velocity - from.velocity);
      for (std::size_t k = 0; k < to.impulses.size(); ++k)
        reached.impulses[k] =
            share * to.impulses[k] + (from.impulses.empty() ? 0 * to.impulses[k] : (1 - share) * from.impulses[k]);
      steps.push_back(stepOf(set, reached));
    }
    from = to;
  }
  return steps;
}

std::string fatesText(const std::string& letters) {
  std::string text;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    const char* fate = letters[i] == 'f'   ? "separates"
                       : letters[i] == 't' ? "sticks"
                       : letters[i] == 's' ? "slides"
                                           : "?";
    text += fmt::format("{}contact {} {}", i ? ", " : "", i + 1, fate);
  }
  return text;
}

std::string fatesSummary(const std::string& letters) {
  constexpr std::pair<char, const char*> kFates[] = {{'f', "separate"}, {'s', "slide"}, {'t', "stick"}};
  std::string text;
  for (const auto& [letter, fate] : kFates) {
    std::string numbers;
    int count = 0;
    for (std::size_t i = 0; i < letters.size(); ++i)
      if (letters[i] == letter) numbers += fmt::format("{}{}", count++ ? ", " : "", i + 1);
    if (count)
      text += fmt::format("{}contact{} {} {}{}", text.empty() ? "" : "; ", count > 1 ? "s" : "", numbers, fate,
                          count > 1 ? "" : "s");
  }
  return text;
}

std::string fateLetters(const ImpactSet& set, const ImpactSet::Outcome& outcome) {
  std::string letters;
  double largest = 0;
  for (const double c : set.before) largest = std::max(largest, std::abs(c));
  const double zero = impact::kFateTolerance * largest;
  for (std::size_t k = 0; 3 * k + 2 < outcome.coordinates.size(); ++k) {
    const double* c = &outcome.coordinates[3 * k];
    letters += c[0] > zero ? 'f' : std::hypot(c[1], c[2]) <= zero ? 't' : 's';
  }
  return letters;
}

}  // namespace rigor::viewer
