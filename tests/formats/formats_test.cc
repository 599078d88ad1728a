// SPDX-License-Identifier: MIT
// Proves: any text survives being quoted and split again; numbers and texts that are written to HDF5 are read back, by
// this reader and by the library itself; a library that is not there is said. Oracles: the texts themselves; HDF5's own
// functions, linked here.
#include <gmock/gmock.h>
#include <hdf5.h>

#include <fstream>
#include <random>

#include "formats/csv.h"
#include "formats/hdf5.h"
#include "formats/late_library.h"
#include "tests/hdf5_texts.h"
#include "tests/temporary_folder.h"

namespace rigor::formats {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string contentOf(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

template <class Action>
std::string messageOf(Action action) {
  try {
    action();
  } catch (const FileError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Csv, AnyTextComesBack) {
  const TemporaryFolder folder;
  std::mt19937 random(7);
  const std::string letters = "ab,\"\n\r 1";
  for (int run = 0; run < 200; ++run) {
    std::vector<std::string> texts(1 + random() % 4);
    for (std::string& text : texts)
      for (unsigned n = random() % 6; n > 0; --n) text += letters[random() % letters.size()];
    const std::string path = (folder.path() / "a.csv").string();
    CsvFile file(path, "header");
    for (const std::string& text : texts) file.add(text);
    file.end();
    file.close();
    const std::string content = contentOf(path);
    CsvCursor cursor(path, content);
    std::vector<std::string_view> fields;
    ASSERT_TRUE(cursor.readLine(fields));
    const bool filled = cursor.readLine(fields);
    EXPECT_EQ(filled, texts.size() > 1 || !texts[0].empty());
    EXPECT_EQ(std::vector<std::string>(fields.begin(), fields.end()), texts);
    EXPECT_TRUE(cursor.atEnd());
    std::string line = content.substr(7);
    line.pop_back();
    EXPECT_EQ(splitCsvLine(line), texts);
  }
}

TEST(Csv, DoublesAreShortestAndExact) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "a.csv").string();
  CsvFile file(path, "x");
  file.add(0.1).add(-1e-300).add(1.0 / 3).end();
  file.close();
  EXPECT_EQ(contentOf(path), "x\n0.1,-1e-300,0.3333333333333333\n");
  EXPECT_THAT(messageOf([&] { CsvFile(path + "/x", "x"); }), HasSubstr("cannot write " + path + "/x: "));
}

TEST(Csv, PlacesOfMistakes) {
  const std::string path = "f.csv", text = "a,b\n\"open";
  CsvCursor cursor(path, text);
  std::vector<std::string_view> fields;
  cursor.readLine(fields);
  EXPECT_THAT(messageOf([&] { cursor.fail(fields[1], "so"); }), "f.csv:1:3: so");
  EXPECT_THAT(messageOf([&] { cursor.readLine(fields); }), HasSubstr("f.csv:2:1: a quoted field has no end"));
}

TEST(Hdf5, NumbersAndTextsComeBack) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "a.h5").string();
  {
    Hdf5Writer file(path);
    file.group("a/b");
    file.attribute("a/b", "weight", 0.25);
    file.attribute("/", "name", std::string("die"));
    file.numbers("a/b/table", std::vector<double>{1, 2, 3, 4, 5, 1e-300}, 3);
    file.numbers("a/column", std::vector<double>{7, 8}, 1);
    file.numbers("a/none", {}, 4);
    file.texts("a/words", {"", "gr\xC3\xBC\xC3\x9F", "two words"});
    file.close();
  }
  const Hdf5Reader reader(path);
  EXPECT_THAT(reader.numbers("a/b/table", 3), ElementsAre(1, 2, 3, 4, 5, 1e-300));
  EXPECT_THAT(reader.numbers("a/column", 1, 2), ElementsAre(7, 8));
  EXPECT_TRUE(reader.numbers("a/none", 4).empty());
  EXPECT_THAT(hdf5Texts(path, "a/words"), ElementsAre("", "gr\xC3\xBC\xC3\x9F", "two words"));
  EXPECT_THAT(reader.below("a"), ElementsAre("b", "b/table", "column", "none", "words"));
  EXPECT_TRUE(reader.has("a/b/table"));
  EXPECT_FALSE(reader.has("a/c"));
  EXPECT_THAT(messageOf([&] { reader.numbers("a/b/table", 2); }), HasSubstr("a/b/table: wrong shape; n x 2"));
  EXPECT_THAT(messageOf([&] { reader.numbers("a/c", 2); }), HasSubstr("no such data set"));
  // The library's own view: shapes, types, attributes.
  const hid_t h5 = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t set = H5Dopen2(h5, "/a/b/table", H5P_DEFAULT), space = H5Dget_space(set), type = H5Dget_type(set);
  hsize_t size[2];
  ASSERT_EQ(H5Sget_simple_extent_dims(space, size, nullptr), 2);
  EXPECT_EQ(size[0], 2u);
  EXPECT_EQ(size[1], 3u);
  EXPECT_GT(H5Tequal(type, H5T_IEEE_F64LE), 0);
  const hid_t group = H5Gopen2(h5, "/a/b", H5P_DEFAULT), weight = H5Aopen(group, "weight", H5P_DEFAULT);
  double value = 0;
  H5Aread(weight, H5T_NATIVE_DOUBLE, &value);
  EXPECT_EQ(value, 0.25);
  H5Aclose(weight), H5Gclose(group), H5Tclose(type), H5Sclose(space), H5Dclose(set), H5Fclose(h5);
}

TEST(Hdf5, FilesThatAreNone) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "a.h5").string();
  std::ofstream(path) << "nonsense";
  EXPECT_EQ(messageOf([&] { Hdf5Reader reader(path); }), path + ": this is no HDF5 file, or it cannot be read");
  EXPECT_EQ(messageOf([&] {
              Hdf5Writer writer(path + "/b");
              writer.close();
            }),
            "cannot write " + path + "/b: Not a directory");
}

TEST(LateLibrary, OneThatIsNotThereIsSaid) {
  EXPECT_THAT(messageOf([] { LateLibrary("librigor-is-not-there.so.9", "a mesh"); }),
              HasSubstr("a mesh needs the library librigor-is-not-there.so.9, which cannot be loaded: "));
  const LateLibrary libm("libm.so.6", "a test");
  EXPECT_EQ(libm.function<double(double)>("sqrt")(4), 2);
  EXPECT_THAT(messageOf([&] { libm.function<void()>("there_is_no_such"); }), HasSubstr("has no there_is_no_such"));
}

}  // namespace
}  // namespace rigor::formats
