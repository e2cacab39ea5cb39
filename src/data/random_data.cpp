// Random data: one seeded record, for users who have no data at hand.
#include <cmath>
#include <optional>
#include <random>

#include "core/as_size.h"
#include "core/error.h"
#include "data/sources/input_spec.h"

namespace visq {
namespace {

struct Range {
  double low = -5, high = 5;
};
constexpr std::int64_t kLargestInteger = 100;

/// The real values that a quantized tensor can hold: by its first channel's parameters.
std::optional<Range> range_of(const TensorInfo& tensor) {
  if (!is_integer(tensor.dtype) || !tensor.quantization.quantized()) return std::nullopt;
  const IntegerRange stored = integer_range(tensor.dtype);
  const double scale = static_cast<double>(tensor.quantization.scale[0]);
  const double zero = static_cast<double>(tensor.quantization.zero_point[0]);
  const Range range{scale * (static_cast<double>(stored.low) - zero), scale * (static_cast<double>(stored.high) - zero)};
  const bool usable = std::isfinite(static_cast<float>(range.low)) && std::isfinite(static_cast<float>(range.high)) && scale > 0;
  return usable ? std::optional(range) : std::nullopt;
}

/// The range of a graph input or, where it is float, of the QUANTIZE operator that reads it.
std::optional<Range> input_range(const Model& model, int input) {
  const Subgraph& graph = model.main();
  if (auto range = range_of(graph.tensors[as_size(input)])) return range;
  for (const Operator& op : graph.operators) {
    if (op.type != "QUANTIZE" || op.inputs.empty() || op.inputs[0] != input || op.outputs.empty()) continue;
    if (auto range = range_of(graph.tensors[as_size(op.outputs[0])])) return range;
  }
  return std::nullopt;
}

/// How one input is drawn.
struct Draw {
  std::string label;
  data::InputKind kind = data::InputKind::kReal;
  DType dtype = DType::kFloat32;
  Shape shape;
  Range range;
};

/// Uniform numbers that are the same everywhere: the engine is specified to the bit, the library's distributions are not.
class Uniform {
 public:
  explicit Uniform(std::uint64_t seed) : engine_(seed) {}
  /// In [0, 1), a multiple of 2^-53.
  double unit() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  float real(Range range) { return static_cast<float>(range.low + (range.high - range.low) * unit()); }
  std::int64_t integer(std::int64_t high) { return static_cast<std::int64_t>(unit() * static_cast<double>(high + 1)); }

 private:
  std::mt19937_64 engine_;
};

/// Stores a small non-negative integer in an element of an integer or bool array (little-endian).
void store(Array& array, std::size_t element, std::int64_t value) {
  array.bytes[element * size_of(array.dtype)] = static_cast<std::byte>(value);
}

class RandomSource : public RecordSource {
 public:
  RandomSource(std::vector<Draw> draws, std::uint64_t seed) : draws_(std::move(draws)), seed_(seed) {}

  std::int64_t count() const override { return 1; }
  std::string description() const override { return "random"; }

  Result<Record> read(std::int64_t index) override {
    if (index != 0) return bad_input("random: record {}: there is one record", index);
    Uniform uniform(seed_);
    Record record;
    for (const Draw& draw : draws_) {
      VISQ_TRY(data::check_size(draw.dtype, draw.shape, "random: record 0, " + draw.label));
      record.inputs.push_back(make(draw, uniform));
    }
    return record;
  }

 private:
  static Array make(const Draw& draw, Uniform& uniform) {
    Array array = make_array(draw.dtype, draw.shape);
    switch (draw.kind) {
      case data::InputKind::kReal:
        for (float& value : array.values<float>()) value = uniform.real(draw.range);
        break;
      case data::InputKind::kInteger:
      case data::InputKind::kBool: {
        const std::int64_t high = draw.kind == data::InputKind::kBool ? 1 : std::min(kLargestInteger, integer_range(draw.dtype).high);
        for (std::size_t i = 0; i < array.bytes.size() / size_of(draw.dtype); ++i) store(array, i, uniform.integer(high));
        break;
      }
      case data::InputKind::kOther:  // empty strings, complex zeros
        break;
    }
    return array;
  }

  std::vector<Draw> draws_;
  std::uint64_t seed_;
};

/// For each input of the model the tensor of the twin that it goes with, -1 where there is none.
std::vector<int> twin_inputs(const Model& model, const Model* twin) {
  std::vector<int> tensors(model.main().inputs.size(), -1);
  if (twin == nullptr) return tensors;
  const auto order = match_inputs(model, *twin);
  if (!order.ok()) return tensors;  // comparing the two will say why
  for (std::size_t i = 0; i < order->size(); ++i) tensors[as_size((*order)[i])] = twin->main().inputs[i];
  return tensors;
}

}  // namespace

std::unique_ptr<RecordSource> random_data(const Model& model, const Model* twin, std::uint64_t seed, bool legacy) {
  std::vector<Draw> draws;
  const auto partners = twin_inputs(model, twin);
  for (std::size_t i = 0; i < partners.size(); ++i) {
    const int input = model.main().inputs[i];
    const TensorInfo& tensor = model.main().tensors[as_size(input)];
    const data::InputKind kind = data::kind_of(tensor);
    std::optional<Range> range;
    if (!legacy && partners[i] >= 0) range = input_range(*twin, partners[i]);
    if (!legacy && !range) range = input_range(model, input);
    draws.push_back({data::input_spec(tensor, i).label, kind, kind == data::InputKind::kReal ? DType::kFloat32 : tensor.dtype, tensor.shape,
                     range.value_or(Range())});
  }
  return std::make_unique<RandomSource>(std::move(draws), seed);
}

}  // namespace visq
