// SPDX-License-Identifier: MIT
#include "cli/export_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>

#include "cli/exit_code.h"
#include "record/export.h"

namespace rigor::cli {
namespace {

constexpr double kMostTimes = 1e8;  ///< Of one branch: more is a mistake in the rate.

/// A file of times that cannot be read; what() has FILE:LINE:COL.
struct TimesError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Numbers between white space or commas; from # to the end of a line is a remark. Ascending, each once.
std::vector<double> readTimes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw TimesError(path + ":1:1: the file cannot be read; times in seconds, a line each");
  std::vector<double> times;
  int line = 1;
  std::size_t line_start = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '#') {
      i = std::min(text.find('\n', i), text.size());
    } else if (text[i] == ',' || std::isspace(static_cast<unsigned char>(text[i]))) {
      if (text[i++] == '\n') ++line, line_start = i;
    } else {
      const std::size_t end = std::min(text.find_first_of(", \t\r\n#", i), text.size());
      double time = -1;
      const auto [last, error] = std::from_chars(text.data() + i, text.data() + end, time);
      if (error != std::errc() || last != text.data() + end || !(time >= 0 && time <= 1e100))
        throw TimesError(fmt::format("{}:{}:{}: {} is no time of a run; a finite number >= 0 [s]", path, line,
                                     i - line_start + 1, text.substr(i, std::min<std::size_t>(end - i, 40))));
      times.push_back(time);
      i = end;
    }
  }
  if (times.empty()) throw TimesError(path + ":1:1: the file holds no times; times in seconds, a line each");
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

/// What is wrong with the arguments, before any work; empty: nothing.
std::string wrongUse(const ExportArguments& arguments, record::Reader& reader) {
  const bool table = arguments.format == "csv" || arguments.format == "hdf5";
  if (!table && arguments.format != "gltf" && arguments.format != "html")
    return fmt::format("--format is {}; csv, hdf5, gltf or html", arguments.format);
  if (!table && (arguments.rate || !arguments.at.empty()))
    return fmt::format("--format {} holds the motion at all times; --rate and --at are for csv and hdf5",
                       arguments.format);
  if (arguments.rate && !arguments.at.empty()) return "--rate and --at exclude each other";
  const auto branches = reader.branches();
  if (!arguments.branch.empty() &&
      std::none_of(branches.begin(), branches.end(), [&](const auto& b) { return b.id == arguments.branch; }))
    return fmt::format("--branch is {}; a branch of {} (`rigor info` lists them)", arguments.branch, arguments.record);
  double longest = 0;
  for (const record::BranchRow& row : branches) longest = std::max(longest, row.end_time);
  if (arguments.rate && !(*arguments.rate * longest <= kMostTimes))
    return fmt::format("--rate {} asks for more than {} times in {} s", *arguments.rate, kMostTimes, longest);
  return {};
}

/// Says what of the times lies where the run does not.
void warnOfTimesOutside(const ExportArguments& arguments, const record::ExportTimes& times, record::Reader& reader,
                        std::ostream& err) {
  double end = 0;
  for (const record::BranchRow& row : reader.branches()) end = std::max(end, row.end_time);
  const auto outside = std::count_if(times.at.begin(), times.at.end(), [&](double t) { return t > end; });
  if (outside > 0)
    err << fmt::format("rigor: warning: {}: {} of {} times are after the run's end, {} s; they have no rows\n",
                       arguments.at, outside, times.at.size(), end);
}

}  // namespace

int exportCommand(const ExportArguments& arguments, std::ostream& err) {
  try {
    record::Reader reader(arguments.record);
    if (const std::string wrong = wrongUse(arguments, reader); !wrong.empty()) {
      err << "rigor: " << wrong << '\n';
      return kUsage;
    }
    record::ExportTimes times;
    times.rate = arguments.rate.value_or(0);
    if (!arguments.at.empty()) times.at = readTimes(arguments.at);
    warnOfTimesOutside(arguments, times, reader, err);
    if (arguments.format == "csv") record::exportCsv(reader, arguments.output, arguments.branch, times);
    else if (arguments.format == "hdf5") record::exportHdf5(reader, arguments.output, arguments.branch, times);
    else if (arguments.format == "gltf") record::exportGltf(reader, arguments.output, arguments.branch);
    else record::exportHtml(reader, arguments.output, arguments.branch);
    err << "rigor: wrote " << arguments.output << '\n';
    return kDone;
  } catch (const record::ExportError& error) {
    err << "rigor: " << error.what() << '\n';
    return kFailure;
  } catch (const record::RecordError& error) {
    err << "rigor: " << error.what() << '\n';
    return kBadInput;
  } catch (const TimesError& error) {
    err << error.what() << '\n';
    return kBadInput;
  }
}

}  // namespace rigor::cli
