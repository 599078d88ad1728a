// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "record/export.h"

namespace rigor::record {
namespace {

/// A file of comma-separated rows. Doubles in shortest form that reads back to the same bits.
class CsvFile {
 public:
  CsvFile(const std::string& folder, const char* name, const char* header)
      : path_((std::filesystem::path(folder) / name).string()) {
    file_ = std::fopen(path_.c_str(), "wb");
    if (!file_) fail();
    row_.append(std::string_view(header));
    end();
  }
  ~CsvFile() {
    if (file_) std::fclose(file_);
  }
  CsvFile(const CsvFile&) = delete;
  CsvFile& operator=(const CsvFile&) = delete;

  CsvFile& add(double x) {
    separate();
    fmt::format_to(std::back_inserter(row_), "{}", x);
    return *this;
  }
  CsvFile& add(const std::string& text) {
    separate();
    if (text.find_first_of(",\"\n\r") == std::string::npos) {
      row_.append(text);
      return *this;
    }
    row_.push_back('"');
    for (const char c : text) {
      if (c == '"') row_.push_back('"');
      row_.push_back(c);
    }
    row_.push_back('"');
    return *this;
  }
  template <typename Vector>
  CsvFile& addAll(const Vector& v) {
    for (int i = 0; i < v.size(); ++i) add(v[i]);
    return *this;
  }
  void end() {
    row_.push_back('\n');
    if (std::fwrite(row_.data(), 1, row_.size(), file_) != row_.size()) fail();
    row_.clear();
    first_ = true;
  }
  void close() {
    if (std::fclose(std::exchange(file_, nullptr)) != 0) fail();
  }

 private:
  [[noreturn]] void fail() { throw ExportError("cannot write " + path_ + ": " + std::strerror(errno)); }
  void separate() {
    if (!first_) row_.push_back(',');
    first_ = false;
  }
  std::string path_;
  std::FILE* file_;
  fmt::memory_buffer row_;
  bool first_ = true;
};

}  // namespace

void exportCsv(Reader& reader, const std::string& folder, const std::string& branch) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!std::filesystem::is_directory(folder))
    throw ExportError("cannot create folder " + folder + (error ? ": " + error.message() : ""));
  CsvFile states(folder, "states.csv", "branch,time,body,px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz");
  CsvFile events(folder, "events.csv", "branch,time,kind,body_a,body_b,detail");
  CsvFile impacts(folder, "impacts.csv",
                  "branch,time,model,body_a,body_b,px,py,pz,nx,ny,nz,friction,restitution,impulse_n,impulse_t1,impulse_"
                  "t2,part_a,part_b,tx,ty,tz");
  CsvFile joints(folder, "joints.csv", "branch,time,joint,position,velocity,effort");
  const auto name = [&](int body) {
    return body >= 0 && body < static_cast<int>(reader.bodies().size()) ? reader.bodies()[body].name : std::string();
  };
  std::vector<BranchRow> branches = branch.empty() ? reader.branches() : std::vector{reader.branch(branch)};
  for (const BranchRow& row : branches) {
    forEachState(reader, row.id, [&](double time, int body, const BodyState& s, bool) {
      states.add(row.id)
          .add(time)
          .add(name(body))
          .addAll(s.position)
          .addAll(s.orientation)
          .addAll(s.velocity)
          .addAll(s.angular_velocity)
          .end();
    });
    for (const EventRow& e : reader.events(row.id, -INFINITY, INFINITY))
      events.add(row.id).add(e.time).add(e.kind).add(name(e.body_a)).add(name(e.body_b)).add(e.detail).end();
    reader.forEachJoint(row.id, [&](const JointRow& j) {
      joints.add(row.id).add(j.time).add(j.joint).add(j.position).add(j.velocity).add(j.effort).end();
    });
    for (const ImpactRow& impact : reader.impacts(row.id, -INFINITY, INFINITY))
      for (const ImpactContactRow& c : impact.contacts) {
        impacts.add(row.id)
            .add(impact.time)
            .add(impact.model)
            .add(name(c.pair.body_a))
            .add(name(c.pair.body_b))
            .addAll(c.point);
        impacts.addAll(c.normal).add(c.friction).add(c.restitution).addAll(c.impulse);
        impacts.add(std::to_string(c.pair.part_a)).add(std::to_string(c.pair.part_b)).addAll(c.tangent).end();
      }
  }
  for (CsvFile* file : {&states, &events, &impacts, &joints}) file->close();
}

}  // namespace rigor::record
