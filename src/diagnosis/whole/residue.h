// What remains when every cause was tried: DEGRADED and ACCUMULATED, which name no cause, and general measures.
#pragma once

#include "diagnosis/symptoms.h"
#include "diagnosis/trials.h"
#include "visq/diagnose.h"

namespace visq::diagnosis {

/// True for a finding that explains something: an error or warning, or one whose fix wins a decibel.
bool explains(const Finding& finding);

/// Adds to a result whose faults, losses, outputs and damage are known; nothing where a cause explains the damage, or there is none.
void add_residue(const Symptoms& symptoms, const WhatIf& what_if, const Trials& trials, const DiagnoseOptions& options,
                 DiagnoseResult& result);

}  // namespace visq::diagnosis
