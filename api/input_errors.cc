// SPDX-License-Identifier: MIT
#include "api/input_errors.h"

#include <charconv>
#include <filesystem>

#include "check/check.h"
#include "record/database.h"
#include "record/export.h"
#include "scenes/loader.h"
#include "sim/simulation.h"
#include "sweep/run_sweep.h"
#include "verify/verify.h"

namespace rigor {

InputError inputErrorOf(const std::string& message) {
  // FILE:LINE:COL: ...; names of files may hold colons, so what is looked for is the first ":number:number: ".
  for (std::size_t at = message.find(':'); at != std::string::npos; at = message.find(':', at + 1)) {
    int line = 0, column = 0;
    const char* const end = message.data() + message.size();
    const auto first = std::from_chars(message.data() + at + 1, end, line);
    if (first.ec != std::errc() || first.ptr == end || *first.ptr != ':') continue;
    const auto second = std::from_chars(first.ptr + 1, end, column);
    if (second.ec != std::errc() || second.ptr == end || *second.ptr != ':' || line < 1 || column < 1) continue;
    return InputError(message, message.substr(0, at), line, column);
  }
  return InputError(message);
}

void rethrowForUsers(const scenes::SceneSource* source) {
  try {
    throw;
  } catch (const sim::SceneError& error) {
    throw inputErrorOf(source ? source->locate(error.body) + ": " + error.what() : std::string(error.what()));
  } catch (const scenes::LoadError& error) {
    throw inputErrorOf(error.what());
  } catch (const check::TrajectoryError& error) {
    throw inputErrorOf(error.what());
  } catch (const record::RecordError& error) {  // verify::InputError too.
    throw inputErrorOf(error.what());
  } catch (const record::ExportError& error) {
    throw inputErrorOf(error.what());
  } catch (const sweep::SweepError& error) {
    throw inputErrorOf(error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    throw inputErrorOf(error.what());
  } catch (const std::invalid_argument& error) {
    throw inputErrorOf(error.what());
  } catch (const check::Interrupted&) {
    throw InterruptedError();
  } catch (const verify::Interrupted&) {
    throw InterruptedError();
  }
}

}  // namespace rigor
