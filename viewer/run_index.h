// SPDX-License-Identifier: MIT
#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "record/reader.h"
#include "viewer/event_kind.h"
#include "viewer/scene_painter.h"

namespace rigor::viewer {

struct EventMark {
  double time;
  int branch;
  EventKind kind;
  std::int64_t row;  ///< Of the table of events; of that of impacts for kImpact.
};

/// What the record says of a mark.
struct EventRow {
  std::vector<int> bodies;
  std::string detail;  ///< For a person.
};

/// (time, lowest, highest) of a quantity, in a number of points that does not grow beyond a bound: neighbours are
/// merged as it fills.
class BoundedSeries {
 public:
  struct Point {
    double time, low, high;
  };
  static constexpr std::size_t kLimit = 4096;
  void append(double time, double value);
  const std::vector<Point>& points() const { return points_; }

 private:
  std::vector<Point> points_;
  std::size_t stride_ = 1, filled_ = 0;
};

/// What the record's tables hold besides poses, found by one pass over them on a thread of its own: event marks, where
/// in the tables the witnesses and impacts of a time are, step sizes, smallest gaps. Opening a record does not wait for
/// it. Memory: 24 bytes an event, 40 for every 256 witnesses, a bounded number of points a branch.
class RunIndex {
 public:
  explicit RunIndex(const RunModel& model);
  ~RunIndex();

  /// Rows that were added since are looked at, too.
  void refresh();
  bool complete() const { return complete_; }
  void waitComplete();
  std::string error() const;  ///< What stopped the pass; empty for nothing.

  /// Marks of events on the way to `branch`, in order of time. Recomputed when asked for another branch or after
  /// growth.
  const std::vector<EventMark>& eventsOn(const RunModel& model, int branch);
  /// Next (previous) event that `filter` shows, on the way to `branch` after (before) `time`; `time` itself if there is
  /// none.
  double nextEvent(const RunModel& model, int branch, double time, const EventFilter& filter);
  double previousEvent(const RunModel& model, int branch, double time, const EventFilter& filter);
  /// Read from the file: for the rows that are seen. @throws record::RecordError.
  EventRow describe(const EventMark& mark);

  /// Witnesses that hold at `time` on the way to `branch`.
  std::vector<ShownWitness> witnessesAt(const RunModel& model, int branch, double time);
  /// Impacts on the way to `branch` in (from, to].
  std::vector<record::ImpactRow> impactsIn(const RunModel& model, int branch, double from, double to);

  /// Time of the last impact of the branch itself at or before `time`; -infinity for none.
  double lastImpact(int branch, double time) const;
  double nextImpact(int branch, double time) const;  ///< After `time`; infinity for none.

  /// Smallest gap of any witness, and step sizes, of the branch itself. Copies.
  BoundedSeries gaps(int branch) const;
  BoundedSeries steps(int branch) const;

 private:
  struct Chunk {  // A row of claims.
    std::int64_t row;
    int branch;
    double from, to;  // Times that they cover.
  };
  struct ImpactMark {
    double time;
    int branch;
    std::int64_t row;
  };
  void work();
  void scan(record::Reader& reader);
  template <typename BranchOf, typename Batches>
  void scanWitnesses(record::Reader& reader, const BranchOf& branchOf, const Batches& batches);
  int branchNumber(const std::string& id);

  std::string path_;
  std::atomic<bool> stop_{false}, complete_{false};
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool asked_ = true;
  std::string error_;
  std::vector<std::string> branch_ids_;
  std::unordered_map<std::string, int> branch_numbers_;
  std::vector<EventMark> events_;
  std::vector<ImpactMark> impacts_;
  std::vector<Chunk> chunks_;
  std::vector<BoundedSeries> gaps_, steps_;
  std::int64_t seen_event_ = 0, seen_impact_ = 0, seen_witness_ = 0, seen_piece_ = 0;
  std::uint64_t revision_ = 0;

  // Of the calling thread alone.
  std::vector<EventMark> on_way_;
  int way_branch_ = -1;
  std::uint64_t way_revision_ = 0;
  std::size_t way_events_ = 0;
  std::unique_ptr<record::Reader> reader_;
  std::thread thread_;
};

/// What the overlays of `view` need of the tables at its time: witnesses, and the impulses of impacts in the last
/// `impulse_window` seconds. Nothing for overlays that are off. @throws record::RecordError.
Annotations collectAnnotations(RunIndex& index, const RunModel& model, const View& view, double impulse_window);
/// For how long impacts stay visible at a speed [s of the run].
double impulseWindow(double speed);

}  // namespace rigor::viewer
