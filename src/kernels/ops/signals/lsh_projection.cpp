// LSH_PROJECTION: bits that neighbouring inputs tend to share (locality-sensitive hashing): each bit is the sign of a sum of hashes of
// the input's rows under one seed.
#include <cstring>

#include "core/as_size.h"
#include "kernels/element_types.h"
#include "kernels/math/fingerprint.h"

namespace visq::kernels::ops_lsh_projection {
namespace {

enum Input : int { kSeeds, kInput, kWeights };

/// `key` is room for a seed and a row.
std::uint32_t sign_bit(EvalContext& eval, float seed, std::size_t row_bytes, std::vector<std::byte>& key) {
  const std::byte* row = eval.input(kInput).data;
  const float* weights = eval.has_input(kWeights) ? eval.in<float>(kWeights).data() : nullptr;
  std::memcpy(key.data(), &seed, sizeof(seed));
  double score = 0;
  for (std::int64_t i = 0; i < eval.input(kInput).shape[0]; ++i, row += row_bytes) {
    if (row_bytes > 0) std::memcpy(key.data() + sizeof(seed), row, row_bytes);
    const auto value = static_cast<double>(static_cast<std::int64_t>(fingerprint64(key)));
    score += weights != nullptr ? static_cast<double>(weights[i]) * value : value;
  }
  return score > 0 ? 1 : 0;
}

/// Sparse: one number per function, its bits, behind all numbers that the functions before it can give.
Status project(EvalContext& eval, bool sparse, std::size_t row_bytes) {
  const Shape& shape = eval.input(kSeeds).shape;
  const float* seeds = eval.in<float>(kSeeds).data();
  std::int32_t* out = eval.out<std::int32_t>(0).data();
  std::vector<std::byte> key(sizeof(float) + row_bytes);
  for (std::int64_t function = 0; function < shape[0]; ++function) {
    std::uint64_t signature = 0;
    for (std::int64_t i = 0; i < shape[1]; ++i) {
      const std::uint32_t bit = sign_bit(eval, *seeds++, row_bytes, key);
      signature = signature << 1 | bit;
      if (!sparse) *out++ = static_cast<std::int32_t>(bit);
    }
    if (sparse) *out++ = static_cast<std::int32_t>(signature + (static_cast<std::uint64_t>(function) << shape[1]));
  }
  return {};
}

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 3));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_type(kSeeds, "the hash functions", {DType::kFloat32}));
  VISQ_TRY(context.expect_rank(kSeeds, "the hash functions", 2));
  const Shape& seeds = context.input(kSeeds).shape;
  constexpr std::int64_t kMostBits = 32;
  if (seeds[1] < 1 || seeds[1] > kMostBits) return context.fail("{} bits per hash function, expected 1 to {}", seeds[1], kMostBits);
  const Tensor& input = context.input(kInput);
  if (input.shape.rank() < 1 || input.shape.elements() == 0) {
    return context.fail("the input has the shape {}, expected rows of elements", to_string(input.shape));
  }
  if (context.has_input(kWeights)) {
    VISQ_TRY(context.expect_type(kWeights, "the weights", {DType::kFloat32}));
    if (context.input(kWeights).shape != Shape{input.shape[0]}) {
      return context.fail("weights of shape {} for {} rows", to_string(context.input(kWeights).shape), input.shape[0]);
    }
  }
  const auto type = context.attributes().text("type");
  if (type != "SPARSE" && type != "DENSE") return context.fail("projection type '{}'", type);
  const bool sparse = type == "SPARSE";
  VISQ_TRY(context.set_output(0, DType::kInt32, {sparse ? seeds[0] : seeds.elements()}));
  const auto row_bytes = as_size(input.shape.elements(1, input.shape.rank())) * size_of(input.dtype);
  return make_kernel([sparse, row_bytes](EvalContext& eval) { return project(eval, sparse, row_bytes); });
}

constexpr OpDef kDefinitions[] = {
    {.name = "LSH_PROJECTION", .prepare = prepare, .types = kMovable, .main_input = kInput, .takes_stored = true}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_lsh_projection
