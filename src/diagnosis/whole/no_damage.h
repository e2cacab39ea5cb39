// Where quantization costs nothing: what that means for a user whose results are poor nevertheless.
#pragma once

#include <string>

#include "visq/diagnose.h"

namespace visq::diagnosis {

/// Adds NO_DAMAGE, an info, where nothing else was found that costs anything and the outputs' damage is none.
/// `oddity`: what is odd about the data, a clause; may be empty.
void add_no_damage(const std::string& oddity, DiagnoseResult& result);

}  // namespace visq::diagnosis
