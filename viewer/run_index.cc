// SPDX-License-Identifier: MIT
#include "viewer/run_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rigor::viewer {
namespace {

constexpr std::int64_t kChunkRows = 256;
constexpr int kBatchRows = 4000;  ///< Rows between two looks at what was asked.

}  // namespace

void BoundedSeries::append(double time, double value) {
  if (!std::isfinite(time) || !std::isfinite(value)) return;
  if (filled_ % stride_ == 0 || points_.empty()) {
    points_.push_back({time, value, value});
  } else {
    points_.back().low = std::min(points_.back().low, value);
    points_.back().high = std::max(points_.back().high, value);
  }
  ++filled_;
  if (points_.size() <= kLimit) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < points_.size(); i += 2) {
    Point merged = points_[i];
    if (i + 1 < points_.size()) {
      merged.low = std::min(merged.low, points_[i + 1].low);
      merged.high = std::max(merged.high, points_[i + 1].high);
    }
    points_[kept++] = merged;
  }
  points_.resize(kept);
  stride_ *= 2;
  filled_ = kept * stride_;
}

RunIndex::RunIndex(const RunModel& model) : path_(model.path()) {
  if (!model.isRecord()) {
    complete_ = true;
    return;
  }
  for (const ModelBranch& branch : model.branches()) branchNumber(branch.id);
  database_ = std::make_unique<record::Database>(record::Database::openForReading(path_));
  reader_ = std::make_unique<record::Reader>(path_);
  thread_ = std::thread([this] { work(); });
}

RunIndex::~RunIndex() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void RunIndex::refresh() {
  {
    const std::lock_guard lock(mutex_);
    asked_ = true;
    complete_ = !thread_.joinable();
  }
  wake_.notify_all();
}

void RunIndex::waitComplete() {
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [this] { return complete_ || stop_ || !error_.empty(); });
}

std::string RunIndex::error() const {
  const std::lock_guard lock(mutex_);
  return error_;
}

/// The number that RunModel gives the branch: both read the table in its order. @pre mutex_ is held, or no thread runs.
int RunIndex::branchNumber(const std::string& id) {
  const auto [found, added] = branch_numbers_.try_emplace(id, static_cast<int>(branch_ids_.size()));
  if (added) {
    branch_ids_.push_back(id);
    gaps_.emplace_back();
    steps_.emplace_back();
  }
  return found->second;
}

void RunIndex::work() {
  try {
    record::Database database = record::Database::openForReading(path_);
    for (;;) {
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [this] { return asked_ || stop_; });
        if (stop_) return;
        asked_ = false;
      }
      scan(database);
      {
        const std::lock_guard lock(mutex_);
        if (!asked_) complete_ = true;
        ++revision_;
      }
      wake_.notify_all();
    }
  } catch (const std::exception& error) {
    {
      const std::lock_guard lock(mutex_);
      error_ = error.what();
    }
    wake_.notify_all();
  }
}

void RunIndex::scan(record::Database& database) {
  {
    record::Statement rows(database, "SELECT id FROM branches ORDER BY rowid");
    const std::lock_guard lock(mutex_);
    while (rows.next()) branchNumber(rows.text(0));
  }
  // Each table in batches, so that the other thread never waits long.
  const auto batches = [&](const char* sql, std::int64_t& seen, auto&& use) {
    record::Statement rows(database, sql);
    for (bool more = true; more && !stop_;) {
      rows.bind(seen).bind(kBatchRows);
      const std::lock_guard lock(mutex_);
      int count = 0;
      while (rows.next()) {
        seen = rows.integer(0);
        use(rows);
        ++count;
      }
      ++revision_;
      more = count == kBatchRows;
    }
  };
  batches("SELECT id, branch, time, kind FROM events WHERE id > ? ORDER BY id LIMIT ?", seen_event_,
          [&](const record::Statement& row) {
            const EventKind kind = eventKind(row.text(3));
            if (kind == EventKind::kImpact) return;  // The table of impacts says more.
            events_.push_back({row.real(2), branchNumber(row.text(1)), kind, row.integer(0)});
          });
  batches("SELECT id, branch, time FROM impacts WHERE id > ? ORDER BY id LIMIT ?", seen_impact_,
          [&](const record::Statement& row) {
            impacts_.push_back({row.real(2), branchNumber(row.text(1)), row.integer(0)});
            events_.push_back({row.real(2), impacts_.back().branch, EventKind::kImpact, row.integer(0)});
          });
  batches("SELECT id, branch, t0, t1, gap FROM witnesses WHERE id > ? ORDER BY id LIMIT ?", seen_witness_,
          [&](const record::Statement& row) {
            const std::int64_t id = row.integer(0);
            const int branch = branchNumber(row.text(1));
            const double from = row.real(2), to = row.real(3);
            if (chunks_.empty() || id - chunks_.back().first >= kChunkRows) {
              chunks_.push_back({id, id, from, to, branch, branch});
            } else {
              Chunk& chunk = chunks_.back();
              chunk.last = id;
              chunk.from = std::min(chunk.from, from);
              chunk.to = std::max(chunk.to, to);
              chunk.low_branch = std::min(chunk.low_branch, branch);
              chunk.high_branch = std::max(chunk.high_branch, branch);
            }
            gaps_[branch].append(from, row.real(4));
          });
  std::int64_t last_step = -1;
  int last_branch = -1;
  batches("SELECT id, branch, step, t0, t1 FROM pieces WHERE id > ? ORDER BY id LIMIT ?", seen_piece_,
          [&](const record::Statement& row) {
            const int branch = branchNumber(row.text(1));
            const std::int64_t step = row.integer(2);
            if (branch == last_branch && step == last_step) return;  // Another body of the same step.
            last_branch = branch;
            last_step = step;
            steps_[branch].append(row.real(3), row.real(4) - row.real(3));
          });
}

const std::vector<EventMark>& RunIndex::eventsOn(const RunModel& model, int branch) {
  const std::lock_guard lock(mutex_);
  // While the pass runs, only when there is much more: a million events are not sorted every frame.
  const bool old = branch == way_branch_ && (revision_ == way_revision_ || (!complete_ && events_.size() < 2 * way_events_ + 1000));
  if (old) return on_way_;
  way_events_ = events_.size();
  way_branch_ = branch;
  way_revision_ = revision_;
  on_way_.clear();
  // Up to where the way leaves each ancestor.
  std::unordered_map<int, double> until;
  double limit = INFINITY;
  for (int b = branch; b >= 0; b = model.branches()[b].parent) {
    until[b] = limit;
    limit = model.branches()[b].fork_time;
  }
  for (const EventMark& mark : events_)
    if (const auto found = until.find(mark.branch); found != until.end() && mark.time <= found->second)
      on_way_.push_back(mark);
  std::stable_sort(on_way_.begin(), on_way_.end(),
                   [](const EventMark& a, const EventMark& b) {
                     if (a.time != b.time) return a.time < b.time;
                     return a.kind == EventKind::kImpact && b.kind != EventKind::kImpact;  // What it causes comes after.
                   });
  return on_way_;
}

double RunIndex::nextEvent(const RunModel& model, int branch, double time, const EventFilter& filter) {
  const auto& marks = eventsOn(model, branch);
  auto next = std::upper_bound(marks.begin(), marks.end(), time,
                               [](double t, const EventMark& mark) { return t < mark.time; });
  while (next != marks.end() && !filter.shows(next->kind)) ++next;
  return next == marks.end() ? time : next->time;
}

double RunIndex::previousEvent(const RunModel& model, int branch, double time, const EventFilter& filter) {
  const auto& marks = eventsOn(model, branch);
  auto next = std::lower_bound(marks.begin(), marks.end(), time,
                               [](const EventMark& mark, double t) { return mark.time < t; });
  while (next != marks.begin() && !filter.shows(std::prev(next)->kind)) --next;
  return next == marks.begin() ? time : std::prev(next)->time;
}

EventRow RunIndex::describe(const EventMark& mark) {
  EventRow row;
  if (!database_) return row;
  if (mark.kind == EventKind::kImpact) {
    if (const auto impact = reader_->impact(mark.row)) {
      for (const record::ImpactContactRow& contact : impact->contacts)  // Of a robot all links take part, few of them touch.
        for (const int body : {contact.pair.body_a, contact.pair.body_b})
          if (std::find(row.bodies.begin(), row.bodies.end(), body) == row.bodies.end()) row.bodies.push_back(body);
      const auto limits = std::count_if(impact->contacts.begin(), impact->contacts.end(), [](const auto& c) { return c.pair.part_a < 0; });
      const auto touching = static_cast<long>(impact->contacts.size()) - limits;
      if (touching > 0 || limits == 0) row.detail = fmt::format("{} contact{}, ", touching, touching == 1 ? "" : "s");
      if (limits > 0) row.detail += fmt::format("{} joint limit{}, ", limits, limits == 1 ? "" : "s");
      row.detail += impact->model;
    }
    return row;
  }
  record::Statement statement(*database_, "SELECT body_a, body_b, detail FROM events WHERE id = ?");
  statement.bind(mark.row);
  if (!statement.next()) return row;
  for (const int column : {0, 1})
    if (!statement.isNull(column)) row.bodies.push_back(static_cast<int>(statement.integer(column)));
  row.detail = eventDetail(mark.kind, statement.text(2));
  return row;
}

std::vector<ShownWitness> RunIndex::witnessesAt(const RunModel& model, int branch, double time) {
  std::vector<ShownWitness> shown;
  if (!database_) return shown;
  // Claims may reach from an ancestor over its fork: every branch of the way counts.
  std::vector<int> way;
  for (int b = branch; b >= 0; b = model.branches()[b].parent) way.push_back(b);
  std::vector<Chunk> hit;
  {
    const std::lock_guard lock(mutex_);
    for (const Chunk& chunk : chunks_)
      if (chunk.from <= time && time <= chunk.to &&
          std::any_of(way.begin(), way.end(),
                      [&](int b) { return chunk.low_branch <= b && b <= chunk.high_branch; }))
        hit.push_back(chunk);
  }
  record::Statement rows(*database_,
                         "SELECT branch, body_a, part_a, body_b, part_b, t0, t1, kind, axis, a0, a1, b0, b1, gap"
                         " FROM witnesses WHERE id BETWEEN ? AND ? AND t0 <= ? AND t1 >= ?");
  for (const Chunk& chunk : hit) {
    rows.bind(chunk.first).bind(chunk.last).bind(time).bind(time);
    while (rows.next()) {
      const int owner = model.findBranch(rows.text(0));
      if (std::find(way.begin(), way.end(), owner) == way.end()) continue;
      ShownWitness w;
      w.pair = {static_cast<int>(rows.integer(1)), static_cast<int>(rows.integer(2)), static_cast<int>(rows.integer(3)),
                static_cast<int>(rows.integer(4))};
      w.witness.t0 = rows.real(5);
      w.witness.t1 = rows.real(6);
      const auto kind = rows.integer(7);
      if (kind < 0 || kind > 2) continue;
      w.witness.axis.kind = static_cast<advance::AxisKind>(kind);
      if (kind == 2) {
        w.witness.axis.a0 = static_cast<int>(rows.integer(9));
        w.witness.axis.a1 = static_cast<int>(rows.integer(10));
        w.witness.axis.b0 = static_cast<int>(rows.integer(11));
        w.witness.axis.b1 = static_cast<int>(rows.integer(12));
      } else {
        rows.doubles(8, w.witness.axis.axis.data(), 3);
      }
      w.witness.gap = rows.real(13);
      // Where one piece ends and the next begins both claims hold: one plane a pair.
      const auto same = std::find_if(shown.begin(), shown.end(), [&](const auto& s) { return s.pair == w.pair; });
      if (same == shown.end()) shown.push_back(w);
      else if (w.witness.t0 > same->witness.t0) *same = w;
    }
  }
  return shown;
}

std::vector<record::ImpactRow> RunIndex::impactsIn(const RunModel& model, int branch, double from, double to) {
  std::vector<record::ImpactRow> result;
  if (!reader_) return result;
  std::vector<std::int64_t> rows;
  double limit = INFINITY;
  for (int b = branch; b >= 0; b = model.branches()[b].parent) {
    const std::lock_guard lock(mutex_);
    for (const ImpactMark& mark : impacts_)
      if (mark.branch == b && mark.time > from && mark.time <= to && mark.time <= limit) rows.push_back(mark.row);
    limit = model.branches()[b].fork_time;
  }
  std::sort(rows.begin(), rows.end());
  for (const std::int64_t row : rows)
    if (auto impact = reader_->impact(row)) result.push_back(std::move(*impact));
  return result;
}

double RunIndex::lastImpact(int branch, double time) const {
  const std::lock_guard lock(mutex_);
  double last = -INFINITY;
  for (const ImpactMark& mark : impacts_)
    if (mark.branch == branch && mark.time <= time) last = std::max(last, mark.time);
  return last;
}

double RunIndex::nextImpact(int branch, double time) const {
  const std::lock_guard lock(mutex_);
  double next = INFINITY;
  for (const ImpactMark& mark : impacts_)
    if (mark.branch == branch && mark.time > time) next = std::min(next, mark.time);
  return next;
}

BoundedSeries RunIndex::gaps(int branch) const {
  const std::lock_guard lock(mutex_);
  return branch >= 0 && branch < static_cast<int>(gaps_.size()) ? gaps_[branch] : BoundedSeries();
}

BoundedSeries RunIndex::steps(int branch) const {
  const std::lock_guard lock(mutex_);
  return branch >= 0 && branch < static_cast<int>(steps_.size()) ? steps_[branch] : BoundedSeries();
}

double impulseWindow(double speed) { return 0.04 * std::clamp(speed, 0.25, 1.0); }

Annotations collectAnnotations(RunIndex& index, const RunModel& model, const View& view, double impulse_window) {
  Annotations annotations;
  if (view.shows(Overlay::kWitnesses)) annotations.witnesses = index.witnessesAt(model, view.branch, view.time);
  if (!view.shows(Overlay::kImpulses)) return annotations;
  for (const record::ImpactRow& impact :
       index.impactsIn(model, view.branch, view.time - impulse_window, view.time))
    for (const record::ImpactContactRow& contact : impact.contacts) {
      if (contact.pair.part_a < 0) continue;  // At a joint's limit: an impulse along its coordinate.
      // Records of earlier builds do not say where the tangents point (zero): the normal part is left.
      annotations.impulses.push_back(
          {contact.point, contact.impulse[0] * contact.normal, static_cast<float>((view.time - impact.time) / impulse_window),
           contact.impulse[1] * contact.tangent + contact.impulse[2] * contact.normal.cross(contact.tangent)});
    }
  return annotations;
}

}  // namespace rigor::viewer
