// SPDX-License-Identifier: MIT
#pragma once
#include <string_view>

/// The tables of a record, to the byte (docs/record-format.md). The writer executes these statements; the reader
/// refuses a file whose schema holds anything else.
namespace rigor::verify::recorded {

constexpr int kSchemaVersion = 2;
constexpr std::string_view kFormat = "rigor-record";
/// What a record begins with while its first commit is written, in place of SQLite's own 16 bytes.
constexpr std::string_view kUnwrittenMark = "rigor unwritten ";

struct Table {
  std::string_view name, sql;
};

constexpr Table kTables[] = {
    {"meta", "CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID"},
    {"files", "CREATE TABLE files(name TEXT PRIMARY KEY, role TEXT, sha256 TEXT, content BLOB)"},
    {"axes", "CREATE TABLE axes(id INTEGER PRIMARY KEY, kind INTEGER, data BLOB)"},
    {"pairs",
     "CREATE TABLE pairs(id INTEGER PRIMARY KEY, body_a INTEGER, part_a INTEGER, body_b INTEGER, part_b INTEGER)"},
    {"branches",
     "CREATE TABLE branches(number INTEGER PRIMARY KEY, id TEXT UNIQUE, parent TEXT, fork_time REAL, choice TEXT, "
     "weight REAL, end_time REAL,"
     " status TEXT, min_gap REAL)"},
    {"pieces",
     "CREATE TABLE pieces(id INTEGER PRIMARY KEY, branch INTEGER, step INTEGER, t0 REAL, t1 REAL, motions BLOB)"},
    {"witnesses", "CREATE TABLE witnesses(id INTEGER PRIMARY KEY, branch INTEGER, t0 REAL, t1 REAL, claims BLOB)"},
    {"impulses",
     "CREATE TABLE impulses(id INTEGER PRIMARY KEY, branch INTEGER, step INTEGER, t0 REAL, t1 REAL, data BLOB)"},
    {"events",
     "CREATE TABLE events(id INTEGER PRIMARY KEY, branch INTEGER, time REAL, kind TEXT, body_a INTEGER, body_b "
     "INTEGER, detail TEXT)"},
    {"impacts",
     "CREATE TABLE impacts(id INTEGER PRIMARY KEY, branch INTEGER, time REAL, model TEXT, bodies BLOB, velocity_before "
     "BLOB,"
     " velocity_after BLOB, contacts TEXT)"},
    {"joints", "CREATE TABLE joints(id INTEGER PRIMARY KEY, branch INTEGER, time REAL, robot INTEGER, data BLOB)"},
    {"snapshots",
     "CREATE TABLE snapshots(id INTEGER PRIMARY KEY, branch INTEGER, time REAL, step INTEGER, state BLOB, rows BLOB)"},
    {"frontier",
     "CREATE TABLE frontier(branch TEXT PRIMARY KEY, parent TEXT, fork_time REAL, choice TEXT, weight REAL, priority "
     "REAL, depth INTEGER,"
     " path_hash INTEGER, body INTEGER, impacts BLOB)"},
};

/// The keys of `meta`: all of them, and no others.
constexpr std::string_view kMetaKeys[] = {"bounds",  "build",  "format",  "gap_floor",  "gap_nominal",
                                          "message", "model",  "options", "scene_name", "schema_version",
                                          "seal",    "seed",   "status",  "summary",    "until"};

/// What a row of `events` can be.
constexpr std::string_view kEventKinds[] = {"contact-made", "contact-broken", "contact-changed", "slip-start",
                                            "slip-stop",    "rest",           "closure",         "fork",
                                            "velocity-set", "wrench-set",     "limit-reached",   "limit-left"};

/// What a row of `files` can be (docs/record-format.md).
constexpr std::string_view kFileRoles[] = {"scene", "named", "found", "expanded"};

}  // namespace rigor::verify::recorded
