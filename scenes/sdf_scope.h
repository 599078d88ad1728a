// SPDX-License-Identifier: MIT
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "geom/pose.h"
#include "scenes/files.h"
#include "scenes/xml.h"

namespace rigor::scenes {

/// The numbers of a <pose>: position, then roll, pitch, yaw, or x, y, z, w of a quaternion where its rotation_format
/// says so. @throws LoadError.
geom::Pose sdfPose(const XmlElement& pose);

/// A world or model of an SDF file with the models that are nested and included in it: what its names stand for.
/// `A::B` is B of the nested model A.
class SdfScope {
 public:
  /// The world or model of a file. @throws LoadError: no model, several outside of a world, names that repeat, includes
  /// that are not there or include themselves.
  /// @param included  Paths of the files that it includes, in the order of their numbers.
  static std::unique_ptr<SdfScope> read(const std::string& path, const Files& files,
                                        std::vector<std::string>& included);
  ~SdfScope();

  const XmlElement& element() const { return element_; }
  const std::string& path() const { return path_; }      ///< Of its file.
  const std::string& name() const { return name_; }
  const std::string& prefix() const { return prefix_; }  ///< Of its names in outputs.
  bool isStatic() const { return static_; }
  /// Its file is not there, and a plane is taken for it: Gazebo's ground.
  bool standsIn() const { return stands_in_; }
  const std::optional<XmlElement>& includedBy() const { return include_; }
  bool axesInModel() const { return minor_version_ < 5; }  ///< So did old versions of the format.
  const std::vector<std::unique_ptr<SdfScope>>& nested() const { return nested_; }

  /// Pose in the world of a frame that is called so here; `at` asks. @throws LoadError.
  geom::Pose pose(const std::string& frame, const XmlElement& at);
  /// The link that a name stands for, or that its frame or model is attached to; as outputs call it. Empty for the
  /// world. @throws LoadError at `at`: it is none.
  std::string link(const std::string& name, const XmlElement& at) const;

 private:
  struct Library;  // Files that are open.
  struct Source {
    std::string path;
    int minor_version;
  };
  SdfScope(const XmlElement& element, const Source& source);
  void list(Library& library);
  void addNested(const XmlElement& model, const Source& source, const XmlElement* include, Library& library);
  void include(const XmlElement& element, Library& library);
  void setPrefixes(const std::string& above);
  geom::Pose poseHere(const std::string& frame, const XmlElement& at);
  geom::Pose place();  // In the scope around.
  const SdfScope* nestedOf(const std::string& name, std::string& rest) const;

  XmlElement element_;
  std::string path_, name_, prefix_;
  int minor_version_;
  bool static_ = false, merged_ = false, stands_in_ = false;
  SdfScope* around_ = nullptr;
  std::optional<XmlElement> include_;  // What includes it: its pose counts.
  std::map<std::string, XmlElement> frames_;  // Links, joints and frames.
  std::vector<std::unique_ptr<SdfScope>> nested_;
  std::map<std::string, geom::Pose> poses_;  // X_MF
  std::set<std::string> resolving_;
  std::unique_ptr<Library> library_;  // Of the outermost.
};

}  // namespace rigor::scenes
