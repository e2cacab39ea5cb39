// Where quantization costs nothing: what that means for a user whose results are poor nevertheless.
#pragma once

#include "diagnosis/answers.h"
#include "visq/diagnose.h"

namespace visq::diagnosis {

/// Adds NO_DAMAGE, an info, where nothing else was found that costs anything and the quantized model does what the float model does.
void add_no_damage(const Answers& answers, DiagnoseResult& result);

}  // namespace visq::diagnosis
