// The result of partial as text, table, picture and JSON.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "visq/partial.h"

namespace visq::report {

/// Steps after which the output's cosine first reaches the threshold; 0: it does with everything quantized; nothing: never.
std::optional<std::size_t> steps_needed(const PartialResult& result);

/// How the nodes were picked, then a line per step. `columns`: width of the terminal; 0: a file.
std::string partial_text(const PartialResult& result, std::size_t columns);

/// Every step and metric, with all digits.
std::string partial_csv(const PartialResult& result);

/// Cosine (of models with integer outputs only: the share of equal elements) from step to step.
std::string partial_svg(const PartialResult& result);

/// The document of schema/partial.schema.json.
std::string partial_json(const PartialResult& result);

}  // namespace visq::report
