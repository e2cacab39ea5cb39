// Accuracy of sets of operators in higher precision.
#pragma once

#include "diagnosis/precision_search.h"

namespace visq::diagnosis {

/// Fills in the drop of top-1 accuracy of every point, on the labelled records, by the first output. Errors: kUsage where labels do not
/// reach; kBadInput where the output is no row of class scores or a label is no class.
Status add_accuracy(analysis::PartialModels& models, const PrecisionSearch& search, const RecommendOptions& options,
                    std::vector<PrecisionPoint>& points);

}  // namespace visq::diagnosis
