// ops: which operators can be run, on which element types, in which mode?
#pragma once

#include <string>
#include <vector>

#include "visq/dtype.h"
#include "visq/status.h"

namespace visq {

/// One operator of the registry.
struct SupportedOp {
  std::string name;           ///< the format's name, or a custom operator's code
  int main_input = 0;         ///< the input whose types these are
  std::vector<DType> values;  ///< fp32 and fake-quant runs; quantized tensors count as float32
  /// Integer runs on quantized tensors: the stored types, or float32 where only weights or results are quantized. Empty: cannot.
  std::vector<DType> stored;
};

/// The operators whose name fits one of the globs (none given: all), by name.
/// Errors: kUsage where none fits.
Result<std::vector<SupportedOp>> supported_ops(const std::vector<std::string>& globs);

}  // namespace visq
