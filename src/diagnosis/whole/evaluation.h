// How good both models are by the user's own measure, and where neither is, what is wrong with the data or the labels.
#pragma once

#include "diagnosis/subject.h"
#include "visq/diagnose.h"

namespace visq::diagnosis {

/// Measures accuracy where options.scoring says by what, and where the float model is poor tries what is usually done wrong: whichever
/// makes it good is a remark. Errors: those of accuracy(), or of the program.
Status add_evaluation(const Subject& subject, const DiagnoseOptions& options, DiagnoseResult& result);

}  // namespace visq::diagnosis
