// SPDX-License-Identifier: MIT
#include "sweep/plan.h"

#include <fmt/format.h>

#include "impact/random_stream.h"
#include "scenes/loader.h"

namespace rigor::sweep {
namespace {

using scenes::Value;

constexpr long kMostRuns = 1'000'000'000;
constexpr std::uint64_t kSeedStream = 0x7377656570ULL;  ///< Apart from the variations' keys.

Keep readKeep(const Value& value, long runs) {
  Keep keep;
  if (value.isList()) {
    for (const Value& run : value.items("numbers of runs")) keep.runs.insert(run.integer(0, runs - 1));
    return keep;
  }
  const std::string text = value.text();
  if (text != "none" && text != "failed" && text != "all") value.refuse("none, failed, all or a list of runs");
  keep.all = text == "all", keep.failed = text == "failed";
  return keep;
}

}  // namespace

Plan Plan::load(const std::string& path, const std::function<std::string(const std::string&)>& locate) {
  Plan plan;
  plan.text_ = scenes::readTextFile(path, "a sweep file in YAML or JSON");
  const Value root = Value::parse(plan.text_, path);
  root.fields({"scene", "runs", "seed", "vary", "keep", "store", "results"});
  const Value scene = root.at("scene");
  plan.scene_path_ = locate(scene.text());
  plan.scene_text_ = scenes::readTextFile(plan.scene_path_, "a scene file in YAML or JSON");
  // As it is, for its bodies' names: what is wrong with it is said before any run.
  const sim::Scene base = scenes::parseScene(plan.scene_text_, plan.scene_path_);
  plan.scene_name_ = base.name;
  if (const auto seed = root.find("seed"))
    plan.seed_ = static_cast<std::uint64_t>(seed->integer(0, std::numeric_limits<long>::max()));

  long combinations = 1;
  if (const auto vary = root.find("vary")) {
    if (!vary->isMap()) vary->refuse("a map from paths of the scene to distributions");
    for (const std::string& key : vary->keys()) {
      const Value source = vary->at(key);
      plan.variations_.push_back(Variation::read(key, source));
      combinations *= plan.variations_.back().gridSize();
      if (combinations > kMostRuns) source.fail("grids of more than a billion combinations", "fewer");
    }
  }
  if (plan.variations_.size() > 0xffff) root.at("vary").fail("more than 65,535 variations", "fewer");
  plan.runs_ = combinations;
  if (const auto runs = root.find("runs")) plan.runs_ = runs->integer(1, kMostRuns);
  if (const auto keep = root.find("keep")) plan.keep_ = readKeep(*keep, plan.runs_);
  if (const auto store = root.find("store")) {
    const std::string text = store->text();
    if (text != "files" && text != "archive") store->refuse("files or archive");
    plan.archives_ = text == "archive";
  }
  if (const auto results = root.find("results")) {
    for (const Value& name : results->items("names of quantities")) {
      std::string allowed;
      Quantity quantity;
      if (!Quantity::find(name.text(), base, quantity, allowed)) name.refuse(allowed);
      plan.quantities_.push_back(std::move(quantity));
    }
  }
  // Paths that lead nowhere are found before the first run.
  const YAML::Node document = YAML::Load(plan.scene_text_);
  plan.sceneWith(document, plan.draw(0));
  return plan;
}

std::uint64_t Plan::seedOf(long run) const {
  const r123::Philox4x64 generate;
  return generate({{static_cast<std::uint64_t>(run), 0, 0, 0}}, {{seed_, kSeedStream}})[0] >> 11;
}

std::vector<std::string> Plan::columns() const {
  std::vector<std::string> names = {"run", "seed", "status"};
  const auto append = [&](const std::vector<std::string>& more) {
    names.insert(names.end(), more.begin(), more.end());
  };
  for (const Variation& variation : variations_) append(variation.columns());
  for (const Quantity& quantity : quantities_) append(quantity.columns());
  return names;
}

std::vector<YAML::Node> Plan::draw(long run) const {
  std::vector<YAML::Node> values;
  long rest = run;
  for (std::size_t i = 0; i < variations_.size(); ++i) {
    const long size = variations_[i].gridSize();
    values.push_back(variations_[i].draw({seed_, run}, static_cast<int>(i), rest % size));
    rest /= size;
  }
  return values;
}

std::string Plan::sceneWith(const YAML::Node& scene, const std::vector<YAML::Node>& values) const {
  const YAML::Node copy = YAML::Clone(scene);
  for (std::size_t i = 0; i < variations_.size(); ++i) variations_[i].apply(copy, values[i]);
  YAML::Emitter emitter;
  emitter << copy;
  return std::string(emitter.c_str()) + "\n";
}

}  // namespace rigor::sweep
