// SPDX-License-Identifier: MIT
// Proves that runs and samples do not depend on which variants of its functions the C library picks for a processor:
// the GLIBC_TUNABLES below switch FMA and AVX2 off, which changes last bits of glibc's sin, cos, exp, pow, ... Oracle:
// the same program without them, by exports byte for byte. (Records also hold times of day.)
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

#include "program.h"

namespace rigor::cli {
namespace {

const std::string kVariants[] = {"glibc.cpu.hwcaps=-AVX2_Usable,-FMA_Usable", "glibc.cpu.hwcaps=-FMA,-AVX2,-AVX512F",
                                 "glibc.cpu.hwcaps=-AVX,-AVX2,-FMA,-FMA4,-AVX512F"};

class SameBits : public testing::TestWithParam<std::string> {
 protected:
  ~SameBits() override { unsetenv("GLIBC_TUNABLES"); }

  /// All files that `make` leaves in the folder `out`, by name.
  template <typename Make>
  std::map<std::string, std::string> filesOf(const std::string& tunables, Make&& make) {
    tunables.empty() ? unsetenv("GLIBC_TUNABLES") : setenv("GLIBC_TUNABLES", tunables.c_str(), 1);
    std::filesystem::remove_all(folder_ / "out");
    std::filesystem::create_directory(folder_ / "out");
    make();
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "out"))
      files[entry.path().filename()] = readAll(entry.path());
    return files;
  }

  /// Of the bundled scene that is the parameter.
  void expectSameRuns() {
    expectSame([&] {
      const std::string scene = std::string(RIGOR_SOURCE_DIR) + "/scenes/" + GetParam() + ".yaml";
      ASSERT_EQ(folder_.run({"run", scene, "--until", "0.4", "-o", "run.rigor", "--force", "--quiet"}).code, 0);
      ASSERT_EQ(folder_.run({"export", "run.rigor", "--format", "csv", "-o", "out"}).code, 0);
    });
  }

  template <typename Make>
  void expectSame(Make&& make) {
    const auto plain = filesOf("", make);
    ASSERT_FALSE(plain.empty());
    for (const std::string& variant : kVariants)
      EXPECT_TRUE(filesOf(variant, make) == plain) << GetParam() << ": " << variant;
  }

  ProgramFolder folder_;
};

class SameBitsOfRuns : public SameBits {};
class SlowSameBitsOfRuns : public SameBits {};
class SameBitsOfImpacts : public SameBits {};

TEST_P(SameBitsOfRuns, WithAnyVariantsOfTheCLibrary) { expectSameRuns(); }
TEST_P(SlowSameBitsOfRuns, WithAnyVariantsOfTheCLibrary) { expectSameRuns(); }

INSTANTIATE_TEST_SUITE_P(Scenes, SameBitsOfRuns,
                         testing::Values("die", "newtons-cradle", "compass-gait", "gripper", "stacked-cylinders"));
INSTANTIATE_TEST_SUITE_P(Scenes, SlowSameBitsOfRuns, testing::Values("quadruped-trot", "cubes-30"));

TEST_P(SameBitsOfImpacts, WithAnyVariantsOfTheCLibrary) {
  expectSame([&] {
    const std::string problem = std::string(RIGOR_SOURCE_DIR) + "/scenes/problems/" + GetParam() + ".yaml";
    for (const std::string model : {"routh", "compliant", "plus"}) {
      const ProgramResult result =
          folder_.run({"impact", problem, "--model", model, "--samples", "200", "-o", "out/" + model + ".csv"});
      folder_.write("out/" + model + ".txt", std::to_string(result.code));
    }
    EXPECT_FALSE(readAll(folder_ / "out/routh.csv").empty());
  });
}

INSTANTIATE_TEST_SUITE_P(Problems, SameBitsOfImpacts,
                         testing::Values("brick-four-corners", "compass-gait", "billiard-break"));

}  // namespace
}  // namespace rigor::cli
