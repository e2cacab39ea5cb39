// The result of diff as text and as JSON.
#pragma once

#include <cstddef>
#include <string>

#include "visq/diff.h"

namespace visq::report {

/// Outputs, then what got worse, one row per node by its worst metric; at most `columns` wide (0: no limit).
std::string diff_text(const DiffResult& result, std::size_t columns);

/// The document of schema/diff.schema.json.
std::string diff_json(const DiffResult& result);

}  // namespace visq::report
