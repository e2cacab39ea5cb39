#include <string_view>

#include "report/page/page_library.h"

namespace visq::report {

std::string_view d3_min_js();  // embedded when the program is built
std::string_view d3_license_txt();

Status page_library_there() { return {}; }

std::string page_library() {
  std::string_view library = d3_min_js();
  library.remove_prefix(library.find('\n') + 1);  // an address; what it says of the author stands in the licence too
  return std::string(d3_license_txt()) + std::string(library);
}

std::string page_library_version() { return "d3 " VISQ_D3_VERSION; }

}  // namespace visq::report
