// SPDX-License-Identifier: MIT
#pragma once
#include <span>
#include <vector>

#include "sim/contact/contact.h"
#include "sim/runtime.h"

namespace rigor::sim {

/// The parts of a group whose bodies still touch each other; links of a robot stay together. @post root[i]: place in
/// the group of the first body of the part that body i of the group is in.
void findParts(std::span<const int> group, std::span<const Contact> contacts, std::span<const BodyRuntime> bodies,
               std::vector<int>& root);

}  // namespace rigor::sim
