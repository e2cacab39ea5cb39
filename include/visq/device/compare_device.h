// Compares the feature maps that a device wrote with those that its model computes.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "visq/compare.h"
#include "visq/dumps/map_names.h"

namespace visq {

/// What is known of a device's dump beside what it says itself.
struct DeviceDumpOptions {
  NamedMaps names;  ///< the device's name of a map, the model's
};

/// A dump whose maps are those of `device` in the names, indices, shapes and grids of `reference`, a dump of the model itself (as run()
/// writes it). What belongs together is told by `options.names`, by index, by name (also without ":0", "serving_default_", with '_' for all
/// but letters and digits, or one of several names joined by ';'), by position of inputs and outputs (c_inputs_1, c_outputs_1), and last by
/// numbers of elements in the model's order, where the values confirm it (Pearson's correlation of 0.9 and more).
/// Understood are a batch axis that is missing or counts the records, channels in the second place, channels filled up to a multiple of 4,
/// 8, 16 or 32, channels in blocks of these ([n, blocks, h, w, block]), other axes for as many elements; of what fits, what correlates best
/// in the first record. Integers without a scale are codes of the model's tensor; uint8 for int8 is less 128.
/// `remarks` gets a line for each understanding that is not plain. Both readers must outlive what is returned.
/// Errors: kBadInput where no map of the device is one of the model's; kUsage where options.names names what is not there.
Result<std::unique_ptr<DumpReader>> device_dump(DumpReader& device, const std::string& path, DumpReader& reference, const Model& model,
                                                const DeviceDumpOptions& options, std::vector<std::string>& remarks);

/// How far each map of the device (as device_dump() gives it) is from the model's, and whose operator's fault that is: each is also
/// held against what the model's operators make of the device's own maps in integer arithmetic (in float where nothing is quantized,
/// rounded where no standard says what integers give: ONNX). Errors: those of the readers, and of running the operators.
Result<DeviceReport> device_report(DumpReader& device, DumpReader& reference, const Model& model);

}  // namespace visq
