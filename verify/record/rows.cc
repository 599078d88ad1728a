// SPDX-License-Identifier: MIT
#include "verify/record/rows.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>

#include "verify/record/strict_json.h"

namespace rigor::verify::recorded {
namespace {

/// Calls `read`, and says of what it throws which column of the row it is about.
template <typename Read>
auto decode(const Query& row, int column, const Read& read) {
  try {
    return read(row.blob(column));
  } catch (const BlobError& error) {
    row.wrong(column, "as the format has it: it " + error.what);
  }
}

int bodyOrNone(const Query& row, int column, const kernel::Model& model) {
  if (row.isNull(column)) return -1;
  const int body = row.index(column);
  if (body < 0 || body >= static_cast<int>(model.bodies.size())) row.wrong(column, "a body of the model");
  return body;
}

void requireFinite(const Query& row, int column, std::span<const double> numbers) {
  for (const double x : numbers)
    if (!std::isfinite(x)) row.wrong(column, "finite");
}

template <typename Number>
std::vector<Number> list(const Query& row, int column) {
  const auto bytes = row.blob(column);
  if (bytes.size() % sizeof(Number) != 0) row.wrong(column, "of the documented length");
  std::vector<Number> numbers(bytes.size() / sizeof(Number));
  if (!bytes.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

std::vector<double> twists(const Query& row, int column, std::size_t bodies) {
  std::vector<double> numbers = list<double>(row, column);
  if (numbers.size() != 6 * bodies) row.wrong(column, "six numbers a body");
  requireFinite(row, column, numbers);
  return numbers;
}

kernel::Vector3 vectorOf(const nlohmann::json& json) {
  kernel::Vector3 v{json.at(0).get<double>(), json.at(1).get<double>(), json.at(2).get<double>()};
  if (json.size() != 3 || !(std::isfinite(v[0]) && std::isfinite(v[1]) && std::isfinite(v[2])))
    throw std::out_of_range("not three numbers");
  return v;
}

ImpactContact contactOf(const nlohmann::json& c, const kernel::Model& model) {
  const auto& pair = c.at("pair");
  const auto& mu = c.at("mu");
  ImpactContact contact{{pair.at(0).get<int>(), pair.at(1).get<int>(), pair.at(2).get<int>(), pair.at(3).get<int>()},
                        vectorOf(c.at("point")),
                        vectorOf(c.at("normal")),
                        vectorOf(c.at("impulse")),
                        {},
                        mu.is_string() ? std::numeric_limits<double>::infinity() : mu.get<double>(),
                        c.at("e").get<double>(),
                        {},
                        {}};
  if (c.contains("tangent")) contact.tangent = vectorOf(c.at("tangent"));
  if (c.contains("joint"))
    contact.joint = c.at("joint").get<std::string>(), contact.end = c.at("end").get<std::string>();
  for (const auto& [body, part] :
       {std::pair{contact.pair.body_a, contact.pair.part_a}, {contact.pair.body_b, contact.pair.part_b}}) {
    const bool exists = body >= 0 && body < static_cast<int>(model.bodies.size());
    if (!exists || part < -1 || part >= static_cast<int>(model.bodies[static_cast<std::size_t>(body)].parts.size()))
      throw std::out_of_range("a pair");
  }
  return contact;
}

}  // namespace

std::string whyNotJson(const std::string& text) {
  try {
    parseStrictJson(text);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return {};
}

AxisRow readAxis(const Query& row) {
  AxisRow axis;
  axis.kind = row.index(1);
  if (axis.kind == 2) {
    const auto v = list<std::int32_t>(row, 2);
    if (v.size() != 4) row.wrong(2, "four vertex numbers");
    axis.a0 = v[0], axis.a1 = v[1], axis.b0 = v[2], axis.b1 = v[3];
    for (const std::int32_t vertex : v)
      if (vertex < 0) row.wrong(2, "four vertex numbers");
  } else if (axis.kind == 0 || axis.kind == 1) {
    const auto v = list<double>(row, 2);
    if (v.size() != 3) row.wrong(2, "three numbers");
    requireFinite(row, 2, v);
    std::copy(v.begin(), v.end(), axis.axis.begin());
  } else {
    row.wrong(1, "0, 1 or 2");
  }
  return axis;
}

PairRow readPair(const Query& row, const kernel::Model& model) {
  PairRow pair{row.index(1), row.index(2), row.index(3), row.index(4)};
  for (const int column : {1, 3}) {
    const int body = row.index(column), part = row.index(column + 1);
    if (body < 0 || body >= static_cast<int>(model.bodies.size())) row.wrong(column, "a body of the model");
    if (part < 0 || part >= static_cast<int>(model.bodies[static_cast<std::size_t>(body)].parts.size()))
      row.wrong(column + 1, "a part of its body");
  }
  if (pair.body_a == pair.body_b) row.wrong(3, "another body");
  return pair;
}

BranchRow readBranch(const Query& row) {
  BranchRow branch{row.integer(0), row.text(1), row.textOrNull(2), row.text(4),          row.text(7),
                   row.real(3),    row.real(5), row.real(6),       row.realOrInfinity(8)};
  if (!row.isNull(2) && branch.parent.empty()) row.wrong(2, "a branch");
  if (!branch.choice.empty() && !whyNotJson(branch.choice).empty()) row.wrong(4, "JSON");
  static const std::set<std::string> kStatus{"running", "done", "failed", "budget", "interrupted"};
  if (!kStatus.contains(branch.status)) row.wrong(7, "a status");
  return branch;
}

EventRow readEvent(const Query& row, const kernel::Model& model, nlohmann::json* detail) {
  EventRow event{
      row.integer(0), row.integer(1), row.real(2), row.text(3), bodyOrNone(row, 4, model), bodyOrNone(row, 5, model),
      row.text(6)};
  try {
    nlohmann::json parsed = event.detail.empty() ? nlohmann::json() : parseStrictJson(event.detail);
    if (detail) *detail = std::move(parsed);
  } catch (const std::invalid_argument&) {
    row.wrong(6, "JSON");
  }
  return event;
}

ImpactRow readImpact(const Query& row, const kernel::Model& model) {
  ImpactRow impact{row.integer(0), row.integer(1), row.real(2), row.text(3), list<std::int64_t>(row, 4), {}, {}, {}};
  for (const std::int64_t body : impact.bodies)
    if (body < 0 || body >= static_cast<std::int64_t>(model.bodies.size())) row.wrong(4, "bodies of the model");
  impact.before = twists(row, 5, impact.bodies.size());
  impact.after = twists(row, 6, impact.bodies.size());
  try {
    for (const auto& contact : parseStrictJson(row.text(7))) impact.contacts.push_back(contactOf(contact, model));
  } catch (const std::invalid_argument&) {
    row.wrong(7, "JSON");
  } catch (const std::exception&) {  // nlohmann's, or out_of_range.
    row.wrong(7, "a list of contacts as documented");
  }
  return impact;
}

JointsRow readJoints(const Query& row, const std::vector<std::vector<std::string>>& coordinates) {
  JointsRow joints{row.integer(0), row.integer(1), row.real(2), row.index(3), list<double>(row, 4)};
  if (joints.robot < 0 || joints.robot >= static_cast<int>(coordinates.size())) row.wrong(3, "a robot of the model");
  if (joints.values.size() != 3 * coordinates[static_cast<std::size_t>(joints.robot)].size())
    row.wrong(4, "three numbers a coordinate");
  requireFinite(row, 4, joints.values);
  return joints;
}

namespace {

kernel::Facing facingOf(const PairRow& pair, const AxisRow& axis) {
  return {pair.body_a, pair.part_a, pair.body_b, pair.part_b, axis.kind, axis.axis, axis.a0, axis.a1, axis.b0, axis.b1};
}

}  // namespace

void readPackedClaims(const Query& row, const Dictionary& dictionary, std::vector<PackedClaim>& out) {
  const double from = row.real(2), to = row.real(3);
  decode(row, 4, [&](std::span<const unsigned char> blob) {
    BlobReader in(blob);
    const std::uint32_t count = in.count(32);
    in.align();
    for (std::uint32_t i = 0; i < count; ++i) {
      PackedClaim& claim = out.emplace_back();
      claim.pair = in.u32(), claim.axis = in.u32();
      if (claim.pair - 1 >= dictionary.pairs.size()) throw BlobError{"names a pair that is not there"};
      if (claim.axis - 1 >= dictionary.axes.size()) throw BlobError{"names an axis that is not there"};
      claim.edges = dictionary.axes[claim.axis - 1].kind == 2;
      claim.t0 = in.real(), claim.t1 = in.real(), claim.gap = in.real();
      if (claim.edges) claim.cross = in.real(), claim.cosine = in.real();
      if (!(from <= claim.t0 && claim.t1 <= to)) throw BlobError{"holds a claim outside the row's interval"};
    }
    in.requireEnd();
  });
}

void readClaims(const Query& row, const Dictionary& dictionary, std::vector<kernel::Claim>& out) {
  std::vector<PackedClaim> packed;
  readPackedClaims(row, dictionary, packed);
  for (const PackedClaim& p : packed) {
    kernel::Claim& claim =
        out.emplace_back(kernel::Claim{facingOf(dictionary.pairs[p.pair - 1], dictionary.axes[p.axis - 1])});
    claim.id = row.integer(0);
    claim.t0 = p.t0, claim.t1 = p.t1, claim.gap = p.gap, claim.cross = p.cross, claim.cosine = p.cosine;
  }
}

std::uint32_t WrenchHead::packed() const {
  if (joint >= kMostJoints || robot >= kMostRobots)
    throw std::length_error(fmt::format("a record holds up to {} robots of {} joints", kMostRobots, kMostJoints));
  const bool flags[] = {same_instants, no_force, no_moment, rounded};
  std::uint32_t head = static_cast<std::uint32_t>(joint | robot << 14 | source << 25);
  for (int k = 0; k < 4; ++k) head |= flags[k] ? std::uint32_t{1} << (27 + k) : 0;
  return head;
}

WrenchHead WrenchHead::of(std::uint32_t packed) {
  const auto bits = [&](int first, int count) { return static_cast<int>(packed >> first & ((1u << count) - 1)); };
  const WrenchHead head{bits(0, 14),      bits(14, 11),     bits(25, 2),     bits(27, 1) != 0,
                        bits(28, 1) != 0, bits(29, 1) != 0, bits(30, 1) != 0};
  if (head.source > 2 || bits(31, 1) != 0) throw BlobError{"has a wrench of an unknown source"};
  if (head.no_force && head.no_moment) throw BlobError{"has a wrench that is nothing"};
  return head;
}

namespace {

// As many as those before, at their instants.
template <typename Impulses>
void takeInstants(const Impulses* before, Impulses& impulses) {
  if (!before) throw BlobError{"leaves out instants that no other gives"};
  impulses.resize(before->size());
  for (std::size_t k = 0; k < impulses.size(); ++k) impulses[k].time = (*before)[k].time;
}

void readContact(BlobReader& in, const Dictionary& dictionary, Facings& facings,
                 const std::vector<kernel::Impulse>* before, kernel::Contact& contact) {
  const std::uint32_t pair_number = in.u32(), axis_number = in.u32(), vertex = in.u32(), count = in.u32();
  if (pair_number - 1 >= dictionary.pairs.size()) throw BlobError{"names a pair that is not there"};
  if (axis_number - 1 >= dictionary.axes.size()) throw BlobError{"names an axis that is not there"};
  const auto [known, is_new] = facings.try_emplace({pair_number, axis_number, vertex});
  if (is_new) {
    kernel::Facing facing = facingOf(dictionary.pairs[pair_number - 1], dictionary.axes[axis_number - 1]);
    if (facing.kind != 2) facing.a0 = static_cast<int>(vertex & 0x7fffffff);
    known->second = std::make_shared<const kernel::Facing>(facing);
  }
  contact.facing = known->second;
  const bool same_instants = (count & kSameInstants) != 0;
  const std::size_t number = count & ~kSameInstants;
  in.need(number * (same_instants ? 24 : 32));
  if (same_instants) takeInstants(before, contact.impulses);
  if (same_instants && contact.impulses.size() != number) throw BlobError{"leaves out instants that no other gives"};
  contact.impulses.resize(number);
  for (kernel::Impulse& impulse : contact.impulses) {
    if (!same_instants) impulse.time = in.real();
    in.reals(impulse.P.data(), 3);
  }
}

void readWrench(BlobReader& in, const kernel::Model& model, const std::vector<kernel::Twisting>* before,
                kernel::Wrench& wrench) {
  const WrenchHead head = WrenchHead::of(in.u32());
  const auto robot = static_cast<std::size_t>(head.robot), joint = static_cast<std::size_t>(head.joint);
  if (robot >= model.robots.size() || joint >= model.robots[robot].joints.size())
    throw BlobError{"names a joint that is not there"};
  wrench.source = static_cast<kernel::Wrench::Source>(head.source);
  wrench.robot = head.robot, wrench.joint = head.joint;
  if (head.same_instants) {
    in.need((before ? before->size() : 0) * 15);
    takeInstants(before, wrench.impulses);
  } else {
    wrench.impulses.resize(in.count(8));
    for (kernel::Twisting& impulse : wrench.impulses) impulse.time = in.real();
  }
  const auto read = [&](kernel::Vector3& x) {
    for (double& number : x) number = head.rounded ? in.roundedReal() : in.real();
  };
  for (kernel::Twisting& impulse : wrench.impulses) {
    if (!head.no_force) read(impulse.P);
    if (!head.no_moment) read(impulse.moment);
  }
}

}  // namespace

ActionRow readAction(const Query& row, const Dictionary& dictionary, const kernel::Model& model, Facings& facings) {
  ActionRow read;
  kernel::Action& action = read.action;
  action.id = row.integer(0);
  read.step = row.integer(2);
  action.t0 = row.real(3), action.t1 = row.real(4);
  decode(row, 5, [&](std::span<const unsigned char> blob) {
    BlobReader in(blob);
    const std::uint32_t contacts = in.count(16), counted = in.u32(), wrenches = counted & ~kJointsFollow;
    in.need(std::size_t{wrenches} * 4);
    read.joints_follow = (counted & kJointsFollow) != 0;
    if (read.joints_follow && !(action.t0 < action.t1)) throw BlobError{"leaves out what joints did in a jump"};
    action.contacts.resize(contacts), action.wrenches.resize(wrenches);
    for (std::size_t i = 0; i < contacts; ++i)
      readContact(in, dictionary, facings, i > 0 ? &action.contacts[i - 1].impulses : nullptr, action.contacts[i]);
    for (std::size_t i = 0; i < wrenches; ++i)
      readWrench(in, model, i > 0 ? &action.wrenches[i - 1].impulses : nullptr, action.wrenches[i]);
    in.requireEnd();
  });
  return read;
}

void packClaims(std::span<const PackedClaim> closed, std::span<const PackedClaim> open, Bytes& out) {
  out.clear();
  BlobWriter blob(out);
  blob.add(static_cast<std::uint32_t>(closed.size() + open.size()));
  blob.align();
  for (const auto& list : {closed, open})
    for (const PackedClaim& claim : list) {
      blob.add(claim.pair), blob.add(claim.axis);
      blob.add(claim.t0), blob.add(claim.t1), blob.add(claim.gap);
      if (claim.edges) blob.add(claim.cross), blob.add(claim.cosine);
    }
}

}  // namespace rigor::verify::recorded
