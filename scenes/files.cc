// SPDX-License-Identifier: MIT
#include "scenes/files.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "scenes/document.h"
#include "scenes/mesh_path.h"
#include "scenes/xacro.h"

namespace rigor::scenes {
namespace {

const std::string kSceneRole = "scene", kNamedRole = "named", kFoundRole = "found", kExpandedRole = "expanded";

bool isContent(const std::string& role) { return role == kSceneRole || role == kNamedRole; }

}  // namespace

struct Files::State {
  /// By name; contents never move.
  using Rows = std::map<std::string, sim::SceneFile>;
  bool closed = false;  // Nothing but what was given.
  Rows rows;
  Progress progress;

  const sim::SceneFile* row(const std::string& name) const {
    const auto found = rows.find(name);
    return found == rows.end() ? nullptr : &found->second;
  }
  const std::string& add(const std::string& name, const std::string& role, std::string content) {
    const auto [at, is_new] = rows.try_emplace(name, sim::SceneFile{name, role, nullptr});
    if (!is_new && at->second.role != role)
      throw LoadError(name, {}, "a file whose name is that of another reference", "another name");
    if (is_new) at->second.content = std::make_shared<const std::string>(std::move(content));
    return *at->second.content;
  }
};

Files::Files() : state_(std::make_shared<State>()) {}

Files Files::only(const std::vector<sim::SceneFile>& given) {
  Files files;
  files.state_->closed = true;
  for (const sim::SceneFile& file : given) files.state_->rows.emplace(file.name, file);
  return files;
}

const std::string& Files::read(const std::string& path, const std::string& allowed) const {
  const sim::SceneFile* known = state_->row(path);
  if (known && isContent(known->role)) return *known->content;
  if (state_->closed) throw LoadError(path, {}, "the file is not one of those that were recorded", allowed);
  return state_->add(path, kNamedRole, readTextFile(path, allowed));
}

const Progress& Files::progress() const { return state_->progress; }

void Files::tell(Progress progress) { state_->progress = std::move(progress); }

bool Files::ofFileSystem() const { return !state_->closed; }

bool Files::contains(const std::string& path) const {
  const sim::SceneFile* known = state_->row(path);
  if (known && isContent(known->role)) return true;
  std::error_code error;
  return !state_->closed && std::filesystem::is_regular_file(path, error);
}

std::string Files::find(const std::string& from, const std::string& name) const {
  const std::string key = from + '#' + name;
  const sim::SceneFile* known = state_->row(key);
  if (known && known->role == kFoundRole) return *known->content;
  if (state_->closed) return key;  // No such file: the reader says so.
  return state_->add(key, kFoundRole, findMesh(from, name));
}

const std::string& Files::expand(const std::string& path) const {
  const std::string key = path + "#xacro";
  const sim::SceneFile* known = state_->row(key);
  if (known && known->role == kExpandedRole) return *known->content;
  if (state_->closed) throw LoadError(path, {}, "what xacro made of this file was not recorded", "a URDF file");
  return state_->add(key, kExpandedRole, expandXacro(path));
}

void Files::addScene(const std::string& path, const std::string& text) { state_->add(path, kSceneRole, text); }

std::vector<sim::SceneFile> Files::taken() const {
  std::vector<sim::SceneFile> all;
  for (const auto& [name, file] : state_->rows) all.push_back(file);
  std::stable_partition(all.begin(), all.end(), [](const sim::SceneFile& file) { return file.role == kSceneRole; });
  return all;
}

}  // namespace rigor::scenes
