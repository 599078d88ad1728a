// SPDX-License-Identifier: MIT
#pragma once
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "viewer/background_run.h"
#include "viewer/branch_tree.h"
#include "viewer/continuation.h"
#include "viewer/edit_history.h"
#include "viewer/final_states.h"
#include "viewer/impact_study.h"
#include "viewer/keys.h"
#include "viewer/output.h"
#include "viewer/playback.h"
#include "viewer/plot_data.h"
#include "viewer/proof.h"
#include "viewer/run_index.h"
#include "viewer/scene_painter.h"
#include "viewer/time_axis.h"

namespace rigor::viewer {

/// The viewer without a window: what is open, what is shown, and what keys and clicks do. Panels read and call it, a
/// renderer draws its list, tests drive it. Nothing a file holds makes it throw: what is wrong goes to message().
class Viewer {
 public:
  Viewer();
  ~Viewer();

  /// Opens a record, or simulates a scene file in the background and shows it. What was open stays if this fails.
  /// @returns whether it did; else message() says why.
  bool open(const std::string& path);
  /// Simulates `scene` in the background and shows it. @throws what sim::Simulation throws.
  void simulate(sim::Scene scene, std::uint64_t seed);
  bool isOpen() const { return model_ != nullptr; }

  RunModel& model() { return *model_; }
  ScenePainter& painter() { return *painter_; }
  RunIndex& index() { return *index_; }
  const std::string& message() const { return message_; }
  void say(std::string message);
  /// The message is of something that went wrong: it belongs on stderr, too.
  bool hasFailed() const { return failed_; }
  void fail(std::string message);
  /// Changes when another file was opened: renderers take the new meshes.
  int generation() const { return generation_; }

  /// Once a frame: the clock, growing records, annotations. `dt` [s] since the last.
  void update(double dt);
  /// The shown instant as a draw list. Empty if nothing is open.
  const DrawList& paint();
  const DrawList& list() const { return list_; }
  const Annotations& annotations() const { return annotations_; }
  /// Branches that are drawn as ghosts at a time, where those are on.
  std::vector<int> ghostsAt(double time) const;
  /// A video of the shown branch: of the loop range if there is one, else of the whole branch.
  VideoTimes usualVideo() const;

  // Time.
  void setTime(double time);
  double endTime() const { return model_->endTime(view.branch); }
  void stepForward();
  void stepBackward();
  void nextEvent();
  void previousEvent();

  // Branches.
  void selectBranch(int branch);
  void setMuted(const std::vector<int>& branches, bool muted);
  bool isMuted(int branch) const { return muted_.count(branch) > 0; }
  void solo(int branch);  ///< Mutes all branches that neither lead to it nor come from it; again: unmutes all.
  void nameBranch(int branch, const std::string& name);
  const std::vector<std::string>& names() const { return names_; }
  void toggleCollapsed(int branch);
  const std::set<int>& collapsed() const { return collapsed_; }
  const std::vector<BranchLane>& lanes();
  void compareWith(int branch);  ///< Again, or -1: no longer.
  void undo();  ///< Of naming, muting and added branches; one that is still simulated is given up.
  void redo();
  bool canUndo() const { return history_.canUndo() || continuation_; }
  void forgetEdits() { history_.clear(); }

  /// Outcomes of the impact that the shown time belongs to (findImpact), as far as they are known yet.
  const ImpactSet& impactSet();
  bool impactSetPending() const { return study_ && study_->running(); }
  const ImpactSet& waitImpactSet();  ///< For tests and pictures.
  void setStudyEffort(const StudyEffort& effort) { effort_ = effort; }  ///< Of impacts that are not studied yet.
  /// A sample of the set, or a vertex, whose impulse process is looked at, and how far into it; -1: none.
  struct Inspected {
    long sample = -1, vertex = -1;
    int step = 0;
    std::vector<ImpulseStep> steps;
  };
  const Inspected& inspected() const { return inspected_; }
  void inspect(long sample, int step);
  void inspectVertex(long vertex, int step);
  void inspectStep(int step);  ///< Of what is looked at.

  /// Simulates on from an outcome of impactSet() that has no branch, in the background, one after another, and then
  /// shows the new branch. The opened file is not written to: the branches are in a copy, until saveCopy().
  void simulateOn(const ImpactSet::Outcome& outcome);
  const Continuation* continuation() const { return continuation_.get(); }
  std::size_t waitingContinuations() const { return waiting_.size(); }
  void cancelContinuation();  ///< Gives up what is simulated and what waits for it.
  /// Whether branches were added that no file of the user holds.
  bool hasUnsavedBranches() const { return model_ && model_->path() != original_ && model_->path() != saved_; }
  /// Saves the record with its added branches beside nothing: a new file in the current folder. @returns its path, or
  /// "".
  std::string saveCopy();
  /// The file that was opened, though a copy of it with added branches is shown.
  const std::string& originalPath() const { return original_; }

  /// How the leaves of the tree end, as far as they were looked at.
  const FinalStates& finals() const { return finals_; }
  std::size_t finalsSeen() const { return finals_.seen(); }
  /// Whether names changed since `seen`, which is brought up to date.
  bool namesChanged(std::uint64_t& seen) const { return std::exchange(seen, name_edits_) != name_edits_; }

  /// Energies that the impacts on the way to the shown branch took; empty until the tables have been read.
  const std::vector<ImpactLoss>& losses();

  // Camera and bodies.
  void frameAll(double view_aspect);  ///< What moves, over the whole run where that leaves bodies large enough.
  void focus(int body);
  void follow(int body);
  int pick(double x, double y, double width, double height);

  /// @returns whether the key means something.
  bool handleKey(const KeyPress& press);
  /// The command line of what is shown.
  std::string command() const;

  View view;
  Playback playback;
  TimeAxis axis;
  PlotData plots, compared_plots;  ///< Of the shown branch, and of the one that it is compared with.
  Proof proof;
  std::vector<bool> plotted;  ///< By Quantity, then gap and step size; empty: the usual ones.
  double aspect = 1.6;        ///< Of the 3D view, for framing.
  bool show_panels = true, show_shortcuts = false, want_search = false, want_name = false;
  bool want_copy_command = false;
  Output output;        ///< Pictures and videos that the window is to write.
  int bottom_tab = 0, side_tab = 0;  ///< Open tabs of the panels; remembered.

 private:
  /// A record with what the user did to it: the opened one, or a copy with added branches.
  struct Version {
    std::string path, branch;
    std::set<int> muted, collapsed;
    std::vector<std::string> names;
  };
  /// An outcome to be simulated on from, of a set that may no longer be the shown one.
  struct Waiting {
    std::shared_ptr<const ImpactSet> set;
    ImpactSet::Outcome outcome;
  };
  void adopt(std::unique_ptr<RunModel> model);
  void replaceModel(std::unique_ptr<RunModel> model);
  void showVersion(const Version& version);
  void startContinuation(Waiting next);
  void showCopy();
  void dropCopies();

  std::unique_ptr<BackgroundRun> run_;
  std::unique_ptr<RunModel> model_;
  std::unique_ptr<ScenePainter> painter_;
  std::unique_ptr<RunIndex> index_;
  Annotations annotations_;
  DrawList list_;
  std::string message_;
  int generation_ = 0;
  double since_refresh_ = 0, message_age_ = 0;
  bool failed_ = false, lost_ = false, want_frame_ = false;
  std::set<int> muted_, collapsed_;
  std::vector<std::string> names_;
  std::uint64_t name_edits_ = 1;
  bool lanes_valid_ = false;
  std::vector<BranchLane> lanes_;
  std::unique_ptr<ImpactStudy> study_;
  StudyEffort effort_;
  std::shared_ptr<const ImpactSet> impact_set_;
  std::optional<ImpactPlace> set_place_;
  Inspected inspected_;
  long inspect_next_ = -1;  // Looked at as soon as the set is there again.
  std::unique_ptr<Continuation> continuation_;
  std::deque<Waiting> waiting_;
  std::string original_, copy_folder_, saved_;
  int copies_ = 0, losses_branch_ = -1;
  bool remember_ = false;  // The shown record is a file of the user: its session is kept.
  FinalStates finals_;
  std::vector<ImpactLoss> losses_;
  EditHistory history_;
};

}  // namespace rigor::viewer
