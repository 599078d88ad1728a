// SPDX-License-Identifier: MIT
#include "verify/recorded_run.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace rigor::verify {
namespace {

// M(q) v / (q.q)
Vector3 rotated(const kernel::Quaternion& q, const Vector3& v) {
  const double n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  Vector3 out{};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    out[i] = ((q[0] * q[0] + q[i + 1] * q[i + 1] - q[j + 1] * q[j + 1] - q[k + 1] * q[k + 1]) * v[i] +
              2 * (q[i + 1] * q[j + 1] - q[0] * q[k + 1]) * v[j] + 2 * (q[i + 1] * q[k + 1] + q[0] * q[j + 1]) * v[k]) / n;
  }
  return out;
}

/// Of the body's centre, which the scene's numbers are held against.
Start startOf(const Body& body) {
  Start start;
  start.known = true;
  const Vector3 arm = rotated(body.orientation, body.centre);
  const Vector3& w = body.angular_velocity;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
    start.p[k] = body.position[k] + arm[k];
    start.v[k] = body.velocity[k] + (w[i] * arm[j] - w[j] * arm[i]);
    start.w[k] = w[k];
  }
  std::copy(body.orientation.begin(), body.orientation.end(), start.q);
  return start;
}

}  // namespace

RecordedRun::RecordedRun(const std::string& path) : file_(path) {
  run = file_.run();
  run_status = file_.meta().status;
}

void RecordedRun::check(const std::function<void(int, const std::string&)>& fail, const std::function<void(const std::string&)>& note) {
  std::string text;
  for (recorded::FileRow& file : file_.files())
    if (file.role == "scene") text = std::move(file.content);
  std::vector<Start> starts;
  for (const Body& body : run.model.bodies) starts.push_back(startOf(body));
  SceneText(text).check(run.model.bodies, starts, fail, note);
}

double RecordedRun::claimedGap() const {
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  if (file_.meta().summary.empty()) return kNone;
  const auto summary = nlohmann::json::parse(file_.meta().summary);
  return summary.is_object() && summary.contains("min_gap") && summary["min_gap"].is_number() ? summary["min_gap"].get<double>() : kNone;
}

}  // namespace rigor::verify
