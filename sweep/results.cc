// SPDX-License-Identifier: MIT
#include "sweep/results.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "formats/csv.h"
#include "formats/hdf5.h"
#include "record/svg_plot.h"
#include "sweep/run_sweep.h"

namespace rigor::sweep {
namespace {

namespace fs = std::filesystem;

std::string headerLine(const std::vector<std::string>& columns) {
  std::vector<std::string> cells;
  for (const std::string& name : columns) cells.push_back(rowCell(name));
  return fmt::format("{}", fmt::join(cells, ","));
}

std::string readText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The whole of a file at once: readers see the old or the new one.
void writeText(const std::string& path, const std::string& text) {
  const std::string beside = path + ".new";
  {
    std::ofstream file(beside, std::ios::binary);
    file << text;
    file.flush();
    if (!file) throw SweepError(beside + " cannot be written");
  }
  std::error_code error;
  fs::rename(beside, path, error);
  if (error) throw SweepError(fmt::format("{} cannot be written: {}", path, error.message()));
}

double number(const std::string& cell) {
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  return error == std::errc() && end == cell.data() + cell.size() ? value : std::nan("");
}

/// The numbers of a column; NaN where a cell is empty or a word.
std::vector<double> columnOf(const Rows& rows, std::size_t column) {
  std::vector<double> values;
  for (const auto& [run, line] : rows) values.push_back(number(formats::splitCsvLine(line)[column]));
  return values;
}

/// Share of k in n with its 95 % confidence interval [Wilson 1927, Eq. for the score interval].
struct Share {
  double share, low, high;
  Share(long k, long n) {
    constexpr double z = 1.959963984540054;
    const double p = static_cast<double>(k) / static_cast<double>(n), m = static_cast<double>(n);
    const double centre = (p + z * z / (2 * m)) / (1 + z * z / m);
    const double half = z / (1 + z * z / m) * std::sqrt(p * (1 - p) / m + z * z / (4 * m * m));
    share = p, low = std::max(0.0, centre - half), high = std::min(1.0, centre + half);
  }
};

std::vector<record::PlotPoint> bar(double left, double right, double height) {
  return {{left, 0}, {left, height}, {right, height}, {right, 0}};
}

void plotShares(const std::string& path, const std::string& title, const std::map<std::string, long>& counts) {
  long total = 0;
  for (const auto& [name, count] : counts) total += count;
  record::SvgPlot plot(fmt::format("{}, {} runs", title, total), "", "share, with its 95 % interval");
  plot.includeY(0);
  std::vector<record::PlotTick> ticks;
  double x = 0;
  for (const auto& [name, count] : counts) {
    const Share share(count, total);
    plot.addArea(bar(x - 0.35, x + 0.35, share.share), "");
    plot.addLine({{x, share.low}, {x, share.high}}, "", {.colour = record::PlotColour::kBlack});
    ticks.push_back({x++, name});
  }
  plot.setXTicks(std::move(ticks));
  plot.write(path);
}

void plotHistogram(const std::string& path, const std::string& title, std::vector<double> values) {
  std::erase_if(values, [](double v) { return !std::isfinite(v); });
  if (values.empty()) return;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const double low = *least, high = *most > *least ? *most : *least + 1;
  const int bins = std::clamp(static_cast<int>(std::lround(2 * std::cbrt(values.size()))), 1, 60);  // [Rice]
  std::vector<long> counts(bins);
  for (const double v : values) ++counts[std::min(bins - 1, static_cast<int>((v - low) / (high - low) * bins))];
  record::SvgPlot plot(fmt::format("{}, {} runs", title, values.size()), title, "runs");
  plot.includeY(0);
  const double width = (high - low) / bins;
  for (int i = 0; i < bins; ++i)
    if (counts[i] > 0) plot.addArea(bar(low + i * width, low + (i + 1) * width, static_cast<double>(counts[i])), "");
  plot.write(path);
}

}  // namespace

std::string rowCell(std::string text) {
  std::replace_if(text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return formats::csvField(text);
}

void Manifest::write(const std::string& folder) const {
  const nlohmann::ordered_json json{{"sweep", sweep_text},     {"scene", scene_text}, {"runs", runs},
                                    {"shard", shard},          {"shards", shards},    {"columns", columns},
                                    {"categories", categories}};
  writeText((fs::path(folder) / "sweep.json").string(),
            json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

Manifest Manifest::read(const std::string& folder) {
  const std::string path = (fs::path(folder) / "sweep.json").string();
  try {
    const auto json = nlohmann::json::parse(readText(path));
    Manifest manifest;
    manifest.sweep_text = json.at("sweep"), manifest.scene_text = json.at("scene");
    manifest.runs = json.at("runs"), manifest.shard = json.at("shard"), manifest.shards = json.at("shards");
    manifest.columns = json.at("columns"), manifest.categories = json.at("categories");
    return manifest;
  } catch (const nlohmann::json::exception&) {
    throw SweepError(fmt::format("{} holds no sweep: {} is missing or damaged", folder, path));
  }
}

bool Manifest::isSameSweep(const Manifest& other) const {
  return sweep_text == other.sweep_text && scene_text == other.scene_text && runs == other.runs &&
         columns == other.columns;
}

Rows readRows(const std::string& path, const std::vector<std::string>& columns) {
  const std::string text = readText(path);
  Rows rows;
  std::size_t from = 0;
  for (std::size_t end; (end = text.find('\n', from)) != text.npos; from = end + 1) {
    const std::string line = text.substr(from, end - from);
    if (from == 0) {
      if (line != headerLine(columns)) throw SweepError(path + ": its header is that of another sweep");
      continue;
    }
    long run = -1;
    std::from_chars(line.data(), line.data() + line.size(), run);
    if (run < 0 || formats::splitCsvLine(line).size() != columns.size())
      throw SweepError(fmt::format("{}: damaged row '{}'", path, line));
    rows[run] = line;
  }
  return rows;
}

RowLog::RowLog(const std::string& path, const std::vector<std::string>& columns, const Rows& known) : path_(path) {
  std::string text = headerLine(columns) + "\n";
  for (const auto& [run, line] : known) text += line + "\n";
  writeText(path, text);
  file_.reset(std::fopen(path.c_str(), "ab"));
  if (!file_) throw SweepError(path + " cannot be written");
}

void RowLog::add(const std::string& line) {
  const std::string text = line + "\n";
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size() || std::fflush(file_.get()) != 0)
    throw SweepError(path_ + " cannot be written: the disk may be full");
}

void writeCsv(const std::string& path, const std::vector<std::string>& columns, const Rows& rows) {
  std::string text = headerLine(columns) + "\n";
  for (const auto& [run, line] : rows) text += line + "\n";
  writeText(path, text);
}

void writeHdf5(const std::string& path, const std::vector<std::string>& columns, const Rows& rows) {
  try {
    formats::Hdf5Writer file(path);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      std::string name = columns[c];
      std::replace(name.begin(), name.end(), '/', '_');  // A link's name would be a group.
      if (name != "status") {
        file.numbers(name, columnOf(rows, c), 1);
        continue;
      }
      std::vector<std::string> texts;
      for (const auto& [run, line] : rows) texts.push_back(formats::splitCsvLine(line)[c]);
      file.texts(name, texts);
    }
    file.close();
  } catch (const formats::FileError& error) {
    throw SweepError(error.what());
  }
}

void writePlots(const std::string& folder, const Manifest& manifest, const Rows& rows) {
  if (rows.empty()) return;
  const fs::path plots = fs::path(folder) / "plots";
  fs::create_directories(plots);
  for (std::size_t c = 0; c < manifest.columns.size(); ++c) {
    const std::string& name = manifest.columns[c];
    if (name == "run" || name == "seed") continue;
    std::string file = name + ".svg";
    std::replace(file.begin(), file.end(), '/', '_');
    const bool category =
        std::find(manifest.categories.begin(), manifest.categories.end(), name) != manifest.categories.end();
    if (category) {
      std::map<std::string, long> counts;
      for (const auto& [run, line] : rows) ++counts[formats::splitCsvLine(line)[c]];
      plotShares((plots / file).string(), name, counts);
    } else {
      plotHistogram((plots / file).string(), name, columnOf(rows, c));
    }
  }
}

}  // namespace rigor::sweep
