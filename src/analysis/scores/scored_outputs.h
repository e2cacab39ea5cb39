// Which outputs of a model hold what is scored.
#pragma once

#include <string>
#include <vector>

#include "visq/model.h"

namespace visq::analysis {

/// What users call outputs, in the order in which a score needs them: by name in `model`, else by the place of that name among the outputs
/// of `reference`. Gives tensors. Errors: kUsage, naming --output-node.
Result<std::vector<int>> outputs_called(const std::vector<std::string>& names, const Model& model, const Model& reference);

/// Boxes, classes, scores and, where they are told, their number.
struct BoxOutputs {
  int boxes = -1, classes = -1, scores = -1, count = -1;  ///< tensors; count -1: all boxes that there is room for
};

/// As users call them (three or four names), else the outputs of the model's TFLite_Detection_PostProcess. Errors: kUsage for another
/// number of names; kBadInput where there is no such operator, or its outputs are not the model's.
Result<BoxOutputs> box_outputs(const std::vector<std::string>& names, const Model& model, const Model& reference);

}  // namespace visq::analysis
