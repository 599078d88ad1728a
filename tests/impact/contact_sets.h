// SPDX-License-Identifier: MIT
#pragma once
#include "tests/friction/contact_sets.h"

namespace rigor::impact::test {

using friction::test::boxInertia;
using friction::test::boxStack;
using friction::test::ContactSet;
using friction::test::randomSet;
using friction::test::randomVector;
using friction::test::SetBuilder;

}  // namespace rigor::impact::test
