// In place of d3.cpp where the build leaves d3 out.
#include "core/error.h"
#include "report/page/page_library.h"

namespace visq::report {

Status page_library_there() { return unsupported("the HTML page: this visqerror was built without d3 (VISQ_WITH_D3), which draws it"); }

std::string page_library() { return ""; }

std::string page_library_version() { return "d3 is not in this build (VISQ_WITH_D3)"; }

}  // namespace visq::report
