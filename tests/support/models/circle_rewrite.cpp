#include "support/models/circle_rewrite.h"

#include <flatbuffers/flatbuffers.h>

#include <algorithm>
#include <cstdint>

#include "core/error.h"

namespace visq::testing {
namespace {

using flatbuffers::Table;
using Tables = flatbuffers::Vector<flatbuffers::Offset<Table>>;

/// Where a field of a table stands in its vtable, by the id in schema/*.fbs.
constexpr flatbuffers::voffset_t slot(int id) { return static_cast<flatbuffers::voffset_t>(4 + 2 * id); }

// Ids that both schemas share, unless said.
constexpr auto kModelVersion = slot(0), kModelOperatorCodes = slot(1), kModelSubgraphs = slot(2);
constexpr auto kCodeBuiltin = slot(3);
constexpr auto kGraphTensors = slot(0), kGraphDebugIndex = slot(5);                                     // circle: deprecated data_format
constexpr auto kTensorType = slot(1), kTensorQuantization = slot(4), kTensorExternalBuffer = slot(10);  // circle: compression_type
constexpr auto kQuantizationDetailsType = slot(4);

constexpr std::int32_t kLastSharedOperator = 205;                                  // TFLite's own follow
constexpr std::int8_t kLastSharedType = 17, kTfliteUInt4 = 20, kCircleUInt4 = -1;  // INT4
constexpr std::uint8_t kCustomDetails = 1;

template <class Visit>
Status for_each(Table& parent, flatbuffers::voffset_t field, Visit visit) {
  auto* tables = parent.GetPointer<Tables*>(field);
  for (flatbuffers::uoffset_t i = 0; tables != nullptr && i < tables->size(); ++i) VISQ_TRY(visit(*tables->GetMutableObject(i)));
  return {};
}

Status rewrite_code(const Table& code) {
  const auto builtin = code.GetField<std::int32_t>(kCodeBuiltin, 0);
  if (builtin > kLastSharedOperator) return unsupported("operator {} is not in circle", builtin);
  return {};
}

Status rewrite_tensor(Table& tensor) {
  const auto type = tensor.GetField<std::int8_t>(kTensorType, 0);
  if (type == kTfliteUInt4) {
    tensor.SetField<std::int8_t>(kTensorType, kCircleUInt4, 0);
  } else if (type > kLastSharedType) {
    return unsupported("type {} is not in circle", type);
  }
  if (tensor.GetField<std::uint32_t>(kTensorExternalBuffer, 0) != 0) return unsupported("circle has no external buffers");
  const auto* quantization = tensor.GetPointer<const Table*>(kTensorQuantization);
  if (quantization != nullptr && quantization->GetField<std::uint8_t>(kQuantizationDetailsType, 0) > kCustomDetails) {
    return unsupported("circle has no blockwise quantization");
  }
  return {};
}

Status rewrite_graph(Table& graph) {
  graph.SetField<std::int32_t>(kGraphDebugIndex, 0, 0);
  return for_each(graph, kGraphTensors, rewrite_tensor);
}

}  // namespace

Result<std::string> circle_from_tflite(std::string_view tflite) {
  std::string bytes(tflite);
  std::copy_n("CIR0", 4, bytes.begin() + 4);
  auto& model = *flatbuffers::GetMutableRoot<Table>(bytes.data());
  model.SetField<std::uint32_t>(kModelVersion, 0, 0);
  VISQ_TRY(for_each(model, kModelOperatorCodes, rewrite_code));
  VISQ_TRY(for_each(model, kModelSubgraphs, rewrite_graph));
  return bytes;
}

}  // namespace visq::testing
