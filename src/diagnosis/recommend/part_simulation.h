// Runs the float model with operators quantized in part, over the records of a recommendation.
#pragma once

#include <vector>

#include "analysis/trials/partial_models.h"
#include "diagnosis/recommend/precision_forms.h"
#include "visq/recommend.h"

namespace visq::diagnosis {

/// Noise over signal as SQNR in dB, at most kPerfect; and back.
double to_decibels(double noise);
double noise_of(double decibels);

class PartSimulation {
 public:
  /// Everything must outlive it.
  PartSimulation(analysis::PartialModels& models, const PrecisionForms& forms, RecordSource& data, const RecommendOptions& options);

  /// Noise over signal of the worst output with each set quantized; what the sets have in common with `base` is prepared once.
  Result<std::vector<double>> noises(const std::vector<analysis::PartSet>& trials, const analysis::PartSet& base,
                                     const std::vector<std::int64_t>& records) const;
  /// The worst output, in dB, with these operators in their other precision, over all records, those of repairs too.
  Result<double> simulate(const std::vector<int>& operators) const;
  /// Of RunRequest::records, and those that repairs are fitted to and judged on.
  const std::vector<std::int64_t>& told() const { return told_; }

 private:
  analysis::PartialModels& models_;
  const PrecisionForms& forms_;
  RecordSource& data_;
  const RecommendOptions& options_;
  std::vector<std::int64_t> told_;
  std::vector<int> outputs_;  ///< real-valued outputs of the float graph
};

}  // namespace visq::diagnosis
