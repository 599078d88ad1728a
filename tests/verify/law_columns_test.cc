// SPDX-License-Identifier: MIT
// Proves: of what a record says that acted, and of the bounds that it declares, nothing can be altered by more than the
// bounds: every field of every kind of row of `impulses`, in the file. Oracle: the same record, proved before.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>

#include "recorded_scene.h"
#include "tests/temporary_folder.h"
#include "tests/verify/altered_record.h"
#include "verify/verify.h"

namespace rigor::verify {
namespace {

namespace fs = std::filesystem;

const std::string kText =
    "name: slide\nuntil: 0.5\nbodies:\n"
    "  - {name: floor, fixed: true, shape: {halfspace: {normal: [0, 0, 1], offset: 0}}}\n"
    "  - {name: die, shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 1, position: [0, 0, 0.12], velocity: [1, 0.5, -1], "
    "orientation: [1, 0.3, 0.2, 0.1], angular_velocity: [2, -4, 3]}\n"
    "  - {name: block, shape: {box: {size: [0.2, 0.2, 0.04]}}, mass: 2, position: [1, 0, 0.02], velocity: [1, 0, 0]}\n";

class LawColumns : public testing::Test {
 protected:
  void SetUp() override {
    recordScene(scenes::parseScene(kText, "columns.yaml"), 0, original());
    const Report report = verifyRecord(original(), {.threads = 1});
    ASSERT_TRUE(report.verified && report.physics_known);
  }
  std::string original() const { return folder_ / "run.rigor"; }
  std::string copy() const {
    const std::string path = folder_ / "copy.rigor";
    fs::copy_file(original(), path, fs::copy_options::overwrite_existing);
    return path;
  }
  /// Why the copy is not proved; "" where it is.
  static std::string refusal(const std::string& path) {
    try {
      const Report report = verifyRecord(path, {.threads = 1});
      if (report.verified) return "";
      return report.failures.empty() ? report.status() : report.failures[0].reason;
    } catch (const InputError& error) {
      return error.what();
    }
  }
  static std::string changed(const std::string& path, const std::string& sql) {
    altered::Sql(path).execute(sql, true);
    return refusal(path);
  }

 private:
  const TemporaryFolder folder_;
};

/// Without files nobody knows the scene, but its model's tolerances permit no bounds that say nothing.
TEST_F(LawColumns, NoRecordWithoutASceneAllowsItselfAnything) {
  const auto declares = [&](const char* law, double bound) {
    const std::string path = copy();
    return changed(path, fmt::format("DELETE FROM files; UPDATE meta SET value = json_set(value, '$.{}', {}) "
                                     "WHERE key = 'bounds'", law, bound));
  };
  EXPECT_EQ(declares("cone", 0.9), "");
  for (const auto& [law, bound] : {std::pair{"momentum", 0.05}, {"cone", 1e6}, {"support", 1e6}, {"slip", 1e3},
                                   {"closure", 1e6}, {"energy", 0.1}, {"kinematics", 1e6}})
    EXPECT_NE(declares(law, bound).find("its tolerances permit"), std::string::npos) << law;
  const std::string path = copy();
  EXPECT_NE(changed(path, "DELETE FROM files; UPDATE meta SET value = 0.001 WHERE key = 'gap_nominal'"), "");
}

TEST_F(LawColumns, NoColumnOfImpulsesCanBeChanged) {
  // Of a step of contact with the most impulses, and of the jump whose first impulse is largest, beyond what the laws
  // leave open. A later end says nothing of contacts, whose instants it is not; of actuators see physics_test.cc.
  const std::string steps = "t0 < t1", jumps = "t0 = t1";
  for (const std::string& kind : {steps, jumps}) {
    std::int64_t id = -1;
    std::string data;
    double largest = 0;
    altered::Sql(original()).query(fmt::format("SELECT id, data FROM impulses WHERE {}", kind), [&](sqlite3_stmt* row) {
      const std::string bytes = altered::bytesOf(row, 1);
      double P[3];
      if (bytes.size() < 32 + sizeof P) return;
      std::memcpy(P, bytes.data() + 32, sizeof P);
      const double size = kind == steps ? static_cast<double>(bytes.size()) : std::hypot(P[0], P[1], P[2]);
      if (size > largest) largest = size, id = sqlite3_column_int64(row, 0), data = bytes;
    });
    ASSERT_GE(id, 0);
    for (const char* change :
         {"t0 = t0 - 0.001", "t0 = t0 + 1", "t1 = t1 - 1", "t0 = t0 + 0.1, t1 = t1 + 0.1",
          "branch = branch + 1", "data = x''", "data = substr(data, 1, length(data) - 8)", "data = data || x'00'"})
      EXPECT_NE(changed(copy(), fmt::format("UPDATE impulses SET {} WHERE id = {}", change, id)), "") << change;
    EXPECT_NE(changed(copy(), fmt::format("DELETE FROM impulses WHERE id = {}", id)), "");
    const auto write = [&](const std::string& bytes) {
      const std::string path = copy();
      altered::Sql(path).query(fmt::format("UPDATE impulses SET data = ? WHERE id = {}", id), {}, [&](sqlite3_stmt* s) {
        sqlite3_bind_blob(s, 1, bytes.data(), static_cast<int>(bytes.size()), SQLITE_TRANSIENT);
      });
      return refusal(path);
    };
    ASSERT_EQ(write(data), "");
    // Contacts, wrenches; of the first contact pair, axis, vertex, k.
    for (std::size_t field = 0; field < 6; ++field)
      for (const std::uint32_t number : {1u, 3u, 77u, 0xffffffffu}) {
        std::string bytes = data;
        std::uint32_t was;
        std::memcpy(&was, bytes.data() + 4 * field, 4);
        const std::uint32_t is = was + number;
        std::memcpy(bytes.data() + 4 * field, &is, 4);
        EXPECT_NE(write(bytes), "") << kind << ", field " << field << ": " << was << " to " << is;
      }
    // Of its first impulse with a size: P, by a twentieth of m V and not a number; its time, to outside.
    const double change = 0.05;
    for (std::size_t k = 0; k < 4; ++k)
      for (const double by : {k == 0 ? 1.0 : change, k == 0 ? -1.0 : -change, std::nan("")}) {
        std::string bytes = data;
        double number;
        std::memcpy(&number, bytes.data() + 24 + 8 * k, 8);
        number += by;
        std::memcpy(bytes.data() + 24 + 8 * k, &number, 8);
        EXPECT_NE(write(bytes), "") << kind << ", number " << k << " by " << by;
      }
  }
}

TEST_F(LawColumns, NoRecordAllowsItselfMore) {
  std::string text;
  altered::Sql(original()).query("SELECT value FROM meta WHERE key = 'bounds'",
                                 [&](sqlite3_stmt* row) { text = altered::textOf(row, 0); });
  const auto bounds = nlohmann::json::parse(text);
  ASSERT_EQ(bounds.size(), 9u);
  for (const auto& [law, bound] : bounds.items()) {
    for (const double factor : {1.000001, 2.0, 1e9}) {
      auto more = bounds;
      more[law] = factor * bound.get<double>();
      EXPECT_NE(changed(copy(), fmt::format("UPDATE meta SET value = '{}' WHERE key = 'bounds'", more.dump())), "")
          << law << " times " << factor;
    }
    auto none = bounds;
    none.erase(law);
    if (law == "kinematics" || law == "closure") continue;  // They have bounds of their own.
    EXPECT_NE(changed(copy(), fmt::format("UPDATE meta SET value = '{}' WHERE key = 'bounds'", none.dump())), "")
        << law;
  }
  // The unit of what touches and of joints is no larger than the scene's.
  for (const char* factor : {"2", "1e6"})
    EXPECT_NE(changed(copy(), fmt::format("UPDATE meta SET value = value * {} WHERE key = 'gap_nominal'", factor)), "");
  const std::string none = copy();
  altered::Sql(none).execute("UPDATE meta SET value = '{}' WHERE key = 'bounds'", true);
  // A record that declares nothing is proved apart, and says that its forces are not proved.
  EXPECT_FALSE(refusal(none).empty() && verifyRecord(none, {.threads = 1}).physics_known);
}

}  // namespace
}  // namespace rigor::verify
