// SPDX-License-Identifier: MIT
#pragma once
#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace rigor::verify {

/// The file cannot be read as a record: missing, damaged, foreign or newer. (A readable record with a false claim is no
/// error but a failed verification.)
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

using Vector3 = std::array<double, 3>;

/// Rows of the record as docs/record-format.md names them; nothing here was checked yet except the types.
struct Part {
  bool half_space = false;
  std::vector<Vector3> vertices;
  Vector3 normal{};
  double offset = 0;
};

struct Body {
  std::string name;
  bool fixed = false;
  Vector3 centre{};
  std::vector<Part> parts;
};

struct Piece {
  std::int64_t id = 0;
  int body = 0, p_degree = 0, q_degree = 0;
  double t0 = 0, t1 = 0;
  double p[4][3];  ///< Control points, the first p_degree + 1.
  double q[4][4];
  double velocity[12];
};

struct Witness {
  std::int64_t id = 0;
  int body_a = 0, part_a = 0, body_b = 0, part_b = 0, kind = 0;
  double t0 = 0, t1 = 0;
  Vector3 axis{};
  std::int64_t a0 = 0, a1 = 0, b0 = 0, b1 = 0;
  double gap = 0, cross = 0, cosine = 0;
};

struct Impact {
  std::int64_t id = 0;
  double time = 0;
  std::vector<std::int64_t> bodies;
  std::vector<double> before, after;  ///< 6 a body.
};

struct Branch {
  std::string id, parent, status;
  double fork_time = 0, end_time = 0, min_gap = 0;
  double start() const { return parent.empty() ? 0 : fork_time; }  ///< [s]
};

/// The rows that belong to one branch.
struct BranchRows {
  std::vector<Piece> pieces;
  std::vector<Witness> witnesses;
  std::vector<Impact> impacts;
};

struct Header {
  std::string scene_name, scene_text, status, summary;
  double gap_floor = 0, gap_nominal = 0, until = 0;
};

/// Reads a record through SQLite, for reading only. Every method throws InputError for what cannot be read. A number
/// that is NULL (SQLite's NaN) is read as NaN.
class RecordFile {
 public:
  explicit RecordFile(const std::string& path);
  ~RecordFile();
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;

  Header readHeader();
  std::vector<Body> readBodies();
  std::vector<Branch> readBranches();
  /// Pairs of bodies that the run kept apart no further, the smaller number first.
  std::vector<std::pair<std::int64_t, std::int64_t>> readIgnoredPairs();
  BranchRows readBranch(const std::string& id);
  /// Rows of pieces, witnesses and impacts that readBranch() has not given: none, once it was asked for every branch.
  std::int64_t countUnreadRows();
  std::int64_t countFrontier();  ///< Outcomes of forks that are not explored yet.

 private:
  class Query;
  std::string path_;
  std::int64_t rows_read_ = 0;
  void* handle_ = nullptr;
};

}  // namespace rigor::verify
