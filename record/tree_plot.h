// SPDX-License-Identifier: MIT
#pragma once
#include "record/reader.h"
#include "record/svg_plot.h"

namespace rigor::record {

/// The branch tree of a record over time: a line a branch, from its fork to its end, one row a leaf, in the order of
/// the paths. Widths follow the shares of the samples, multiplied along the path; colours the alternative at the first
/// fork. Forks with alternatives that are not explored and branches that ended early are marked.
SvgPlot plotTree(Reader& reader);

}  // namespace rigor::record
