// SPDX-License-Identifier: MIT
// Proves, as far as a fuzzer does: the verifier answers any altered record with a report or an InputError, and what it
// still calls proved is true. Oracle: dense sampling of the altered motion with the altered shapes, by the library's
// distance query, which shares no code with the verifier.
//
// The bytes alter up to eight fields of a true record (a die over a table, or two cubes that pass each other); where
// they say so the file itself is damaged instead.
#include <sqlite3.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "geom/separation.h"
#include "record/reader.h"
#include "tests/fuzz/byte_source.h"
#include "tests/verify/synthetic_record.h"
#include "verify/verify.h"

namespace {

using namespace rigor;
using fuzz::ByteSource;

constexpr double kRounding = 1e-12;  // Of a sampled distance, bodies of size .1 some metres from the origin [m].

struct Field {
  const char *table, *column;
  bool blob;
};
constexpr Field kFields[] = {
    {"pieces", "motions", true},       {"pieces", "t0", false},         {"pieces", "t1", false},
    {"pieces", "branch", false},       {"pieces", "step", false},       {"witnesses", "t0", false},
    {"witnesses", "t1", false},        {"witnesses", "claims", true},   {"witnesses", "branch", false},
    {"axes", "kind", false},           {"axes", "data", true},          {"pairs", "body_a", false},
    {"pairs", "part_b", false},        {"branches", "end_time", false}, {"branches", "min_gap", false},
    {"branches", "fork_time", false},  {"impacts", "time", false},      {"impacts", "velocity_after", true},
};

struct Templates {
  std::string paths[2] = {synthetic::temporaryPath("fuzz_die"), synthetic::temporaryPath("fuzz_cubes")};
  std::string work = synthetic::temporaryPath("fuzz_work");
  Templates() {
    synthetic::writeDie(paths[0], 4);
    synthetic::writeCubes(paths[1], 4);
  }
};

/// One value, or one number of a blob, of row `row` (counted from 0) becomes another.
void alter(sqlite3* database, const Field& field, int row, int index, double value) {
  const std::string from = std::string(" FROM ") + field.table + " LIMIT 1 OFFSET " + std::to_string(row);
  const std::string where = std::string(field.table) == "branches" ? "id"
                            : std::string(field.table) == "meta"   ? "key"
                                                                   : "rowid";
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(database, ("SELECT " + where + ", " + field.column + from).c_str(), -1, &statement, nullptr) !=
      SQLITE_OK)
    std::abort();  // A column that does not exist: the table above is out of date.
  if (sqlite3_step(statement) == SQLITE_ROW) {
    std::vector<double> numbers(sqlite3_column_bytes(statement, 1) / sizeof(double));
    if (field.blob && !numbers.empty())
      std::memcpy(numbers.data(), sqlite3_column_blob(statement, 1), numbers.size() * sizeof(double));
    sqlite3_stmt* update = nullptr;
    sqlite3_prepare_v2(
        database,
        (std::string("UPDATE ") + field.table + " SET " + field.column + " = ? WHERE " + where + " = ?").c_str(), -1,
        &update, nullptr);
    if (field.blob) {
      if (!numbers.empty()) numbers[index % numbers.size()] = value;
      sqlite3_bind_blob(update, 1, numbers.data(), static_cast<int>(numbers.size() * sizeof(double)), SQLITE_TRANSIENT);
    } else {
      sqlite3_bind_double(update, 1, value);
    }
    sqlite3_bind_value(update, 2, sqlite3_column_value(statement, 0));
    sqlite3_step(update);
    sqlite3_finalize(update);
  }
  sqlite3_finalize(statement);
}

/// Smallest distance of the two bodies at samples of the recorded motion.
double sampleGap(const std::string& path) {
  record::Reader reader(path);
  const auto& bodies = reader.bodies();
  std::vector<std::vector<advance::MotionPiece>> motion(bodies.size());
  double end = INFINITY;
  reader.forEachPiece("0", -1, INFINITY,
                      [&](const sim::PieceRecord& piece) { motion[piece.body].push_back(piece.piece); });
  std::vector<geom::Polytope> shapes;
  for (size_t b = 0; b < bodies.size(); ++b) {
    if (motion[b].empty()) return INFINITY;
    if (std::isfinite(motion[b].back().t1)) end = std::min(end, motion[b].back().t1);
  }
  double gap = INFINITY;
  for (int i = 0; i <= 100; ++i) {
    const double t = end * i / 100;
    const auto poseOf = [&](size_t b) {
      for (const auto& piece : motion[b])
        if (t <= piece.t1) return piece.at(t);
      return motion[b].back().at(end);
    };
    const auto world = [&](size_t b) {
      std::vector<Eigen::Vector3d> points;
      const geom::Pose pose = poseOf(b);
      for (const auto& v : bodies[b].parts[0].vertices) points.push_back(pose * Eigen::Vector3d(v - bodies[b].centre));
      return points;
    };
    if (bodies[0].parts[0].vertices.empty()) {
      for (const auto& p : world(1)) gap = std::min(gap, p[2]);
    } else {
      geom::SeparationCache cache;
      const auto a = world(0), b = world(1);
      try {
        gap = std::min(
            gap,
            geom::separation(geom::Polytope::fromPoints(a), {}, geom::Polytope::fromPoints(b), {}, cache).distance);
      } catch (const geom::GeometryError&) {
        return INFINITY;  // Flat shapes: not what the oracle can judge.
      }
    }
  }
  return gap;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Templates templates;
  ByteSource source(data, size);
  const int kind = source.integer(0, 7);
  std::filesystem::copy_file(templates.paths[kind % 2], templates.work,
                             std::filesystem::copy_options::overwrite_existing);
  if (kind == 7) {
    std::fstream file(templates.work, std::ios::in | std::ios::out | std::ios::binary);
    const auto bytes = static_cast<long>(std::filesystem::file_size(templates.work));
    while (!source.empty()) {
      file.seekp((source.byte() * 65536L + source.byte() * 256L + source.byte()) % bytes);
      file.put(static_cast<char>(source.byte()));
    }
  } else {
    sqlite3* database = nullptr;
    if (sqlite3_open(templates.work.c_str(), &database) != SQLITE_OK) std::abort();
    sqlite3_exec(database, "PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY", nullptr, nullptr, nullptr);
    for (int k = 0; k < 8 && !source.empty(); ++k) {
      const Field& field = kFields[source.byte() % std::size(kFields)];
      const int row = source.byte() % 12, index = source.byte();
      alter(database, field, row, index, source.number());
    }
    sqlite3_close(database);
  }
  try {
    const verify::Report report = verify::verifyRecord(templates.work, {1, 10});
    if (report.verified != (report.failure_count == 0)) std::abort();
    if (report.verified && !(sampleGap(templates.work) >= report.min_gap - kRounding)) {
      std::fprintf(stderr, "verify: proved a gap of %g, sampled %g\n", report.min_gap, sampleGap(templates.work));
      std::abort();
    }
  } catch (const verify::InputError&) {
  }
  return 0;
}
