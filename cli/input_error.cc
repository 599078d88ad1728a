// SPDX-License-Identifier: MIT
#include "cli/input_error.h"

#include "cli/exit_code.h"
#include "record/database.h"
#include "sim/simulation.h"

namespace rigor::cli {

int reportInputError(const scenes::SceneSource& source, std::ostream& err) {
  try {
    throw;
  } catch (const UsageError& error) {
    err << "rigor: " << error.what() << '\n';
    return kUsage;
  } catch (const record::RecordError& error) {
    err << "rigor: " << error.what() << '\n';
  } catch (const scenes::LoadError& error) {
    err << error.what() << '\n';  // It begins with file, line and column.
  } catch (const sim::SceneError& error) {
    err << source.locate(error.body) << ": " << error.what() << '\n';
  }
  return kBadInput;
}

}  // namespace rigor::cli
