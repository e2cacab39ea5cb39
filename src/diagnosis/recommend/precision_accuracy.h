// Accuracy of sets of operators in another precision.
#pragma once

#include "diagnosis/recommend/doubts.h"
#include "diagnosis/recommend/precision_forms.h"

namespace visq::diagnosis {

/// Of the float model on the labelled records, by labels. Errors: as add_accuracy().
Result<LabelledScore> float_score(analysis::PartialModels& models, const RecommendOptions& options);

/// Fills in what every point loses in accuracy on the labelled records: of top-1 by the first output, or of what options.judge says.
/// Where it is stopped, some are left out. Errors: kUsage where labels do not reach; kBadInput where the output is no row of class scores
/// or a label is no class; those of the judge.
Status add_accuracy(analysis::PartialModels& models, const PrecisionForms& forms, const RecommendOptions& options,
                    std::vector<PrecisionPoint>& points);

}  // namespace visq::diagnosis
