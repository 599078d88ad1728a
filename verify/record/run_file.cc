// SPDX-License-Identifier: MIT
#include "verify/record/run_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <unordered_map>

#include "verify/record/joint_wrenches.h"
#include "verify/record/motions.h"
#include "verify/record/schema.h"
#include "verify/record/sha256.h"
#include "verify/record/strict_json.h"

namespace rigor::verify::recorded {

namespace {

constexpr std::pair kAllIds{std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
constexpr double kShareRounding = 1e-6;  // Of weights, which are shares of samples.

double numberIn(const nlohmann::json& object, const char* name, double otherwise) {
  return object.is_object() && object.contains(name) && object[name].is_number() ? object[name].get<double>()
                                                                                 : otherwise;
}

}  // namespace

RunFile::RunFile(const std::string& path, Connection::View view)
    : connection_(path, view), motions_(std::make_unique<std::vector<PackedMotion>>()) {
  if (view == Connection::View::kLive) seen_version_ = connection_.dataVersion();
  readMeta();
  try {
    text_ = parseModel(meta_.model);
    carriages_ = carriages(text_.model);
  } catch (const std::invalid_argument& error) {
    connection_.damaged(error.what());
  }
  readBranches();
}

RunFile::~RunFile() = default;

void RunFile::readMeta() {
  std::set<std::string> keys;
  Query row(connection_, WholeTable{"meta"});
  while (row.next()) {
    const std::string key = row.text(0);
    if (std::find(std::begin(kMetaKeys), std::end(kMetaKeys), key) == std::end(kMetaKeys))
      connection_.damaged("its table 'meta' has a key '" + key + "'");
    if (!keys.insert(key).second) connection_.damaged("its table 'meta' has two keys '" + key + "'");
    if (key == "format" && row.text(1) != kFormat)
      throw InputError(path() + " is no rigor record: meta.format is not 'rigor-record'");
    if (key == "schema_version" && row.integer(1) != kSchemaVersion) row.wrong(1, "2 for key 'schema_version'");
    if (key == "build") meta_.build = row.text(1);
    if (key == "scene_name") meta_.scene_name = row.text(1);
    if (key == "options") meta_.options = row.text(1);
    if (key == "model") meta_.model = row.text(1);
    if (key == "bounds") meta_.bounds = row.text(1);
    if (key == "status") meta_.status = row.text(1);
    if (key == "message") meta_.message = row.text(1);
    if (key == "summary") meta_.summary = row.text(1);
    if (key == "seal") meta_.seal = row.text(1);
    if (key == "gap_nominal") meta_.gap_nominal = row.real(1);
    if (key == "gap_floor") meta_.gap_floor = row.real(1);
    if (key == "until") meta_.until = row.real(1);
    if (key == "seed") {
      const std::string seed = row.text(1);
      const auto [end, error] = std::from_chars(seed.data(), seed.data() + seed.size(), meta_.seed);
      if (error != std::errc() || end != seed.data() + seed.size()) row.wrong(1, "a seed");
    }
  }
  for (const std::string_view key : kMetaKeys)
    if (!keys.contains(std::string(key))) connection_.damaged(fmt::format("its table 'meta' has no '{}'", key));
  for (const auto& [name, json] :
       {std::pair{"options", &meta_.options}, {"bounds", &meta_.bounds}, {"summary", &meta_.summary}})
    if (!(json == &meta_.summary && json->empty()))
      if (const std::string wrong = whyNotJson(*json); !wrong.empty())
        connection_.damaged(fmt::format("its {} are not strict JSON: {}", name, wrong));
  static const std::set<std::string> kStatus{"running", "done", "failed", "budget", "interrupted"};
  if (!kStatus.contains(meta_.status)) connection_.damaged("its status is '" + meta_.status + "'");
}

void RunFile::readBranches() {
  branches_.clear();
  std::map<std::string, std::size_t> ids;
  Query row(connection_, WholeTable{"branches"});
  while (row.next()) {
    BranchRow branch = readBranch(row);
    if (!branches_.empty() && branches_.back().number >= branch.number)
      connection_.damaged("its branches are not in order");
    if (branch.parent.empty() != branches_.empty() || (branches_.empty() && branch.id != "0"))
      connection_.damaged(
          fmt::format("branch '{}': the first branch, and no other, is '0' and has no parent", branch.id));
    if (!branch.parent.empty()) {
      if (!ids.contains(branch.parent))
        connection_.damaged(fmt::format("branch '{}' comes before its parent '{}'", branch.id, branch.parent));
      if (!branch.id.starts_with(branch.parent + "/") ||
          branch.id.find('/', branch.parent.size() + 1) != std::string::npos)
        connection_.damaged(fmt::format("branch '{}' is no path below its parent '{}'", branch.id, branch.parent));
    }
    if (!ids.try_emplace(branch.id, branches_.size()).second)
      connection_.damaged(fmt::format("two branches '{}'", branch.id));
    branches_.push_back(std::move(branch));
  }
  if (branches_.empty()) connection_.damaged("it has no branch");
}

int RunFile::branchOf(std::int64_t number) const {
  const auto found = std::lower_bound(branches_.begin(), branches_.end(), number,
                                      [](const BranchRow& branch, std::int64_t n) { return branch.number < n; });
  if (found == branches_.end() || found->number != number)
    connection_.damaged(fmt::format("a row belongs to branch {}, which is not there", number));
  return static_cast<int>(found - branches_.begin());
}

bool RunFile::refresh() {
  const std::int64_t version = connection_.dataVersion();
  if (version == seen_version_) return false;
  seen_version_ = version;
  readMeta();
  readBranches();
  return true;
}

std::vector<FileRow> RunFile::files() {
  std::vector<FileRow> list;
  Query row(connection_, WholeTable{"files"});
  std::set<std::string> names;
  int scenes = 0;
  while (row.next()) {
    FileRow file{row.text(0), row.text(1), {}};
    const auto content = row.blob(3);
    file.content.assign(content.begin(), content.end());
    if (std::find(std::begin(kFileRoles), std::end(kFileRoles), file.role) == std::end(kFileRoles))
      row.wrong(1, "the role of a file");
    scenes += file.role == "scene";
    if (row.text(2) != sha256(file.content))
      connection_.damaged(fmt::format("its file '{}' has not the SHA-256 that stands beside it", file.name));
    if (!names.insert(file.name).second) connection_.damaged(fmt::format("two files '{}'", file.name));
    list.push_back(std::move(file));
  }
  if (scenes > 1) connection_.damaged("two scene texts");
  return list;
}

kernel::Run RunFile::run() {
  kernel::Run run;
  run.model = model();
  run.gap_nominal = meta_.gap_nominal, run.gap_floor = meta_.gap_floor, run.until = meta_.until;
  run.done = meta_.status == "done";
  {
    Query open(connection_, WholeTable{"frontier"});
    while (open.next()) ++run.unexplored;
  }
  const auto bounds = parseStrictJson(meta_.bounds);
  if (!bounds.is_object()) connection_.damaged("its bounds are no object");
  for (const auto& [name, bound] : bounds.items()) {
    const auto law = std::find(kernel::kLawNames.begin(), kernel::kLawNames.end(), name);
    if (law == kernel::kLawNames.end() || !bound.is_number() || !std::isfinite(bound.get<double>()))
      connection_.damaged(fmt::format("its bound '{}' is no number of a law", name));
    run.bounds[static_cast<std::size_t>(law - kernel::kLawNames.begin())] = bound.get<double>();
  }
  run.actions_known = !bounds.empty();
  std::unordered_map<std::string, int> numbers;
  for (const BranchRow& row : branches_) {
    kernel::Branch branch;
    branch.id = row.id;
    const auto parent = numbers.find(row.parent);
    branch.parent = row.parent.empty() ? -1 : parent == numbers.end() ? kernel::Branch::kLost : parent->second;
    branch.fork_time = row.fork_time, branch.end_time = row.end_time, branch.min_gap = row.min_gap;
    branch.running = row.status == "running";
    numbers.emplace(row.id, static_cast<int>(run.branches.size()));
    run.branches.push_back(std::move(branch));
  }
  return run;
}

std::optional<std::pair<std::int64_t, std::int64_t>> RunFile::rowsOf(std::string_view table, int branch) {
  const std::int64_t number = branches_[static_cast<std::size_t>(branch)].number;
  std::int64_t least = 1, most = 0;
  {
    Query row(connection_, fmt::format("SELECT min(id), max(id) FROM {}", table));
    if (!row.next() || row.isNull(0)) return std::nullopt;
    least = row.integer(0), most = row.integer(1);
  }
  if (branches_.size() == 1) return std::pair{least, most};
  // Branches ascend with the ids: the first row of a branch not below `wanted`, by bisection.
  Query probe(connection_, fmt::format("SELECT id, branch FROM {} WHERE id >= ? ORDER BY id LIMIT 1", table));
  const auto firstFrom = [&](std::int64_t wanted) {
    std::int64_t low = least, high = most + 1;  // Row `high` and later: not below.
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      probe.restart({middle});
      if (!probe.next()) high = middle;
      else if (probe.integer(1) >= wanted) high = middle;
      else low = probe.integer(0) + 1;
    }
    return low;
  };
  // Together the branches have all rows, whatever these say.
  const auto next = static_cast<std::size_t>(branch) + 1;
  const std::int64_t first = branch == 0 ? least : firstFrom(number),
                     end = next == branches_.size() ? most + 1 : firstFrom(branches_[next].number);
  if (first >= end) return std::nullopt;
  return std::pair{first, end - 1};
}

// The same range or a wider one without other rows, without a search where there is one branch.
std::optional<RunFile::Ids> RunFile::allRowsOf(std::string_view table, int branch) {
  if (branches_.size() > 1) return rowsOf(table, branch);
  return kAllIds;
}

Query RunFile::rowsWith(std::string_view table, Ids ids) {
  if (ids == kAllIds) return Query(connection_, WholeTable{table});
  return Query(connection_, fmt::format("SELECT * FROM {} WHERE id BETWEEN ? AND ? ORDER BY id", table),
               {ids.first, ids.second});
}

void RunFile::requireBranch(std::int64_t number, int branch, std::string_view table, std::int64_t id) const {
  if (number != branches_[static_cast<std::size_t>(branch)].number)
    connection_.damaged(fmt::format("row {} of '{}' belongs to another branch than those beside it", id, table));
}

void RunFile::forEachPieceRow(std::int64_t first, std::int64_t last, const std::function<void(const PieceRow&)>& use) {
  Query row = rowsWith("pieces", {first, last});
  while (row.next()) {
    const double t0 = row.real(3), t1 = row.real(4);
    try {
      unpackMotions(row.blob(5), t0, t1, carriages_, *motions_);
    } catch (const BlobError& error) {
      row.wrong(5, "as the format has it: it " + error.what);
    }
    const std::int64_t id = row.integer(0), step = row.integer(2);
    for (PackedMotion& motion : *motions_) motion.piece.id = id, motion.piece.step = step;
    use({id, row.integer(1), step, t0, t1, *motions_});
  }
}

std::vector<std::size_t> RunFile::countPieces(std::int64_t first, std::int64_t last) {
  std::vector<std::size_t> counts(carriages_.size());
  Query row = rowsWith("pieces", {first, last});
  while (row.next()) {
    try {
      countMotions(row.blob(5), carriages_, counts);
    } catch (const BlobError& error) {
      row.wrong(5, "as the format has it: it " + error.what);
    }
  }
  return counts;
}

const Dictionary& RunFile::dictionary() {
  if (dictionary_read_) return dictionary_;
  // Rows are only added.
  const auto more = [&](std::string_view table, std::size_t have, const auto& use) {
    Query row = rowsWith(table, have == 0 ? kAllIds : Ids{static_cast<std::int64_t>(have) + 1, kAllIds.second});
    for (std::size_t next = have + 1; row.next(); ++next) {
      if (row.integer(0) != static_cast<std::int64_t>(next))
        connection_.damaged(fmt::format("its {} are not numbered 1, 2, 3, ...", table));
      use(row);
    }
  };
  more("axes", dictionary_.axes.size(), [&](const Query& row) { dictionary_.axes.push_back(readAxis(row)); });
  more("pairs", dictionary_.pairs.size(),
       [&](const Query& row) { dictionary_.pairs.push_back(readPair(row, model())); });
  dictionary_read_ = seen_version_ < 0;  // Of a snapshot.
  return dictionary_;
}

// All of a branch; -1: of any.
std::vector<kernel::Claim> RunFile::claims(Ids ids, int branch) {
  std::vector<kernel::Claim> list;
  dictionary();
  Query row = rowsWith("witnesses", ids);
  while (row.next()) {
    if (branch >= 0) requireBranch(row.integer(1), branch, "witnesses", row.integer(0));
    readClaims(row, dictionary_, list);
  }
  return list;
}

std::vector<ActionRow> RunFile::actions(int branch) {
  std::vector<ActionRow> list;
  const auto range = allRowsOf("impulses", branch);
  if (!range) return list;
  dictionary();
  Facings facings;
  Query row = rowsWith("impulses", *range);
  while (row.next()) {
    requireBranch(row.integer(1), branch, "impulses", row.integer(0));
    list.push_back(readAction(row, dictionary_, model(), facings));
  }
  return list;
}

kernel::BranchRows RunFile::branchRows(int branch) {
  kernel::BranchRows rows;
  if (const auto range = allRowsOf("pieces", branch)) {
    // They may be millions, and stay: no copy, and no page too many. Those of a body follow each other, as the proof
    // wants them.
    std::vector<std::size_t> next = countPieces(range->first, range->second);
    rows.pieces.resize(std::reduce(next.begin(), next.end()));
    std::exclusive_scan(next.begin(), next.end(), next.begin(), std::size_t{0});
    std::vector<BodyEnd> ends(next.size());
    forEachPieceRow(range->first, range->second, [&](const PieceRow& row) {
      requireBranch(row.branch, branch, "pieces", row.id);
      for (PackedMotion& motion : row.motions) {
        const auto body = static_cast<std::size_t>(motion.body);
        if (model().bodies[static_cast<std::size_t>(motion.body)].fixed)
          connection_.damaged(fmt::format("row {} of 'pieces' moves '{}', a fixed body", row.id,
                                          model().bodies[static_cast<std::size_t>(motion.body)].name));
        try {
          complete(motion, ends[body]);
        } catch (const BlobError& error) {
          connection_.damaged(fmt::format("row {} of 'pieces' {}", row.id, error.what));
        }
        rows.pieces[next[body]++] = motion.piece;
      }
    });
  }
  if (const auto range = allRowsOf("witnesses", branch)) rows.claims = claims(*range, branch);
  rows.claims.shrink_to_fit();  // As for pieces.
  std::vector<ActionRow> acted = actions(branch);
  addJointWrenches(model(), rows.pieces, acted);
  rows.actions.reserve(acted.size());
  for (ActionRow& row : acted) rows.actions.push_back(std::move(row.action));
  impacts_.emplace(branch, impactRows(branch));
  for (const ImpactRow& impact : impacts_->second)
    rows.impacts.push_back({impact.id, impact.time, impact.bodies, impact.before, impact.after});
  return rows;
}

std::vector<ImpactRow> RunFile::impactRows(int branch) {
  return rowsOf<ImpactRow>("impacts", branch, [&](const Query& row) { return readImpact(row, model()); });
}

template <typename Row, typename Read>
std::vector<Row> RunFile::rowsOf(std::string_view table, int branch, const Read& read) {
  std::vector<Row> rows;
  const auto range = allRowsOf(table, branch);
  if (!range) return rows;
  Query row = rowsWith(table, *range);
  while (row.next()) {
    rows.push_back(read(row));
    requireBranch(rows.back().branch, branch, table, rows.back().id);
  }
  return rows;
}

TableRows RunFile::tableRows(int branch) {
  const bool known = impacts_ && impacts_->first == branch;
  std::vector<ImpactRow> impacts = known ? std::move(impacts_->second) : impactRows(branch);
  impacts_.reset();
  return {rowsOf<EventRow>("events", branch, [&](const Query& row) { return readEvent(row, model()); }),
          std::move(impacts),
          rowsOf<JointsRow>("joints", branch, [&](const Query& row) { return readJoints(row, coordinates()); })};
}

void RunFile::checkTable(std::string_view table, Query row, const std::function<void(Query&)>& read) {
  std::int64_t last_branch = -1;
  while (row.next()) {
    const std::int64_t id = row.integer(0), branch = row.integer(1);
    if (branch < last_branch)
      connection_.damaged(fmt::format("row {} of '{}' belongs to an earlier branch than the one before", id, table));
    if (branch != last_branch) branchOf(branch);
    last_branch = branch;
    read(row);
  }
}

void RunFile::checkOrder() {
  for (const char* table : {"pieces", "witnesses", "impulses", "impacts"})
    checkTable(table, Query(connection_, fmt::format("SELECT id, branch FROM {} ORDER BY id", table)), [](Query&) {});
}

void RunFile::checkRest() {
  checkEvents();
  checkTable("joints", rowsWith("joints", kAllIds), [&](Query& row) { readJoints(row, coordinates()); });
  checkTable("snapshots", rowsWith("snapshots", kAllIds),
             [](Query& row) { row.real(2), row.integer(3), row.blob(4), row.blob(5); });
  checkTree();
}

bool RunFile::sealHolds() { return meta_.seal == (meta_.status == "running" ? std::string() : connection_.digest()); }

void RunFile::checkEvents() {
  std::map<std::string, double> sums{
      {"impacts", 0}, {"contacts_made", 0}, {"contacts_broken", 0}, {"manifold_changes", 0}, {"plastic_impacts", 0}};
  checkTable("events", rowsWith("events", kAllIds), [&](Query& row) {
    nlohmann::json detail;
    const EventRow event = readEvent(row, model(), &detail);
    if (std::find(std::begin(kEventKinds), std::end(kEventKinds), event.kind) == std::end(kEventKinds))
      row.wrong(3, "a kind of event");
    const BranchRow& branch = branches_[static_cast<std::size_t>(branchOf(event.branch))];
    const bool open = branch.status == "running";  // It goes on past its last checkpoint.
    if (!(event.time >= branch.fork_time && (open || event.time <= branch.end_time)))
      row.wrong(2, "a time of its branch");
    const bool contact = event.kind.starts_with("contact-");
    if (!contact && event.kind != "closure") return;
    const auto add = [&](const char* sum, const char* member) { sums[sum] += numberIn(detail, member, 0); };
    if (!contact) return add("plastic_impacts", "plastic_impacts");
    ++sums["manifold_changes"];
    if (event.kind != "contact-broken") add("contacts_made", "made");
    if (event.kind != "contact-made") add("contacts_broken", "broken");
  });
  checkTable("impacts", rowsWith("impacts", kAllIds),
             [&](Query& row) { sums["impacts"] += row.text(3) != "velocity-set"; });
  checkSummary(sums);
}

// What the summary and the options say of what stands elsewhere.
void RunFile::checkSummary(const std::map<std::string, double>& sums) {
  const nlohmann::json options = parseStrictJson(meta_.options),
                       summary = meta_.summary.empty() ? nlohmann::json() : parseStrictJson(meta_.summary);
  for (const auto* told : {&options, &summary})
    if (const double seed = numberIn(*told, "seed", static_cast<double>(meta_.seed));
        seed != static_cast<double>(meta_.seed))
      connection_.damaged(fmt::format("its seed is {}, and {} elsewhere", meta_.seed, seed));
  if (const double until = numberIn(options, "until", meta_.until); until != meta_.until)
    connection_.damaged(fmt::format("it ends at {} s, and at {} s elsewhere", meta_.until, until));
  if (branches_.size() > 1) return;
  const BranchRow& only = branches_[0];
  const bool forks = only.status == "budget" && meta_.status == "interrupted";  // A tree, stopped at its first fork.
  if (only.status != meta_.status && !forks)
    connection_.damaged(fmt::format("its branch ends as {}, it as {}", only.status, meta_.status));
  // Methods and given motions have summaries of their own, of what stands in no table.
  const bool others = options.contains("origin") && parseStrictJson(meta_.bounds).empty();
  if (!summary.is_object() || meta_.status == "running" || others) return;
  if (summary.contains("status") && summary["status"] != meta_.status)
    connection_.damaged("its summary tells of another status");
  if (numberIn(summary, "time", only.end_time) != only.end_time)
    connection_.damaged("its summary tells of another end");
  for (const auto& [name, sum] : sums)
    if (numberIn(summary, name.c_str(), sum) != sum)
      connection_.damaged(fmt::format("its summary tells of {} {}, its tables of {}", summary[name].dump(), name, sum));
}

// Weights are shares of a fork's outcomes, followed or open; an interrupted branch is both.
void RunFile::checkTree() {
  std::map<std::string, std::map<std::string, double>> forks;  // Of the branch that ends there, by outcome.
  std::map<std::string, const BranchRow*> known;
  for (const BranchRow& branch : branches_) {
    known[branch.id] = &branch;
    if (!(branch.weight >= 0 && branch.weight <= 1 + kShareRounding))
      connection_.damaged("the weight of branch '" + branch.id + "' is no share");
    if (!branch.parent.empty()) forks[branch.parent][branch.id] = branch.weight;
    else if (branch.weight != 1 || branch.fork_time != 0) connection_.damaged("the first branch is not all of the run");
  }
  Query row(connection_, WholeTable{"frontier"});
  while (row.next()) {
    row.text(0), row.text(1), row.real(2), row.text(3), row.real(4), row.realOrInfinity(5), row.index(6),
        row.integer(7), row.index(8), row.blob(9);
    const std::string id = row.text(0), parent = row.text(1);
    const auto ends = known.find(parent);
    if (ends == known.end())
      connection_.damaged("an unexplored outcome belongs to branch '" + parent + "', which is not there");
    if (!id.starts_with(parent + "/") || ends->second->end_time != row.real(2)) row.wrong(2, "the end of its parent");
    const auto followed = known.find(id);
    if (followed != known.end() && (followed->second->status == "done" || followed->second->weight != row.real(4)))
      connection_.damaged("the outcome '" + id + "' is followed and open");
    if (!(row.real(4) >= 0)) row.wrong(4, "a share");
    forks[parent][id] = row.real(4);
  }
  for (const auto& [parent, outcomes] : forks) {
    double sum = 0;
    for (const auto& [id, weight] : outcomes) sum += weight;
    if (!(std::abs(sum - 1) <= kShareRounding * static_cast<double>(outcomes.size())))
      connection_.damaged(fmt::format("the weights of what follows on branch '{}' sum up to {}", parent, sum));
  }
}

}  // namespace rigor::verify::recorded
