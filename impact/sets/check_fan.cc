// SPDX-License-Identifier: MIT
#include <algorithm>
#include <map>
#include <tuple>

#include "impact/sets/bounded_quantity.h"
#include "impact/sets/fan_potential.h"

namespace rigor::impact {
namespace proof {
namespace {

class FanCheck {
 public:
  explicit FanCheck(const FanProof& proof)
      : p_(proof), model_(proof.problem, proof.coordinates), quantity_(proof, model_) {}

  void run() {
    readFan();
    readValues();
    readShares();
    for (const Cone& cone : cones_) checkCone(cone);
    quantity_.requireBound(p_, start());
  }

 private:
  struct Cone {
    std::vector<size_t> rays;
    Matrix shares;  // of each ray: the form that gives its factor in a state
  };

  /// Cones fill the space, face to face, where each of their facets belongs to one other that lies beyond it, and a
  /// state within one of them is in no other: across facets the number of cones around a state does not change, and
  /// whoever crosses facets alone comes everywhere.
  void readFan() {
    const size_t r = model_.rank;
    require(r > 0 && r <= 16, "a rank beyond the limit");
    for (const Row& ray : p_.rays) require(ray.size() == r, "a ray of another dimension");
    Matrix unit(r, Row(r, 0));
    for (size_t i = 0; i < r; ++i) unit[i][i] = 1;
    for (const std::vector<int>& rays : p_.cones) {
      require(rays.size() == r, "a cone whose size does not fit");
      Cone cone;
      Matrix columns(r, Row(r));
      for (size_t k = 0; k < r; ++k) {
        cone.rays.push_back(at(rays[k], p_.rays.size(), "a cone of a ray that is not there"));
        for (size_t i = 0; i < r; ++i) columns[i][k] = p_.rays[cone.rays[k]][i];
      }
      cone.shares = quotient(std::move(columns), unit, false, "a flat cone");
      cones_.push_back(std::move(cone));
    }
    require(!cones_.empty(), "a fan without cones");
    checkFacets();
    checkCover();
  }

  void checkFacets() const {
    std::map<std::vector<size_t>, std::pair<size_t, size_t>> open;  // facet: the cone, and its ray beside the facet
    for (size_t number = 0; number < cones_.size(); ++number) {
      for (size_t k = 0; k < model_.rank; ++k) {
        std::vector<size_t> facet = cones_[number].rays;
        facet.erase(facet.begin() + static_cast<std::ptrdiff_t>(k));
        std::sort(facet.begin(), facet.end());
        const auto [place, made] = open.try_emplace(facet, number, k);
        if (made) continue;
        require(place->second.first < cones_.size(), "a facet of three cones");
        const Cone& other = cones_[place->second.first];
        const Q across = product(other.shares[place->second.second], p_.rays[cones_[number].rays[k]]);
        require(across < 0, "cones on one side of their facet");
        place->second.first = cones_.size();
      }
    }
    for (const auto& [facet, last] : open) require(last.first == cones_.size(), "a facet of one cone");
  }

  void checkCover() const {
    Row within(model_.rank, 0);
    for (size_t ray : cones_[0].rays) addTimes(within, 1, p_.rays[ray]);
    for (size_t number = 1; number < cones_.size(); ++number) {
      const Matrix& shares = cones_[number].shares;
      require(std::any_of(shares.begin(), shares.end(), [&](const Row& share) { return product(share, within) < 0; }),
              "cones that overlap");
    }
  }

  void readValues() {
    for (const FanProof::Value& value : p_.values) {
      require(value.first <= value.second, "a pair in the wrong order");
      const size_t i = at(value.first, p_.rays.size(), "a value of no ray"),
                   j = at(value.second, p_.rays.size(), "a value of no ray");
      require(values_.emplace(std::pair{i, j}, value.value).second, "a value that is there twice");
    }
  }
  void readShares() {
    for (const FanProof::Share& share : p_.shares) {
      const size_t number = model_.numberOf(share.contact, share.slip);
      require(shares_.emplace(std::tuple{share.cone, static_cast<size_t>(share.contact), number}, &share).second,
              "shares that are there twice");
    }
  }

  /// W_jk of the cone's rays.
  Matrix valuesOf(const Cone& cone) const {
    const size_t r = model_.rank;
    Matrix out(r, Row(r));
    for (size_t j = 0; j < r; ++j) {
      for (size_t k = j; k < r; ++k) {
        const auto place = values_.find(std::minmax(cone.rays[j], cone.rays[k]));
        require(place != values_.end(), "a pair of rays without a value");
        out[j][k] = out[k][j] = place->second;
      }
    }
    return out;
  }

  /// A motion on a face of cones is followed on one of them on which all contacts with vn = 0 do not separate: there is
  /// one, as all normal velocities have one sign on each, and against all forces (`pointing`) all of them decrease.
  void checkCone(const Cone& cone) const {
    std::vector<bool> approaches;
    for (size_t row : model_.normal_row) {
      bool above = false, below = false;
      for (size_t ray : cone.rays) {
        const int sign = sgn(product(model_.rows[row], p_.rays[ray]));
        above = above || sign > 0;
        below = below || sign < 0;
      }
      require(above != below, "a normal velocity of both signs on a cone");
      approaches.push_back(below);
    }
    const Matrix values = valuesOf(cone);
    if (std::find(approaches.begin(), approaches.end(), true) == approaches.end()) {
      checkEnd(cone, values);
      return;
    }
    std::vector<int> name;
    for (size_t ray : cone.rays) name.push_back(static_cast<int>(ray));
    std::sort(name.begin(), name.end());
    for (size_t i = 0; i < model_.contacts; ++i) {
      for (size_t k = 0; approaches[i] && k < model_.directions[i]; ++k) checkForce(cone, name, values, i, k);
    }
  }

  void checkForce(const Cone& cone, const std::vector<int>& name, const Matrix& values, size_t contact,
                  size_t number) const {
    const Row& force = model_.impulses[model_.first_impulse[contact] + number];
    const size_t r = model_.rank;
    Row along, growth(r, 0);
    for (const Row& share : cone.shares) along.push_back(2 * product(share, force));
    for (size_t k = 0; k < r; ++k) growth[k] = product(values[k], along);
    if (const auto place = shares_.find(std::tuple{name, contact, number}); place != shares_.end()) {
      const Matrix borders = model_.bordersOf(contact, number);
      const Row& factors = place->second->borders;
      require(factors.size() == borders.size(), "shares whose number does not fit");
      for (size_t b = 0; b < borders.size(); ++b) {
        require(factors[b] >= 0, "a factor of the wrong sign");
        for (size_t k = 0; k < r; ++k) growth[k] -= factors[b] * product(borders[b], p_.rays[cone.rays[k]]);
      }
    }
    // What is left: sum_k growth_k l_k, each l_k limited by the energy; (sum a_k)^2 <= r sum a_k^2.
    Q rest = 0;
    for (size_t k = 0; k < r; ++k) {
      if (growth[k] > 0) rest += growth[k] * growth[k] * model_.mostSquared(cone.shares[k]);
    }
    require(rest * static_cast<unsigned long>(r) <= p_.growth * p_.growth, "a force that raises the potential");
  }

  /// W >= (q.c)^2 for q.c >= 0: the larger of 0 and q.c is at most the sum of these at the rays.
  void checkEnd(const Cone& cone, const Matrix& values) const {
    Row most;
    for (size_t ray : cone.rays) {
      most.push_back(product(quantity_.of, p_.rays[ray]));
      if (most.back() < 0) most.back() = 0;
    }
    for (size_t j = 0; j < most.size(); ++j) {
      for (size_t k = j; k < most.size(); ++k)
        require(values[j][k] >= most[j] * most[k], "a potential below the square of the quantity");
    }
  }

  Q start() const {
    for (const Cone& cone : cones_) {
      Row factors;
      for (const Row& share : cone.shares) factors.push_back(product(share, model_.start));
      if (std::any_of(factors.begin(), factors.end(), [](const Q& factor) { return factor < 0; })) continue;
      const Matrix values = valuesOf(cone);
      Q sum = 0;
      for (size_t k = 0; k < factors.size(); ++k) sum += factors[k] * product(values[k], factors);
      return sum;
    }
    throw Refuted("a start in no cone");
  }

  const FanProof& p_;
  Model model_;
  BoundedQuantity quantity_;
  std::vector<Cone> cones_;
  std::map<std::pair<size_t, size_t>, Q> values_;
  std::map<std::tuple<std::vector<int>, size_t, size_t>, const FanProof::Share*> shares_;
};

}  // namespace
}  // namespace proof

bool checkFan(const FanProof& proof, std::string& failure) {
  failure = proof::refutation([&] { proof::FanCheck(proof).run(); });
  return failure.empty();
}

}  // namespace rigor::impact
