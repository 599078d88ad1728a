// SPDX-License-Identifier: MIT
#pragma once
#include <array>
#include <map>
#include <span>
#include <vector>

#include "verify/kernel/branch_proof.h"
#include "verify/record/run_file.h"
#include "verify/tables/shown_motion.h"

/// What a record's tables for readers say, held to the motion and the impulses that the kernel has proved: in doubles,
/// to rounding and the tolerances that are named here. No proof of a motion rests on it.
namespace rigor::verify::tables {

using kernel::Finding;

/// Actions of a branch by their time.
class Acted {
 public:
  explicit Acted(const std::vector<kernel::Action>& actions);
  using List = std::span<const kernel::Action* const>;
  List jumpsAt(double time) const { return at(jumps_, time); }
  List stepsFrom(double time) const { return at(steps_, time); }
  List steps() const { return steps_; }  ///< By t0.
  List jumps() const { return jumps_; }

 private:
  static List at(const std::vector<const kernel::Action*>& list, double time);
  std::vector<const kernel::Action*> jumps_, steps_;
};

/// Two parts by their numbers: body_a, part_a, body_b, part_b.
using Key = std::array<int, 4>;
inline Key keyOf(const kernel::Facing& f) { return {f.body_a, f.part_a, f.body_b, f.part_b}; }
inline Key keyOf(const recorded::PairRow& p) { return {p.body_a, p.part_a, p.body_b, p.part_b}; }
/// Contacts of two parts where a branch ends.
struct Touch {
  long contacts = 0;        ///< That touch.
  bool until_late = false;  ///< The parts were near when the step began that the branch's end cut or ended.
};
using Touching = std::map<Key, Touch>;
/// How a branch ends, for those that go on from there.
struct End {
  Touching touching;
  recorded::TableRows untold;  ///< Rows of branches without length, which are about the motion after them.
};

/// One branch's tables, and what they are held to.
struct Branch {
  const recorded::ModelText& text;
  const ShownMotion& motion;
  const Acted& acted;
  const recorded::TableRows& rows;
  std::vector<Finding>& open;

  const kernel::BranchProof& proof() const { return motion.proof(); }
  /// What happens there is not looked at: a jump that ends the branch is its children's.
  bool isPast(double time) const { return !(time < proof().horizon()); }
  /// Nothing happens there: only what is still written goes on past its end. Where a run was stopped it may say what
  /// was to come next.
  bool isNowhere(double time) const {
    return isPast(time) && !proof().branch().running && (time > proof().horizon() || proof().run().done);
  }
  void fail(double time, int body, std::string reason) const {
    open.push_back({true, -1, body, -1, time, std::move(reason)});
  }
};

/// Each impact starts from the motion's velocity, or where the one before it ends; its contacts are contacts of the
/// model whose impulses are among those that acted, and change the velocities of its bodies as it says.
void checkImpacts(const Branch& branch);
/// Positions and velocities of coordinates are those of the links, efforts what actuators did, and joints that follow
/// others do so.
void checkJoints(const Branch& branch);
/// Every event is one of the motion, and contacts act where events say that something touches.
void checkEvents(const Branch& branch, Touching& touching);

/// Branch by branch, parents first.
class Tables {
 public:
  Tables(const kernel::Run& run, const recorded::ModelText& text) : text_(text), ends_(run.branches.size()) {}
  std::vector<Finding> check(const kernel::BranchProof& proof, recorded::TableRows rows);

 private:
  const recorded::ModelText& text_;
  std::vector<End> ends_;
};

}  // namespace rigor::verify::tables
