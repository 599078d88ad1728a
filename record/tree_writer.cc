// SPDX-License-Identifier: MIT
#include "record/tree_writer.h"

#include <bit>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>

namespace rigor::record {
namespace {

// Ends at a fork whose alternatives are all open.
constexpr const char* kBudgetEnds =
    "UPDATE branches SET status = 'budget' WHERE status = 'done' AND id IN (SELECT parent FROM frontier)"
    " AND id NOT IN (SELECT parent FROM branches WHERE parent IS NOT NULL)";
constexpr const char* kForkEnds =
    "UPDATE branches SET status = 'done' WHERE status = 'budget' AND id IN (SELECT parent FROM frontier)";

std::vector<unsigned char> bytesOf(std::span<const unsigned char> blob) { return {blob.begin(), blob.end()}; }

/// A number of a fork's choice.
double numberIn(const std::string& choice, const char* name, double otherwise) {
  const auto json = nlohmann::json::parse(choice, nullptr, false);
  return json.is_object() && json.contains(name) && json[name].is_number() ? json[name].get<double>() : otherwise;
}

/// "0/2/10" as the alternatives {2, 10}.
std::vector<int> pathOf(const std::string& id) {
  std::vector<int> path;
  for (std::size_t slash = id.find('/'); slash != std::string::npos; slash = id.find('/', slash + 1))
    std::from_chars(id.data() + slash + 1, id.data() + id.size(), path.emplace_back(0));
  return path;
}

}  // namespace

TreeWriter::TreeWriter(const std::string& path, const sim::Scene& scene, const RunInfo& info,
                       const WriterOptions& options)
    : writer_(path, scene, info, options) {
  frontier_.open.push_back({});
}

TreeWriter::TreeWriter(const std::string& path)
    : writer_(path) {
  writer_.database().execute(kForkEnds);
  readTree();
}

TreeWriter::~TreeWriter() = default;

sim::Frontier TreeWriter::takeFrontier() { return std::move(frontier_); }

void TreeWriter::readTree() {
  Database& database = writer_.database();
  Statement root(database, "SELECT 1 FROM branches WHERE id = '0' AND status = 'running'");
  while (root.next()) frontier_.open.push_back({});
  std::map<std::string, std::shared_ptr<const std::vector<unsigned char>>> states;
  Statement state(database, "SELECT state FROM snapshots WHERE branch = (SELECT number FROM branches WHERE id = ?)"
                  " ORDER BY time DESC, id DESC LIMIT 1");
  Statement rows(
      database,
      "SELECT branch, parent, fork_time, choice, weight, priority, depth, path_hash, body, impacts FROM frontier");
  while (rows.next()) {
    sim::Frontier::Open open;
    open.node.id = rows.text(0), open.node.path = pathOf(open.node.id), open.node.parent = rows.text(1);
    open.node.fork_time = rows.real(2);
    open.node.choice = rows.text(3);
    open.node.weight = rows.real(4), open.node.priority = rows.real(5);
    open.node.share = numberIn(open.node.choice, "share", 1),
    open.node.difference = numberIn(open.node.choice, "difference", 0);
    open.node.depth = static_cast<int>(rows.integer(6));
    open.node.hash = std::bit_cast<std::uint64_t>(rows.integer(7));
    open.node.body = static_cast<int>(rows.integer(8));
    try {
      open.node.choices = sim::unpackChoices(bytesOf(rows.blob(9)));
    } catch (const std::invalid_argument& error) {
      throw RecordError("damaged record " + database.path() + ": branch " + open.node.id + ": " + error.what());
    }
    auto& stored = states[open.node.parent];
    if (!stored) {
      state.bind(open.node.parent);
      if (!state.next())
        throw RecordError("damaged record " + database.path() + ": no state of branch " + open.node.parent);
      stored = std::make_shared<const std::vector<unsigned char>>(bytesOf(state.blob(0)));
      state.reset();
    }
    open.state = stored;
    frontier_.open.push_back(std::move(open));
  }
  Statement branches(database,
                     "SELECT id, end_time, min_gap, status FROM branches WHERE status != 'running' ORDER BY number");
  while (branches.next()) {
    const std::string id = branches.text(0);
    explored_.forks += id.ends_with("/0");
    explored_.time = std::max(explored_.time, branches.real(1));
    const double gap = branches.isNull(2) ? HUGE_VAL : branches.real(2);
    explored_.min_gap = explored_.branches++ == 0 ? gap : std::min(explored_.min_gap, gap);
    explored_.failed += branches.text(3) == "failed";
  }
  Statement message(database, "SELECT value FROM meta WHERE key = 'message'");
  while (message.next()) explored_.message = message.text(0);
  Statement events(database, "SELECT detail FROM events WHERE kind IN ('fork', 'closure')");
  while (events.next()) {
    const auto detail = nlohmann::json::parse(events.text(0), nullptr, false);
    if (!detail.is_object()) continue;
    explored_.merged += detail.value("samples", 0L) - detail.value("outcomes", 0L);
    explored_.plastic_impacts += detail.value("plastic_impacts", 0L);
  }
}

void TreeWriter::open(const sim::TreeNode& node) {
  const std::vector<unsigned char> impacts = sim::packChoices(node.choices);
  Statement s(writer_.database(), "INSERT INTO frontier VALUES(?,?,?,?,?,?,?,?,?,?)");
  s.bind(node.id)
      .bind(node.parent)
      .bind(node.fork_time)
      .bind(node.choice)
      .bind(node.weight)
      .bind(node.priority)
      .bind(node.depth);
  s.bind(std::bit_cast<std::int64_t>(node.hash)).bind(node.body).bindBlob(impacts.data(), impacts.size()).run();
}

sim::Sink& TreeWriter::beginBranch(const sim::TreeNode& node) {
  // The writer has begun the root already.
  if (!node.parent.empty()) writer_.beginBranch({node.id, node.parent, node.fork_time, node.choice, node.weight});
  return writer_;
}

void TreeWriter::endBranch(const sim::TreeNode& node, const sim::Summary& summary,
                           const std::vector<sim::TreeNode>& children) {
  writer_.endBranch(summary.time, summary.min_gap, std::string(statusName(summary.status)));
  if (summary.status == sim::RunStatus::kInterrupted) return;
  Statement(writer_.database(), "DELETE FROM frontier WHERE branch = ?").bind(node.id).run();
  for (const sim::TreeNode& child : children) open(child);
}

void TreeWriter::finish(const sim::TreeSummary& summary, const std::string& summary_json) {
  writer_.database().execute(kBudgetEnds);
  writer_.finish(std::string(statusName(summary.status)), summary.message, summary_json);
}

}  // namespace rigor::record
