// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "viewer/contact_finder.h"
#include "viewer/run_model.h"

namespace rigor::viewer {

/// A quantity over time that is computed from the poses.
enum class Quantity {
  kKinetic,
  kPotential,
  kEnergy,
  kLostByImpact,
  kLostByFriction,
  kContacts,
  kX,
  kY,
  kZ,
  kVx,
  kVy,
  kVz,
  kSpeed,
  kSpin,
  kCount
};
struct QuantityInfo {
  const char* name;
  const char* unit;
  bool of_body;  ///< Of one body; else of all.
};
const QuantityInfo& quantityInfo(Quantity quantity);

/// Energy of all moving bodies [J], potential relative to the world's origin.
struct Energy {
  double kinetic = 0, potential = 0;
};
Energy energyOf(const RunModel& model, const std::vector<Placement>& placements);

/// Energy that one impact took [J].
struct ImpactLoss {
  double time, loss;
};
/// Of impacts in any order; sorted by time. @throws record::RecordError.
std::vector<ImpactLoss> impactLosses(RunModel& model, int branch, const std::vector<record::ImpactRow>& impacts);

/// Samples of every quantity along a branch, taken in a number of milliseconds a frame: coarse first, then finer. The
/// values are those of the published motion at the sample times.
class PlotData {
 public:
  struct Row {
    double time;
    double values[static_cast<int>(Quantity::kCount)];
  };
  static constexpr int kFinest = 2048;  ///< Samples of a range.

  /// Takes more samples of [from, to] of `branch` for body `body` (-1: the first moving one) until the time budget [s]
  /// is spent; begins anew where any of these changed. What `losses` (sorted) do not explain of the energy that is gone
  /// since the start counts as lost by friction; a controller's work is in it, too.
  void sample(RunModel& model, int branch, int body, double from, double to, double budget,
              const std::vector<ImpactLoss>& losses = {});
  const std::vector<Row>& rows() const { return rows_; }  ///< In order of time.
  bool complete() const { return next_ > kFinest; }
  bool begun() const { return next_ > 0 && !complete(); }  ///< More samples of what was asked are to come.
  int body() const { return body_; }

  /// What has times of its own: a value counts from its time on.
  struct Series {
    std::string name;
    std::vector<std::pair<double, double>> values;  ///< Time, value; in order of time.
  };
  /// A header and a row a sample, doubles in shortest round-trip form, a column a quantity and a series (nothing before
  /// its first time). @throws ImageError if it cannot be written.
  void exportCsv(const RunModel& model, const std::string& path, const std::vector<Series>& series = {}) const;

 private:
  std::vector<Row> rows_;
  std::vector<Placement> placements_;
  std::unique_ptr<ContactFinder> finder_;
  const RunModel* model_ = nullptr;
  int branch_ = -1, body_ = -1, asked_body_ = -2;
  double from_ = 0, to_ = 0, start_energy_ = 0;
  std::size_t losses_ = 0;
  int next_ = 0;  // Index in the order coarse to fine.
};

}  // namespace rigor::viewer
