// A histogram in one line of text.
#pragma once

#include <string>

#include "visq/profile.h"

namespace visq::report {

/// A bar per bin, their heights the logarithms of the counts, and brackets around [range_low, range_high] as far as it lies within.
std::string histogram_line(const Histogram& histogram, double range_low, double range_high);

}  // namespace visq::report
