// SPDX-License-Identifier: MIT
#include "scenes/mjcf_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "scenes/nearest_word.h"

namespace rigor::scenes {
namespace {

constexpr int kMostNested = 1000;

using Names = std::set<std::string, std::less<>>;

Names together(std::initializer_list<Names> sets) {
  Names all;
  for (const Names& one : sets) all.insert(one.begin(), one.end());
  return all;
}

/// Attributes that the format knows, of elements that are looked at.
const std::map<std::string, Names>& knownAttributes() {
  static const Names frame = {"pos", "quat", "axisangle", "xyaxes", "zaxis", "euler"};
  static const Names shape = {"name", "class", "type", "group", "size", "material", "fromto", "rgba", "user"};
  static const Names actuator = {
      "name",     "class",      "group",       "ctrllimited", "forcelimited",  "actlimited", "ctrlrange",
      "actrange", "forcerange", "lengthrange", "gear",        "cranklength",   "user",       "joint",
      "tendon",   "cranksite",  "slidersite",  "site",        "jointinparent", "refsite",    "body",
      "actdim",   "dyntype",    "gaintype",    "biastype",    "dynprm",        "gainprm",    "biasprm",
      "actearly", "kp",         "kv",          "dampratio",   "timeconst",     "nsample",    "inheritrange",
      "area",     "diameter",   "bias",        "tausmooth",   "range",         "force",      "scale",
      "lmin",     "lmax",       "vmin",        "vmax",        "fpmax",         "fvmax",      "gain",
      "interp",   "delay",      "plugin",      "instance",    "damping",       "armature"};
  static const std::map<std::string, Names> known = [] {
    std::map<std::string, Names> all = {
        {"body", together({frame, {"name", "childclass", "mocap", "gravcomp", "sleep", "user"}})},
        {"frame", together({frame, {"name", "childclass"}})},
        {"inertial", together({frame, {"mass", "diaginertia", "fullinertia"}})},
        {"freejoint", {"name", "group", "align"}},
        {"joint",
         {"name",
          "class",
          "type",
          "group",
          "pos",
          "axis",
          "springdamper",
          "limited",
          "solreflimit",
          "actuatorfrclimited",
          "solimplimit",
          "solreffriction",
          "solimpfriction",
          "stiffness",
          "range",
          "margin",
          "ref",
          "springref",
          "armature",
          "actuatorfrcrange",
          "damping",
          "frictionloss",
          "user",
          "actuatorgravcomp"}},
        {"geom", together({frame,
                           shape,
                           {"contype", "conaffinity", "condim", "priority", "friction", "mass", "density",
                            "shellinertia", "solmix", "solref", "solimp", "margin", "gap", "hfield", "mesh",
                            "fluidcoef", "fluidshape", "fitscale"}})},
        {"site", together({frame, shape})},
        {"compiler",
         {"autolimits", "boundmass", "boundinertia", "settotalmass", "balanceinertia", "strippath", "coordinate",
          "angle", "fitaabb", "eulerseq", "meshdir", "texturedir", "assetdir", "discardvisual", "usethread",
          "fusestatic", "inertiafromgeom", "inertiagrouprange", "exactmeshinertia", "alignfree", "saveinertial",
          "convexhull"}}};
    for (const char* kind : {"general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle",
                             "adhesion", "dcmotor", "plugin"})
      all.emplace(kind, actuator);
    return all;
  }();
  return known;
}

class NameReader {
 public:
  NameReader(MjcfDocument& document, const FileModel& file) : document_(document), file_(file) {}

  void read() {
    for (const XmlElement& section : document_.children(document_.root())) {
      if (section.name() == "worldbody" || section.name() == "default") readInside(section, 1);
      if (section.name() == "compiler") readAttributes(section);
      if (section.name() == "option") readOption(section);
    }
    std::vector<std::string> gains;
    for (const XmlElement& actuator : document_.section("actuator")) {
      readAttributes(actuator);
      const std::string kind = actuator.name();
      const std::string name = actuator.textOr("name", actuator.textOr("joint", kind));
      if (kind == "damper")
        file_.warn(actuator.position(), fmt::format("damper {} is not simulated; it is left out", name));
      if (kind == "position" || kind == "velocity" || kind == "intvelocity") gains.push_back(name);
    }
    if (!gains.empty())
      file_.warn({},
                 fmt::format("gains (kp, kv) of actuators drive nothing: the scene's `controller` does; left out of "
                             "{}",
                             fmt::join(gains, ", ")));
  }

 private:
  void readInside(const XmlElement& element, int depth) {
    if (depth > kMostNested)  // Included files go on where the limit of one file ends.
      element.fail(fmt::format("elements nested more than {} deep", kMostNested), "fewer");
    static const Names bodies = {"worldbody", "body", "frame", "replicate"};
    static const Names inside = {"body", "frame", "replicate", "joint",     "freejoint", "inertial", "geom",
                                 "site", "light", "camera",    "composite", "flexcomp",  "attach"};
    for (const XmlElement& child : document_.children(element)) {
      const std::string kind = child.name();
      if (bodies.contains(element.name()) && !inside.contains(kind))
        file_.warn(child.position(), fmt::format("<{}> in <{}> is not read; it is left out{}", kind, element.name(),
                                                 suggestion(kind, inside)));
      else readAttributes(child);
      if (bodies.contains(kind) || kind == "default") readInside(child, depth + 1);
    }
  }

  /// Numbers of a solver are nobody's business here; what changes the physics is.
  void readOption(const XmlElement& option) {
    const auto left = [&](const std::string& what, const char* instead) {
      file_.warn(option.position(), fmt::format("option {} is left out: {}", what, instead));
    };
    if (option.has("gravity") && (option.vector3Or("gravity", {0, 0, 0}) + Eigen::Vector3d(0, 0, 9.81)).norm() > .02)
      left("gravity=\"" + *option.text("gravity") + "\"", "`gravity` is the scene's");
    for (const char* medium : {"density", "viscosity", "wind"})
      if (const auto numbers = option.numbers(medium); numbers && !isZero(*numbers))
        left(fmt::format("{}=\"{}\"", medium, *option.text(medium)), "no medium is simulated");
    for (const XmlElement& flags : option.children("flag"))
      for (const char* part : {"constraint", "equality", "frictionloss", "limit", "contact", "passive", "spring",
                               "damper", "gravity", "actuation"})
        if (flags.textOr(part, "") == "disable")
          left(fmt::format("flag {}=\"disable\"", part), "all parts of the model act");
  }

  static bool isZero(const std::vector<double>& numbers) {
    return std::all_of(numbers.begin(), numbers.end(), [](double x) { return x == 0; });
  }

  void readAttributes(const XmlElement& element) {
    const std::string kind = element.name();
    const auto known = knownAttributes().find(kind);
    if (known == knownAttributes().end()) return;
    for (const std::string& attribute : element.attributes())
      if (!known->second.contains(attribute))
        file_.warn(element.position(),
                   fmt::format("{}: an attribute {} that the format does not know; it is left out{}", named(element),
                               attribute, suggestion(attribute, known->second)));
    for (const auto& [owner, attribute] : {std::pair{"body", "gravcomp"}, {"joint", "springdamper"}}) {
      if (kind != owner) continue;
      const auto numbers = element.numbers(attribute);
      if (numbers && !isZero(*numbers))
        file_.warn(element.position(),
                   fmt::format("{}: {} is not simulated; it is left out", named(element), attribute));
    }
  }

  static std::string named(const XmlElement& element) {
    const std::string name = element.textOr("name", "");
    return name.empty() ? element.name() : element.name() + " " + name;
  }
  static std::string suggestion(const std::string& word, const Names& names) {
    const std::string nearest = nearestWord(word, std::vector<std::string_view>(names.begin(), names.end()));
    return nearest.empty() ? "" : fmt::format(" (did you mean {}?)", nearest);
  }

  MjcfDocument& document_;
  const FileModel& file_;
};

}  // namespace

void warnOfUnreadNames(MjcfDocument& document, const FileModel& file) { NameReader(document, file).read(); }

}  // namespace rigor::scenes
