// SPDX-License-Identifier: MIT
#pragma once
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "impact/workers.h"
#include "sim/run/disjoint_sets.h"
#include "sim/run/meeting_boxes.h"
#include "sim/run/region.h"
#include "sim/run/run.h"

namespace rigor::sim {

/// Makes the steps of a run on several threads: regions of bodies that are apart side by side, and beside them hands
/// over what was made before.
///
/// Guarantee: what the run does, and what it hands over in which order, is what it is on one thread, bit for bit. A
/// region is a Run of its own for a while, with copies of the bodies' motions. What it did counts only if it looked at
/// no body outside, and if nothing ended the run there; else the copies are thrown away, and the run does it by itself.
/// So how bodies are shared out, and how far regions go, decides nothing, and may follow what steps cost.
///
/// The sink is called by the thread that calls advance().
class SideBySide {
 public:
  SideBySide(Run& run, int threads);
  ~SideBySide();

  int threads() const { return workers_.size(); }
  /// Keeps rows until they are handed over. Valid until the next call.
  Sink& rows();
  /// All turns before `end`, or those to where the run ends before that. @returns whether it goes on.
  bool advance(double end, Sink& sink, const std::atomic<bool>* interrupt);
  /// Hands over what was kept.
  void hand(Sink& sink);

 private:
  struct Batch;

  std::optional<double> chooseWindow(double end);
  double divide(double end);
  bool predict(double end);
  void uniteWhatWasMet();
  double largestShare();
  void share();
  bool stepRegions(double end, Sink& sink, const std::atomic<bool>* interrupt);
  bool areApart();
  void takeBack();
  bool stepAlone(double end, Sink& sink, const std::atomic<bool>* interrupt);
  void work(long count, Sink& sink, const std::function<void(long)>& task);

  Run& run_;
  impact::Workers workers_;
  std::vector<std::unique_ptr<Region>> regions_;  // The first num_regions_ are in use.
  std::size_t num_regions_ = 0;
  std::vector<std::unique_ptr<Batch>> batches_;  // To be handed over.
  std::vector<double> cost_;   // By body: what its steps took in windows before [s].
  double widening_;            // Of the boxes in which bodies are expected to stay.
  int alone_ = 0, failed_ = 0;  // Windows to be made alone, and how often regions were not apart, lately.
  // Scratch: groups are numbered by their first bodies here.
  std::vector<int> numbers_, index_of_, region_of_;
  std::vector<char> steps_;  // Whether a group does before the end of the window.
  std::vector<BodyBox> boxes_;
  std::vector<int> parts_;         // By their first groups, the costliest first,
  std::vector<double> part_cost_;  // by group; less than 0: no part has it for its first, or nothing of it steps.
  DisjointSets sets_;
  MeetingBoxes meeting_;
};

}  // namespace rigor::sim
