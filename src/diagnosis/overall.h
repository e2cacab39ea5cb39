// What is to be said of the pair as a whole, beside single faults.
#pragma once

#include "diagnosis/symptoms.h"
#include "diagnosis/trials.h"
#include "visq/diagnose.h"

namespace visq::diagnosis {

/// Adds to a result whose faults, losses and outputs are known: remarks about data, weights and degradation; findings RETRAINED, DEGRADED
/// and ACCUMULATED; general measures.
void add_overall(const Symptoms& symptoms, const WhatIf& what_if, const Trials& trials, const DiagnoseOptions& options,
                 DiagnoseResult& result);

}  // namespace visq::diagnosis
