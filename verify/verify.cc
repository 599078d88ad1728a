// SPDX-License-Identifier: MIT
#include "verify/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <iterator>
#include <mutex>
#include <numeric>
#include <thread>
#include <tuple>

#include "verify/filter/branch_filter.h"
#include "verify/filter/closure_filter.h"
#include "verify/filter/kinematics_filter.h"
#include "verify/filter/law_filter.h"
#include "verify/fork_sums.h"
#include "verify/kernel/prove.h"
#include "verify/recorded_run.h"
#include "verify/tables/tables.h"

namespace rigor::verify {
namespace {

using kernel::BranchProof;
using kernel::Finding;
using kernel::Obligation;

constexpr std::size_t kChunk = 64;      // Obligations that a thread takes at a time.
constexpr std::size_t kTogether = 100;  // Windows: links of a robot ask for each other.

class Verifier {
 public:
  Verifier(const std::string& path, const Options& options)
      : options_(options),
        threads_(options.threads > 0 ? options.threads
                                     : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()))),
        record_(path) {}

  Report run() {
    report_.run_status = record_.run_status;
    report_.branches = static_cast<long>(record_.run.branches.size());
    report_.until = record_.run.until;
    checkScene();
    if (report_.failure_count == 0) proveRun();
    report_.verified = report_.failure_count == 0 && proved_;
    report_.complete = report_.verified && complete_;
    if (!report_.verified) report_.min_gap = 0;
    std::stable_sort(
        report_.failures.begin(), report_.failures.end(),
        [](const Failure& a, const Failure& b) { return std::tie(a.branch, a.time) < std::tie(b.branch, b.time); });
    report_.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    return std::move(report_);
  }

 private:
  void fail(Failure failure) {
    ++report_.failure_count;
    report_.refuted |= failure.refuted;
    if (static_cast<int>(report_.failures.size()) < options_.max_failures)
      report_.failures.push_back(std::move(failure));
  }
  void fail(const std::string& reason) { fail({true, "", -1, {}, 0, reason}); }
  std::string nameOf(int body) const {
    return body < 0 || body >= static_cast<int>(record_.run.model.bodies.size()) ? ""
                                                                                 : record_.run.model.bodies[body].name;
  }

  // What is no part of the kernel's claim: that the model is the scene's.
  void checkScene() {
    std::string note;
    if (const ModelDifference found = record_.differenceFromScene(note); !found.reason.empty())
      fail({true, "", -1, {nameOf(found.body), ""}, 0, found.reason});
    if (!note.empty()) report_.notes.push_back(note);
    if (record_.motionsWereGiven())
      report_.notes.push_back(
          "the motions were given to `rigor check`, not simulated: what is proved is that they are free of overlap");
  }

  void proveRun() {
    for (const kernel::Body& body : record_.run.model.bodies) solids_.emplace_back(body);
    tables::Tables tables(record_.run, record_.text());
    ForkSums forks(record_.run, options_.kernel_alone);
    std::size_t done = 0;
    const auto read = [&](std::size_t branch) {
      if (options_.progress)
        *options_.progress = static_cast<double>(done++) / static_cast<double>(record_.run.branches.size());
      kernel::BranchRows rows = record_.readBranch(branch);
      report_.pieces += static_cast<long>(rows.pieces.size());
      report_.witnesses += static_cast<long>(rows.claims.size());
      return rows;
    };
    const auto discharge = [&](const BranchProof& proof, bool laws, kernel::Residuals& worst) {
      report_.pairs = std::max(report_.pairs, static_cast<long>(proof.pairs().size()));
      const auto number = static_cast<std::size_t>(&proof.branch() - record_.run.branches.data());
      std::vector<Finding> found = tables.check(proof, record_.readTables(number));
      if (laws) std::ranges::move(forks.check(proof), std::back_inserter(found));
      for (const Finding& open : found)
        fail({open.refuted, proof.branch().id, open.piece, {nameOf(open.body_a), ""}, open.time, open.reason});
      if (!options_.kernel_alone) return dischargeFast(proof, laws, worst);
      if (options_.interrupt && *options_.interrupt) throw Interrupted();
      return kernel::dischargeAll(proof, laws, worst);
    };
    const kernel::Result result = kernel::prove(record_.run, read, !options_.geometry_only, discharge);
    for (const auto& open : result.open)
      fail({open.refuted, open.branch, open.piece, {nameOf(open.body_a), nameOf(open.body_b)}, open.time, open.reason});
    if (result.open.empty()) record_.checkRest();
    if (const double claim = record_.claimedGap(); !(claim <= result.min_gap) && result.open.empty())
      fail(fmt::format("the summary claims a gap of {}, the branches only {}", claim, result.min_gap));
    // Last: what is false in itself says more.
    if (report_.failure_count == 0 && result.open.empty() && !record_.sealHolds())
      fail("the record is not what its writer sealed: something in it was altered");
    proved_ = result.open.empty() && report_.failure_count == 0;
    complete_ = result.complete;
    report_.min_gap = result.min_gap;
    report_.physics_known = record_.run.actions_known && !options_.geometry_only;
    for (std::size_t i = 0; report_.physics_known && i < kernel::kLaws; ++i)
      report_.physics.push_back({kernel::kLawNames[i], result.laws[i].value, record_.run.bounds[i],
                                 result.laws[i].branch, result.laws[i].time});
    report_.open_joints = result.laws[kernel::Law::kClosure].value * record_.run.gap_nominal;
    report_.horizon = result.horizon;
  }

  std::vector<Finding> dischargeGeometry(const BranchProof& proof) {
    const std::vector<Obligation> order = inOrderOfTime(proof);
    const filter::BranchFilter filter(proof, solids_);
    std::vector<filter::ClaimFilter> workspaces(threads_);
    return parallel(order.size(), [&](std::size_t i, int thread, std::vector<Finding>& found) {
      if (filter.proves(order[i], workspaces[thread])) return;
      if (std::optional<Finding> finding = proof.discharge(order[i])) found.push_back(*std::move(finding));
    });
  }

  // The filter first, the kernel where it leaves something open; then the laws, of motions that are sound. What each
  // needs is gone before the other: of crowds it is a fifth of the memory.
  std::vector<Finding> dischargeFast(const BranchProof& proof, bool laws, kernel::Residuals& worst) {
    std::vector<Finding> open = proof.obligations().empty() ? std::vector<Finding>() : dischargeGeometry(proof);
    if (!laws || !open.empty()) return open;
    const kernel::Laws of_motion(proof);
    if (!of_motion.malformed().empty()) return of_motion.malformed();
    return dischargeLaws(proof, of_motion, worst);
  }

  std::vector<Finding> dischargeLaws(const BranchProof& proof, const kernel::Laws& laws, kernel::Residuals& worst) {
    std::vector<kernel::Residuals> largest(threads_);
    const double lift_bound = record_.run.bounds[kernel::Law::kKinematics];
    std::vector<Closures> closures(threads_, {{}, std::vector<const kernel::Piece*>(record_.run.model.bodies.size())});
    std::vector<kernel::Laws::Instants> known(threads_);
    std::vector<double> lengths;
    for (std::size_t b = 0; b < record_.run.model.bodies.size(); ++b)
      lengths.push_back(laws.lengthOf(static_cast<int>(b)));
    const std::vector<filter::LawFilter> law_filters(threads_, filter::LawFilter(proof, laws));
    const std::vector<kernel::Laws::Duty>& duties = laws.duties();
    const auto dischargeExactly = [&](const kernel::Laws::Duty& duty, int thread, std::vector<Finding>& found) {
      std::vector<Finding> left = laws.discharge(duty, largest[thread], known[thread]);
      std::move(left.begin(), left.end(), std::back_inserter(found));
    };
    const auto discharge = [&](std::size_t i, int thread, std::vector<Finding>& found) {
      const kernel::Laws::Duty& duty = duties[i];
      if (sums(duty)) {
        const std::span<const kernel::Laws::Duty> windows = windowsFrom(duties, i);
        std::vector<char> proved;
        law_filters[thread].prove(windows, largest[thread], proved);
        for (std::size_t k = 0; k < windows.size(); ++k)
          if (!proved[k]) dischargeExactly(windows[k], thread, found);
        return;
      }
      double lift, time;
      if (duty.kind == kernel::Laws::Duty::Kind::kKinematics &&
          filter::provesKinematics(proof.rows().pieces[duty.number], record_.run.gap_nominal, lift_bound, lift, time)) {
        largest[thread][kernel::Law::kKinematics].include(lift, time);
        return;
      }
      if (duty.kind == kernel::Laws::Duty::Kind::kClosure &&
          provesClosure(proof, laws, duty, lengths, record_.run.bounds[kernel::Law::kClosure], closures[thread],
                        largest[thread]))
        return;
      if (!law_filters[thread].proves(duty, largest[thread])) dischargeExactly(duty, thread, found);
    };
    std::vector<Finding> open = parallel(duties.size(), discharge);
    for (const kernel::Residuals& residuals : largest)
      for (std::size_t i = 0; i < kernel::kLaws; ++i)
        worst[i].include(residuals[i].value, residuals[i].time);
    return open;
  }

  struct Closures {
    filter::ClosureFilter filter;
    std::vector<const kernel::Piece*> last;  // Of each body, that which was asked for.
  };

  // A joint whose links' pieces have the same interval, or whose parent stands still.
  bool provesClosure(const BranchProof& proof, const kernel::Laws& laws, const kernel::Laws::Duty& duty,
                     const std::vector<double>& lengths, double bound, Closures& closures,
                     kernel::Residuals& largest) const {
    const kernel::Piece& child = proof.rows().pieces[duty.number];
    const std::vector<kernel::Body>& bodies = record_.run.model.bodies;
    const kernel::Joint& joint = *laws.jointsOf(child.body)[duty.first];
    if (joint.parent < 0 || joint.child != child.body) return false;
    const kernel::Piece* const parent = pieceOver(proof, joint.parent, child, closures.last[joint.parent]);
    if (!parent) return false;
    const filter::JointOfLinks links{&joint, bodies[joint.child].centre, bodies[joint.parent].centre,
                                     lengths[joint.child]};
    const double gap = record_.run.gap_nominal, most = bound * gap * (1 - 0x1p-50);
    double apart = 0;
    if (!closures.filter.proves(links, child, *parent, most, apart)) return false;
    largest[kernel::Law::kClosure].include(apart / gap * (1 + 0x1p-50), child.t0);
    return true;
  }

  // The only piece of a body over another one, or none. It mostly follows the last.
  static const kernel::Piece* pieceOver(const BranchProof& proof, int body, const kernel::Piece& over,
                                        const kernel::Piece*& last) {
    const auto covers = [&](const kernel::Piece& piece) { return piece.t0 <= over.t0 && over.t1 <= piece.t1; };
    if (last && covers(*last)) return last;
    if (last && last != &proof.piecesOf(body).back() && covers(last[1])) return ++last;
    const kernel::PieceRange all = proof.piecesIn(body, over.t0, over.t1);
    return all.last - all.first == 1 ? last = all.first : nullptr;
  }

  // work(i, thread, found) for i = 0 .. count - 1, on all threads.
  template <typename Work>
  std::vector<Finding> parallel(std::size_t count, const Work& work) {
    std::vector<Finding> open;
    std::mutex mutex;
    std::atomic<std::size_t> next{0};
    std::exception_ptr error;
    const auto worker = [&](int thread) {
      std::vector<Finding> found;
      try {
        for (std::size_t first; (first = next.fetch_add(kChunk)) < count;) {
          if (options_.interrupt && *options_.interrupt) throw Interrupted();
          for (std::size_t i = first; i < std::min(first + kChunk, count); ++i) work(i, thread, found);
        }
      } catch (...) {
        const std::lock_guard lock(mutex);
        error = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      std::move(found.begin(), found.end(), std::back_inserter(open));
    };
    {
      std::vector<std::jthread> others;
      for (int t = 1; t < threads_ && count > kChunk; ++t) others.emplace_back(worker, t);
      worker(0);
    }
    if (error) std::rethrow_exception(error);
    return open;
  }

  // Claims that are neighbours in time share pieces, which the filter keeps.
  static std::vector<Obligation> inOrderOfTime(const BranchProof& proof) {
    std::vector<Obligation> order = proof.obligations();
    const auto claims = std::stable_partition(order.begin(), order.end(),
                                              [](const Obligation& o) { return o.kind != Obligation::Kind::kClaim; });
    const std::vector<kernel::Claim>& rows = proof.rows().claims;
    const auto key = [&](const Obligation& o) {
      const kernel::Claim& c = rows[o.number];
      return std::tie(c.body_a, c.body_b, c.t0, c.id);
    };
    std::sort(claims, order.end(), [&](const Obligation& a, const Obligation& b) { return key(a) < key(b); });
    return order;
  }

  static bool sums(const kernel::Laws::Duty& duty) {
    return duty.kind == kernel::Laws::Duty::Kind::kBalance || duty.kind == kernel::Laws::Duty::Kind::kEnergy;
  }
  // All that sum up over windows that begin when this one does, as many as a thread takes; empty where this is not the
  // first of them. Bodies that step together ask for the same poses.
  static std::span<const kernel::Laws::Duty> windowsFrom(const std::vector<kernel::Laws::Duty>& duties, std::size_t i) {
    const auto same = [&](const kernel::Laws::Duty& duty) { return sums(duty) && duty.time == duties[i].time; };
    const auto key = [](const kernel::Laws::Duty& duty) { return std::pair(duty.time, sums(duty)); };
    const auto first = std::ranges::lower_bound(duties, key(duties[i]), {}, key) - duties.begin();
    std::size_t end = i + 1;
    if ((i - static_cast<std::size_t>(first)) % kTogether != 0) return {};
    while (end < duties.size() && end - i < kTogether && same(duties[end])) ++end;
    return {&duties[i], end - i};
  }

  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  const Options options_;
  const int threads_;
  RecordedRun record_;
  Report report_;
  bool proved_ = false, complete_ = false;
  std::vector<filter::Solid> solids_;
};

}  // namespace

Report verifyRecord(const std::string& path, const Options& options) { return Verifier(path, options).run(); }

}  // namespace rigor::verify
