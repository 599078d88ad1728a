// SPDX-License-Identifier: MIT
#include "sweep/quantity.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <limits>

#include "geom/box_face.h"

namespace rigor::sweep {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

enum BodyField { kPosition, kOrientation, kVelocity, kAngularVelocity, kFaceUp, kBodyFields };
struct BodyFieldName {
  const char* name;
  std::array<const char*, 4> columns;
};
constexpr std::array<BodyFieldName, kBodyFields> kBodyFieldNames = {
    {{"position", {"x", "y", "z", nullptr}},
     {"orientation", {"w", "x", "y", "z"}},
     {"velocity", {"x", "y", "z", nullptr}},
     {"angular_velocity", {"x", "y", "z", nullptr}},
     {"face_up", {nullptr, nullptr, nullptr, nullptr}}}};

struct RunField {
  const char* name;
  double (*value)(const RunOutcome&);
};
constexpr std::array<RunField, 11> kRunFields = {{
    {"time", [](const RunOutcome& o) { return o.summary.time; }},
    {"rest_time", [](const RunOutcome& o) { return o.restTime(); }},
    {"energy", [](const RunOutcome& o) { return o.summary.energy_final; }},
    {"energy_initial", [](const RunOutcome& o) { return o.summary.energy_initial; }},
    {"max_energy_increase", [](const RunOutcome& o) { return o.summary.max_energy_increase; }},
    {"min_gap", [](const RunOutcome& o) { return o.summary.min_gap; }},
    {"steps", [](const RunOutcome& o) { return static_cast<double>(o.summary.steps); }},
    {"impacts", [](const RunOutcome& o) { return static_cast<double>(o.summary.impacts); }},
    {"manifold_changes", [](const RunOutcome& o) { return static_cast<double>(o.summary.manifold_changes); }},
    {"contacts_made", [](const RunOutcome& o) { return static_cast<double>(o.summary.contacts_made); }},
    {"contacts_broken", [](const RunOutcome& o) { return static_cast<double>(o.summary.contacts_broken); }},
}};

std::string listNames() {
  std::string names;
  for (const BodyFieldName& field : kBodyFieldNames) names += fmt::format("BODY.{}, ", field.name);
  for (const RunField& field : kRunFields)
    names += fmt::format("{}{}", &field == &kRunFields[0] ? "" : ", ", field.name);
  return names;
}

}  // namespace

RunOutcome::RunOutcome(const sim::Scene& scene) : gravity_(scene.gravity), last_(scene.bodies.size()) {
  for (std::size_t b = 0; b < last_.size(); ++b) {
    const sim::Body& body = scene.bodies[b];
    last_[b].arm = body.centre;
    last_[b].centre = {body.pose.q, body.pose * body.centre};
  }
}

void RunOutcome::piece(const sim::PieceRecord& record) {
  Last& last = last_[record.body];
  last.moves = record.piece.p_degree > 0 || record.piece.q_degree > 0;
  if (last.moves) last.moved_until = record.piece.t1;
  last.centre = record.piece.end();
  last.v = record.v_end, last.w = record.w_end;
}

geom::Pose RunOutcome::pose(int body) const {
  const Last& last = last_[body];
  return {last.centre.q, last.centre.p - last.centre.rotation() * last.arm};
}

Eigen::Matrix<double, 6, 1> RunOutcome::velocity(int body) const {
  const Last& last = last_[body];
  const Eigen::Vector3d arm = last.centre.rotation() * last.arm;
  Eigen::Matrix<double, 6, 1> velocity;
  velocity << last.v - last.w.cross(arm), last.w;
  return velocity;
}

double RunOutcome::restTime() const {
  double time = 0;
  for (const Last& last : last_) {
    if (last.moves) return kNone;
    time = std::max(time, last.moved_until);
  }
  return time;
}

bool Quantity::find(const std::string& name, const sim::Scene& scene, Quantity& quantity, std::string& allowed) {
  quantity = {};
  allowed = listNames();
  for (std::size_t i = 0; i < kRunFields.size(); ++i) {
    if (name != kRunFields[i].name) continue;
    quantity.field_ = static_cast<int>(i);
    quantity.columns_ = {name};
    return true;
  }
  const std::size_t dot = name.rfind('.');
  if (dot == name.npos) return false;
  const std::string body = name.substr(0, dot), field = name.substr(dot + 1);
  for (std::size_t b = 0; b < scene.bodies.size(); ++b)
    if (scene.bodies[b].name == body) quantity.body_ = static_cast<int>(b);
  if (quantity.body_ < 0) {
    allowed = "the name of a body of the scene";
    return false;
  }
  for (int f = 0; f < kBodyFields; ++f) {
    if (field != kBodyFieldNames[f].name) continue;
    quantity.field_ = f;
    if (f == kFaceUp) {
      allowed = fmt::format("face_up of a box; '{}' is none", body);
      if (!geom::isAxisBox(scene.bodies[quantity.body_].parts)) return false;
      quantity.category_ = true;
      quantity.columns_ = {name};
      return true;
    }
    for (const char* axis : kBodyFieldNames[f].columns)
      if (axis) quantity.columns_.push_back(name + "." + axis);
    return true;
  }
  return false;
}

void Quantity::evaluate(const RunOutcome& outcome, std::vector<double>& values) const {
  values.clear();
  if (body_ < 0) {
    values.push_back(kRunFields[field_].value(outcome));
    return;
  }
  const auto append = [&](const auto& v) { values.insert(values.end(), v.data(), v.data() + v.size()); };
  switch (field_) {
    case kPosition: append(outcome.pose(body_).p); break;
    case kOrientation: append(outcome.pose(body_).q); break;
    case kVelocity: append(Eigen::Vector3d(outcome.velocity(body_).head<3>())); break;
    case kAngularVelocity: append(Eigen::Vector3d(outcome.velocity(body_).tail<3>())); break;
    default: {
      const Eigen::Vector3d& g = outcome.gravity();
      const Eigen::Vector3d up = g.norm() > 0 ? Eigen::Vector3d(-g.normalized()) : Eigen::Vector3d::UnitZ();
      values.push_back(geom::faceUp(outcome.pose(body_).rotation(), up));
    }
  }
}

}  // namespace rigor::sweep
