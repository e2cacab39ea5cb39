// The result of badcase as text and as JSON.
#pragma once

#include <cstddef>
#include <string>

#include "visq/badcase.h"

namespace visq::report {

/// Per output and metric the worst record with all its metrics, and the worst output. `columns`: width of the terminal; 0: a file.
std::string badcase_text(const BadcaseResult& result, std::size_t columns);

/// The document of schema/badcase.schema.json.
std::string badcase_json(const BadcaseResult& result);

}  // namespace visq::report
