// Whether two models say the same, as those see it who use them.
#pragma once

#include <cstdint>

#include "visq/compare.h"

namespace visq::diagnosis {

/// Of the first outputs of both models, where these are one row of scores of the same length.
struct Answers {
  std::int64_t records = 0;  ///< 0: the outputs are no such row
  std::int64_t same = 0;     ///< records in which both models have the same best element
  std::int64_t classes = 0;
  double same_share() const { return records > 0 ? static_cast<double>(same) / static_cast<double>(records) : 1; }
};

/// Runs both models over the records. Errors: those of the runs.
Result<Answers> answers_of(const std::shared_ptr<const Model>& reference, const std::shared_ptr<const Model>& quantized, RecordSource& data,
                           const RunRequest& request, Mode quantized_mode);

}  // namespace visq::diagnosis
