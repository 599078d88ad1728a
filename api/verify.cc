// SPDX-License-Identifier: MIT
#include "rigor/verify.h"

#include "api/input_errors.h"
#include "verify/verify.h"

namespace rigor {

VerifyReport verifyRecord(const std::string& path, const VerifyOptions& options, const Watch& watch) {
  verify::Options o;
  o.threads = options.threads, o.kernel_alone = options.kernel, o.geometry_only = options.geometry_only,
  o.interrupt = watch.interrupt;
  const verify::Report r = withUserErrors([&] { return verify::verifyRecord(path, o); });
  VerifyReport out;
  out.status = r.status(), out.complete = r.complete;
  out.branches = r.branches, out.pieces = r.pieces, out.pairs = r.pairs, out.witnesses = r.witnesses,
  out.failure_count = r.failure_count;
  out.min_gap = r.min_gap, out.horizon = r.horizon, out.until = r.until, out.wall_seconds = r.wall_seconds;
  out.open_joints = r.open_joints;
  out.physics_known = r.physics_known, out.notes = r.notes;
  for (const verify::LawReport& law : r.physics)
    out.physics.push_back({law.name, law.branch, law.worst, law.bound, law.time});
  for (const verify::Failure& f : r.failures) {
    VerifyFailure& failure = out.failures.emplace_back();
    failure = {f.refuted, f.branch, static_cast<long>(f.piece), {}, f.time, f.reason};
    for (const std::string& name : f.pair)
      if (!name.empty()) failure.pair.push_back(name);
  }
  return out;
}

}  // namespace rigor
