// SPDX-License-Identifier: MIT
#include "viewer/run_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rigor::viewer {
namespace {

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
  reader_ = std::make_unique<record::Reader>(path_, verify::recorded::Connection::View::kLive);
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
    record::Reader reader(path_, verify::recorded::Connection::View::kLive);
    for (;;) {
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [this] { return asked_ || stop_; });
        if (stop_) return;
        asked_ = false;
      }
      reader.refresh();
      scan(reader);
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

void RunIndex::scan(record::Reader& reader) {
  using verify::recorded::Query;
  verify::recorded::RunFile& file = reader.file();
  std::unordered_map<std::int64_t, int> numbers;  // Of the file's branches.
  {
    const std::lock_guard lock(mutex_);
    for (const auto& branch : file.branches()) numbers[branch.number] = branchNumber(branch.id);
  }
  const auto branchOf = [&](const Query& row) {
    const auto found = numbers.find(row.integer(1));
    return found == numbers.end() ? -1 : found->second;  // -1: begun since; its turn comes with the next look.
  };
  // Each table in batches, so that the other thread never waits long. `use` returns false for a row that is to be
  // looked at again.
  const auto batches = [&](const char* sql, std::int64_t& seen, auto&& use) {
    for (bool more = true; more && !stop_;) {
      Query rows(file.connection(), sql, {seen, std::int64_t{kBatchRows}});
      const std::lock_guard lock(mutex_);
      int count = 0;
      while (rows.next()) {
        if (!use(rows)) return;
        seen = rows.integer(0);
        ++count;
      }
      ++revision_;
      more = count == kBatchRows;
    }
  };
  batches("SELECT id, branch, time, kind FROM events WHERE id > ? ORDER BY id LIMIT ?", seen_event_,
          [&](const Query& row) {
            const int branch = branchOf(row);
            const EventKind kind = eventKind(row.text(3));
            if (branch >= 0 && kind != EventKind::kImpact)  // The table of impacts says more.
              events_.push_back({row.real(2), branch, kind, row.integer(0)});
            return branch >= 0;
          });
  batches("SELECT id, branch, time FROM impacts WHERE id > ? ORDER BY id LIMIT ?", seen_impact_, [&](const Query& row) {
    const int branch = branchOf(row);
    if (branch < 0) return false;
    impacts_.push_back({row.real(2), branch, row.integer(0)});
    events_.push_back({row.real(2), branch, EventKind::kImpact, row.integer(0)});
    return true;
  });
  scanWitnesses(reader, branchOf, batches);
  std::int64_t last_step = -1;
  int last_branch = -1;
  batches("SELECT id, branch, step, t0, t1 FROM pieces WHERE id > ? ORDER BY id LIMIT ?", seen_piece_,
          [&](const Query& row) {
            const int branch = branchOf(row);
            if (branch < 0) return false;
            const std::int64_t step = row.integer(2);
            if (branch == last_branch && step == last_step) return true;  // A further part of the same step.
            last_branch = branch;
            last_step = step;
            steps_[branch].append(row.real(3), row.real(4) - row.real(3));
            return true;
          });
}

template <typename BranchOf, typename Batches>
void RunIndex::scanWitnesses(record::Reader& reader, const BranchOf& branchOf, const Batches& batches) {
  verify::recorded::RunFile& file = reader.file();
  const verify::recorded::Dictionary& dictionary = file.dictionary();
  // While a run goes on, its last row holds claims that go on: it will be written anew.
  std::int64_t provisional = -1;
  if (file.meta().status == "running") {
    verify::recorded::Query last(file.connection(), "SELECT ifnull(max(id), -1) FROM witnesses");
    if (last.next()) provisional = last.integer(0);
  }
  std::vector<verify::kernel::Claim> claims;
  batches("SELECT id, branch, t0, t1, claims FROM witnesses WHERE id > ? ORDER BY id LIMIT ?", seen_witness_,
          [&](const verify::recorded::Query& row) {
            const int branch = branchOf(row);
            const std::int64_t id = row.integer(0);
            if (branch < 0 || id == provisional) return false;
            chunks_.push_back({id, branch, row.real(2), row.real(3)});
            claims.clear();
            readClaims(row, dictionary, claims);
            std::sort(claims.begin(), claims.end(), [](const auto& a, const auto& b) { return a.t0 < b.t0; });
            for (const verify::kernel::Claim& claim : claims) gaps_[branch].append(claim.t0, claim.gap);
            return true;
          });
}

const std::vector<EventMark>& RunIndex::eventsOn(const RunModel& model, int branch) {
  const std::lock_guard lock(mutex_);
  // While the pass runs, only when there is much more: a million events are not sorted every frame.
  const bool old =
      branch == way_branch_ && (revision_ == way_revision_ || (!complete_ && events_.size() < 2 * way_events_ + 1000));
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
                     return a.kind == EventKind::kImpact &&
                            b.kind != EventKind::kImpact;  // What it causes comes after.
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
  if (!reader_) return row;
  if (mark.kind == EventKind::kImpact) {
    if (const auto impact = reader_->impact(mark.row)) {
      for (const record::ImpactContactRow& contact :
           impact->contacts)  // Of a robot all links take part, few of them touch.
        for (const int body : {contact.pair.body_a, contact.pair.body_b})
          if (std::find(row.bodies.begin(), row.bodies.end(), body) == row.bodies.end()) row.bodies.push_back(body);
      const auto limits = std::count_if(impact->contacts.begin(), impact->contacts.end(),
                                        [](const auto& c) { return c.pair.part_a < 0; });
      const auto touching = static_cast<long>(impact->contacts.size()) - limits;
      if (touching > 0 || limits == 0) row.detail = fmt::format("{} contact{}, ", touching, touching == 1 ? "" : "s");
      if (limits > 0) row.detail += fmt::format("{} joint limit{}, ", limits, limits == 1 ? "" : "s");
      row.detail += impact->model;
    }
    return row;
  }
  verify::recorded::Query query(reader_->file().connection(),
                                fmt::format("SELECT {} FROM events WHERE id = ?", verify::recorded::kEventColumns),
                                {mark.row});
  if (!query.next()) return row;
  const verify::recorded::EventRow event = readEvent(query, reader_->file().model());
  for (const int body : {event.body_a, event.body_b})
    if (body >= 0) row.bodies.push_back(body);
  row.detail = eventDetail(mark.kind, event.detail);
  return row;
}

std::vector<ShownWitness> RunIndex::witnessesAt(const RunModel& model, int branch, double time) {
  std::vector<ShownWitness> shown;
  if (!reader_) return shown;
  // Claims may reach from an ancestor over its fork: every branch of the way counts.
  std::vector<int> way;
  for (int b = branch; b >= 0; b = model.branches()[b].parent) way.push_back(b);
  std::vector<std::int64_t> hit;
  {
    const std::lock_guard lock(mutex_);
    for (const Chunk& chunk : chunks_)
      if (chunk.from <= time && time <= chunk.to && std::find(way.begin(), way.end(), chunk.branch) != way.end())
        hit.push_back(chunk.row);
  }
  for (const std::int64_t row : hit)
    for (const verify::kernel::Claim& claim : reader_->file().claims(row, row)) {
      if (!(claim.t0 <= time && time <= claim.t1)) continue;
      ShownWitness w;
      w.pair = {claim.body_a, claim.part_a, claim.body_b, claim.part_b};
      w.witness = {claim.t0,
                   claim.t1,
                   {static_cast<advance::AxisKind>(claim.kind), Eigen::Vector3d(claim.axis.data()), claim.a0, claim.a1,
                    claim.b0, claim.b1},
                   claim.gap,
                   claim.cross,
                   claim.cosine};
      // Where one piece ends and the next begins both claims hold: one plane a pair.
      const auto same = std::find_if(shown.begin(), shown.end(), [&](const auto& s) { return s.pair == w.pair; });
      if (same == shown.end()) shown.push_back(w);
      else if (w.witness.t0 > same->witness.t0) *same = w;
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
          {contact.point, contact.impulse[0] * contact.normal,
           static_cast<float>((view.time - impact.time) / impulse_window),
           contact.impulse[1] * contact.tangent + contact.impulse[2] * contact.normal.cross(contact.tangent)});
    }
  return annotations;
}

}  // namespace rigor::viewer
