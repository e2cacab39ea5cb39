// What is to be said of the pair as a whole, beside single faults.
#pragma once

#include "diagnosis/symptoms.h"
#include "diagnosis/what_if.h"
#include "visq/diagnose.h"

namespace visq::diagnosis {

/// Adds to a result: remarks about data and weights; finding RETRAINED.
void add_overall(const Symptoms& symptoms, const WhatIf& what_if, DiagnoseResult& result);

}  // namespace visq::diagnosis
