// Where the feature maps that a device wrote leave those of the model that it is to compute.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace visq {

/// Differences of two maps over all records, in steps of the model's grid; where it has none, a step is a thousandth of the largest
/// magnitude in the model's map.
struct StepDifference {
  std::int64_t elements = 0;
  std::int64_t differing = 0;              ///< by half a step and more
  std::int64_t beyond = 0;                 ///< by more than a step and a half: no tie that was rounded the other way
  double largest = 0;                      ///< absolute; not finite where one of the two is not
  std::int64_t record = -1, element = -1;  ///< where that is; -1: nowhere
  double offset = 0;                       ///< the difference that most of the differing elements have, rounded: device less model
  double offset_share = 0;                 ///< of all elements
};

/// One map of the device's beside the model's.
struct DeviceMap {
  int tensor = 0;  ///< index in the main subgraph
  int node = -1;   ///< operator that makes it; -1: a graph input
  std::string name, op;
  double step = 0;
  StepDifference whole;  ///< from the model's map
  /// From what the model's operators make of the device's own maps, the nearest ones before this one that the dump holds: the error that
  /// is this operator's. Elements 0: not computed, for a graph input or a model that keeps state.
  StepDifference own;
  std::vector<std::string> unseen;  ///< maps between those and this one, which the dump does not hold
  /// "": no more than rounding; "zero point": the same difference of more than a step in nearly all elements; "kernel": any other own
  /// difference of more than a step and a half; "input": such a difference of a graph input.
  std::string fault;
};

struct DeviceReport {
  std::vector<DeviceMap> maps;       ///< in the order in which the model makes them
  int first = -1;                    ///< the first of them with a fault; -1: none has one
  std::vector<std::string> remarks;  ///< how the device's maps were understood, one line each: names, layouts, padding, zero points
};

}  // namespace visq
