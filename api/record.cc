// SPDX-License-Identifier: MIT
#include "rigor/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "api/contact_force.h"
#include "api/scene_impl.h"
#include "record/followers.h"
#include "record/reader.h"
#include "record/sensors.h"

namespace rigor {

struct Record::Impl {
  explicit Impl(const std::string& path) : reader(path) {
    const record::RunHeader& h = reader.header();
    info = {h.build, h.scene_name, h.status, h.message, h.scene_text,  h.options,
            h.model, h.summary,    h.seed,   h.until,   h.gap_nominal, h.gap_floor};
  }

  int body(const std::string& name) const {
    const auto& bodies = reader.bodies();
    const auto found = std::find_if(bodies.begin(), bodies.end(), [&](const auto& body) { return body.name == name; });
    if (found != bodies.end()) return static_cast<int>(found - bodies.begin());
    std::vector<std::string> names;
    for (const auto& body : bodies) names.push_back(body.name);
    throw InputError(fmt::format("no body '{}'; allowed: {}", name, fmt::join(names, ", ")));
  }
  std::string nameOf(int body) const {
    return body >= 0 ? reader.bodies()[static_cast<std::size_t>(body)].name : std::string();
  }

  /// use(row, piece, time) for each time, with the piece that covers it; of two the later one. Ascending times look it
  /// up once a piece.
  template <typename Use>
  void each(const std::string& name, std::span<const double> times, const std::string& branch, Use&& use) {
    withUserErrors([&] {
      const int number = body(name);
      const Eigen::Vector3d centre = reader.bodies()[static_cast<std::size_t>(number)].centre;
      std::optional<sim::PieceRecord> piece;
      for (std::size_t i = 0; i < times.size(); ++i) {
        const double t = times[i];
        if (!piece || !(piece->piece.t0 <= t && t < piece->piece.t1)) piece = reader.pieceAt(branch, number, t);
        if (!piece)
          throw InputError(fmt::format("{}: nothing of '{}' at {} s in branch {}", reader.path(), name, t, branch));
        Eigen::Vector3d v = Eigen::Vector3d::Zero(), w = v;
        if (t == piece->piece.t0) v = piece->v_start, w = piece->w_start;
        else if (t == piece->piece.t1) v = piece->v_end, w = piece->w_end;
        else if (std::isfinite(piece->piece.t1)) piece->piece.velocityAt(t, v, w);
        use(i, record::originState(piece->piece.at(t), v, w, centre));
      }
    });
  }

  record::Reader reader;
  RecordInfo info;
};

Record::Record(const std::string& path) {
  withUserErrors([&] { impl_ = std::make_unique<Impl>(path); });
}
Record::~Record() = default;
Record::Record(Record&&) noexcept = default;

const std::string& Record::path() const { return impl_->reader.path(); }
const RecordInfo& Record::info() const { return impl_->info; }

std::vector<Branch> Record::branches() const {
  return withUserErrors([&] {
    std::vector<Branch> list;
    for (const record::BranchRow& row : impl_->reader.branches())
      list.push_back(
          {row.id, row.parent, row.fork_time, row.end_time, row.min_gap, row.weight, row.status, row.choice});
    return list;
  });
}

std::vector<std::string> Record::bodies() const {
  std::vector<std::string> list;
  for (const auto& body : impl_->reader.bodies()) list.push_back(body.name);
  return list;
}

void Record::poses(const std::string& body, std::span<const double> times, const std::string& branch,
                   double* rows) const {
  impl_->each(body, times, branch, [&](std::size_t i, const record::BodyState& state) {
    for (int k = 0; k < 3; ++k) rows[7 * i + static_cast<std::size_t>(k)] = state.position[k];
    for (int k = 0; k < 4; ++k) rows[7 * i + 3 + static_cast<std::size_t>(k)] = state.orientation[k];
  });
}

void Record::velocities(const std::string& body, std::span<const double> times, const std::string& branch,
                        double* rows) const {
  impl_->each(body, times, branch, [&](std::size_t i, const record::BodyState& state) {
    for (int k = 0; k < 3; ++k) rows[6 * i + static_cast<std::size_t>(k)] = state.velocity[k];
    for (int k = 0; k < 3; ++k) rows[6 * i + 3 + static_cast<std::size_t>(k)] = state.angular_velocity[k];
  });
}

std::vector<Event> Record::events(const std::string& branch) const {
  return withUserErrors([&] {
    std::vector<Event> list;
    for (const record::EventRow& row : impl_->reader.events(branch, -HUGE_VAL, HUGE_VAL))
      list.push_back({row.time, row.kind, impl_->nameOf(row.body_a), impl_->nameOf(row.body_b), row.detail});
    return list;
  });
}

std::vector<Impact> Record::impacts(const std::string& branch) const {
  return withUserErrors([&] {
    std::vector<Impact> list;
    for (const record::ImpactRow& row : impl_->reader.impacts(branch, -HUGE_VAL, HUGE_VAL)) {
      Impact& impact = list.emplace_back();
      impact.time = row.time, impact.model = row.model;
      for (const int body : row.bodies) impact.bodies.push_back(impl_->nameOf(body));
      for (const auto& v : row.before) impact.before.push_back({v[0], v[1], v[2], v[3], v[4], v[5]});
      for (const auto& v : row.after) impact.after.push_back({v[0], v[1], v[2], v[3], v[4], v[5]});
      for (const record::ImpactContactRow& c : row.contacts)
        impact.contacts.push_back({impl_->nameOf(c.pair.body_a), impl_->nameOf(c.pair.body_b), toArray(c.point),
                                   toArray(c.normal), toArray(c.tangent), toArray(c.impulse), c.friction,
                                   c.restitution});
    }
    return list;
  });
}

std::vector<JointSample> Record::joints(const std::string& branch) const {
  return withUserErrors([&] {
    std::vector<JointSample> list;
    const record::Followers followers(impl_->reader);
    const auto add = [&](const record::JointRow& row) {
      list.push_back({row.time, row.joint, row.position, row.velocity, row.effort});
    };
    impl_->reader.forEachJoint(branch, [&](const record::JointRow& row) { followers.with(row, add); });
    return list;
  });
}

std::vector<SensorSample> Record::sensors(const std::string& link, std::span<const double> times,
                                          const std::string& branch) const {
  return withUserErrors([&] {
    std::vector<SensorSample> list;
    for (const record::SensorRow& row :
         record::sensorsOf(impl_->reader, branch, impl_->body(link), {times.begin(), times.end()}))
      list.push_back({row.time, row.touches, toArray(row.force), toArray(row.torque), toArray(row.specific_force),
                      toArray(row.angular_velocity)});
    return list;
  });
}

std::vector<Contact> Record::contacts(double time, const std::string& branch) const {
  return withUserErrors([&] {
    std::vector<Contact> list;
    record::Reader& reader = impl_->reader;
    const auto part = [&](int body, int number, double t) {
      const record::BodyState state = reader.stateAt(branch, body, t);
      const record::PartRow& row =
          reader.bodies()[static_cast<std::size_t>(body)].parts[static_cast<std::size_t>(number)];
      const auto& vertices = row.vertices;
      return TouchingPart{
          {state.orientation, state.position},
          {vertices.empty() ? nullptr : vertices[0].data(), 3, static_cast<Eigen::Index>(vertices.size())},
          row.round ? &*row.round : nullptr};
    };
    const double end = reader.branch(branch).end_time;
    reader.forEachContactImpulse(branch, -HUGE_VAL, time, [&](const record::ContactImpulseRow& row) {
      const bool jump = row.t0 == row.t1;
      if (jump ? row.t0 != time : !(time < row.t1 || (time == row.t1 && time == end))) return;
      Contact& contact =
          list.emplace_back(contactOf(row.t0, row.t1, row.feature, row.impulses, [&](int side, double t) {
            return side == 0 ? part(row.pair.body_a, row.pair.part_a, t) : part(row.pair.body_b, row.pair.part_b, t);
          }));
      contact.body_a = impl_->nameOf(row.pair.body_a), contact.body_b = impl_->nameOf(row.pair.body_b);
    });
    return list;
  });
}

}  // namespace rigor
