// SPDX-License-Identifier: MIT
#include "viewer/plot_data.h"

#include <fmt/format.h>

#include <Eigen/Geometry>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>

#include "viewer/image.h"

namespace rigor::viewer {
namespace {

/// k-th of n = 2^m samples in an order that halves the spaces: 0, n/2, n/4, 3n/4, ... (bits reversed).
int bitReversed(int k, int n) {
  int reversed = 0;
  for (; n > 1; n >>= 1, k >>= 1) reversed = reversed << 1 | (k & 1);
  return reversed;
}

}  // namespace

const QuantityInfo& quantityInfo(Quantity quantity) {
  static const QuantityInfo kInfos[] = {{"kinetic", "J", false}, {"potential", "J", false}, {"energy", "J", false},
                                        {"lost by impact", "J", false}, {"lost by friction", "J", false},
                                        {"contacts", "", false}, {"x", "m", true},          {"y", "m", true},
                                        {"z", "m", true},        {"vx", "m/s", true},       {"vy", "m/s", true},
                                        {"vz", "m/s", true},     {"speed", "m/s", true},    {"spin", "rad/s", true}};
  return kInfos[static_cast<int>(quantity)];
}

Energy energyOf(const RunModel& model, const std::vector<Placement>& placements) {
  Energy energy;
  for (std::size_t b = 0; b < placements.size(); ++b) {
    const ModelBody& body = model.bodies()[b];
    if (body.fixed || !placements[b].known) continue;
    const Eigen::Vector3d w = placements[b].R.transpose() * placements[b].w;
    energy.kinetic += 0.5 * body.mass * placements[b].v.squaredNorm() + 0.5 * w.dot(body.inertia * w);
    energy.potential -= body.mass * model.gravity().dot(placements[b].pose.p);
  }
  return energy;
}

std::vector<ImpactLoss> impactLosses(RunModel& model, int branch, const std::vector<record::ImpactRow>& impacts) {
  std::vector<ImpactLoss> losses;
  std::vector<Placement> placements;
  for (const record::ImpactRow& impact : impacts) {
    model.placementsAt(branch, impact.time, placements);
    ImpactLoss loss{impact.time, 0};
    for (std::size_t i = 0; i < impact.bodies.size(); ++i) {
      const int b = impact.bodies[i];
      const ModelBody& body = model.bodies()[b];
      if (!placements[b].known) continue;
      const auto energy = [&](const Eigen::Matrix<double, 6, 1>& u) {
        const Eigen::Vector3d w = placements[b].R.transpose() * u.tail<3>();
        return 0.5 * body.mass * u.head<3>().squaredNorm() + 0.5 * w.dot(body.inertia * w);
      };
      loss.loss += energy(impact.before[i]) - energy(impact.after[i]);
    }
    losses.push_back(loss);
  }
  std::stable_sort(losses.begin(), losses.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
  return losses;
}

void PlotData::sample(RunModel& model, int branch, int body, double from, double to, double budget,
                      const std::vector<ImpactLoss>& losses) {
  if (&model != model_ || branch != branch_ || body != asked_body_ || from != from_ || to != to_ ||
      losses.size() != losses_) {
    if (&model != model_ || !finder_) finder_ = std::make_unique<ContactFinder>(model);
    model_ = &model;
    branch_ = branch;
    asked_body_ = body;
    from_ = from;
    to_ = to;
    next_ = 0;
    rows_.clear();
    losses_ = losses.size();
    model.placementsAt(branch, 0, placements_);
    const Energy start = energyOf(model, placements_);
    start_energy_ = start.kinetic + start.potential;
    body_ = body;
    for (int b = 0; body_ < 0 && b < static_cast<int>(model.bodies().size()); ++b)
      if (!model.bodies()[b].fixed) body_ = b;
  }
  if (!(from < to) || body_ < 0) return;
  const auto start = std::chrono::steady_clock::now();
  const std::size_t old = rows_.size();
  while (next_ <= kFinest) {
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > budget) break;
    const int index = next_ == kFinest ? kFinest : bitReversed(next_, kFinest);
    ++next_;
    const double time = from + (to - from) * index / kFinest;
    model.placementsAt(branch, time, placements_);
    if (!placements_[body_].known) continue;
    Row row{time, {}};
    const auto set = [&](Quantity q, double value) { row.values[static_cast<int>(q)] = value; };
    const Energy energy = energyOf(model, placements_);
    set(Quantity::kKinetic, energy.kinetic);
    set(Quantity::kPotential, energy.potential);
    set(Quantity::kEnergy, energy.kinetic + energy.potential);
    double lost = 0;
    for (const ImpactLoss& loss : losses) {
      if (loss.time > time) break;
      lost += loss.loss;
    }
    set(Quantity::kLostByImpact, lost);
    set(Quantity::kLostByFriction, start_energy_ - energy.kinetic - energy.potential - lost);
    finder_->find(model, placements_, 3 * model.gapNominal(), 0);
    set(Quantity::kContacts, static_cast<double>(finder_->contacts().size()));
    const Placement& place = placements_[body_];
    const geom::Pose origin = place.origin(model.bodies()[body_].centre);
    const Eigen::Vector3d v = place.v - place.w.cross(place.R * model.bodies()[body_].centre);
    for (int k = 0; k < 3; ++k) {
      row.values[static_cast<int>(Quantity::kX) + k] = origin.p[k];
      row.values[static_cast<int>(Quantity::kVx) + k] = v[k];
    }
    set(Quantity::kSpeed, v.norm());
    set(Quantity::kSpin, place.w.norm());
    rows_.push_back(row);
  }
  const auto earlier = [](const Row& a, const Row& b) { return a.time < b.time; };
  std::sort(rows_.begin() + static_cast<std::ptrdiff_t>(old), rows_.end(), earlier);
  std::inplace_merge(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(old), rows_.end(), earlier);
}

void PlotData::exportCsv(const RunModel& model, const std::string& path, const std::vector<Series>& series) const {
  std::ofstream file(path);
  file << "time";
  for (int q = 0; q < static_cast<int>(Quantity::kCount); ++q) {
    const QuantityInfo& info = quantityInfo(static_cast<Quantity>(q));
    file << ',' << (info.of_body ? model.bodies()[body_].name + "." : "") << info.name;
  }
  for (const Series& s : series) file << ',' << s.name;
  file << '\n';
  for (const Row& row : rows_) {
    file << fmt::format("{}", row.time);
    for (const double value : row.values) file << fmt::format(",{}", value);
    for (const Series& s : series) {
      const auto next = std::upper_bound(s.values.begin(), s.values.end(), row.time,
                                         [](double time, const auto& value) { return time < value.first; });
      file << (next == s.values.begin() ? "," : fmt::format(",{}", std::prev(next)->second));
    }
    file << '\n';
  }
  file.close();
  if (!file) throw ImageError("cannot write " + path);
}

}  // namespace rigor::viewer
