// SPDX-License-Identifier: MIT
#include "record/reader.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <numeric>

#include "record/pending_rows.h"
#include "verify/record/motions.h"

namespace rigor::record {
namespace {

using verify::recorded::Query;

ImpactRow impactOf(const verify::recorded::ImpactRow& row) {
  ImpactRow impact{row.time, row.model, {row.bodies.begin(), row.bodies.end()}, {}, {}, {}};
  for (std::size_t i = 0; i < row.bodies.size(); ++i) {
    impact.before.emplace_back(row.before.data() + 6 * i);
    impact.after.emplace_back(row.after.data() + 6 * i);
  }
  const auto vector = [](const verify::kernel::Vector3& v) { return Eigen::Vector3d(v.data()); };
  for (const verify::recorded::ImpactContact& c : row.contacts)
    impact.contacts.push_back({{c.pair.body_a, c.pair.part_a, c.pair.body_b, c.pair.part_b},
                               vector(c.point),
                               vector(c.normal),
                               vector(c.impulse),
                               c.friction,
                               c.restitution,
                               vector(c.tangent)});
  return impact;
}

}  // namespace

Reader::Reader(const std::string& path, verify::recorded::Connection::View view) : file_(path, view) {
  readHeader();
  readBodies();
}

void Reader::readHeader() {
  const verify::recorded::Meta& meta = file_.meta();
  header_.build = meta.build, header_.scene_name = meta.scene_name, header_.options = meta.options,
  header_.model = meta.model;
  header_.status = meta.status, header_.message = meta.message, header_.summary = meta.summary;
  header_.seed = meta.seed;
  header_.gap_nominal = meta.gap_nominal, header_.gap_floor = meta.gap_floor, header_.until = meta.until;
  for (verify::recorded::FileRow& file : file_.files())
    if (file.role == "scene") header_.scene_path = file.name, header_.scene_text = std::move(file.content);
}

bool Reader::refresh() {
  if (!file_.refresh()) return false;
  index_.refresh();
  const verify::recorded::Meta& meta = file_.meta();
  header_.status = meta.status, header_.message = meta.message, header_.summary = meta.summary;
  return true;
}

void Reader::readBodies() {
  for (const verify::kernel::Body& from : file_.model().bodies) {
    BodyRow body;
    body.name = from.name, body.fixed = from.fixed, body.mass = from.mass;
    const auto& I = from.inertia;
    body.inertia << I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2];
    body.centre = Eigen::Vector3d(from.centre.data());
    for (const verify::kernel::Part& part : from.parts) {
      PartRow& row = body.parts.emplace_back();
      row.half_space = part.half_space;
      row.normal = Eigen::Vector3d(part.normal.data()), row.offset = part.offset;
      for (const verify::kernel::Vector3& vertex : part.vertices) row.vertices.emplace_back(vertex.data());
      if (part.core.empty()) continue;
      row.round = geom::Round{Eigen::Matrix3Xd(3, part.core.size()), part.radius, Eigen::Vector3d(part.axis.data())};
      for (std::size_t k = 0; k < part.core.size(); ++k)
        row.round->core.col(static_cast<Eigen::Index>(k)) = Eigen::Vector3d(part.core[k].data());
    }
    bodies_.push_back(std::move(body));
  }
}

int Reader::numberOf(const std::string& branch) const {
  const auto& rows = file_.branches();
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.id == branch; });
  if (found == rows.end()) throw RecordError(path() + " has no branch '" + branch + "'");
  return static_cast<int>(found - rows.begin());
}

std::vector<BranchRow> Reader::branches() {
  std::vector<BranchRow> list;
  for (const verify::recorded::BranchRow& row : file_.branches())
    list.push_back({row.id, row.parent, row.choice, row.status, row.fork_time, row.weight, row.end_time, row.min_gap});
  return list;
}

std::vector<OpenAlternative> Reader::openAlternatives() {
  std::vector<OpenAlternative> list;
  Query rows(file_.connection(),
             "SELECT branch, parent, choice, fork_time, weight, priority FROM frontier ORDER BY priority DESC, rowid");
  while (rows.next())
    list.push_back({rows.text(0), rows.text(1), rows.text(2), rows.real(3), rows.real(4), rows.realOrInfinity(5)});
  return list;
}

BranchRow Reader::branch(const std::string& id) { return branches()[static_cast<std::size_t>(numberOf(id))]; }

std::vector<BranchRow> Reader::ancestry(const std::string& id) {
  // Parents come before their children: the file's reader has checked it.
  const std::vector<BranchRow> all = branches();
  std::vector<BranchRow> chain;
  for (std::string next = id; !next.empty(); next = chain.front().parent)
    chain.insert(chain.begin(), all[static_cast<std::size_t>(numberOf(next))]);
  return chain;
}

long Reader::count(const std::string& what) {
  if (what == "events" || what == "impacts") {
    Query rows(file_.connection(), "SELECT count(*) FROM " + what);
    return rows.next() ? static_cast<long>(rows.integer(0)) : 0;
  }
  if (what == "pieces") {
    using Id = std::numeric_limits<std::int64_t>;
    const std::vector<std::size_t> counts = file_.countPieces(Id::min(), Id::max());
    return static_cast<long>(std::reduce(counts.begin(), counts.end()));
  }
  long sum = 0;
  // Their blobs begin with how many they hold.
  Query rows(file_.connection(), "SELECT substr(claims, 1, 4) FROM witnesses");
  while (rows.next()) {
    std::uint32_t number = 0;
    const auto bytes = rows.blob(0);
    if (bytes.size() != sizeof number) rows.wrong(0, "as the format has it");
    std::memcpy(&number, bytes.data(), sizeof number);
    sum += number;
  }
  return sum;
}

std::optional<sim::PieceRecord> Reader::ownPieceAt(const std::string& branch, int body, double time) {
  const verify::kernel::Body& model = file_.model().bodies[static_cast<std::size_t>(body)];
  const int number = numberOf(branch);
  if (model.fixed) {
    if (number != 0 || !(time >= 0)) return std::nullopt;
    sim::PieceRecord still{};
    still.body = body;
    still.piece = advance::MotionPiece::constant(
        {Eigen::Vector4d(model.orientation.data()), Eigen::Vector3d(model.position.data())}, 0, INFINITY);
    for (Eigen::Vector3d* v : {&still.v_start, &still.w_start, &still.v_end, &still.w_end}) v->setZero();
    return still;
  }
  const auto found = index_.latest(number, body, time);
  if (!found || !(time <= found->t1)) return std::nullopt;
  return pieceRecord(*found);
}

std::optional<double> Reader::startAfter(const std::string& branch, int body, double time) {
  return index_.startAfter(numberOf(branch), body, time);
}

std::optional<double> Reader::startBefore(const std::string& branch, int body, double time) {
  return index_.startBefore(numberOf(branch), body, time);
}

std::optional<sim::PieceRecord> Reader::pieceAt(const std::string& branch, int body, double time) {
  if (auto found = ownPieceAt(branch, body, time)) return found;
  const std::vector<BranchRow> chain = ancestry(branch);
  for (auto row = chain.rbegin() + 1; row < chain.rend(); ++row)
    if (auto found = ownPieceAt(row->id, body, time)) return found;
  return std::nullopt;
}

BodyState Reader::stateAt(const std::string& branch, int body, double time) {
  const auto record = pieceAt(branch, body, time);
  if (!record)
    throw RecordError(fmt::format("{} has no state of body '{}' at time {} in branch '{}'", path(),
                                  bodies_.at(body).name, time, branch));
  Eigen::Vector3d v{0, 0, 0}, w{0, 0, 0};
  const geom::Pose pose = record->piece.at(time);
  if (time == record->piece.t0) {
    v = record->v_start;
    w = record->w_start;
  } else if (time == record->piece.t1) {
    v = record->v_end;
    w = record->w_end;
  } else if (std::isfinite(record->piece.t1)) {
    record->piece.velocityAt(time, v, w);
  }
  return originState(pose, v, w, bodies_[body].centre);
}

void Reader::forEachPiece(const std::string& branch, double from, double to,
                          const std::function<void(const sim::PieceRecord&)>& use) {
  const auto range = file_.rowsOf("pieces", numberOf(branch));
  if (!range) return;
  // Groups of bodies have clocks of their own: rows are nearly in order of time. A piece waits until no body can have
  // an earlier one.
  std::vector<verify::kernel::Piece> waiting;
  std::vector<verify::recorded::BodyEnd> ends(bodies_.size());
  std::vector<double> clocks;
  for (const BodyRow& body : bodies_) clocks.push_back(body.fixed ? INFINITY : -INFINITY);
  std::size_t look = 1024;  // Pieces that may wait before the next look at the clocks.
  const auto release = [&](double before) {
    std::sort(waiting.begin(), waiting.end(),
              [](const auto& p, const auto& q) { return std::pair(p.t0, p.body) < std::pair(q.t0, q.body); });
    std::size_t count = 0;
    while (count < waiting.size() && waiting[count].t0 < before) use(pieceRecord(waiting[count++]));
    waiting.erase(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(count));
    look = 2 * waiting.size() + 1024;
  };
  file_.forEachPieceRow(range->first, range->second, [&](const verify::recorded::RunFile::PieceRow& row) {
    for (verify::recorded::PackedMotion& motion : row.motions) {
      try {
        verify::recorded::complete(motion, ends[static_cast<std::size_t>(motion.body)]);
      } catch (const verify::recorded::BlobError& error) {
        file_.connection().damaged(fmt::format("row {} of 'pieces' {}", row.id, error.what));
      }
      clocks[static_cast<std::size_t>(motion.body)] = row.t1;
      if (from <= row.t0 && row.t0 <= to) waiting.push_back(motion.piece);
    }
    if (waiting.size() >= look) release(*std::min_element(clocks.begin(), clocks.end()));
  });
  release(INFINITY);
}

std::vector<EventRow> Reader::events(const std::string& branch, double from, double to) {
  std::vector<EventRow> list;
  const auto range = file_.rowsOf("events", numberOf(branch));
  if (!range) return list;
  Query rows(file_.connection(),
             fmt::format("SELECT {} FROM events WHERE id BETWEEN ? AND ? AND time BETWEEN ? AND ? ORDER BY id",
                         verify::recorded::kEventColumns),
             {range->first, range->second, from, to});
  while (rows.next()) {
    verify::recorded::EventRow event = readEvent(rows, file_.model());
    list.push_back({event.time, std::move(event.kind), event.body_a, event.body_b, std::move(event.detail)});
  }
  return list;
}

void Reader::forEachJoint(const std::string& branch, const std::function<void(const JointRow&)>& visit) {
  const auto range = file_.rowsOf("joints", numberOf(branch));
  if (!range) return;
  Query rows(file_.connection(),
             fmt::format("SELECT {} FROM joints WHERE id BETWEEN ? AND ? ORDER BY id", verify::recorded::kJointColumns),
             {range->first, range->second});
  while (rows.next()) {
    const verify::recorded::JointsRow joints = readJoints(rows, file_.coordinates());
    const std::vector<std::string>& names = file_.coordinates()[static_cast<std::size_t>(joints.robot)];
    for (std::size_t i = 0; i < names.size(); ++i)
      visit({joints.time, names[i], joints.values[3 * i], joints.values[3 * i + 1], joints.values[3 * i + 2]});
  }
}

std::vector<ImpactRow> Reader::impacts(const std::string& branch, double from, double to) {
  std::vector<ImpactRow> list;
  const auto range = file_.rowsOf("impacts", numberOf(branch));
  if (!range) return list;
  Query rows(file_.connection(),
             fmt::format("SELECT {} FROM impacts WHERE id BETWEEN ? AND ? AND time BETWEEN ? AND ? ORDER BY id",
                         verify::recorded::kImpactColumns),
             {range->first, range->second, from, to});
  while (rows.next()) list.push_back(impactOf(readImpact(rows, file_.model())));
  return list;
}

std::optional<ImpactRow> Reader::impact(std::int64_t row) {
  Query rows(file_.connection(), fmt::format("SELECT {} FROM impacts WHERE id = ?", verify::recorded::kImpactColumns),
             {row});
  if (!rows.next()) return std::nullopt;
  return impactOf(readImpact(rows, file_.model()));
}

void Reader::forEachContactImpulse(const std::string& branch, double from, double to,
                                   const std::function<void(const ContactImpulseRow&)>& visit) {
  for (const verify::recorded::ActionRow& acted : file_.actions(numberOf(branch))) {
    const verify::kernel::Action& action = acted.action;
    if (!(from <= action.t0 && action.t0 <= to)) continue;
    for (const verify::kernel::Contact& c : action.contacts) {
      const verify::kernel::Facing& f = *c.facing;
      ContactImpulseRow row{action.t0, action.t1, {f.body_a, f.part_a, f.body_b, f.part_b}, {}, {}};
      row.feature.kind = static_cast<advance::AxisKind>(f.kind);
      row.feature.axis = Eigen::Vector3d(f.axis.data());
      // The vertex of kind 0 is B's.
      row.feature.a0 = f.a0, row.feature.a1 = f.a1, row.feature.b0 = f.kind == 0 ? f.a0 : f.b0, row.feature.b1 = f.b1;
      for (const verify::kernel::Impulse& impulse : c.impulses)
        row.impulses.push_back({impulse.time, Eigen::Vector3d(impulse.P.data()), Eigen::Vector3d::Zero()});
      visit(row);
    }
  }
}

std::optional<Snapshot> Reader::latestSnapshot(const std::string& branch, double time) {
  const std::int64_t number = file_.branches()[static_cast<std::size_t>(numberOf(branch))].number;
  Query rows(
      file_.connection(),
      "SELECT time, step, state FROM snapshots WHERE branch = ? AND time <= ? ORDER BY time DESC, id DESC LIMIT 1",
      {number, time});
  if (!rows.next()) return std::nullopt;
  const auto state = rows.blob(2);
  return Snapshot{rows.real(0), static_cast<long>(rows.integer(1)), {state.begin(), state.end()}};
}

BodyState originState(const geom::Pose& centre_pose, const Eigen::Vector3d& v, const Eigen::Vector3d& w,
                      const Eigen::Vector3d& centre) {
  if (centre.isZero(0)) return {centre_pose.p, v, w, centre_pose.q};
  const Eigen::Vector3d arm = centre_pose.rotation() * centre;
  return {centre_pose.p - arm, v - w.cross(arm), w, centre_pose.q};
}

}  // namespace rigor::record
