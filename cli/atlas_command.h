// SPDX-License-Identifier: MIT
#pragma once
#include <ostream>
#include <string>
#include <vector>

namespace rigor::cli {

struct AtlasArguments {
  std::vector<std::string> families;  ///< Empty: all.
  std::string output;                 ///< Folder for the page, the maps and atlas.json; empty: none.
  int cells = 8;                      ///< Along each side of a map.
  int threads = 0;                    ///< 0: all cores.
  bool json = false, quiet = false;
};

/// `rigor atlas`: families of impacts, the size of their sets, and where models, springs and other engines land
/// (docs/impact-sets.md, "The atlas"). @returns 0; 2 for an unknown family; 4 where the output cannot be written or an
/// engine fails; 130 interrupted.
int atlasCommand(const AtlasArguments& arguments, std::ostream& out, std::ostream& err);

/// For --help: a line a family.
std::string describeFamilies();

}  // namespace rigor::cli
