// Nine colours from best (pale) to worst (dark red), and which values they stand for.
#pragma once

#include <string_view>
#include <vector>

#include "visq/report.h"

namespace visq::report {

inline constexpr std::string_view kNoValueColor = "#d9d9d9";

/// Nine bins [begin, end) in ascending order that cover every value: even steps from the smallest value to the largest, MPEIR from 0
/// to 1; by default a metric's own borders (SQNR: 0, 5, 10 … 30, 40 dB). The last end is a little larger than the largest value. All values
/// alike: they get the palest colour. Logarithmic bins (see ColorScale) have even ratios over at most nine decades below the largest value;
/// where higher is better, of the distance to the highest value. `values` must be finite. No values: bins from 0 to 1.
std::vector<VisqFile::Bin> color_bins(const MetricInfo& metric, const std::vector<double>& values, ColorScale scale);

/// Colour of a value; kNoValueColor outside all bins.
std::string_view color_of(const std::vector<VisqFile::Bin>& bins, double value);

/// "#000000" or "#ffffff", whichever is better to read on a fill of colour "#rrggbb".
std::string_view text_color(std::string_view fill);

}  // namespace visq::report
