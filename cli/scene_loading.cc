// SPDX-License-Identifier: MIT
#include "cli/scene_loading.h"

#include "cli/progress_bar.h"

namespace rigor::cli {
namespace {

/// While it lives, a loader's work is shown.
class Shown {
 public:
  Shown(scenes::SceneSource& source, bool quiet) : bar_(!quiet), source_(source) {
    source.progress = [this](double part, const std::string& what) { bar_.showPart(part, what); };
  }
  ~Shown() { source_.progress = {}; }
  Shown(const Shown&) = delete;
  Shown& operator=(const Shown&) = delete;

 private:
  ProgressBar bar_;
  scenes::SceneSource& source_;
};

}  // namespace

sim::Scene loadShown(const std::string& path, scenes::SceneSource& source, bool quiet) {
  const Shown shown(source, quiet);
  return scenes::loadScene(path, &source);
}

sim::Scene loadShown(const std::string& path, scenes::SceneSource& source, methods::Choice& choice, bool quiet) {
  const Shown shown(source, quiet);
  return scenes::loadScene(path, source, choice);
}

}  // namespace rigor::cli
