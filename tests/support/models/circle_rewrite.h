// TFLite files as circle files: there are no public quantized circle files, so tests make them, to show that both forms of a model
// give the same results to the bit.
#pragma once

#include <string>
#include <string_view>

#include "visq/status.h"

namespace visq::testing {

/// Rewrites the bytes of a sound TFLite file as circle. The formats share nearly all ids, so the layout stays; changed are the
/// identifier, the version, the number of UINT4, and the slot of SubGraph that circle uses otherwise.
/// Errors (kUnsupported): what circle cannot express: blockwise quantization, external buffers, types and operators only TFLite has.
Result<std::string> circle_from_tflite(std::string_view tflite);

}  // namespace visq::testing
