// Where quantization costs nothing: what that means for a user whose results are poor nevertheless.
#pragma once

#include <string>

#include "diagnosis/whole/answers.h"
#include "visq/diagnose.h"

namespace visq::diagnosis {

/// Adds NO_DAMAGE, an info, where nothing else was found that costs anything and the quantized model does what the float model does.
/// `oddity`: what is odd about the data, a clause; may be empty.
void add_no_damage(const Answers& answers, const std::string& oddity, DiagnoseResult& result);

}  // namespace visq::diagnosis
