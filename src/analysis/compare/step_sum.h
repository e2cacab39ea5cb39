// Differences of maps in steps of a grid, summed over records.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "visq/device/device_report.h"

namespace visq::analysis {

class StepSum {
 public:
  void add(std::int64_t record, const std::vector<double>& device, const std::vector<double>& wanted, double step);
  StepDifference finish() const;

 private:
  StepDifference sum_;
  std::map<std::int64_t, std::int64_t> offsets_;  ///< rounded difference, how often; small ones only
};

/// See DeviceMap::fault.
std::string fault_of(const StepDifference& own);

}  // namespace visq::analysis
