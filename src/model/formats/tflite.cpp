// What is particular to TFLite (identifier TFL3).
#include "model/flatbuffer_format.h"
#include "tflite_bfbs_generated.h"
#include "tflite_generated.h"

namespace visq::loader::model_format_tflite {
namespace {

struct Tflite {
  using Model = tflite::Model;
  using SubGraph = tflite::SubGraph;
  using Tensor = tflite::Tensor;
  using QuantizationParameters = tflite::QuantizationParameters;
  using SparsityParameters = tflite::SparsityParameters;
  using DimensionType = tflite::DimensionType;
  using SparseIndexVector = tflite::SparseIndexVector;
  using Int32Vector = tflite::Int32Vector;
  using Uint16Vector = tflite::Uint16Vector;
  using Uint8Vector = tflite::Uint8Vector;
  using Operator = tflite::Operator;
  using TensorMap = tflite::TensorMap;

  static constexpr std::string_view kName = "TFLite";

  static const char* identifier() { return tflite::ModelIdentifier(); }

  static const FormatSchema& schema() {
    static const FormatSchema schema_of_format(tflite::ModelBinarySchema::data(), "visq.tflite");
    return schema_of_format;
  }

  /// Codes from 127 on stand in builtin_code only, files from before it was added have the other only.
  static std::int64_t operator_code(const tflite::OperatorCode& code) {
    return std::max(static_cast<std::int64_t>(code.deprecated_builtin_code()), static_cast<std::int64_t>(code.builtin_code()));
  }

  static Status check_storage(const Tensor& tensor, const Place& place) {
    if (tensor.external_buffer() == 0) return {};
    return place.fail("its values lie in another file (external buffer {}), which cannot be read", tensor.external_buffer());
  }

  static Status read_details(const QuantizationParameters& source, Quantization& quantization, const Place& place) {
    const auto read = [&](const auto& details) -> Status {
      if (details.block_size() <= 0) return place.fail("blockwise quantization has block size {}", details.block_size());
      quantization.block_size = details.block_size();
      quantization.block_scales = details.scales();
      quantization.block_zero_points = details.zero_points();
      return {};
    };
    if (const auto* blockwise = source.details_as_BlockwiseQuantization()) return read(*blockwise);
    if (const auto* axes = source.details_as_MultiAxisQuantization()) return read(*axes);
    return {};
  }
};

constexpr FormatDef kFormat = flatbuffer_format<Tflite>("tflite", "TFL3");

}  // namespace

std::span<const FormatDef> definitions() { return {&kFormat, 1}; }

}  // namespace visq::loader::model_format_tflite
