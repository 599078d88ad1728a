// SPDX-License-Identifier: MIT
#include "verify/record/seal.h"

#include <fmt/format.h>
#include <sqlite3.h>

#define XXH_INLINE_ALL         // No library to find where this one is installed.
#define XXH_NO_INLINE_HINTS 1  // Builds that optimise less cannot follow them.
#include <xxhash.h>

#include <bit>
#include <cstdint>
#include <string_view>

#include "verify/record/error.h"
#include "verify/record/schema.h"

namespace rigor::verify::recorded {

/// XXH3 of values, each with its type.
class SealDigest::Hash {
 public:
  Hash() { XXH3_128bits_reset(&state_); }
  void add(const void* data, std::size_t size) { XXH3_128bits_update(&state_, data, size); }
  void add(std::string_view text) { addSized(3, text.data(), text.size()); }
  void addSized(int type, const void* data, std::size_t size) {
    addWord(type, size);
    if (size > 0) add(data, size);
  }
  void addWord(int type, std::uint64_t word) {
    unsigned char bytes[9] = {static_cast<unsigned char>(type)};
    for (int i = 0; i < 8; ++i) bytes[i + 1] = static_cast<unsigned char>(word >> (8 * i));
    add(bytes, sizeof bytes);
  }
  std::string text() const {
    const XXH128_hash_t hash = XXH3_128bits_digest(&state_);
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
  }

 private:
  XXH3_state_t state_;
};

namespace {

template <typename Hash>
void addValue(Hash& digest, sqlite3_stmt* row, int column) {
  const int type = sqlite3_column_type(row, column);
  const auto size = [&] { return static_cast<std::size_t>(sqlite3_column_bytes(row, column)); };
  if (type == SQLITE_INTEGER) {
    digest.addWord(type, static_cast<std::uint64_t>(sqlite3_column_int64(row, column)));
  } else if (type == SQLITE_FLOAT) {
    digest.addWord(type, std::bit_cast<std::uint64_t>(sqlite3_column_double(row, column)));
  } else if (type == SQLITE_TEXT) {
    const unsigned char* text = sqlite3_column_text(row, column);
    digest.addSized(type, text, size());
  } else if (type == SQLITE_BLOB) {
    const void* data = sqlite3_column_blob(row, column);
    digest.addSized(type, data, size());
  } else {
    digest.addWord(type, 0);
  }
}

bool isSeal(sqlite3_stmt* meta) {
  if (sqlite3_column_type(meta, 0) != SQLITE_TEXT) return false;
  const auto* key = reinterpret_cast<const char*>(sqlite3_column_text(meta, 0));
  return key && std::string_view(key, static_cast<std::size_t>(sqlite3_column_bytes(meta, 0))) == "seal";
}

[[noreturn]] void fail(const Table& table, sqlite3* database) {
  throw InputError(fmt::format("cannot read the record's table '{}': {}", table.name, sqlite3_errmsg(database)));
}

}  // namespace

std::string rowsInOrder(const Table& table) {
  return fmt::format("SELECT * FROM {} ORDER BY {}", table.name, table.name == "meta" ? "key" : "rowid");
}

SealDigest::SealDigest() : hash_(std::make_unique<Hash>()) {}

SealDigest::~SealDigest() = default;

void SealDigest::add(const Table& table, sqlite3_stmt* rows) {
  hash_->add(table.name);
  int code;
  while ((code = sqlite3_step(rows)) == SQLITE_ROW) {
    if (table.name == "meta" && isSeal(rows)) continue;
    for (int column = 0; column < sqlite3_column_count(rows); ++column) addValue(*hash_, rows, column);
  }
  sqlite3_reset(rows);
  if (code != SQLITE_DONE) fail(table, sqlite3_db_handle(rows));
}

std::string SealDigest::text() const { return hash_->text(); }

Sealer::~Sealer() {
  for (sqlite3_stmt* statement : rows_) sqlite3_finalize(statement);
}

void Sealer::prepare() {
  for (const Table& table : kTables) {
    const std::string sql = rowsInOrder(table);
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(database_, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) fail(table, database_);
    rows_.push_back(statement);
  }
}

std::string Sealer::digest() {
  if (rows_.empty()) prepare();
  SealDigest digest;
  for (std::size_t i = 0; i < rows_.size(); ++i) digest.add(kTables[i], rows_[i]);
  return digest.text();
}

}  // namespace rigor::verify::recorded
