// Where a device leaves its model, in words.
#pragma once

#include <string>

#include "visq/compare.h"
#include "visq/device/device_report.h"

namespace visq::report {

/// One sentence: which operator is at fault, in how many elements and by how many steps, and that what it reads agrees; or that there is
/// none. There must be a device report. `columns`: how long names may be.
std::string device_sentence(const CompareResult& result, std::size_t columns);

/// "extract …": the command that cuts out the operator at fault; empty where there is none, or the map is none of an operator's.
std::string device_next(const CompareResult& result, const std::string& data_options);

}  // namespace visq::report
