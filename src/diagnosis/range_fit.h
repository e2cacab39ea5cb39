// The ranges of a quantized model remember the data that it was calibrated with: whether these data are of that kind, or would be after one
// of the usual changes.
#pragma once

#include <optional>
#include <string>

#include "diagnosis/symptoms.h"
#include "visq/data.h"
#include "visq/request.h"

namespace visq::diagnosis {

/// By which factor the float model's values miss the ranges of calibration: the geometric mean, over the feature maps that have a range of
/// their own, of the larger over the smaller of both widths (at most 1000 each).
struct RangeFit {
  std::size_t maps = 0;
  double miss = 1;     ///< of the data as they are
  std::string change;  ///< the change after which the values fill the ranges; empty: none does
  double changed_miss = 1;
};

/// Nothing where fewer than three feature maps have a range, or where the data fill them as they are. Errors: those of the runs.
Result<std::optional<RangeFit>> fit_ranges(const Symptoms& symptoms, RecordSource& data, const RunRequest& request);

}  // namespace visq::diagnosis
