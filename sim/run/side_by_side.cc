// SPDX-License-Identifier: MIT
#include "sim/run/side_by_side.h"

#include <algorithm>
#include <exception>
#include <thread>
#include <tuple>
#include <utility>

#include "sim/kept_rows.h"

namespace rigor::sim {

namespace {

constexpr double kFirstWidening = 0.25;  // Of the way that a body goes and falls within the window,
constexpr double kWidest = 2;            // at most; less where regions stayed apart.
constexpr double kNarrower = 0.98;
constexpr int kMostAlone = 64;           // Windows that are made alone where regions were not apart again and again.
constexpr int kShares = 3;               // Lengths of windows that are tried, each a quarter of the one before.
constexpr double kTooMuch = 0.9;         // Of all that there is to do: more in one region is not worth while;
constexpr double kFair = 0.55;           // less need not be less.
constexpr int kRegionsAThread = 2;
constexpr double kUnknownCost = 1e-5;    // [s]

}  // namespace

/// Rows that are to be handed over: of one run as they are, or of several in the order of their turns.
struct SideBySide::Batch {
  struct Part {
    std::size_t of, begin, end;
  };
  std::vector<KeptRows> rows;
  std::vector<Part> order;
  std::vector<std::vector<long>> numbers;  // Of each one's turns: of the step.
  bool is_ordered = false;

  long numberOf(std::size_t of, long step) const {
    return step < Turns::kFirst ? step : numbers[of][static_cast<std::size_t>(step - Turns::kFirst)];
  }
  void replay(Sink& sink) {
    for (std::size_t of = 0; of < numbers.size(); ++of)
      rows[of].renumber([&](long step) { return numberOf(of, step); });
    if (!is_ordered) return rows[0].replay(sink);
    for (const Part& part : order) rows[part.of].replay(part.begin, part.end, sink);
  }
};

SideBySide::SideBySide(Run& run, int threads)
    : run_(run), workers_(threads), cost_(run.bodies.size(), kUnknownCost), widening_(kFirstWidening) {}

SideBySide::~SideBySide() = default;

Sink& SideBySide::rows() {
  if (batches_.empty() || batches_.back()->is_ordered) {
    batches_.push_back(std::make_unique<Batch>());
    batches_.back()->rows.emplace_back(run_.scene);
  }
  return batches_.back()->rows[0];
}

void SideBySide::hand(Sink& sink) {
  const std::vector<std::unique_ptr<Batch>> kept = std::exchange(batches_, {});
  for (const auto& batch : kept) batch->replay(sink);
}

bool SideBySide::advance(double end, Sink& sink, const std::atomic<bool>* interrupt) {
  if (alone_ > 0) {
    --alone_;
    return stepAlone(end, sink, interrupt);
  }
  run_.tellRests(run_.time(), rows());
  const std::optional<double> until = chooseWindow(end);
  if (!until) return stepAlone(end, sink, interrupt);
  share();
  return stepRegions(*until, sink, interrupt) || stepAlone(*until, sink, interrupt);
}

/// The longest window in which no region has much more to do than the others, or else the one in which the largest has
/// least of all. @returns its end, and has divided groups up to there; nothing: none is worth while.
std::optional<double> SideBySide::chooseWindow(double end) {
  const double start = run_.time();
  std::optional<double> chosen;
  double least = kTooMuch, until = end;
  for (int k = 0; k < kShares; ++k, until = start + (until - start) / 4) {
    const double largest = divide(until);
    if (largest < least) chosen = until, least = largest;
    if (largest < kFair) return chosen;
  }
  if (chosen) divide(*chosen);
  return chosen;
}

/// Tasks side by side; this thread hands over what is kept before it takes part.
void SideBySide::work(long count, Sink& sink, const std::function<void(long)>& task) {
  const auto caller = std::this_thread::get_id();
  std::atomic<long> next = 0;
  workers_.run(workers_.size(), 1, [&](long, long, int) {
    if (std::this_thread::get_id() == caller) hand(sink);
    for (long k = 0; (k = next++) < count;) task(k);
  });
}

bool SideBySide::stepAlone(double end, Sink& sink, const std::atomic<bool>* interrupt) {
  auto batch = std::make_unique<Batch>();
  KeptRows& rows = batch->rows.emplace_back(run_.scene);
  bool goes_on = false;
  std::exception_ptr failed;
  work(1, sink, [&](long) {
    try {
      goes_on = run_.turns(end, rows, interrupt, {});
    } catch (...) {
      failed = std::current_exception();
    }
  });
  batches_.push_back(std::move(batch));
  if (!failed) return goes_on;
  hand(sink);  // What came before it.
  std::rethrow_exception(failed);
}

/// Finds parts that most likely stay apart until `end`. @returns the share of the largest of what there is to do.
double SideBySide::divide(double end) {
  if (!predict(end)) return 1;
  sets_.reset(numbers_.size());
  meeting_.each(boxes_, [&](int i, int j) {
    if (steps_[i] || steps_[j]) sets_.unite(i, j);
    return true;
  });
  uniteWhatWasMet();
  return largestShare();
}

/// Where bodies get to, roughly. @returns false where that cannot be said.
bool SideBySide::predict(double end) {
  numbers_.clear(), boxes_.clear(), steps_.clear();
  index_of_.assign(run_.bodies.size(), -1);
  bool finite = true;
  run_.groups_.each([&](const Group& group) {
    const bool steps = group.clock < end;
    BodyBox box = BodyBox::empty();
    for (const int i : group.bodies) {
      const BodyRuntime& body = run_.bodies[i];
      index_of_[i] = static_cast<int>(numbers_.size());
      BodyBox own;
      pieceBox(body.piece, std::max(body.radius, 0.0), own.lower, own.upper);
      if (steps) {
        const double span = end - group.clock + run_.scene.solver.max_step;
        const Eigen::Vector3d way = span * body.state.v, fall = 0.5 * span * span * run_.scene.gravity;
        const double more = widening_ * (way.norm() + fall.norm());
        own.lower += way.cwiseMin(0) + fall.cwiseMin(0), own.upper += way.cwiseMax(0) + fall.cwiseMax(0);
        own.lower.array() -= more, own.upper.array() += more;
      }
      box.include(own);
    }
    finite = finite && box.lower.allFinite() && box.upper.allFinite();
    numbers_.push_back(run_.groups_.of(group.bodies[0]));
    boxes_.push_back(box), steps_.push_back(steps);
  });
  return finite;
}

/// Those of a zone, and those of which something that is kept speaks together.
void SideBySide::uniteWhatWasMet() {
  const auto unitePair = [&](int a, int b) {
    const int i = index_of_[a], j = index_of_[b];
    if (i >= 0 && j >= 0 && i != j) sets_.unite(i, j);
  };
  std::vector<int> first(run_.zones_.size(), -1);
  for (int b = 0; b < static_cast<int>(index_of_.size()); ++b)
    if (const int zone = run_.zones_.of(b); zone >= 0) {
      if (first[zone] < 0) first[zone] = b;
      unitePair(first[zone], b);
    }
  for (std::size_t b = 0; b < index_of_.size(); ++b)
    if (index_of_[b] >= 0)
      run_.pending_.each(static_cast<int>(b), [&](const WitnessRecord& w) { unitePair(w.pair.body_a, w.pair.body_b); });
  run_.touching_.eachPair(unitePair);
}

/// Adds up what parts have to do, as expected.
double SideBySide::largestShare() {
  part_cost_.assign(numbers_.size(), -1);
  parts_.clear();
  double all = 0;
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    if (!steps_[i]) continue;
    const int root = sets_.root(static_cast<int>(i));
    double& sum = part_cost_[root];
    if (sum < 0) sum = 0, parts_.push_back(root);
    for (const int body : run_.groups_[numbers_[i]].bodies) sum += cost_[body], all += cost_[body];
  }
  if (parts_.size() < 2) return 1;
  std::stable_sort(parts_.begin(), parts_.end(), [&](int a, int b) { return part_cost_[a] > part_cost_[b]; });
  return part_cost_[parts_[0]] / all;
}

/// Shares parts out to regions of about the same cost, the largest first.
void SideBySide::share() {
  const std::size_t count = numbers_.size();
  num_regions_ = std::min(parts_.size(), static_cast<std::size_t>(kRegionsAThread * threads()));
  while (regions_.size() < num_regions_) regions_.push_back(std::make_unique<Region>(run_));
  for (std::size_t r = 0; r < num_regions_; ++r) regions_[r]->clear();
  std::vector<int> region_of_root(count, -1);
  for (const int root : parts_) {
    std::size_t least = 0;
    for (std::size_t r = 1; r < num_regions_; ++r)
      if (regions_[r]->cost < regions_[least]->cost) least = r;
    regions_[least]->cost += part_cost_[root];
    region_of_root[root] = static_cast<int>(least);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const int region = region_of_root[sets_.root(static_cast<int>(i))];
    if (region >= 0) regions_[region]->groups.push_back(numbers_[i]);
  }
}

/// @returns false where nothing was done, as regions were not apart or the run ends in one.
bool SideBySide::stepRegions(double end, Sink& sink, const std::atomic<bool>* interrupt) {
  std::atomic<bool> stop = false;
  const auto forgetAll = [&] {
    for (std::size_t r = 0; r < num_regions_; ++r) regions_[r]->forget();
  };
  try {
    work(static_cast<long>(num_regions_), sink, [&](long r) {
      bool done = false;
      try {
        regions_[r]->take(run_);
        done = regions_[r]->step(end, {&stop, interrupt});
      } catch (...) {  // It comes again where the run does it by itself.
      }
      if (!done) stop = true;
    });
  } catch (...) {  // Of the sink.
    forgetAll();
    throw;
  }
  if (stop || !areApart()) {
    forgetAll();
    failed_ = std::min(2 * failed_ + 1, kMostAlone);
    alone_ = failed_ - 1;
    widening_ = std::min(2 * widening_, kWidest);
    return false;
  }
  failed_ = 0;
  widening_ = std::max(kNarrower * widening_, kFirstWidening / 2);
  takeBack();
  return true;
}

/// Whether no region looked at, or went to, where bodies of others were.
bool SideBySide::areApart() {
  boxes_.clear(), region_of_.clear();
  std::vector<char>& lent = steps_;
  lent.assign(run_.bodies.size(), 0);
  bool ordered = true;
  const auto add = [&](const BodyBox& box, int region) {
    if (box.lower.x() > box.upper.x()) return;  // It has no shape, and was not the first of its group.
    ordered = ordered && !box.lower.hasNaN() && !box.upper.hasNaN();
    boxes_.push_back(box), region_of_.push_back(region);
  };
  for (std::size_t r = 0; r < num_regions_; ++r)
    for (const int body : regions_[r]->bodies) {
      add(regions_[r]->swept(body), static_cast<int>(r));
      lent[body] = 1;
    }
  for (std::size_t b = 0; b < lent.size(); ++b) {
    const BodyRuntime& body = run_.bodies[b];
    if (lent[b] || body.fixed || body.num_parts == 0) continue;
    BodyBox box;
    pieceBox(body.piece, body.radius, box.lower, box.upper);
    add(box, -1);
  }
  if (!ordered) return false;
  bool apart = true;
  meeting_.each(boxes_, [&](int i, int j) { return apart = region_of_[i] == region_of_[j]; });
  return apart;
}

/// What regions did becomes what the run did, in the order in which it would have.
void SideBySide::takeBack() {
  auto batch = std::make_unique<Batch>();
  batch->is_ordered = true;
  std::vector<std::size_t> next(num_regions_, 0);
  std::vector<std::vector<long>> place(num_regions_);  // Of each entry in the order.
  std::vector<std::vector<long>>& number = batch->numbers;
  number.resize(num_regions_);
  long count = 0;
  const auto key = [&](std::size_t r) {
    const Turns::Entry& entry = regions_[r]->turns.entries[next[r]];
    const long turn = entry.isRest() ? place[r][static_cast<std::size_t>(entry.rested)] : entry.body;
    return std::tuple(entry.time, entry.isRest(), turn);
  };
  while (true) {
    std::size_t first = num_regions_;
    for (std::size_t r = 0; r < num_regions_; ++r)
      if (next[r] < regions_[r]->turns.entries.size() && (first == num_regions_ || key(r) < key(first)))
        first = r;
    if (first == num_regions_) break;
    const Region& region = *regions_[first];
    const std::vector<Turns::Entry>& entries = region.turns.entries;
    const Turns::Entry& entry = entries[next[first]];
    run_.summary_.steps += entry.steps;
    if (!entry.isRest()) run_.sum_steps_ += entry.length;
    place[first].push_back(count++), number[first].push_back(run_.summary_.steps);
    const std::size_t end = next[first] + 1 < entries.size() ? entries[next[first] + 1].rows : region.rows.size();
    if (end > entry.rows) batch->order.push_back({first, entry.rows, end});
    ++next[first];
  }
  if (run_.summary_.steps > 0) run_.summary_.mean_step = run_.sum_steps_ / static_cast<double>(run_.summary_.steps);
  for (std::size_t r = 0; r < num_regions_; ++r) {
    Region& region = *regions_[r];
    region.renumber([&](long step) { return batch->numberOf(r, step); });
    region.giveBack(run_);
    for (const int body : region.bodies) cost_[body] = 0.5 * (cost_[body] + region.turns.cost[body]);
    batch->rows.push_back(std::move(region.rows));
  }
  batches_.push_back(std::move(batch));
}

}  // namespace rigor::sim
