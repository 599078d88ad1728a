// SPDX-License-Identifier: MIT
#include "cli/atlas_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "atlas/page.h"
#include "cli/exit_code.h"
#include "cli/helper.h"
#include "cli/interrupt.h"
#include "cli/places.h"
#include "cli/progress_bar.h"
#include "compare/peers.h"

namespace rigor::cli {
namespace {

/// A folder of the engines' files while it lives.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "rigor-atlas-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error(name + " cannot be made");
    path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

void writeFile(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) throw std::runtime_error(path.string() + " cannot be written");
}

void writeAtlas(const std::string& folder, const std::vector<atlas::Map>& maps) {
  const std::filesystem::path place = folder;
  writeFile(place / "index.md", atlas::atlasPage(maps));
  writeFile(place / "atlas.json", atlas::atlasJson(maps) + '\n');
  for (const atlas::Map& map : maps) {
    for (const auto& [name, chart] : atlas::chartsOf(map)) writeFile(place / name, atlas::drawChart(chart));
  }
}

/// Those of that name, in the order of the list; null and a message for a name that is none.
bool chooseFamilies(const std::vector<std::string>& names, std::vector<const atlas::Family*>& chosen,
                    std::ostream& err) {
  std::vector<std::string> known;
  for (const atlas::Family& family : atlas::families()) {
    known.push_back(family.name);
    if (names.empty() || std::find(names.begin(), names.end(), family.name) != names.end()) chosen.push_back(&family);
  }
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    err << fmt::format("rigor: {} is no family; there are {}\n", name, fmt::join(known, ", "));
    return false;
  }
  return true;
}

}  // namespace

int atlasCommand(const AtlasArguments& arguments, std::ostream& out, std::ostream& err) {
  std::vector<const atlas::Family*> chosen;
  if (!chooseFamilies(arguments.families, chosen, err)) return kUsage;
  try {
    const InterruptGuard interrupt;
    const ScratchFolder scratch;
    if (!arguments.output.empty()) createFolder(arguments.output);  // What cannot be written is said before the work.
    ProgressBar bar(!arguments.quiet);
    atlas::StudyOptions options;
    options.peers = findHelper("rigor-peers");
    options.engines = compare::enginesOf(options.peers);
    options.scratch = scratch.path();
    std::vector<atlas::Map> maps;
    for (const atlas::Family* family : chosen) {
      const auto before = static_cast<double>(maps.size());
      const auto progress = [&](long done, long of) {
        const double part = before + static_cast<double>(done) / static_cast<double>(of);
        bar.showPart(part / static_cast<double>(chosen.size()),
                     fmt::format("{}: {} of {} impacts", family->name, done, of));
        return !interrupt.interrupted();
      };
      maps.push_back(atlas::studyFamily(*family, arguments.cells, arguments.threads, options, progress));
      if (interrupt.interrupted()) return kInterrupted;
    }
    if (!arguments.output.empty()) writeAtlas(arguments.output, maps);
    out << (arguments.json ? atlas::atlasJson(maps) + '\n' : atlas::atlasText(maps));
    if (!arguments.output.empty() && !arguments.quiet) err << fmt::format("rigor: {}/index.md\n", arguments.output);
    return kDone;
  } catch (const std::exception& error) {
    err << "rigor: " << error.what() << '\n';
    return kFailure;
  }
}

std::string describeFamilies() {
  std::string text;
  for (const atlas::Family& family : atlas::families()) {
    text += fmt::format("  {:<20}  {}: {}, {}\n", family.name, family.title, family.x.name, family.y.name);
  }
  return text;
}

}  // namespace rigor::cli
