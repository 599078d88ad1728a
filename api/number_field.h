// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "rigor/number_field.h"
#include "scenes/number_field.h"

namespace rigor {

/// Fields of another program as the loader of scenes knows them.
inline std::vector<scenes::NumberField> sceneFields(const std::vector<NumberField>& given) {
  std::vector<scenes::NumberField> fields;
  for (const NumberField& field : given)
    fields.push_back({field.name, field.meaning, field.unit, field.more_than, field.most, true, field.standard});
  return fields;
}

}  // namespace rigor
