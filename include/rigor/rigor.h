// SPDX-License-Identifier: MIT
/// Everything of rigor that is meant for other programs. Nothing else of it is installed.
#pragma once
#include "rigor/check.h"
#include "rigor/distance.h"
#include "rigor/error.h"
#include "rigor/explore.h"
#include "rigor/impact.h"
#include "rigor/impact_model.h"
#include "rigor/joint.h"
#include "rigor/number_field.h"
#include "rigor/record.h"
#include "rigor/scene.h"
#include "rigor/shape.h"
#include "rigor/simulation.h"
#include "rigor/sweep.h"
#include "rigor/verify.h"
