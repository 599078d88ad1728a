// SPDX-License-Identifier: MIT
#pragma once
#include <hdf5.h>

#include <string>
#include <vector>

namespace rigor {

/// A list of texts of a file, by HDF5's own library; none where there is no such list of texts of any length.
inline std::vector<std::string> hdf5Texts(const std::string& path, const std::string& name) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t set = H5Dopen2(file, name.c_str(), H5P_DEFAULT), space = H5Dget_space(set), stored = H5Dget_type(set),
              wanted = H5Tcopy(H5T_C_S1);
  H5Tset_size(wanted, H5T_VARIABLE), H5Tset_cset(wanted, H5T_CSET_UTF8);
  std::vector<char*> found;
  if (H5Tis_variable_str(stored) > 0 && H5Sget_simple_extent_ndims(space) == 1)
    found.resize(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  if (!found.empty()) H5Dread(set, wanted, H5S_ALL, H5S_ALL, H5P_DEFAULT, found.data());
  std::vector<std::string> texts;
  for (const char* text : found) texts.emplace_back(text ? text : "");
  if (!found.empty()) H5Dvlen_reclaim(wanted, space, H5P_DEFAULT, found.data());
  H5Tclose(wanted), H5Tclose(stored), H5Sclose(space), H5Dclose(set), H5Fclose(file);
  return texts;
}

}  // namespace rigor
