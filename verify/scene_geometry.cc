// SPDX-License-Identifier: MIT
#include "verify/scene_geometry.h"
namespace rigor::verify {
void checkScene(const std::string&, const std::vector<Body>&, const std::vector<Start>&, const std::function<void(int, const std::string&)>&,
                const std::function<void(const std::string&)>&) {}
}  // namespace rigor::verify
