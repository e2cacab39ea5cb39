// The result of ops as text, as the documentation's table and as JSON.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "visq/ops.h"

namespace visq::report {

/// A line per operator, more where its types would pass the terminal's edge. 0 columns: nothing is broken.
std::string ops_text(const std::vector<SupportedOp>& ops, std::size_t columns);

/// docs/operators.md.
std::string ops_markdown(const std::vector<SupportedOp>& ops);

/// The document of schema/ops.schema.json.
std::string ops_json(const std::vector<SupportedOp>& ops);

}  // namespace visq::report
