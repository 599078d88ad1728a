// SPDX-License-Identifier: MIT
#include "impact/models/reflections.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <unordered_map>

namespace rigor::impact {
namespace {

// Velocities nearer than this, relative to the largest before, are the same: reflections keep lengths, so rounding
// grows by about 1e-16 a reflection only.
constexpr double kSameVelocity = 1e-9;
// Bounds the memory: about 150 bytes each.
constexpr std::size_t kMaxVelocities = std::size_t{1} << 20;
// Approach speeds that differ by less than this fraction are equal, and the rank decides.
constexpr double kSameSpeed = 1e-9;

std::uint64_t mix(std::uint64_t x) {  // splitmix64
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

struct Found {
  int outcome;
  double count;
};

class ReflectionSearch {
 public:
  ReflectionSearch(const Eigen::MatrixXd& A, const Eigen::VectorXd& w, const std::vector<int>& rank,
                   const ReflectionOptions& options, bool first_only)
      : m_(static_cast<int>(w.size())), rank_(rank), options_(options), first_only_(first_only) {
    // Unit normals in the kinetic metric and speeds of order one: nothing depends on units.
    root_.resize(m_);
    for (int i = 0; i < m_; ++i) root_[i] = A(i, i) > 0 ? std::sqrt(A(i, i)) : 0;
    scale_ = 0;
    double largest = 0;
    for (int i = 0; i < m_; ++i) {
      largest = std::max(largest, std::abs(w[i]));
      if (root_[i] > 0) scale_ = std::max(scale_, std::abs(w[i]) / root_[i]);
    }
    cosine_.setIdentity(m_, m_);
    Eigen::VectorXd start = Eigen::VectorXd::Zero(m_);
    least_ = Eigen::VectorXd::Zero(m_);
    for (int i = 0; i < m_; ++i) {
      if (!(root_[i] > 0)) continue;  // A zero normal never approaches.
      for (int j = 0; j < m_; ++j) {
        if (j != i && root_[j] > 0) cosine_(j, i) = A(j, i) / (root_[i] * root_[j]);
      }
      start[i] = w[i] / (root_[i] * scale_);
      least_[i] = -options.tolerance * largest / (root_[i] * scale_);
    }
    reflected_.resize(m_);
    (void)intern(start);
  }

  ReflectionStatus run() {
    (void)descend(0);
    if (found_.empty()) return exhausted() ? ReflectionStatus::kBudget : ReflectionStatus::kNone;
    return exhausted() && !first_only_ ? ReflectionStatus::kBudget : ReflectionStatus::kComplete;
  }

  /// Outcomes in the order of discovery, in the caller's units.
  void publish(const Eigen::VectorXd& w, std::vector<ReflectionSequence>& sequences) const {
    sequences.clear();
    for (const Sequence& f : found_) {
      ReflectionSequence s;
      s.contacts = f.contacts;
      s.count = f.count;
      s.impulse.setZero(m_);
      s.normal_velocity = w;
      // Once more along the sequence, from the exact start.
      Eigen::VectorXd u(m_);
      for (int i = 0; i < m_; ++i) u[i] = root_[i] > 0 ? w[i] / root_[i] : 0;
      for (const int c : f.contacts) {
        const double push = -2 * u[c];
        s.impulse[c] += push / root_[c];
        u += push * cosine_.col(c);
      }
      for (int i = 0; i < m_; ++i) {
        if (root_[i] > 0) s.normal_velocity[i] = u[i] * root_[i];
      }
      sequences.push_back(std::move(s));
    }
  }

 private:
  struct Sequence {
    std::vector<int> contacts;
    double count = 0;
  };

  bool exhausted() const { return work_ > options_.max_work || feasible_.size() > kMaxVelocities; }

  const double* state(int id) const { return &states_[static_cast<std::size_t>(id) * m_]; }

  // The number of a velocity; equal ones within kSameVelocity share it. Buckets of a fixed linear form.
  int intern(const Eigen::VectorXd& u) {
    double form = 0;
    for (int i = 0; i < m_; ++i) form += u[i] * (1 + 0.6180339887498949 * ((i * 7 + 3) % 11));
    const auto bucket = static_cast<std::int64_t>(std::floor(form / kBucket));
    for (std::int64_t b = bucket - 1; b <= bucket + 1; ++b) {
      const auto [begin, end] = buckets_.equal_range(b);
      for (auto it = begin; it != end; ++it) {
        const double* s = state(it->second);
        double distance = 0;
        for (int i = 0; i < m_; ++i) distance = std::max(distance, std::abs(s[i] - u[i]));
        if (distance <= kSameVelocity) return it->second;
      }
    }
    const int id = static_cast<int>(feasible_.size());
    states_.insert(states_.end(), u.data(), u.data() + m_);
    next_.insert(next_.end(), m_, -1);
    feasible_.push_back((u.array() >= least_.array()).all());  // NaN -> never feasible, ends by the budget
    mark_.push_back(0);
    buckets_.emplace(bucket, id);
    return id;
  }

  int reflect(int id, int contact) {
    const std::size_t slot = static_cast<std::size_t>(id) * m_ + contact;
    if (next_[slot] < 0) {
      const double* s = state(id);
      const double push = -2 * s[contact];
      for (int i = 0; i < m_; ++i) reflected_[i] = s[i] + push * cosine_(i, contact);
      const int to = intern(reflected_);
      next_[slot] = to;
    }
    return next_[slot];
  }

  // All outcomes of continuations of the present prefix, whose velocity is `full`; lesser_ holds the velocities of its
  // proper subsequences, none of them feasible.
  std::vector<Found> descend(int full) {
    const Key key{mix(static_cast<std::uint64_t>(full) ^ hash_), hash2_ + mix(~static_cast<std::uint64_t>(full))};
    if (const auto known = memo_.find(key); known != memo_.end()) return known->second;
    std::vector<Found> all;
    std::vector<int> order;
    for (const int c : rank_) {
      if (state(full)[c] < least_[c]) order.push_back(c);
    }
    // Insertion with a tolerance: a speed passes those in front of it only if it is larger by more than rounding.
    for (std::size_t k = 1; k < order.size(); ++k) {
      for (std::size_t j = k; j > 0 && state(full)[order[j]] < state(full)[order[j - 1]] - kSameSpeed; --j) {
        std::swap(order[j], order[j - 1]);
      }
    }
    for (const int contact : order) {
      if (exhausted() || (first_only_ && !found_.empty())) break;
      tryContact(full, contact, all);
    }
    if (!exhausted()) memo_.emplace(key, all);
    return all;
  }

  void tryContact(int full, int contact, std::vector<Found>& all) {
    const std::size_t size = lesser_.size();
    const std::uint64_t hash = hash_, hash2 = hash2_;
    const int to = reflect(full, contact);
    bool minimal = true;
    for (std::size_t k = 0; k < size && minimal; ++k) {
      const int sub = reflect(lesser_[k], contact);
      ++work_;
      minimal = !feasible_[sub];
      addLesser(sub);
    }
    ++work_;
    addLesser(full);
    // A velocity that a subsequence reaches too: whatever follows, follows there as well.
    minimal = minimal && mark_[to] == 0;
    if (minimal) {
      path_.push_back(contact);
      if (feasible_[to]) {
        add(all, outcomeOf(to), 1);
      } else {
        for (const Found& f : descend(to)) add(all, f.outcome, f.count);
      }
      path_.pop_back();
    }
    while (lesser_.size() > size) {
      mark_[lesser_.back()] = 0;
      lesser_.pop_back();
    }
    hash_ = hash;
    hash2_ = hash2;
    if (path_.empty()) {
      for (std::size_t o = 0; o < found_.size(); ++o) found_[o].count = 0;
      for (const Found& f : all) found_[f.outcome].count = f.count;
    }
  }

  void addLesser(int id) {
    if (mark_[id]) return;
    mark_[id] = 1;
    lesser_.push_back(id);
    hash_ += mix(static_cast<std::uint64_t>(id));  // A sum: the set counts, not its order.
    hash2_ += mix(mix(static_cast<std::uint64_t>(id)) ^ 0x5851f42d4c957f2du);
  }

  static void add(std::vector<Found>& all, int outcome, double count) {
    for (Found& f : all) {
      if (f.outcome == outcome) {
        f.count += count;
        return;
      }
    }
    all.push_back({outcome, count});
  }

  int outcomeOf(int id) {
    const auto [it, fresh] = outcome_.try_emplace(id, static_cast<int>(found_.size()));
    if (fresh) found_.push_back({path_, 0});
    return it->second;
  }

  using Key = std::pair<std::uint64_t, std::uint64_t>;
  struct KeyHash {
    std::size_t operator()(const Key& k) const { return k.first ^ (k.second * 3); }
  };
  static constexpr double kBucket = 1e-6;  // Far wider than kSameVelocity times the form's coefficients.

  int m_;
  const std::vector<int>& rank_;
  ReflectionOptions options_;
  bool first_only_;
  double scale_ = 0;
  std::vector<double> root_;
  Eigen::MatrixXd cosine_;
  Eigen::VectorXd least_, reflected_;
  std::vector<double> states_;  // Velocities by number, m each; parallel: next_ (m each), feasible_, mark_
  std::vector<int> next_;
  std::vector<char> feasible_, mark_;
  std::unordered_multimap<std::int64_t, int> buckets_;
  std::vector<int> lesser_, path_;
  std::uint64_t hash_ = 0, hash2_ = 0;
  std::unordered_map<Key, std::vector<Found>, KeyHash> memo_;
  std::map<int, int> outcome_;
  std::vector<Sequence> found_;
  std::size_t work_ = 0;
};

}  // namespace

ReflectionStatus findAllReflections(const Eigen::MatrixXd& A, const Eigen::VectorXd& w, const std::vector<int>& rank,
                                    const ReflectionOptions& options, std::vector<ReflectionSequence>& sequences) {
  ReflectionSearch search(A, w, rank, options, false);
  const ReflectionStatus status = search.run();
  search.publish(w, sequences);
  return status;
}

ReflectionStatus findFirstReflections(const Eigen::MatrixXd& A, const Eigen::VectorXd& w, const std::vector<int>& rank,
                                      const ReflectionOptions& options, ReflectionSequence& sequence) {
  ReflectionSearch search(A, w, rank, options, true);
  const ReflectionStatus status = search.run();
  std::vector<ReflectionSequence> sequences;
  search.publish(w, sequences);
  if (!sequences.empty()) sequence = std::move(sequences[0]);
  return status;
}

}  // namespace rigor::impact
