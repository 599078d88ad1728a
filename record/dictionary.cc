// SPDX-License-Identifier: MIT
#include "record/dictionary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

namespace rigor::record {

void Dictionary::load(Database& database) {
  Statement axes(database, "SELECT id, kind, data FROM axes ORDER BY id");
  while (axes.next()) {
    AxisKey key{static_cast<int>(axes.integer(1)), {}};
    const auto data = axes.blob(2);
    std::memcpy(key.second.data(), data.data(), std::min(data.size(), sizeof key.second));
    axes_.emplace(key, static_cast<std::uint32_t>(axes.integer(0)));
    edges_.push_back(key.first == 2);
  }
  Statement pairs(database, "SELECT id, body_a, part_a, body_b, part_b FROM pairs ORDER BY id");
  while (pairs.next()) {
    std::array<int, 4> key;
    for (int i = 0; i < 4; ++i) key[static_cast<std::size_t>(i)] = static_cast<int>(pairs.integer(i + 1));
    pairs_.emplace(key, static_cast<std::uint32_t>(pairs.integer(0)));
  }
}

std::uint32_t Dictionary::axis(Statement& insert, const advance::SeparatingAxis& axis) {
  AxisKey key{static_cast<int>(axis.kind), {}};
  std::size_t size = 3 * sizeof(double);
  if (axis.kind == advance::AxisKind::kEdges) {
    const std::int32_t vertices[4]{axis.a0, axis.a1, axis.b0, axis.b1};
    size = sizeof vertices;
    std::memcpy(key.second.data(), vertices, size);
  } else {
    std::memcpy(key.second.data(), axis.axis.data(), size);
  }
  const auto [found, fresh] = axes_.try_emplace(key, static_cast<std::uint32_t>(axes_.size() + 1));
  if (fresh) {
    edges_.push_back(axis.kind == advance::AxisKind::kEdges);
    insert.bind(static_cast<std::int64_t>(found->second)).bind(key.first).bindBlob(key.second.data(), size).run();
  }
  return found->second;
}

std::uint32_t Dictionary::pair(Statement& insert, const sim::PairKey& pair) {
  const std::array<int, 4> key{pair.body_a, pair.part_a, pair.body_b, pair.part_b};
  const auto [found, fresh] = pairs_.try_emplace(key, static_cast<std::uint32_t>(pairs_.size() + 1));
  if (fresh) {
    insert.bind(static_cast<std::int64_t>(found->second));
    for (const int number : key) insert.bind(number);
    insert.run();
  }
  return found->second;
}

NamedNumbers namedByEndedBranches(verify::recorded::RunFile& record) {
  using namespace verify::recorded;
  NamedNumbers named;
  const auto note = [&](std::uint32_t pair, std::uint32_t axis) {
    named.pair = std::max(named.pair, pair), named.axis = std::max(named.axis, axis);
  };
  std::set<std::int64_t> ended;
  for (const auto& branch : record.branches()) {
    if (branch.status != "running" && branch.status != "interrupted") ended.insert(branch.number);
  }
  const auto& dictionary = record.dictionary();
  Query claims(record.connection(), fmt::format("SELECT {} FROM witnesses", kWitnessColumns));
  while (claims.next()) {
    if (!ended.contains(claims.integer(1))) continue;
    std::vector<PackedClaim> row;
    readPackedClaims(claims, dictionary, row);
    for (const PackedClaim& claim : row) note(claim.pair, claim.axis);
  }
  Facings facings;  // By pair, axis and vertex.
  Query actions(record.connection(), fmt::format("SELECT {} FROM impulses", kImpulseColumns));
  while (actions.next()) {
    if (ended.contains(actions.integer(1))) readAction(actions, dictionary, record.model(), facings);
  }
  for (const auto& [key, facing] : facings) note(key[0], key[1]);
  return named;
}

}  // namespace rigor::record
