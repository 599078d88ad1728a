// SPDX-License-Identifier: MIT
#include "record/impulse_packer.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "advance/feature_point.h"
#include "verify/record/rows.h"

namespace rigor::record {
namespace {

using sim::ImpulseRecord;
using verify::recorded::BlobWriter;
using verify::recorded::WrenchHead;

// Of the momentum, in m V: a step's wrenches are some tenths of that at most, and lose 2^-29 of themselves.
constexpr double kLeastRoundedBound = 1e-6;

using Impulses = std::span<const ImpulseRecord::Impulse>;

bool atSameInstants(Impulses a, Impulses b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return x.time == y.time; });
}

void packContact(const ImpulseRecord::Contact& contact, Impulses impulses, bool same_instants, BlobWriter& out) {
  using enum advance::AxisKind;
  const advance::SeparatingAxis& feature = contact.feature;
  out.add(static_cast<std::uint32_t>(feature.kind == kFixedInA   ? feature.b0
                                     : feature.kind == kFixedInB ? feature.a0
                                                                 : 0));
  out.add(static_cast<std::uint32_t>(impulses.size()) | (same_instants ? verify::recorded::kSameInstants : 0));
  for (const auto& impulse : impulses) {
    if (!same_instants) out.add(impulse.time);
    out.add(impulse.P.data(), 3);
  }
}

void packWrench(const ImpulseRecord::Wrench& wrench, Impulses impulses, bool same_instants, bool rounds,
                BlobWriter& out) {
  const auto isZero = [&](const auto& part) {
    return std::all_of(impulses.begin(), impulses.end(), [&](const auto& impulse) { return part(impulse).isZero(0); });
  };
  WrenchHead head;
  head.joint = wrench.joint, head.robot = wrench.robot, head.source = static_cast<int>(wrench.source);
  head.same_instants = same_instants;
  head.no_force = isZero([](const auto& impulse) { return impulse.P; });
  head.no_moment = !head.no_force && isZero([](const auto& impulse) { return impulse.moment; });
  head.rounded = rounds;
  out.add(head.packed());
  if (!same_instants) {
    out.add(static_cast<std::uint32_t>(impulses.size()));
    for (const auto& impulse : impulses) out.add(impulse.time);
  }
  const auto add = [&](const Eigen::Vector3d& x) {
    if (!rounds) return out.add(x.data(), 3);
    for (int k = 0; k < 3; ++k) out.addRounded(x[k]);
  };
  for (const auto& impulse : impulses) {
    if (!head.no_force) add(impulse.P);
    if (!head.no_moment) add(impulse.moment);
  }
}

}  // namespace

void makeRow(const ImpulseRecord& record, ImpulseRecord& row) {
  const auto isNearest = [](const ImpulseRecord::Contact& c) { return c.feature.kind == advance::AxisKind::kNearest; };
  row = record;
  if (std::none_of(record.contacts.begin(), record.contacts.end(), isNearest)) return;
  row.contacts.clear();
  for (const ImpulseRecord::Contact& contact : record.contacts) {
    const bool crossing = isNearest(contact) && contact.feature.isOfTwoLines();
    if (!isNearest(contact) || crossing) {
      row.contacts.push_back(contact);
      if (crossing) row.contacts.back().feature.kind = advance::AxisKind::kEdges;
      continue;
    }
    for (int k = contact.first; k < contact.first + contact.count; ++k) {
      const Eigen::Vector3d& axis = record.impulses[k].axis;
      if (k > contact.first && axis == record.impulses[k - 1].axis) {
        ++row.contacts.back().count;
        continue;
      }
      ImpulseRecord::Contact& one = row.contacts.emplace_back(contact);
      one.feature.kind = advance::frozenKind(contact.feature);
      one.feature.axis = axis, one.first = k, one.count = 1;
    }
  }
}

void ImpulsePacker::setBounds(const std::string& bounds) {
  const nlohmann::json json = nlohmann::json::parse(bounds, nullptr, false);
  rounds_ = json.is_object() && json.value("momentum", 0.0) >= kLeastRoundedBound;
}

void ImpulsePacker::pack(const ImpulseRecord& record, bool joints_follow, std::span<const Feature> features,
                         verify::recorded::Bytes& blob) const {
  blob.clear();
  BlobWriter out(blob);
  out.add(static_cast<std::uint32_t>(record.contacts.size()));
  out.add(static_cast<std::uint32_t>(record.wrenches.size()) | (joints_follow ? verify::recorded::kJointsFollow : 0));
  Impulses before;
  const auto of = [&](const auto& acting) {
    return Impulses(record.impulses)
        .subspan(static_cast<std::size_t>(acting.first), static_cast<std::size_t>(acting.count));
  };
  for (std::size_t i = 0; i < features.size(); ++i) {
    const Impulses impulses = of(record.contacts[i]);
    out.add(features[i].pair), out.add(features[i].axis);
    packContact(record.contacts[i], impulses, i > 0 && atSameInstants(impulses, before), out);
    before = impulses;
  }
  for (std::size_t i = 0; i < record.wrenches.size(); ++i) {
    const Impulses impulses = of(record.wrenches[i]);
    packWrench(record.wrenches[i], impulses, i > 0 && atSameInstants(impulses, before),
               rounds_ && record.t0 < record.t1, out);
    before = impulses;
  }
}

}  // namespace rigor::record
