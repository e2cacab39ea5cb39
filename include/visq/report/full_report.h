// The results of `report` as JSON.
#pragma once

#include <string>

#include "visq/full_report.h"

namespace visq::report {

/// The document of schema/report.schema.json: that of every part, as its own command writes it.
std::string full_report_json(const FullReport& report);

}  // namespace visq::report
