// SPDX-License-Identifier: MIT
#include "scenes/model_reader.h"

#include <cctype>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "scenes/mjcf.h"
#include "scenes/sdf.h"
#include "scenes/text_encoding.h"
#include "scenes/urdf.h"

namespace rigor::scenes {

namespace {
constexpr size_t kHead = 1u << 16;  // Bytes in which the first element stands, comments and licences before it.

/// What a name says that a file was meant to be; empty: no robot.
std::string formatOfName(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension == ".urdf" || extension == ".xacro") return "urdf";
  if (extension == ".xml" || extension == ".mjcf") return "mjcf";
  return extension == ".sdf" ? "sdf" : "";
}
}  // namespace

std::string robotFormat(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return formatOfName(path);
  if (!std::filesystem::is_regular_file(path, error)) return {};
  std::ifstream file(path, std::ios::binary);
  std::string head(kHead, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<size_t>(file.gcount()));
  const std::string text = asUtf8(head);
  // Text before the first element is no XML: a record that holds a robot file is none.
  size_t at = text.find_first_not_of("\xEF\xBB\xBF \t\r\n");
  if (at != std::string::npos && text[at] != '<') at = std::string::npos;
  for (; at != std::string::npos; at = text.find('<', at + 1)) {
    const std::string_view rest = std::string_view(text).substr(at + 1);
    if (rest.starts_with("!--")) {
      at = text.find("-->", at);
      if (at == std::string::npos) break;
      continue;
    }
    if (rest.starts_with("!") || rest.starts_with("?")) continue;
    for (const auto& [name, format] : {std::pair{"robot", "urdf"}, {"mujoco", "mjcf"}, {"sdf", "sdf"}}) {
      const std::string_view own = name;
      if (rest.starts_with(own) && rest.size() > own.size() &&
          !std::isalnum(static_cast<unsigned char>(rest[own.size()])))
        return format;
    }
    break;
  }
  return formatOfName(path);  // Of a file without any such element.
}

FileModel readModelFile(const std::string& path, const std::string& format, std::vector<std::string>& warnings,
                        const Files& files, const ShapeOptions& options) {
  if (format == "mjcf") return readMjcf(path, warnings, files, options);
  if (format == "sdf") return readSdf(path, warnings, files, options);
  return readUrdf(path, warnings, files, options);
}

}  // namespace rigor::scenes
