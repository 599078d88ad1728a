// SPDX-License-Identifier: MIT
// An impact model of one's own with an option: contacts return a share of the speed at which they are hit, one after
// the other until none approaches. Friction is left out, as in a row of steel balls.
#include <rigor/rigor.h>

#include <cmath>
#include <iostream>

namespace {

using Vector = std::vector<double>;

double dot(const double* a, const double* b, long n) {
  double sum = 0;
  for (long i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

/// x with M x = b, by elimination: M is symmetric and positive definite.
Vector solve(rigor::Matrix M, Vector b) {
  const long n = M.rows;
  for (long k = 0; k < n; ++k) {
    for (long i = k + 1; i < n; ++i) {
      const double factor = M.values[i * n + k] / M.values[k * n + k];
      for (long j = k; j < n; ++j) M.values[i * n + j] -= factor * M.values[k * n + j];
      b[i] -= factor * b[k];
    }
  }
  for (long k = n; k-- > 0;) {
    for (long j = k + 1; j < n; ++j) b[k] -= M.values[k * n + j] * b[j];
    b[k] /= M.values[k * n + k];
  }
  return b;
}

class Reflections : public rigor::ImpactModel {
 public:
  std::string name() const override { return "reflections"; }
  std::string assumption() const override { return "contacts reflect one after the other, without friction"; }
  bool isByContact() const override { return false; }  // The last reflection of a contact is not its restitution.
  std::vector<rigor::ImpactOption> options() const override {
    return {{"reflections.share", "share of a contact's approach speed that returns", "", 0, 1, 1}};
  }

  std::vector<Vector> impulses(const rigor::ImpactProblem& problem) const override {
    const double share = problem.options.at("reflections.share");
    const long n = problem.mass_matrix.rows, m = problem.normal.rows;
    Vector v = problem.velocity;
    std::vector<Vector> impulses(m);
    for (long i = 0; i < m; ++i) impulses[i].assign(1 + problem.tangent[i].rows, 0);
    double fastest = 0;
    for (long i = 0; i < m; ++i) fastest = std::max(fastest, std::abs(dot(&problem.normal.values[i * n], v.data(), n)));

    for (int round = 0; round < kMaxRounds; ++round) {
      bool done = true;
      for (long i = 0; i < m; ++i) {
        const double* J = &problem.normal.values[i * n];
        const double speed = dot(J, v.data(), n);
        if (speed >= -kAtRest * fastest) continue;
        done = false;
        const Vector response = solve(problem.mass_matrix, Vector(J, J + n));  // M^-1 J'
        const double impulse = -(1 + share) * speed / dot(J, response.data(), n);
        impulses[i][0] += impulse;
        for (long k = 0; k < n; ++k) v[k] += impulse * response[k];
      }
      if (done) return impulses;
    }
    return {};  // No answer: the run takes the plastic impact, and counts it.
  }

 private:
  static constexpr int kMaxRounds = 1000;
  static constexpr double kAtRest = 1e-12;  // Of the fastest contact.
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: impact_model SCENE.yaml RECORD.rigor\n";
    return 2;
  }
  try {
    rigor::registerImpactModel(std::make_shared<Reflections>());
    rigor::SimulationOptions options;
    options.record = argv[2];
    rigor::Simulation simulation(rigor::Scene::load(argv[1]), options);
    simulation.advance(simulation.scene().until());
    simulation.finish();
    for (const rigor::BodyInfo& body : simulation.scene().bodies())
      if (!body.fixed) std::cout << body.name << ' ' << simulation.state(body.name).velocity[0] << '\n';
    return rigor::verifyRecord(argv[2]).proved() ? 0 : 1;
  } catch (const rigor::InputError& error) {
    std::cerr << error.what() << '\n';
    return 3;
  }
}
