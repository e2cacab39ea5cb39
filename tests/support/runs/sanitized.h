// core/sanitized.h under the name that tests call it by.
#pragma once

#include "core/sanitized.h"

namespace visq::testing {

using visq::kSanitized;

}  // namespace visq::testing
