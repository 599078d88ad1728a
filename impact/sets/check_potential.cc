// SPDX-License-Identifier: MIT
#include <algorithm>
#include <set>

#include "impact/sets/bounded_quantity.h"
#include "impact/sets/certificate_model.h"
#include "impact/sets/potential.h"

namespace rigor::impact {
namespace proof {
namespace {

class PotentialCheck {
 public:
  explicit PotentialCheck(const PotentialProof& proof)
      : p_(proof), model_(proof.problem, proof.coordinates), quantity_(proof, model_) {
    for (size_t row : model_.normal_row) forms_.push_back(model_.rows[row]);
    for (const Row& feature : p_.features) forms_.push_back(feature);
    for (const Row& form : forms_) require(form.size() == model_.rank, "a feature of another dimension");
    require(forms_.size() <= 20, "too many features");
  }

  void run() {
    checkSizes();
    // Every motion on the faces of all f_a has a part: its contacts with vn <= 0 and features below 0 have sign -1.
    std::set<Signs> told;
    for (const PotentialProof::Part& part : p_.parts) {
      require(part.signs.size() == forms_.size(), "a part without a sign for every form");
      for (int sign : part.signs) require(sign == 1 || sign == -1, "a sign that is none");
      require(told.insert(part.signs).second, "a part that is there twice");
      checkPart(part);
    }
    require(told.size() == size_t{1} << forms_.size(), "signs without a part");
    checkBound();
  }

 private:
  void checkSizes() const {
    const size_t r = model_.rank, count = forms_.size();
    require(p_.square.size() == r && p_.linear.size() == count && p_.cross.size() == count &&
                p_.pointing.size() == r,
            "a potential whose sizes do not fit");
    for (size_t i = 0; i < r; ++i) {
      require(p_.square[i].size() == r, "a potential whose sizes do not fit");
      for (size_t j = 0; j < i; ++j)
        require(p_.square[i][j] == p_.square[j][i], "a square that is not symmetric");
    }
    for (size_t a = 0; a < count; ++a)
      require(p_.linear[a].size() == r && p_.cross[a].size() == count - a - 1, "a potential whose sizes do not fit");
  }

  /// S_s.
  Matrix squareOf(const Signs& signs) const {
    Matrix out = p_.square;
    for (size_t a = 0; a < forms_.size(); ++a) {
      Row with = p_.linear[a];
      for (size_t b = a + 1; b < forms_.size(); ++b) addTimes(with, p_.cross[a][b - a - 1] * signs[b], forms_[b]);
      addProduct(out, Q(signs[a]), forms_[a], with);
    }
    return out;
  }

  /// Adds factor (a.c)(b.c), as a symmetric matrix.
  static void addProduct(Matrix& square, const Q& factor, const Row& a, const Row& b) {
    const Q half = factor / 2;
    for (size_t i = 0; i < a.size(); ++i) {
      for (size_t j = 0; j < a.size(); ++j) square[i][j] += half * (a[i] * b[j] + b[i] * a[j]);
    }
  }

  void checkPart(const PotentialProof::Part& part) {
    const Signs& signs = part.signs;
    if (!part.needless.empty()) {
      checkNeedless(part);
      return;
    }
    const bool finished = std::all_of(signs.begin(), signs.begin() + static_cast<std::ptrdiff_t>(model_.contacts),
                                      [](int sign) { return sign > 0; });
    const Matrix square = squareOf(signs);
    if (finished) {
      require(part.slopes.empty(), "a slope where nothing moves");
      checkEnd(part, square);
      return;
    }
    require(part.products.empty(), "products where a contact approaches");
    std::set<std::pair<int, size_t>> told;
    for (const PotentialProof::Slope& slope : part.slopes) {
      const size_t number = model_.numberOf(slope.contact, slope.slip);
      require(signs[static_cast<size_t>(slope.contact)] < 0, "a slope of a force that cannot push");
      require(told.insert({slope.contact, number}).second, "a slope that is there twice");
      checkSlope(slope, number, signs, square);
    }
    size_t needed = 0;
    for (size_t i = 0; i < model_.contacts; ++i) needed += signs[i] < 0 ? model_.directions[i] : 0;
    require(told.size() == needed, "a force without a slope");
  }

  void checkNeedless(const PotentialProof::Part& part) const {
    require(part.needless.size() == forms_.size() && part.slopes.empty() && part.products.empty(),
            "a part that is needed, or not");
    Row sum(model_.rank, 0);
    bool elsewhere = false;
    for (size_t a = 0; a < forms_.size(); ++a) {
      require(part.needless[a] >= 0, "a factor of the wrong sign");
      addTimes(sum, part.needless[a] * part.signs[a], forms_[a]);
      elsewhere = elsewhere || (part.needless[a] > 0 && (part.signs[a] > 0) == (a < model_.contacts));
    }
    require(elsewhere && sum == Row(model_.rank, 0), "a part that states may belong to");
  }

  void checkSlope(const PotentialProof::Slope& slope, size_t number, const Signs& signs, const Matrix& square) const {
    const Row& force = model_.effect(slope.contact, slope.slip);
    Row rest;
    for (const Row& row : square) rest.push_back(2 * product(row, force));
    require(slope.planes.size() == forms_.size(), "a slope without a factor for every form");
    for (size_t a = 0; a < forms_.size(); ++a) {
      require(slope.planes[a] >= 0, "a factor of the wrong sign");
      addTimes(rest, slope.planes[a] * signs[a], forms_[a]);
    }
    const std::vector<Row> borders = model_.bordersOf(static_cast<size_t>(slope.contact), number);
    require(slope.borders.size() == borders.size(), "a slope without a factor for every border");
    for (size_t b = 0; b < borders.size(); ++b) {
      require(slope.borders[b] >= 0, "a factor of the wrong sign");
      addTimes(rest, -slope.borders[b], borders[b]);
    }
    require(model_.mostSquared(rest) <= p_.growth * p_.growth, "a force that raises the potential");
  }

  /// W_s >= (q.c)^2 for q.c >= 0.
  void checkEnd(const PotentialProof::Part& part, Matrix square) const {
    std::vector<Row> positive;
    for (size_t a = 0; a < forms_.size(); ++a) {
      positive.push_back(forms_[a]);
      for (Q& entry : positive.back()) entry *= part.signs[a];
    }
    positive.push_back(quantity_.of);
    addProduct(square, -1, quantity_.of, quantity_.of);
    require(part.products.size() == positive.size(), "products whose number does not fit");
    for (size_t a = 0; a < positive.size(); ++a) {
      require(part.products[a].size() == positive.size() - a, "products whose number does not fit");
      for (size_t b = a; b < positive.size(); ++b) {
        require(part.products[a][b - a] >= 0, "a factor of the wrong sign");
        addProduct(square, -part.products[a][b - a], positive[a], positive[b]);
      }
    }
    quotient(square, Matrix(model_.rank, Row(1, 0)), true, "a potential below the square of the quantity");
  }

  /// |q.c| at outcomes from W at the start and what it may grow.
  void checkBound() const {
    Signs signs;
    for (const Row& form : forms_) signs.push_back(product(form, model_.start) < 0 ? -1 : 1);
    Q start = 0;
    const Matrix square = squareOf(signs);
    for (size_t i = 0; i < model_.rank; ++i) start += model_.start[i] * product(square[i], model_.start);
    quantity_.requireBound(p_, start);
  }

  const PotentialProof& p_;
  Model model_;
  Matrix forms_;
  BoundedQuantity quantity_;
};

}  // namespace
}  // namespace proof

bool checkPotential(const PotentialProof& proof, std::string& failure) {
  failure = proof::refutation([&] { proof::PotentialCheck(proof).run(); });
  return failure.empty();
}

}  // namespace rigor::impact
