// Random data: one seeded record, for users who have no data at hand.
#include <optional>
#include <random>

#include "core/as_size.h"
#include "core/error.h"
#include "data/sources/input_range.h"
#include "data/sources/input_spec.h"

namespace visq {
namespace {

using data::input_range;
using data::InputRange;

constexpr std::int64_t kLargestInteger = 100;

/// How one input is drawn.
struct Draw {
  std::string label;
  data::InputKind kind = data::InputKind::kReal;
  DType dtype = DType::kFloat32;
  Shape shape;
  InputRange range;
};

/// Uniform numbers that are the same everywhere: the engine is specified to the bit, the library's distributions are not.
class Uniform {
 public:
  explicit Uniform(std::uint64_t seed) : engine_(seed) {}
  /// In [0, 1), a multiple of 2^-53.
  double unit() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  float real(InputRange range) { return static_cast<float>(range.low + (range.high - range.low) * unit()); }
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

}  // namespace

std::unique_ptr<RecordSource> random_data(const Model& model, const Model* twin, std::uint64_t seed, bool legacy) {
  std::vector<Draw> draws;
  const auto partners = data::twin_inputs(model, twin);
  for (std::size_t i = 0; i < partners.size(); ++i) {
    const int input = model.main().inputs[i];
    const TensorInfo& tensor = model.main().tensors[as_size(input)];
    const data::InputKind kind = data::kind_of(tensor);
    std::optional<InputRange> range;
    if (!legacy && partners[i] >= 0) range = input_range(*twin, partners[i]);
    if (!legacy && !range) range = input_range(model, input);
    draws.push_back({data::input_spec(tensor, i).label, kind, kind == data::InputKind::kReal ? DType::kFloat32 : tensor.dtype, tensor.shape,
                     range.value_or(InputRange())});
  }
  return std::make_unique<RandomSource>(std::move(draws), seed);
}

}  // namespace visq
