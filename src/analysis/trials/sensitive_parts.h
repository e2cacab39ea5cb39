// The list of things that can be quantized alone: which parts each stands for, and how results describe it.
#pragma once

#include <vector>

#include "analysis/trials/partial_models.h"
#include "visq/sensitivity.h"

namespace visq::analysis {

/// Everything of one type, in graph order; of an operator's inputs in slot order.
std::vector<SensitivePart> sensitive_parts(const PartialModels& models, SensitiveType type);

/// Those that a user asks for: of `options`' types, input slots, nodes and operator types. A name that equals a pattern of `nodes` and has
/// nothing of these types (a constant, a graph input) is taken as what it is. Each once, types in their own order, then graph order.
/// Errors: kUsage where a name is unknown, or nothing is left.
Result<std::vector<SensitivePart>> chosen_parts(const PartialModels& models, const SensitivityOptions& options);

/// What of the quantized model a thing stands for.
PartSet parts_of(const SensitivePart& part, const QuantizedParts& parts);

}  // namespace visq::analysis
