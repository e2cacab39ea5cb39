// The list of things that can be quantized alone: which parts each stands for, and how results describe it.
#pragma once

#include <vector>

#include "analysis/partial_models.h"
#include "visq/sensitivity.h"

namespace visq::analysis {

/// Everything of one type, in graph order; of an operator's inputs in slot order.
std::vector<SensitivePart> sensitive_parts(const PartialModels& models, SensitiveType type);

/// What of the quantized model a thing stands for.
PartSet parts_of(const SensitivePart& part, const QuantizedParts& parts);

}  // namespace visq::analysis
