// What is particular to circle (identifier CIR0).
#include "circle_bfbs_generated.h"
#include "circle_generated.h"
#include "model/flatbuffer_format.h"

namespace visq::loader::model_format_circle {
namespace {

struct Circle {
  using Model = circle::Model;
  using SubGraph = circle::SubGraph;
  using Tensor = circle::Tensor;
  using QuantizationParameters = circle::QuantizationParameters;
  using SparsityParameters = circle::SparsityParameters;
  using DimensionType = circle::DimensionType;
  using SparseIndexVector = circle::SparseIndexVector;
  using Int32Vector = circle::Int32Vector;
  using Uint16Vector = circle::Uint16Vector;
  using Uint8Vector = circle::Uint8Vector;
  using Operator = circle::Operator;
  using TensorMap = circle::TensorMap;

  static constexpr std::string_view kName = "circle";

  static const char* identifier() { return circle::ModelIdentifier(); }

  static const FormatSchema& schema() {
    static const FormatSchema schema_of_format(circle::ModelBinarySchema::data(), "visq.circle");
    return schema_of_format;
  }

  /// circle's own operators are negative and stand in builtin_code, in files from before it was added in the other.
  static std::int64_t operator_code(const circle::OperatorCode& code) {
    const auto old_code = static_cast<std::int64_t>(code.deprecated_builtin_code());
    const auto new_code = static_cast<std::int64_t>(code.builtin_code());
    if (new_code < 0) return new_code;
    return old_code < 0 && new_code == 0 ? old_code : std::max(old_code, new_code);
  }

  static Status check_storage(const Tensor& tensor, const Place& place) {
    if (tensor.compression_type() == circle::CompressionType::NONE) return {};
    return place.fail("is compressed (type {}), which cannot be read", static_cast<int>(tensor.compression_type()));
  }

  static std::uint32_t external_buffer(const Tensor&) { return 0; }

  static Status read_details(const QuantizationParameters& source, Quantization& quantization, const Place& place) {
    if (const auto* mx = source.details_as_MXQuantization()) quantization.axis = mx->axis();
    if (const auto* blockwise = source.details_as_BlockwiseQuantization()) return read_blockwise(*blockwise, quantization, place);
    return {};
  }
};

constexpr FormatDef kFormat = flatbuffer_format<Circle>("circle", "CIR0");

}  // namespace

std::span<const FormatDef> definitions() { return {&kFormat, 1}; }

}  // namespace visq::loader::model_format_circle
