// The result of sensitivity as text, tables, JSON, and as configurations of quantizers.
#pragma once

#include <cstddef>
#include <string>

#include "visq/quantizer_config.h"
#include "visq/sensitivity.h"

namespace visq::report {

/// Rows that the terminal shows where nobody says how many.
inline constexpr std::size_t kSensitivityRows = 20;

/// What was measured, and the most sensitive things. `columns`: width of the terminal, which shows the first `rows`; 0: a file with all.
std::string sensitivity_text(const SensitivityResult& result, std::size_t columns, std::size_t rows = kSensitivityRows);

/// sensitive_ops.csv: a row per thing.
std::string sensitivity_csv(const SensitivityResult& result);

/// The document of schema/sensitivity.schema.json.
std::string sensitivity_json(const SensitivityResult& result);

/// The `count` most sensitive operators: those of the first ranks, of a feature map the operator that makes it (of a graph input its
/// readers), each once.
QuantizerConfig sensitivity_config(const SensitivityResult& result, const Model& reference, std::size_t count);

}  // namespace visq::report
