// STABLEHLO_RNG_BIT_GENERATOR: random bits from a state that comes in and goes out, by Philox or Threefry.
#include <bit>

#include "core/as_size.h"
#include "kernels/element_types.h"
#include "kernels/math/philox.h"

namespace visq::kernels::ops_stablehlo_rng_bit_generator {
namespace {

constexpr int kState = 0;
constexpr int kNextState = 0;
constexpr int kBits = 1;

using Pair = std::array<std::uint32_t, 2>;

/// Threefry 2x32-20 (Salmon et al., 2011): the two numbers that belong to a counter under a key.
Pair threefry(Pair counter, Pair key) {
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const std::array<std::uint32_t, 3> keys = {key[0], key[1], key[0] ^ key[1] ^ 0x1BD11BDA};
  counter = {counter[0] + key[0], counter[1] + key[1]};
  for (std::uint32_t group = 1; group <= 5; ++group) {
    for (const int rotation : kRotations[(group - 1) % 2]) {
      counter[0] += counter[1];
      counter[1] = std::rotl(counter[1], rotation) ^ counter[0];
    }
    counter[0] += keys[group % 3];
    counter[1] += keys[(group + 1) % 3] + group;
  }
  return counter;
}

/// The 32-bit words of a state, low halves first: key, counter, and for Philox two more counter words (the key again where the state
/// has but two elements).
std::array<std::uint32_t, 6> words_of(std::span<const std::uint64_t> state) {
  std::array<std::uint32_t, 6> words{};
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i] = static_cast<std::uint32_t>(state[i / 2 % state.size()] >> (i % 2 * 32));
  }
  return words;
}

/// Fills the output block by block and writes the state that follows. Only the counter's lower 64 bits count.
template <class Blocks>
void generate(EvalContext& eval, Blocks blocks) {
  const auto state = eval.in<std::uint64_t>(kState);
  const auto next = eval.out<std::uint64_t>(kNextState);
  std::copy(state.begin(), state.end(), next.begin());
  const Tensor& bits = eval.output(kBits);
  auto* out = reinterpret_cast<std::uint32_t*>(bits.data);
  const auto count = as_size(bits.elements()) * size_of(bits.dtype) / sizeof(std::uint32_t);
  const auto words = words_of(state);
  for (std::size_t i = 0; i < count;) {
    const auto block = blocks(words, next[1]++);
    for (std::size_t j = 0; j < block.size() && i < count; ++j) out[i++] = block[j];
  }
}

Status generate_philox(EvalContext& eval) {
  generate(eval, [](const auto& words, std::uint64_t counter) {
    return philox({static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32), words[4], words[5]},
                  {words[0], words[1]});
  });
  return {};
}

Status generate_threefry(EvalContext& eval) {
  generate(eval, [](const auto& words, std::uint64_t counter) {
    return threefry({static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32)}, {words[0], words[1]});
  });
  return {};
}

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(context.expect_outputs(2));
  VISQ_TRY(context.expect_rank(kState, "the state", 1));
  const Shape& state = context.input(kState).shape;
  const auto algorithm = context.attributes().text("algorithm", "DEFAULT");
  const bool with_threefry = algorithm == "THREEFRY";
  if (state[0] != 2 && (with_threefry || state[0] != 3)) return context.fail("a state of {} elements for {}", state[0], algorithm);
  const DType type = context.output(kBits).dtype;
  if (!DTypes{DType::kInt32, DType::kUInt32, DType::kInt64, DType::kUInt64}.has(type)) {
    return context.unsupported("cannot make random {}", name(type));
  }
  VISQ_TRY(context.set_output(kNextState, DType::kUInt64, state));
  VISQ_TRY(context.set_output(kBits, type, context.output(kBits).info->shape));
  return make_kernel(with_threefry ? generate_threefry : generate_philox);
}

constexpr OpDef kDefinitions[] = {{.name = "STABLEHLO_RNG_BIT_GENERATOR", .prepare = prepare, .types = {DType::kUInt64}}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_stablehlo_rng_bit_generator
