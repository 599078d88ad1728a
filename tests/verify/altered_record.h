// SPDX-License-Identifier: MIT
#pragma once
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/verify/altered_sql.h"
#include "verify/record/run_file.h"
#include "verify/record/sha256.h"

/// Records altered with intent. A record is laid out as plain tables, a row a piece and a claim, which SQL can change
/// at will; then it is packed into a file again by code of the tests' own, that leaves nothing out and checks nothing.
namespace rigor::altered {

/// The plain tables:
///   pieces(id, branch TEXT, body, t0, t1, p_degree, q_degree, position, orientation, velocity, step), fixed bodies
///   first, for ever witnesses(id, branch TEXT, body_a, part_a, body_b, part_b, t0, t1, kind, axis, a0, a1, b0, b1,
///   gap, cross_bound, cosine_bound):
///     a row a claim, cut where pieces of its bodies end
///   bodies(id, name, fixed, mass, inertia (9), centre), parts(id, body, part, kind, vertices, normal, offset),
///   ignored_pairs(body_a, body_b) branches, events, impacts, meta as in a record, but with the branch's identity as
///   `branch`; meta has a key 'scene_text' more
class PlainTables {
 public:
  explicit PlainTables(const std::string& record) : sql_(":memory:"), original_(record) { unpack(); }
  Sql& sql() { return sql_; }

  /// Writes them into `path`, a copy of the record.
  void pack(const std::string& path) {
    Sql out(path);
    out.execute(
        "PRAGMA synchronous = OFF; BEGIN; DELETE FROM pieces; DELETE FROM witnesses; DELETE FROM axes; DELETE FROM "
        "pairs;"
        "DELETE FROM branches; DELETE FROM events; DELETE FROM impacts; DELETE FROM meta; DELETE FROM files");
    packBranches(out);
    packPieces(out);
    packWitnesses(out);
    packRest(out);
    out.execute("COMMIT");
  }

 private:
  static constexpr std::int64_t kNoBranch = 1000000;  // Number of a branch that is not there.

  void unpack() {
    sql_.execute(R"(CREATE TABLE pieces(id INTEGER PRIMARY KEY, branch TEXT, body INT, t0 REAL, t1 REAL, p_degree INT,
                    q_degree INT, position BLOB, orientation BLOB, velocity BLOB, step INT);
CREATE TABLE witnesses(id INTEGER PRIMARY KEY, branch TEXT, body_a INT, part_a INT, body_b INT, part_b INT, t0 REAL,
                       t1 REAL, kind INT, axis BLOB, a0 INT, a1 INT, b0 INT, b1 INT, gap REAL, cross_bound REAL,
                       cosine_bound REAL);
CREATE TABLE bodies(id INTEGER PRIMARY KEY, name TEXT, fixed INT, mass REAL, inertia BLOB, centre BLOB);
CREATE TABLE parts(id INTEGER PRIMARY KEY, body INT, part INT, kind TEXT, vertices BLOB, normal BLOB, offset REAL);
CREATE TABLE ignored_pairs(body_a INT, body_b INT);)");
    sql_.execute("ATTACH '" + original_ + "' AS record");
    sql_.execute(
        "CREATE TABLE meta AS SELECT * FROM record.meta WHERE key != 'model'; CREATE TABLE branches AS SELECT * FROM "
        "record.branches;"
        "CREATE TABLE files AS SELECT * FROM record.files;"
        "INSERT INTO meta SELECT 'scene_text', CAST(content AS TEXT) FROM record.files WHERE role = 'scene'");
    for (const char* table : {"events", "impacts"}) {
      sql_.execute(std::string("CREATE TABLE ") + table + " AS SELECT * FROM record." + table);
      sql_.execute(std::string("UPDATE ") + table + " SET branch = (SELECT id FROM branches WHERE number = branch)");
    }
    sql_.execute("DETACH record");
    verify::recorded::RunFile file(original_);
    model_ = nlohmann::ordered_json::parse(file.meta().model);
    unpackModel(file.model());
    for (std::size_t branch = 0; branch < file.branches().size(); ++branch)
      unpackBranch(file, static_cast<int>(branch));
  }

  void unpackModel(const verify::kernel::Model& model) {
    int part_id = 0;
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
      const verify::kernel::Body& body = model.bodies[b];
      sql_.insert("INSERT INTO bodies VALUES(?,?,?,?,?,?)", [&](sqlite3_stmt* s) {
        const auto& I = body.inertia;
        const Numbers inertia{I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]};
        sqlite3_bind_int64(s, 1, static_cast<std::int64_t>(b)), bindText(s, 2, body.name),
            sqlite3_bind_int(s, 3, body.fixed);
        sqlite3_bind_double(s, 4, body.mass), bindNumbers(s, 5, inertia.data(), 9),
            bindNumbers(s, 6, body.centre.data(), 3);
      });
      for (std::size_t p = 0; p < body.parts.size(); ++p)
        sql_.insert("INSERT INTO parts VALUES(?,?,?,?,?,?,?)", [&](sqlite3_stmt* s) {
          const verify::kernel::Part& part = body.parts[p];
          sqlite3_bind_int(s, 1, ++part_id), sqlite3_bind_int64(s, 2, static_cast<std::int64_t>(b)),
              sqlite3_bind_int64(s, 3, static_cast<std::int64_t>(p));
          bindText(s, 4, part.half_space ? "halfspace" : "polytope");
          if (part.half_space) bindNumbers(s, 6, part.normal.data(), 3), sqlite3_bind_double(s, 7, part.offset);
          else bindNumbers(s, 5, part.vertices[0].data(), 3 * part.vertices.size());
        });
      if (!body.fixed) continue;
      verify::kernel::Piece still;
      still.body = static_cast<int>(b), still.t1 = INFINITY;
      std::copy(body.position.begin(), body.position.end(), still.p[0]);
      std::copy(body.orientation.begin(), body.orientation.end(), still.q[0]);
      std::fill_n(still.velocity, 12, 0.0);
      insertPiece("0", still);
    }
    for (const auto& [a, b] : model.ignored_pairs)
      sql_.execute("INSERT INTO ignored_pairs VALUES(" + std::to_string(a) + "," + std::to_string(b) + ")");
  }

  void insertPiece(const std::string& branch, const verify::kernel::Piece& m) {
    sql_.insert("INSERT INTO pieces VALUES(?,?,?,?,?,?,?,?,?,?,?)", [&](sqlite3_stmt* s) {
      sqlite3_bind_int64(s, 1, ++pieces_), bindText(s, 2, branch), sqlite3_bind_int(s, 3, m.body),
          sqlite3_bind_double(s, 4, m.t0);
      sqlite3_bind_double(s, 5, m.t1), sqlite3_bind_int(s, 6, m.p_degree), sqlite3_bind_int(s, 7, m.q_degree);
      bindNumbers(s, 8, m.p[0], 3 * (static_cast<std::size_t>(m.p_degree) + 1));
      bindNumbers(s, 9, m.q[0], 4 * (static_cast<std::size_t>(m.q_degree) + 1));
      bindNumbers(s, 10, m.velocity, 12), sqlite3_bind_int64(s, 11, m.step);
    });
  }

  void unpackBranch(verify::recorded::RunFile& file, int branch) {
    const std::string& id = file.branches()[static_cast<std::size_t>(branch)].id;
    const verify::kernel::BranchRows rows = file.branchRows(branch);
    std::map<int, std::vector<double>> ends;
    for (const verify::kernel::Piece& piece : rows.pieces) insertPiece(id, piece), ends[piece.body].push_back(piece.t1);
    std::vector<verify::kernel::Claim> claims;
    for (const verify::kernel::Claim& claim : rows.claims) {
      // One of the two bodies counts: A, or B where A never moves.
      std::vector<double> cuts{claim.t0};
      const auto own = ends.find(ends.contains(claim.body_a) ? claim.body_a : claim.body_b);
      if (own != ends.end())
        for (const double t : own->second)
          if (claim.t0 < t && t < claim.t1) cuts.push_back(t);
      cuts.push_back(claim.t1);
      for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
        claims.push_back(claim);
        claims.back().t0 = cuts[i], claims.back().t1 = cuts[i + 1];
      }
    }
    std::stable_sort(claims.begin(), claims.end(), [](const auto& a, const auto& b) { return a.t0 < b.t0; });
    for (const verify::kernel::Claim& c : claims)
      sql_.insert("INSERT INTO witnesses VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", [&](sqlite3_stmt* s) {
        sqlite3_bind_int64(s, 1, ++witnesses_), bindText(s, 2, id);
        int column = 2;
        for (const int number : {c.body_a, c.part_a, c.body_b, c.part_b}) sqlite3_bind_int(s, ++column, number);
        sqlite3_bind_double(s, 7, c.t0), sqlite3_bind_double(s, 8, c.t1), sqlite3_bind_int(s, 9, c.kind);
        if (c.kind == 2) {
          column = 10;
          for (const int number : {c.a0, c.a1, c.b0, c.b1}) sqlite3_bind_int(s, ++column, number);
          sqlite3_bind_double(s, 16, c.cross), sqlite3_bind_double(s, 17, c.cosine);
        } else {
          bindNumbers(s, 10, c.axis.data(), 3);
        }
        sqlite3_bind_double(s, 15, c.gap);
      });
  }

  std::int64_t numberOf(const std::string& id) const {
    const auto found = numbers_.find(id);
    return found == numbers_.end() ? kNoBranch : found->second;
  }

  void packBranches(Sql& out) {
    numbers_.clear();
    sql_.query("SELECT * FROM branches", [&](sqlite3_stmt* row) {
      numbers_[textOf(row, 1)] = sqlite3_column_int64(row, 0);
      copyRow(out, "INSERT INTO branches VALUES(?,?,?,?,?,?,?,?,?)", row);
    });
  }

  static void copyRow(Sql& out, const std::string& sql, sqlite3_stmt* row) {
    out.insert(sql, [&](sqlite3_stmt* s) {
      for (int i = 0; i < sqlite3_column_count(row); ++i) sqlite3_bind_value(s, i + 1, sqlite3_column_value(row, i));
    });
  }

  static void append(std::string& blob, const void* data, std::size_t size) {
    blob.append(static_cast<const char*>(data), size);
  }
  static void appendWord(std::string& blob, std::int64_t number) {
    const auto word = static_cast<std::uint32_t>(number);
    append(blob, &word, sizeof word);
  }

  void packPieces(Sql& out) {
    sql_.query(
        "SELECT id, branch, body, t0, t1, p_degree, q_degree, position, orientation, velocity, step FROM pieces ORDER "
        "BY id",
        [&](sqlite3_stmt* row) {
          const int body = sqlite3_column_int(row, 2);
          const Numbers p = numbersOf(row, 7), q = numbersOf(row, 8), velocity = numbersOf(row, 9);
          auto& bodies = model_["bodies"];
          if (body >= 0 && body < static_cast<int>(bodies.size()) && std::isinf(sqlite3_column_double(row, 4)) &&
              bodies[static_cast<std::size_t>(body)]["fixed"] == true) {
            bodies[static_cast<std::size_t>(body)]["position"] = p;
            bodies[static_cast<std::size_t>(body)]["orientation"] = q;
            return;
          }
          std::string blob;
          appendWord(blob, 1);
          appendWord(blob, (body & 0xffffff) | std::int64_t{sqlite3_column_int(row, 5) & 3} << 24 |
                               std::int64_t{sqlite3_column_int(row, 6) & 3} << 26);
          // Start, inner points and end, of position and orientation; here nothing is left out.
          const auto put = [&](const Numbers& list, std::size_t first, std::size_t count) {
            if (first + count <= list.size()) append(blob, list.data() + first, count * sizeof(double));
          };
          put(p, 0, 3), put(q, 0, 4), put(velocity, 0, 6);
          if (p.size() > 3) put(p, 3, p.size() - 3);
          if (q.size() > 4) put(q, 4, q.size() - 4);
          put(velocity, 6, 6);
          out.insert("INSERT INTO pieces VALUES(?,?,?,?,?,?)", [&](sqlite3_stmt* s) {
            sqlite3_bind_int64(s, 1, sqlite3_column_int64(row, 0)), sqlite3_bind_int64(s, 2, numberOf(textOf(row, 1)));
            sqlite3_bind_value(s, 3, sqlite3_column_value(row, 10));
            sqlite3_bind_value(s, 4, sqlite3_column_value(row, 3)),
                sqlite3_bind_value(s, 5, sqlite3_column_value(row, 4));
            sqlite3_bind_blob(s, 6, blob.data(), static_cast<int>(blob.size()), SQLITE_TRANSIENT);
          });
        });
  }

  void packWitnesses(Sql& out) {
    std::int64_t number = 0;
    sql_.query(
        "SELECT id, branch, body_a, part_a, body_b, part_b, t0, t1, kind, axis, a0, a1, b0, b1, gap, cross_bound, "
        "cosine_bound FROM"
        " witnesses ORDER BY id",
        [&](sqlite3_stmt* row) {
          ++number;
          const int kind = sqlite3_column_int(row, 8);
          std::string axis = bytesOf(row, 9);
          if (kind == 2) {
            axis.clear();
            for (int i = 10; i < 14; ++i) appendWord(axis, sqlite3_column_int64(row, i));
          }
          out.insert("INSERT INTO axes VALUES(?,?,?)", [&](sqlite3_stmt* s) {
            sqlite3_bind_int64(s, 1, number), sqlite3_bind_int(s, 2, kind);
            sqlite3_bind_blob(s, 3, axis.data(), static_cast<int>(axis.size()), SQLITE_TRANSIENT);
          });
          out.insert("INSERT INTO pairs VALUES(?,?,?,?,?)", [&](sqlite3_stmt* s) {
            sqlite3_bind_int64(s, 1, number);
            for (int i = 2; i < 6; ++i) sqlite3_bind_value(s, i, sqlite3_column_value(row, i));
          });
          std::string blob;
          for (const std::int64_t word : {std::int64_t{1}, std::int64_t{0}, number, number}) appendWord(blob, word);
          for (const int column : {6, 7, 14, 15, 16}) {
            if (column > 14 && kind != 2) continue;
            const double x = realOf(row, column);
            append(blob, &x, sizeof x);
          }
          out.insert("INSERT INTO witnesses VALUES(?,?,?,?,?)", [&](sqlite3_stmt* s) {
            sqlite3_bind_value(s, 1, sqlite3_column_value(row, 0)), sqlite3_bind_int64(s, 2, numberOf(textOf(row, 1)));
            // Of the row: what lies within it is the claim's own affair.
            const double t0 = realOf(row, 6), t1 = realOf(row, 7);
            sqlite3_bind_double(s, 3, std::fmin(t0, t1)), sqlite3_bind_double(s, 4, std::fmax(t0, t1));
            sqlite3_bind_blob(s, 5, blob.data(), static_cast<int>(blob.size()), SQLITE_TRANSIENT);
          });
        });
  }

  void packRest(Sql& out) {
    auto& bodies = model_["bodies"];
    sql_.query("SELECT id, name, fixed, mass, centre FROM bodies ORDER BY id", [&](sqlite3_stmt* row) {
      const auto id = static_cast<std::size_t>(sqlite3_column_int64(row, 0));
      if (id >= bodies.size()) return;
      bodies[id]["name"] = textOf(row, 1), bodies[id]["fixed"] = sqlite3_column_int(row, 2) != 0;
      bodies[id]["mass"] = sqlite3_column_double(row, 3);
      if (!bodies[id]["fixed"].get<bool>()) bodies[id]["centre"] = numbersOf(row, 4);
      bodies[id]["parts"] = nlohmann::json::array();
    });
    sql_.query("SELECT body, kind, vertices, normal, offset FROM parts ORDER BY body, part", [&](sqlite3_stmt* row) {
      const auto body = static_cast<std::size_t>(sqlite3_column_int64(row, 0));
      if (body >= bodies.size()) return;
      nlohmann::ordered_json part;
      if (textOf(row, 1) == "halfspace") {
        part["halfspace"] = {{"normal", numbersOf(row, 3)}, {"offset", sqlite3_column_double(row, 4)}};
      } else {
        part["vertices"] = nlohmann::json::array();
        const Numbers v = numbersOf(row, 2);
        for (std::size_t i = 0; i + 3 <= v.size(); i += 3) part["vertices"].push_back({v[i], v[i + 1], v[i + 2]});
      }
      bodies[body]["parts"].push_back(part);
    });
    model_["ignored_pairs"] = nlohmann::json::array();
    sql_.query("SELECT body_a, body_b FROM ignored_pairs ORDER BY body_a, body_b", [&](sqlite3_stmt* row) {
      model_["ignored_pairs"].push_back(
          {bodies.at(sqlite3_column_int64(row, 0))["name"], bodies.at(sqlite3_column_int64(row, 1))["name"]});
    });
    std::string scene;
    sql_.query("SELECT key, value FROM meta", [&](sqlite3_stmt* row) {
      if (textOf(row, 0) == "scene_text") scene = textOf(row, 1);
      else copyRow(out, "INSERT INTO meta VALUES(?,?)", row);
    });
    out.insert("INSERT INTO meta VALUES('model', ?)", [&](sqlite3_stmt* s) { bindText(s, 1, model_.dump()); });
    sql_.query("SELECT name, role, sha256, content FROM files", [&](sqlite3_stmt* row) {
      out.insert("INSERT INTO files VALUES(?,?,?,?)", [&](sqlite3_stmt* s) {
        const std::string content = textOf(row, 1) == "scene" ? scene : bytesOf(row, 3);
        bindText(s, 1, textOf(row, 0)), bindText(s, 2, textOf(row, 1)),
            bindText(s, 3, verify::recorded::sha256(content));
        sqlite3_bind_blob(s, 4, content.data(), static_cast<int>(content.size()), SQLITE_TRANSIENT);
      });
    });
    for (const auto& [table, sql] : {std::pair{"events", "INSERT INTO events VALUES(?,?,?,?,?,?,?)"},
                                     {"impacts", "INSERT INTO impacts VALUES(?,?,?,?,?,?,?,?)"}}) {
      const std::string insert = sql;
      sql_.query(std::string("SELECT * FROM ") + table + " ORDER BY id", [&](sqlite3_stmt* row) {
        out.insert(insert, [&](sqlite3_stmt* s) {
          for (int i = 0; i < sqlite3_column_count(row); ++i)
            sqlite3_bind_value(s, i + 1, sqlite3_column_value(row, i));
          sqlite3_bind_int64(s, 2, numberOf(textOf(row, 1)));
        });
      });
    }
  }

  Sql sql_;
  std::string original_;
  nlohmann::ordered_json model_;
  std::map<std::string, std::int64_t> numbers_;
  std::int64_t pieces_ = 0, witnesses_ = 0;
};

}  // namespace rigor::altered
