// SPDX-License-Identifier: MIT
#include "cli/compare_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "check/check.h"
#include "cli/exit_code.h"
#include "cli/helper.h"
#include "cli/input_error.h"
#include "cli/interrupt.h"
#include "cli/places.h"
#include "cli/progress_bar.h"
#include "cli/run_command.h"
#include "cli/scene_loading.h"
#include "cli/version.h"
#include "compare/compare.h"
#include "compare/page.h"
#include "compare/peers.h"
#include "methods/registry.h"
#include "record/summary_json.h"
#include "scenes/loader.h"

namespace rigor::cli {
namespace {

void writeText(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) throw std::runtime_error(path + " cannot be written");
}

void writeFolder(const std::string& folder, const sim::Scene& scene, const std::vector<compare::Entry>& entries) {
  writeText(folder + "/compare.json", compare::compareJson(scene, entries) + "\n");
  writeText(folder + "/index.html", compare::comparePage(scene, entries));
  for (const auto& [name, plot] : compare::comparePlots(scene, entries)) plot.write(folder + "/" + name + ".svg");
}

}  // namespace

int compareCommand(const CompareArguments& arguments, std::ostream& out, std::ostream& err) {
  compare::Options options;
  options.peers = findHelper("rigor-peers");
  std::vector<std::string> names{"certified"};
  for (const methods::MethodInfo& method : methods::methods()) names.push_back(method.name);
  for (const std::string& engine : compare::enginesOf(options.peers)) names.push_back(engine);
  for (const std::string& name : arguments.only)
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      err << fmt::format("rigor: --only {}: there are {}\n", name, fmt::join(names, ", "));
      return kUsage;
    }
  scenes::SceneSource source;
  sim::Scene scene;
  try {
    methods::Choice choice;
    options.scene_path = resolveScene(arguments.scene);
    scene = loadShown(options.scene_path, source, choice, arguments.quiet);
    options.step = arguments.step.value_or(choice.step);
    if (arguments.until) scene.until = *arguments.until;
    (void)sim::Simulation(scene, arguments.seed);  // What cannot start is said before the work begins.
  } catch (...) {
    return reportInputError(source, err);
  }
  try {
    const InterruptGuard interrupt;
    ProgressBar bar(!arguments.quiet);
    options.folder = arguments.output, options.only = arguments.only, options.seed = arguments.seed,
    options.max_steps = arguments.max_steps, options.build = RIGOR_BUILD;
    options.interrupt = &interrupt.flag();
    options.progress = [&](const std::string&, double time) { bar.show(time, scene.until, 0); };
    if (!options.folder.empty()) createFolder(options.folder);
    const std::vector<compare::Entry> entries = compare::compareMethods(scene, options);
    if (!options.folder.empty()) writeFolder(options.folder, scene, entries);
    if (arguments.json) out << compare::compareJson(scene, entries) << '\n';
    else out << compare::compareText(scene, entries);
    if (!options.folder.empty() && !arguments.quiet) err << fmt::format("rigor: {}/index.html\n", options.folder);
    return interrupt.flag() ? kInterrupted : kDone;
  } catch (const check::Interrupted&) {
    return kInterrupted;
  } catch (const std::exception& error) {
    err << "rigor: " << error.what() << '\n';
    return kFailure;
  }
}

int runMethodCommand(const MethodRunArguments& arguments, const sim::Simulation& simulation,
                     const methods::Choice& choice, std::ostream& out, std::ostream& err) {
  const methods::MethodInfo& method = *methods::findMethod(choice.advance);
  const sim::Scene& scene = simulation.scene();
  if (const std::string why = method.refuses(scene); !why.empty()) {
    err << fmt::format("rigor: {} is not for this scene: {}\n", method.name, why);
    return kBadInput;
  }
  try {
    const InterruptGuard interrupt;
    ProgressBar bar(!arguments.quiet);
    compare::Options options;
    options.seed = arguments.seed, options.build = RIGOR_BUILD, options.interrupt = &interrupt.flag();
    options.progress = [&](const std::string&, double time) { bar.show(time, scene.until, 0); };
    const compare::Entry entry =
        compare::runPublished(method, choice, scene, simulation, arguments.path, arguments.force, options);
    const sim::Summary& s = entry.summary;
    if (arguments.json)
      out << record::summaryJson(scene.name, s, entry.cpu_seconds, arguments.seed, arguments.path) << '\n';
    else if (!arguments.quiet) out << compare::compareText(scene, {entry}) << "  record  " << arguments.path << '\n';
    if (entry.deepest > 0 && !arguments.quiet)
      err << fmt::format(
          "rigor: warning: {} lets {} overlap by up to {:.3g} m, at {:.6g} s; `rigor verify` refutes its record\n",
          method.name, entry.deepest_pair, entry.deepest, entry.deepest_time);
    if (!s.message.empty()) err << fmt::format("rigor: the run stopped: {}\n", s.message);
    return exitCodeOf(s.status);
  } catch (const check::Interrupted&) {
    return kInterrupted;
  } catch (const std::exception& error) {
    err << "rigor: " << error.what() << '\n';
    return kFailure;
  }
}

}  // namespace rigor::cli
