#include "analysis/records/owned_map.h"

#include <fmt/core.h>

#include <algorithm>

#include "core/as_size.h"
#include "core/error.h"

namespace visq::analysis {

Result<Array> copy_map(const runtime::Executor& executor, int tensor) {
  const kernels::Tensor& map = executor.tensor(tensor);
  if (map.dtype == DType::kResource || map.dtype == DType::kVariant) {
    return bad_input("'{}' is a {}, which no data can hold", map.info->name, name(map.dtype));
  }
  if (!executor.available(tensor) || (map.data == nullptr && map.strings == nullptr)) {
    return unsupported("'{}' was not computed", map.info->name);
  }
  if (map.strings != nullptr) return Array{map.dtype, map.shape, {}, *map.strings};
  Array array{map.dtype, map.shape, {}, {}};
  array.bytes.assign(map.data, map.data + as_size(map.elements()) * size_of(map.dtype));
  return array;
}

FeatureMap feature_map(const Array& array, const TensorInfo& info, int tensor) {
  return {tensor, &info, array.dtype, array.shape, array.bytes.data(), array.strings};
}

Result<std::vector<Array>> copy_outputs(const runtime::Executor& executor, const Model& model) {
  std::vector<Array> arrays;
  for (const int output : model.main().outputs) {
    auto array = copy_map(executor, output);
    if (!array.ok()) return Error{array.error().reason, fmt::format("{}: {}", model.path, array.error().message)};
    arrays.push_back(std::move(array).value());
  }
  return arrays;
}

Status send_outputs(const Model& model, std::int64_t record, const std::vector<Array>& outputs, MapSink& sink) {
  VISQ_TRY(sink.begin_record(record));
  const Subgraph& graph = model.main();
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto here = graph.outputs.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(graph.outputs.begin(), here, *here) != here) continue;
    VISQ_TRY(sink.add(feature_map(outputs[i], graph.tensors[as_size(*here)], *here)));
  }
  return {};
}

}  // namespace visq::analysis
