// SPDX-License-Identifier: MIT
#include "impact/model_registry.h"

#include <algorithm>
#include <cctype>
#include <list>
#include <mutex>
#include <stdexcept>

#include "impact/models/entries.h"

namespace rigor::impact {
namespace {

using Place = ModelOption::Place;

struct Registry {
  std::mutex mutex;
  std::list<Model> models;  // Their places never move.

  Registry() {
    for (Model (*entry)() : kModelEntries) models.push_back(entry());
  }
  static Registry& only() {
    static Registry registry;
    return registry;
  }
};

void requireThat(bool holds, const std::string& what) {
  if (!holds) throw std::invalid_argument(what);
}

bool mayStand(const ModelOption& option, Place place) {
  return place == Place::kBoth || option.place == Place::kBoth || option.place == place;
}

void checkModel(const Model& model, const std::list<Model>& known) {
  const bool named = !model.name.empty() && std::all_of(model.name.begin(), model.name.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '-';
  });
  requireThat(named, "the name of an impact model is letters, digits and hyphens, not '" + model.name + "'");
  requireThat(model.name != "all", "no impact model is called all: that is every model");
  requireThat(model.name != kCoulombImpact && model.name != kVelocitySet,
              "no impact model is called " + model.name + ": records call impacts so that no model resolved");
  requireThat(static_cast<bool>(model.make), "the impact model " + model.name + " has nothing that makes it");
  for (const Model& other : known)
    requireThat(other.name != model.name, "there is an impact model " + model.name + " already");
  for (const ModelOption& option : model.options) {
    requireThat(!option.name.empty(), "an option of " + model.name + " has no name");
    const bool free = option.kind == ModelOption::Kind::kNumberOfEach || option.kind == ModelOption::Kind::kOrder;
    requireThat(!free || option.place == Place::kProblem,
                "the option " + option.name + " counts contacts, which scenes do not");
    requireThat(option.read || free || option.allows(option.standard, 0),
                "the standard of " + option.name + " is " + optionText(option.standard) + "; " + option.allowed(0));
    for (const Model& other : known) {
      for (const ModelOption& same : other.options) {
        requireThat(same.name != option.name || same.kind == option.kind,
                    "the option " + option.name + " of " + other.name + " has another kind of value");
      }
    }
  }
}

std::string standardOf(const ModelOption& option) {
  if (!option.standard_in_words.empty()) return option.standard_in_words;
  const std::string text = optionText(optionValue(option, {}));
  return text.empty() ? "none" : text;
}

std::string needsOf(const Model& model) {
  std::string text;
  if (model.needs.problems_only) text = "impact problems only";
  if (model.needs.one_restitution && model.needs.one_restitution({}))
    text += std::string(text.empty() ? "" : ", ") + "one restitution for all contacts";
  return text;
}

std::string readersOf(const ModelOption& option) {
  std::string text;
  for (const Model* model : models()) {
    for (const ModelOption& own : model->options) {
      if (own.name == option.name && own.place == option.place) text += (text.empty() ? "" : ", ") + model->name;
    }
  }
  return text;
}

const char* placeName(Place place) {
  return place == Place::kBoth ? "problem, scene" : place == Place::kProblem ? "problem" : "scene";
}

std::vector<const ModelOption*> everyOption() {
  std::vector<const ModelOption*> all;
  for (const Model* model : models()) {
    for (const ModelOption& option : model->options) {
      const bool known = std::any_of(all.begin(), all.end(), [&](const ModelOption* other) {
        return other->name == option.name && (other->place == option.place || other->place == Place::kBoth);
      });
      if (!known) all.push_back(&option);
    }
  }
  return all;
}

std::string modelTable() {
  std::string text = "| model | assumes | gives | needs | reads |\n|---|---|---|---|---|\n";
  for (const Model* model : models()) {
    std::string reads;
    for (const ModelOption& option : model->options) {
      const std::string name = std::string("`").append(option.name).append("`");
      if (reads.find(name) == std::string::npos) reads.append(reads.empty() ? "" : ", ").append(name);
    }
    text += "| `" + model->name + "` | " + std::string(model->make()->assumption()) + " | " + model->gives + " | " +
            needsOf(*model) + " | " + reads + " |\n";
  }
  return text;
}

std::string optionTable() {
  std::string text = "| option | default | allowed | where | meaning | read by |\n|---|---|---|---|---|---|\n";
  for (const ModelOption* option : everyOption()) {
    const std::string allowed = option->kind == ModelOption::Kind::kNumberOfEach ? "for each contact a number" +
                                    std::string(option->above_least ? " > " : " >= ") + optionText(option->least)
                                : option->kind == ModelOption::Kind::kOrder ? "every contact once" : option->allowed(1);
    text += "| `" + option->name + "` | " + standardOf(*option) + " | " + allowed + " | " + placeName(option->place) +
            " | " + option->meaning + " | " + readersOf(*option) + " |\n";
  }
  return text;
}

}  // namespace

const ModelOption* Model::orderOption() const {
  const auto found = std::find_if(options.begin(), options.end(), [](const ModelOption& option) {
    return option.kind == ModelOption::Kind::kOrder;
  });
  return found == options.end() ? nullptr : &*found;
}

void registerModel(Model model) {
  Registry& registry = Registry::only();
  const std::lock_guard lock(registry.mutex);
  checkModel(model, registry.models);
  registry.models.push_back(std::move(model));
}

const Model* findModel(std::string_view name) {
  for (const Model* model : models()) {
    if (model->name == name) return model;
  }
  return nullptr;
}

std::vector<const Model*> models() {
  Registry& registry = Registry::only();
  const std::lock_guard lock(registry.mutex);
  std::vector<const Model*> all;
  for (const Model& model : registry.models) all.push_back(&model);
  return all;
}

std::vector<const ModelOption*> modelOptions(Place place) {
  std::vector<const ModelOption*> all;
  for (const ModelOption* option : everyOption()) {
    const bool known =
        std::any_of(all.begin(), all.end(), [&](const ModelOption* other) { return other->name == option->name; });
    if (!known && mayStand(*option, place)) all.push_back(option);
  }
  return all;
}

const ModelOption* findOption(std::string_view name, Place place) {
  for (const ModelOption* option : modelOptions(place)) {
    if (option->name == name) return option;
  }
  return nullptr;
}

std::string describeModels(bool markdown) {
  if (markdown) return modelTable() + '\n' + optionTable();
  std::string text = "Models\n";
  for (const Model* model : models()) {
    text += "  " + model->name + ": " + std::string(model->make()->assumption()) + "; gives " + model->gives;
    const std::string needs = needsOf(*model);
    text += needs.empty() ? "\n" : "; " + needs + '\n';
  }
  text += "Options of models (--option NAME=VALUE, or in the file)\n";
  for (const ModelOption* option : modelOptions(Place::kProblem)) {
    text += "  " + option->name + " (default " + standardOf(*option) + "): " + option->meaning + "; read by " +
            readersOf(*option) + '\n';
  }
  return text;
}

}  // namespace rigor::impact
