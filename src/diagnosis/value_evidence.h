// Histograms behind findings: the values, and what their grid can hold.
#pragma once

#include <string>

#include "diagnosis/symptoms.h"
#include "visq/diagnose.h"

namespace visq::diagnosis {

/// The reference's values of a feature map, over its own range and that of `grid`. Nothing where either is not finite.
std::optional<ValueEvidence> evidence_of(const std::string& what, const metrics::ValueSketch& values, analysis::RealBounds grid);
std::optional<ValueEvidence> evidence_of(const QuantizedMap& map);

/// Of the values that are not zero, the share whose magnitude is below `limit`.
double share_below(const metrics::ValueSketch& values, double limit);

/// The reference's values of a constant, and the range of its grid (per channel: of all of them together).
std::optional<ValueEvidence> evidence_of(const Subject& subject, const ConstantValues& constant);

}  // namespace visq::diagnosis
