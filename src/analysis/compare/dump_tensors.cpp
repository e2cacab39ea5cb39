#include "analysis/compare/dump_tensors.h"

#include <algorithm>

#include "core/as_size.h"
#include "data/sources/convert.h"

namespace visq::analysis {

TensorInfo declaration(const DumpTensor& tensor) {
  TensorInfo info;
  info.name = tensor.name;
  info.dtype = tensor.scale.empty() || is_integer(tensor.dtype) ? tensor.dtype : DType::kInt32;
  info.shape = tensor.shape;
  info.quantization.scale = tensor.scale;
  info.quantization.zero_point = tensor.zero_point;
  info.quantization.axis = tensor.quantized_dimension;
  return info;
}

std::string name_of(const DumpTensor& tensor) { return tensor.name.empty() ? "#" + std::to_string(tensor.index) : tensor.name; }

std::vector<double> reals_of(const Array& array, const Quantization& grid) {
  const bool stored = is_integer(array.dtype) && !grid.scale.empty();
  const Array wide = data::to_floats(stored ? data::dequantize(array, grid) : array, DType::kFloat64);
  const auto all = wide.values<double>();
  return {all.begin(), all.end()};
}

std::vector<double> reals_of(const Array& array, const DumpTensor& tensor) { return reals_of(array, declaration(tensor).quantization); }

MapIdentity identity_of(const DumpTensor& tensor) {
  MapIdentity identity;
  identity.node = identity.tensor = std::max(tensor.index, 0);
  identity.name = name_of(tensor);
  identity.dtype = tensor.dtype;
  identity.scale = tensor.scale;
  identity.zero_point = tensor.zero_point;
  identity.quantized_dimension = tensor.quantized_dimension;
  return identity;
}

kernels::Tensor tensor_of(Array& array, const TensorInfo& info) {
  array.bytes.resize(array.bytes.size() + 64);
  return {.dtype = array.dtype, .shape = array.shape, .data = array.bytes.data(), .strings = &array.strings, .info = &info};
}

void tell_gaps(const std::vector<NotRun>& gaps, const Model& model, const MapNames& names, CompareResult& result) {
  for (const NotRun& gap : gaps) {
    if (gap.subgraph != 0) continue;
    const Operator& op = model.main().operators[as_size(gap.node)];
    if (!op.outputs.empty()) result.not_computed.push_back({model.path, names.identity(op.outputs[0]), gap.reason});
  }
}

}  // namespace visq::analysis
