// What the page's script works on.
#pragma once

#include "report/json/json_text.h"
#include "visq/full_report.h"

namespace visq::report {

/// Everything that the page shows, as one JSON document. Maps are named by their index in "maps", graph nodes by theirs in "graph".
Json html_data(const FullReport& report);

}  // namespace visq::report
