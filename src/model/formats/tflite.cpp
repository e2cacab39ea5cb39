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

  static Status check_storage(const Tensor&, const Place&) { return {}; }
  /// The number of what holds its values, in a file of their own; 0: the model does.
  static std::uint32_t external_buffer(const Tensor& tensor) { return tensor.external_buffer(); }

  static Status read_details(const QuantizationParameters& source, Quantization& quantization, const Place& place) {
    if (const auto* blockwise = source.details_as_BlockwiseQuantization()) {
      if (blockwise->block_shape() != nullptr && blockwise->block_shape()->size() > 1) {
        return place.fail("is quantized in blocks of several axes, which is not known");
      }
      return read_blockwise(*blockwise, quantization, place);
    }
    if (const auto* axes = source.details_as_MultiAxisQuantization()) return read_blockwise(*axes, quantization, place);
    return {};
  }
};

constexpr FormatDef kFormat = flatbuffer_format<Tflite>("tflite", "TFL3");

}  // namespace

std::span<const FormatDef> definitions() { return {&kFormat, 1}; }

}  // namespace visq::loader::model_format_tflite
