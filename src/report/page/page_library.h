// d3, the library that draws the page. A build may leave it out (VISQ_WITH_D3).
#pragma once

#include <string>

#include "visq/status.h"

namespace visq::report {

/// Errors: kUnsupported where it is not in this build.
Status page_library_there();

/// Its text, the licence before it; empty where it is not there.
std::string page_library();

std::string page_library_version();  ///< "d3 5.16.0"

}  // namespace visq::report
