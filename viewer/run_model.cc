// SPDX-License-Identifier: MIT
#include "viewer/run_model.h"

#include <sys/stat.h>

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "sim/scales.h"
#include "viewer/recorded_scene.h"

namespace rigor::viewer {
namespace {

std::uint64_t fileId(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 ? static_cast<std::uint64_t>(info.st_ino) + 1 : 0;
}

double partRadius(const std::vector<geom::Shape>& parts, const Eigen::Vector3d& centre) {
  double radius = 0;
  for (const geom::Shape& part : parts)
    if (const auto* polytope = std::get_if<geom::Polytope>(&part))
      for (int v = 0; v < polytope->numVertices(); ++v)
        radius = std::max(radius, (polytope->vertex(v) - centre).norm());
  return radius;
}

}  // namespace

std::unique_ptr<RunModel> RunModel::openRecord(const std::string& path) {
  std::unique_ptr<RunModel> model(new RunModel);
  model->path_ = path;
  model->file_id_ = fileId(path);
  model->reader_ = std::make_unique<record::Reader>(path, verify::recorded::Connection::View::kLive);
  model->header_ = model->reader_->header();
  model->readBodies();
  model->readBranches();
  try {
    const sim::Scene scene = recordedScene(*model->reader_);
    model->gravity_ = scene.gravity;
    model->readJoints(scene);
  } catch (const std::exception&) {
    // The scene is for the energy plot and joint axes alone: the default gravity stays.
  }
  if (model->branches_.empty()) throw record::RecordError("damaged record " + path + ": it has no branch");
  return model;
}

std::unique_ptr<RunModel> RunModel::fromScene(const sim::Scene& scene) {
  std::unique_ptr<RunModel> model(new RunModel);
  const sim::Scales scales = sim::Scales::fromScene(scene);
  model->path_ = scene.path;
  model->header_.scene_name = scene.name;
  model->header_.scene_text = scene.text;
  model->header_.status = "start";
  model->header_.until = scene.until;
  model->header_.gap_nominal = scales.gap;
  model->header_.gap_floor = scales.floor;
  model->gravity_ = scene.gravity;
  for (const sim::Body& body : scene.bodies) {
    ModelBody& b = model->bodies_.emplace_back(
        ModelBody{body.name, body.fixed, body.mass, body.inertia, body.centre, body.parts, 0});
    b.radius = partRadius(b.parts, b.centre);
    if (!b.fixed) model->size_ = std::max(model->size_, b.radius);
    sim::PieceRecord still;
    still.body = static_cast<int>(model->bodies_.size()) - 1;
    still.step = 0;
    still.piece = advance::MotionPiece::constant({body.pose.q, body.pose * body.centre}, 0, INFINITY);
    still.w_start = still.w_end = body.angular_velocity;
    still.v_start = still.v_end =
        body.velocity + body.angular_velocity.cross(body.pose.rotation() * body.centre);
    if (body.fixed) still.v_start.setZero(), still.w_start.setZero();
    model->still_.push_back(still);
    model->has_still_.push_back(true);
  }
  model->readJoints(scene);
  ModelBranch root;
  root.id = "0";
  root.status = "start";
  model->branches_.push_back(root);
  model->branch_index_["0"] = 0;
  return model;
}

void RunModel::readJoints(const sim::Scene& scene) {
  for (const sim::SceneRobot& robot : scene.robots) {
    const dynamics::ArticulatedModel& mechanism = *robot.robot.model;
    for (int j = 0; j < mechanism.numJoints(); ++j) {
      const auto& joint = mechanism.joint(j);
      const std::string link = robot.robot.name + "/" + mechanism.link(joint.child).name;
      const auto body =
          std::find_if(bodies_.begin(), bodies_.end(), [&](const ModelBody& b) { return b.name == link; });
      if (body == bodies_.end()) continue;
      const auto add = [&](const Eigen::Vector3d& axis, bool slides) {
        // The child's frame is the joint's where it is at zero, and turns about this axis: it is fixed in the child,
        // too.
        joints_.push_back({robot.robot.name + "/" + joint.name, static_cast<int>(body - bodies_.begin()),
                           Eigen::Vector3d::Zero(), axis.normalized(), slides});
      };
      switch (joint.type) {
        case dynamics::JointType::kRevolute: add(joint.axis, false); break;
        case dynamics::JointType::kPrismatic: add(joint.axis, true); break;
        case dynamics::JointType::kUniversal: add(joint.axis2, false); break;
        case dynamics::JointType::kPlanar: add(joint.axis, false); break;
        default: break;  // Fixed, floating, and balls have no axis.
      }
    }
  }
}

void RunModel::readBodies() {
  bodies_.clear();
  size_ = 0;
  for (const record::BodyRow& row : reader_->bodies()) {
    ModelBody body{row.name, row.fixed, row.mass, row.inertia, row.centre, {}, 0};
    for (const record::PartRow& part : row.parts) {
      if (part.half_space) {
        if (!(part.normal.norm() > 0)) throw record::RecordError("damaged record " + path_ + ": a plane has no normal");
        body.parts.push_back(geom::HalfSpace{part.normal, part.offset});
        continue;
      }
      try {
        body.parts.push_back(part.round ? geom::Polytope::inscribed(part.vertices, *part.round)
                                        : geom::Polytope::fromPoints(part.vertices));
      } catch (const geom::GeometryError& error) {
        throw record::RecordError(fmt::format("damaged record {}: body '{}': {}", path_, row.name, error.what()));
      }
    }
    body.radius = partRadius(body.parts, body.centre);
    if (!body.fixed) size_ = std::max(size_, body.radius);
    bodies_.push_back(std::move(body));
  }
  still_.assign(bodies_.size(), {});
  has_still_.assign(bodies_.size(), false);
}

void RunModel::readBranches() {
  branches_.clear();
  branch_index_.clear();
  for (record::BranchRow& row : reader_->branches()) {
    ModelBranch branch;
    branch.fork_time = row.fork_time;
    branch.end_time = row.end_time;
    branch.weight = row.weight;
    branch.min_gap = row.min_gap;
    branch.choice = std::move(row.choice);
    branch.status = std::move(row.status);
    const int index = static_cast<int>(branches_.size());
    if (!row.parent.empty()) {
      const auto parent = branch_index_.find(row.parent);
      if (parent == branch_index_.end())
        throw record::RecordError(fmt::format("damaged record {}: branch '{}' comes before its parent '{}'", path_,
                                              row.id, row.parent));
      branch.parent = parent->second;
      branch.depth = branches_[branch.parent].depth + 1;
      branches_[branch.parent].children.push_back(index);
    }
    branch_index_.emplace(row.id, index);
    branch.id = std::move(row.id);
    branches_.push_back(std::move(branch));
  }
}

bool RunModel::refresh() {
  if (!reader_) return false;
  const std::uint64_t id = fileId(path_);
  if (id == 0) throw record::RecordError("the record " + path_ + " is gone; what was read of it is shown");
  if (id != file_id_) {  // Replaced: a new run under the old name.
    auto fresh = openRecord(path_);
    *this = std::move(*fresh);
    return true;
  }
  if (header_.status != "running") return false;
  if (!reader_->refresh()) return false;
  // A body's last piece may not have been there: look again.
  cache_.clear();
  readBranches();
  header_ = reader_->header();
  return true;
}

int RunModel::findBranch(const std::string& id) const {
  const auto found = branch_index_.find(id);
  return found == branch_index_.end() ? -1 : found->second;
}

int RunModel::heaviestLeaf(int branch) const {
  for (;;) {
    int best = -1;
    for (const int child : branches_[branch].children) {
      if (branches_[branch].end_time > branches_[child].fork_time) continue;  // The parent goes on by itself.
      if (best < 0 || branches_[child].weight > branches_[best].weight) best = child;
    }
    if (best < 0) return branch;
    branch = best;
  }
}

double RunModel::endTime() const {
  double end = 0;
  for (const ModelBranch& branch : branches_) end = std::max(end, branch.end_time);
  return end;
}

int RunModel::ownerAt(int branch, double time) const {
  while (branches_[branch].parent >= 0 && time < branches_[branch].fork_time) branch = branches_[branch].parent;
  return branch;
}

const sim::PieceRecord* RunModel::pieceAt(int branch, int body, double time) {
  if (has_still_[body]) return &still_[body];
  if (!reader_) return nullptr;
  if (bodies_[body].fixed) {
    const auto piece = reader_->pieceAt(branches_[0].id, body, 0);
    if (!piece) return nullptr;
    still_[body] = *piece;
    has_still_[body] = true;
    return &still_[body];
  }
  time = std::clamp(time, 0.0, std::max(0.0, branches_[branch].end_time));
  int owner = ownerAt(branch, time);
  for (;;) {
    const std::uint64_t key = static_cast<std::uint64_t>(owner) * bodies_.size() + static_cast<std::uint64_t>(body);
    auto slot = cache_.find(key);
    if (slot != cache_.end() && slot->second.known && time >= slot->second.piece.piece.t0 &&
        time < slot->second.piece.piece.t1)
      return &slot->second.piece;
    if (auto piece = reader_->ownPieceAt(branches_[owner].id, body, time)) {
      if (slot == cache_.end()) {
        if (cache_.size() >= kCachedPieces) cache_.clear();
        slot = cache_.emplace(key, Slot{}).first;
      }
      slot->second = {true, *piece};
      return &slot->second.piece;
    }
    // Not in the owner itself: its pieces may start a rounding later, or a resting body's piece of the parent goes on.
    if (branches_[owner].parent < 0) return nullptr;
    owner = branches_[owner].parent;
  }
}

void RunModel::placementsAt(int branch, double time, std::vector<Placement>& out) {
  out.resize(bodies_.size());
  time = std::clamp(time, 0.0, std::max(0.0, branches_.at(branch).end_time));
  for (int b = 0; b < static_cast<int>(bodies_.size()); ++b) {
    Placement& place = out[b];
    const sim::PieceRecord* record = pieceAt(branch, b, time);
    place.known = record != nullptr;
    if (!record) continue;
    const advance::MotionPiece& piece = record->piece;
    place.v = record->v_start;
    place.w = record->w_start;
    if (!std::isfinite(piece.t1)) {
      place.pose = piece.start();
    } else {
      place.pose = piece.at(time);
      if (time == piece.t1) place.v = record->v_end, place.w = record->w_end;
      else if (time != piece.t0) piece.velocityAt(time, place.v, place.w);
    }
    place.R = place.pose.rotation();
    if (!place.pose.p.allFinite() || !place.R.allFinite()) place.known = false;
  }
}

double RunModel::nextOwnStep(int owner, double time) {
  double best = INFINITY;
  for (int b = 0; b < static_cast<int>(bodies_.size()); ++b) {
    if (bodies_[b].fixed) continue;
    if (const auto start = reader_->startAfter(branches_[owner].id, b, time)) best = std::min(best, *start);
  }
  return best;
}

double RunModel::previousOwnStep(int owner, double time) {
  double best = -INFINITY;
  for (int b = 0; b < static_cast<int>(bodies_.size()); ++b) {
    if (bodies_[b].fixed) continue;
    if (const auto start = reader_->startBefore(branches_[owner].id, b, time)) best = std::max(best, *start);
  }
  return best;
}

double RunModel::nextStep(int branch, double time) {
  const double end = branches_[branch].end_time;
  if (!reader_ || !(time < end)) return time;
  // The way from the owner of `time` down to the branch: the first of them that has a later start.
  std::vector<int> way;
  for (int b = branch, owner = ownerAt(branch, time);; b = branches_[b].parent) {
    way.push_back(b);
    if (b == owner) break;
  }
  for (std::size_t i = way.size(); i-- > 0;) {
    const double step = nextOwnStep(way[i], time);
    const double limit = i > 0 ? branches_[way[i - 1]].fork_time : end;
    if (step <= limit) return step;
    if (i > 0 && limit > time) return limit;
  }
  return end;
}

double RunModel::previousStep(int branch, double time) {
  if (!reader_ || !(time > 0)) return time;
  for (int owner = branch; owner >= 0; owner = branches_[owner].parent) {
    if (time <= branches_[owner].fork_time && branches_[owner].parent >= 0) continue;
    const double step = previousOwnStep(owner, time);
    if (step >= branches_[owner].fork_time) return std::max(step, 0.0);
    if (std::isfinite(step) && branches_[owner].parent < 0) return std::max(step, 0.0);
  }
  return 0;
}

}  // namespace rigor::viewer
