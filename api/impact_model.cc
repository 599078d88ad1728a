// SPDX-License-Identifier: MIT
#include "api/impact_model.h"

#include <fmt/format.h>

#include <mutex>
#include <set>

#include "api/input_errors.h"
#include "impact/model_registry.h"
#include "impact/problem/matrix_factors.h"
#include "rigor/impact_model.h"

namespace rigor {
namespace {

constexpr double kEnergyGain =
    1e-9;  // Of the kinetic energy before: what an outcome may have more, by the roundings of its impulses.

Matrix rowMajor(const Eigen::MatrixXd& m) {
  Matrix out{m.rows(), m.cols(), {}};
  out.values.reserve(static_cast<std::size_t>(m.size()));
  for (long i = 0; i < m.rows(); ++i)
    for (long j = 0; j < m.cols(); ++j) out.values.push_back(m(i, j));
  return out;
}

/// A user's model as the library sees models.
class ForeignResolver : public impact::Resolver {
 public:
  explicit ForeignResolver(std::shared_ptr<const ImpactModel> model)
      : model_(std::move(model)), assumption_(model_->assumption()) {
    for (const ImpactOption& option : model_->options()) standards_[option.name] = option.standard;
  }

  impact::ImpactStatus resolve(const impact::ImpactProblem& problem, const impact::ImpactOptions& options,
                               impact::RandomKey key, impact::ImpactOutcome& outcome) override {
    const std::vector<std::vector<double>> impulses = model_->impulses(asPublic(problem, options, key));
    if (impulses.empty()) return impact::ImpactStatus::kFailed;
    const int m = problem.numContacts();
    if (static_cast<int>(impulses.size()) != m)
      throw InputError(fmt::format("impulses() of impact model '{}' returned {} contacts; allowed: {}, or none",
                                   model_->name(), impulses.size(), m));
    outcome = {};
    Eigen::VectorXd momentum = Eigen::VectorXd::Zero(problem.numVelocities());
    for (int i = 0; i < m; ++i) {
      const long rows = 1 + problem.tangent[static_cast<std::size_t>(i)].rows();
      const std::vector<double>& given = impulses[static_cast<std::size_t>(i)];
      if (static_cast<long>(given.size()) != rows)
        throw InputError(fmt::format("impulses() of impact model '{}' returned {} numbers for contact {}; allowed: {}",
                                     model_->name(), given.size(), i, rows));
      const Eigen::VectorXd p = Eigen::Map<const Eigen::VectorXd>(given.data(), rows);
      if (!p.allFinite()) return impact::ImpactStatus::kFailed;
      momentum += p[0] * problem.normal.row(i).transpose();
      momentum += problem.tangent[static_cast<std::size_t>(i)].transpose() * p.tail(rows - 1);
      outcome.impulses.push_back(p);
    }
    Eigen::MatrixXd factor = problem.mass_matrix, change = momentum;
    if (!impact::choleskyInPlace(factor)) return impact::ImpactStatus::kFailed;
    impact::solveCholesky(factor, change);
    outcome.velocity = problem.velocity + change.col(0);
    return judge(problem, options, outcome);
  }
  bool isRandom() const override { return model_->isRandom(); }
  std::string_view assumption() const override { return assumption_; }

 private:
  ImpactProblem asPublic(const impact::ImpactProblem& problem, const impact::ImpactOptions& options,
                         impact::RandomKey key) const {
    ImpactProblem out{rowMajor(problem.mass_matrix),
                      rowMajor(problem.normal),
                      {},
                      problem.friction,
                      problem.restitution,
                      {},
                      key.seed,
                      key.path,
                      standards_};
    for (auto& [name, value] : out.options)
      if (const auto given = options.own.find(name); given != options.own.end())
        value = std::get<double>(given->second);
    for (const Eigen::MatrixXd& rows : problem.tangent) out.tangent.push_back(rowMajor(rows));
    out.velocity.assign(problem.velocity.data(), problem.velocity.data() + problem.velocity.size());
    return out;
  }

  /// Whatever a model says: no answer approaches or gains energy. NaN does.
  static impact::ImpactStatus judge(const impact::ImpactProblem& problem, const impact::ImpactOptions& options,
                                    const impact::ImpactOutcome& outcome) {
    const auto energy = [&](const Eigen::VectorXd& v) { return v.dot(problem.mass_matrix * v); };
    const double speed = (problem.normal * problem.velocity).cwiseAbs().maxCoeff();
    if (!((problem.normal * outcome.velocity).minCoeff() >= -options.tolerance * speed))
      return impact::ImpactStatus::kUnfinished;
    if (!(energy(outcome.velocity) <= (1 + kEnergyGain) * energy(problem.velocity)))
      return impact::ImpactStatus::kFailed;
    return impact::ImpactStatus::kResolved;
  }

  std::shared_ptr<const ImpactModel> model_;
  std::string assumption_;
  std::map<std::string, double> standards_;  // Of the options.
};

/// Names of the models that were registered from outside, for the life of the program.
struct ForeignNames {
  std::mutex mutex;
  std::set<std::string> names;
};

ForeignNames& foreignNames() {
  static ForeignNames foreign;
  return foreign;
}

}  // namespace

bool isForeignModel(const std::string& name) {
  const std::lock_guard lock(foreignNames().mutex);
  return foreignNames().names.contains(name);
}

void registerImpactModel(std::shared_ptr<const ImpactModel> model) {
  withUserErrors([&] {
    impact::Model entry;
    entry.name = model->name();
    entry.gives = model->isRandom() ? "one outcome of a set, drawn at random" : "one outcome";
    entry.make = [model] { return std::make_unique<ForeignResolver>(model); };
    entry.by_contact = model->isByContact();
    for (const ImpactOption& option : model->options()) {
      impact::ModelOption number;
      number.name = option.name, number.meaning = option.meaning, number.unit = option.unit;
      number.least = option.least, number.most = option.most, number.standard = option.standard;
      entry.options.push_back(std::move(number));
    }
    const std::string name = entry.name;
    impact::registerModel(std::move(entry));
    const std::lock_guard lock(foreignNames().mutex);
    foreignNames().names.insert(name);
  });
}

}  // namespace rigor
