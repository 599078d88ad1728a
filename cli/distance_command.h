// SPDX-License-Identifier: MIT
#pragma once
#include <istream>
#include <ostream>
#include <string>

namespace rigor::cli {

/// `rigor distance`: answers a pairs file, one JSON object a line, with one line each (docs/distance.md).
///
/// Guarantee: every good line gets exactly one answer, in order, whatever the other lines hold; its `id` is given
/// back character for character. A bad line gets no answer and one message `NAME:LINE:COL: what was found; what is
/// allowed` on `err`. Blank lines are skipped. Nothing but answers goes to `out`.
///
/// @param pairs  The file; read to its end. `name` is what messages call it.
/// @param json   true: one JSON object a line; false: a table for a person.
/// @param second_opinion  Ask libccd too (geom/second_opinion.h): its distance stands in the answer, and where the two
///               differ, a message on `err`.
/// @returns 0; 3 if a line was bad; else 4 if libccd disagrees on a pair.
int distanceCommand(std::istream& pairs, const std::string& name, std::ostream& out, std::ostream& err, bool json,
                    bool second_opinion = false);

}  // namespace rigor::cli
