// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "formats/csv.h"
#include "record/export.h"
#include "record/export_contacts.h"
#include "record/leaves.h"
#include "record/sensors.h"

namespace rigor::record {
namespace {

using formats::CsvFile;

void addStates(Reader& reader, const std::string& branch, const ExportTimes& times, CsvFile& file) {
  forEachState(
      reader, branch,
      [&](double time, int body, const BodyState& s, bool) {
        file.add(branch).add(time).add(bodyName(reader, body)).addAll(s.position).addAll(s.orientation);
        file.addAll(s.velocity).addAll(s.angular_velocity).end();
      },
      times);
}

void addImpacts(Reader& reader, const std::string& branch, CsvFile& file) {
  for (const ImpactRow& impact : reader.impacts(branch, -INFINITY, INFINITY))
    for (const ImpactContactRow& c : impact.contacts) {
      file.add(branch)
          .add(impact.time)
          .add(impact.model)
          .add(bodyName(reader, c.pair.body_a))
          .add(bodyName(reader, c.pair.body_b));
      file.addAll(c.point).addAll(c.normal).add(c.friction).add(c.restitution).addAll(c.impulse);
      file.add(std::to_string(c.pair.part_a)).add(std::to_string(c.pair.part_b)).addAll(c.tangent).end();
    }
}

/// A number or word of a fork's choice; nothing where it has none.
std::string chosen(const nlohmann::json& choice, const char* name) {
  if (!choice.is_object() || !choice.contains(name)) return {};
  return choice[name].is_string() ? choice[name].get<std::string>() : choice[name].dump();
}

void addBranch(const BranchRow& row, const std::vector<Leaf>& leaves, CsvFile& file) {
  const auto choice = nlohmann::json::parse(row.choice, nullptr, false);
  file.add(row.id)
      .add(row.parent)
      .add(row.fork_time)
      .add(row.end_time)
      .add(row.status)
      .add(row.min_gap)
      .add(row.weight);
  for (const char* name : {"outcome", "outcomes", "samples", "count", "difference", "contacts"})
    file.add(chosen(choice, name));
  const auto leaf = std::find_if(leaves.begin(), leaves.end(), [&](const Leaf& one) { return one.branch == row.id; });
  if (leaf != leaves.end()) file.add(leaf->weight).add(leaf->modes);
  else file.add(std::string()).add(std::string());
  file.end();
}

void addSensors(Reader& reader, const std::string& branch, const ExportTimes& times, CsvFile& file) {
  forEachSensor(
      reader, branch,
      [&](const SensorRow& s) {
        file.add(branch)
            .add(s.time)
            .add(bodyName(reader, s.link))
            .add(std::string(s.touches ? "1" : "0"))
            .addAll(s.force)
            .addAll(s.torque);
        file.addAll(s.specific_force).addAll(s.angular_velocity).end();
      },
      times);
}

/// Where every moving body is at the end of a leaf.
void addEnds(Reader& reader, const Leaf& leaf, CsvFile& file) {
  for (size_t b = 0; b < reader.bodies().size(); ++b) {
    if (reader.bodies()[b].fixed) continue;
    const BodyState state = reader.stateAt(leaf.branch, static_cast<int>(b), leaf.end_time);
    file.add(leaf.branch)
        .add(leaf.weight)
        .add(leaf.modes)
        .add(leaf.end_time)
        .add(leaf.status)
        .add(reader.bodies()[b].name);
    file.addAll(state.position).addAll(state.orientation).addAll(state.velocity).addAll(state.angular_velocity).end();
  }
}

}  // namespace

void exportCsv(Reader& reader, const std::string& folder, const std::string& branch, const ExportTimes& times) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!std::filesystem::is_directory(folder))
    throw ExportError("cannot create folder " + folder + (error ? ": " + error.message() : ""));
  const auto path = [&](const char* name) { return (std::filesystem::path(folder) / name).string(); };
  CsvFile states(path("states.csv"), "branch,time,body,px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz");
  CsvFile events(path("events.csv"), "branch,time,kind,body_a,body_b,detail");
  CsvFile impacts(path("impacts.csv"),
                  "branch,time,model,body_a,body_b,px,py,pz,nx,ny,nz,friction,restitution,impulse_n,impulse_t1,impulse_"
                  "t2,part_a,part_b,tx,ty,tz");
  CsvFile joints(path("joints.csv"), "branch,time,joint,position,velocity,effort");
  CsvFile branches(path("branches.csv"),
                   "branch,parent,fork_time,end_time,status,min_gap,weight,outcome,outcomes,samples,count,difference,"
                   "contacts,leaf_weight,modes");
  CsvFile ends(path("leaves.csv"), "branch,weight,modes,time,status,body,px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz");
  CsvFile contacts(path("contacts.csv"), "branch,t0,t1,body_a,body_b,px,py,pz,nx,ny,nz,Px,Py,Pz");
  // Only where there are robots: scenes without them have what they had.
  std::optional<CsvFile> sensors;
  if (!reader.file().model().robots.empty())
    sensors.emplace(path("sensors.csv"), "branch,time,link,contact,Fx,Fy,Fz,Mx,My,Mz,fx,fy,fz,wx,wy,wz");
  const std::vector<Leaf> leaves = leavesOf(reader);
  for (const Leaf& leaf : leaves) {
    if (branch.empty() || leaf.branch == branch) addEnds(reader, leaf, ends);
  }
  for (const BranchRow& row : branch.empty() ? reader.branches() : std::vector{reader.branch(branch)}) {
    addBranch(row, leaves, branches);
    addStates(reader, row.id, times, states);
    for (const EventRow& e : reader.events(row.id, -INFINITY, INFINITY))
      events.add(row.id)
          .add(e.time)
          .add(e.kind)
          .add(bodyName(reader, e.body_a))
          .add(bodyName(reader, e.body_b))
          .add(e.detail)
          .end();
    forEachJointState(
        reader, row.id,
        [&](const JointRow& j) {
          joints.add(row.id).add(j.time).add(j.joint).add(j.position).add(j.velocity).add(j.effort).end();
        },
        times);
    addImpacts(reader, row.id, impacts);
    forEachContactForce(reader, row.id, [&](const ContactForceRow& c) {
      contacts.add(row.id)
          .add(c.t0)
          .add(c.t1)
          .add(bodyName(reader, c.pair.body_a))
          .add(bodyName(reader, c.pair.body_b));
      contacts.addAll(c.point).addAll(c.normal).addAll(c.P).end();
    });
    if (sensors) addSensors(reader, row.id, times, *sensors);
  }
  if (sensors) sensors->close();
  for (CsvFile* file : {&states, &events, &impacts, &joints, &branches, &ends, &contacts}) file->close();
}

}  // namespace rigor::record
