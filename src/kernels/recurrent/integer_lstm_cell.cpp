#include "kernels/recurrent/integer_lstm_cell.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/as_size.h"
#include "kernels/fixed_point/fixed_point_functions.h"
#include "kernels/fixed_point/gate_functions.h"
#include "kernels/matrices/weight_matrix.h"
#include "kernels/recurrent/lstm_tensors.h"

namespace visq::kernels {
namespace {

constexpr int kSumBits = 3;  ///< integer bits of a gate's sums

/// sums = weights * x + bias, requantized.
struct IntegerProduct {
  CodeMatrix weights;
  std::vector<std::int32_t> bias;  ///< the zero point of x included
  Multiplier scale;
};

struct IntegerGate {
  IntegerProduct input, recurrent;
  std::vector<std::int16_t> peephole = {};  ///< empty: none
  Multiplier peephole_scale = {};
  std::vector<std::int16_t> norm = {};  ///< empty: none
  std::vector<std::int32_t> norm_bias = {};
  Multiplier norm_scale = {};
  std::int32_t least_variance = 1;
};

/// Everything a step needs, in the arithmetic of LiteRT's reference kernels.
struct IntegerLstmParts {
  LstmSizes sizes;
  Sequence sequence;
  std::vector<IntegerGate> gates;          ///< without the input gate where it is coupled
  std::vector<IntegerProduct> projection;  ///< one or none
  Multiplier hidden_scale;
  std::int32_t hidden_zero_point = 0, output_zero_point = 0;
  int cell_exponent = 0;  ///< cells count in steps of 2^cell_exponent
  std::int16_t cell_clip = 0;
  std::int8_t projection_clip = 0;
};

std::int32_t wrapping_sum(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}

/// sums += product for each row, limited to T. `x` and `sums` have as many elements per row as the matrix says.
template <class T>
void accumulate(const IntegerProduct& product, const std::int8_t* x, std::int64_t rows, std::int32_t offset, std::int32_t* scratch,
                T* sums) {
  const std::size_t outputs = product.weights.rows();
  for (std::int64_t row = 0; row < rows; ++row, x += product.weights.depth(), sums += outputs) {
    product.weights.multiply(x, scratch);
    for (std::size_t o = 0; o < outputs; ++o) {
      const std::int64_t scaled = multiply(wrapping_sum(scratch[o], product.bias[o]), product.scale);
      sums[o] = saturate<T>(scaled + offset + sums[o]);
    }
  }
}

/// norm * (sums - mean) / deviation + bias of one row, all in fixed point; the mean in 1024ths.
void normalize(const IntegerGate& gate, std::int16_t* sums) {
  const auto count = static_cast<std::int64_t>(gate.norm.size());
  std::int64_t total = 0, squares = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    total += sums[i];
    squares += std::int64_t{sums[i]} * sums[i];
  }
  const std::int64_t mean = total * 1024 / count;
  const auto variance = static_cast<std::int32_t>((squares * ((1 << 20) / count) - mean * mean) / (1 << 20));
  const Multiplier inverse = inverse_square_root(variance < 1 ? gate.least_variance : variance);
  const Multiplier scale{gate.norm_scale.fraction, gate.norm_scale.exponent + 15 - kSumBits};
  for (std::int64_t i = 0; i < count; ++i) {
    const auto k = as_size(i);
    const std::int32_t rescaled = multiply(static_cast<std::int32_t>(1024 * sums[i] - mean), inverse);
    const auto weighted = static_cast<std::uint32_t>(rescaled) * static_cast<std::uint32_t>(std::int32_t{gate.norm[k]});
    const std::int64_t sum = wrapping_sum(static_cast<std::int32_t>(weighted), gate.norm_bias[k]);
    const auto rounded = static_cast<std::int32_t>((sum > 0 ? sum + 512 : sum - 512) / 1024);
    sums[i] = saturate<std::int16_t>(multiply(rounded, scale));
  }
}

class IntegerLstm final : public Kernel {
 public:
  explicit IntegerLstm(IntegerLstmParts parts) : parts_(std::move(parts)) {}

  Status eval(EvalContext& eval) const override {
    const Sequence& sequence = parts_.sequence;
    if (sequence.steps == 0 || sequence.batch == 0) return {};
    const Scratch scratch = take_scratch(eval);
    for (std::int64_t lane = 0; lane < sequence.lanes(); ++lane) {
      for (std::int64_t step = 0; step < sequence.steps; ++step) advance(eval, lane, sequence.row(lane, step), scratch);
    }
    return {};
  }

 private:
  struct Scratch {
    std::array<std::int16_t*, kLstmGates> gates;  ///< [width, cells] each
    std::int8_t* hidden;                          ///< [width, cells]
    std::int32_t* products;                       ///< one row of sums
  };

  std::size_t block() const { return as_size(parts_.sequence.width() * parts_.sizes.cells); }

  Scratch take_scratch(EvalContext& eval) const {
    const std::size_t gate_bytes = aligned_bytes(block() * sizeof(std::int16_t));
    const std::size_t hidden_bytes = aligned_bytes(block());
    const auto longest = as_size(std::max(parts_.sizes.cells, parts_.sizes.outputs));
    std::byte* memory = eval.scratch(kLstmGates * gate_bytes + hidden_bytes + longest * sizeof(std::int32_t));
    Scratch scratch{};
    for (auto& gate : scratch.gates) {
      gate = reinterpret_cast<std::int16_t*>(memory);
      memory += gate_bytes;
    }
    scratch.hidden = reinterpret_cast<std::int8_t*>(memory);
    scratch.products = reinterpret_cast<std::int32_t*>(memory + hidden_bytes);
    return scratch;
  }

  void advance(const EvalContext& eval, std::int64_t lane, std::int64_t row, const Scratch& scratch) const {
    const std::int64_t width = parts_.sequence.width(), outputs = parts_.sizes.outputs;
    const std::int8_t* input = eval.in<std::int8_t>(kInput).data() + row * parts_.sizes.inputs;
    std::int8_t* state = eval.input(kLstmSlots.output_state).mutable_values<std::int8_t>().data() + lane * width * outputs;
    std::int16_t* cells = eval.input(kLstmSlots.cell_state).mutable_values<std::int16_t>().data() + lane * width * parts_.sizes.cells;
    for (std::size_t gate = parts_.sizes.first_gate(); gate < kOutputGate; ++gate) add_up(gate, input, state, cells, scratch);
    update_cells(cells, scratch);
    add_up(kOutputGate, input, state, cells, scratch);
    reveal(cells, state, scratch);
    std::copy_n(state, width * outputs, eval.out<std::int8_t>(0).data() + row * outputs);
  }

  void add_up(std::size_t index, const std::int8_t* input, const std::int8_t* state, const std::int16_t* cells,
              const Scratch& scratch) const {
    const IntegerGate& gate = parts_.gates[index - parts_.sizes.first_gate()];
    std::int16_t* sums = scratch.gates[index];
    const std::int64_t width = parts_.sequence.width();
    std::fill_n(sums, block(), std::int16_t{0});
    accumulate(gate.input, input, width, 0, scratch.products, sums);
    accumulate(gate.recurrent, state, width, 0, scratch.products, sums);
    if (!gate.peephole.empty()) add_peephole(gate, cells, sums);
    if (!gate.norm.empty()) {
      for (std::int64_t row = 0; row < width; ++row) normalize(gate, sums + row * parts_.sizes.cells);
    }
    for (std::size_t i = 0; i < block(); ++i) sums[i] = index == kCellGate ? tanh_q15(sums[i], kSumBits) : logistic_q15(sums[i]);
  }

  /// LiteRT takes rows to be as long as the output, which is shorter than the cells where there is a projection: the same here.
  void add_peephole(const IntegerGate& gate, const std::int16_t* cells, std::int16_t* sums) const {
    const auto row = as_size(parts_.sizes.outputs);
    for (std::size_t i = 0; i < row * as_size(parts_.sequence.width()); ++i) {
      const std::int32_t product = std::int32_t{gate.peephole[i % row]} * cells[i];
      sums[i] = saturate<std::int16_t>(std::int64_t{multiply(product, gate.peephole_scale)} + sums[i]);
    }
  }

  void update_cells(std::int16_t* cells, const Scratch& scratch) const {
    constexpr std::int16_t kOne = std::numeric_limits<std::int16_t>::max();
    for (std::size_t i = 0; i < block(); ++i) {
      const std::int16_t forget = scratch.gates[kForgetGate][i];
      const std::int16_t input = parts_.sizes.coupled ? static_cast<std::int16_t>(kOne - forget) : scratch.gates[kInputGate][i];
      const auto kept = static_cast<std::int16_t>(rounding_shift(forget * cells[i], 15));
      const auto added = static_cast<std::int16_t>(rounding_shift(input * scratch.gates[kCellGate][i], 30 + parts_.cell_exponent));
      const auto cell = saturate<std::int16_t>(kept + added);
      cells[i] =
          parts_.cell_clip > 0 ? std::clamp<std::int16_t>(cell, static_cast<std::int16_t>(-parts_.cell_clip), parts_.cell_clip) : cell;
    }
  }

  /// The new output state from the cells and the output gate.
  void reveal(const std::int16_t* cells, std::int8_t* state, const Scratch& scratch) const {
    const bool projected = !parts_.projection.empty();
    std::int8_t* hidden = projected ? scratch.hidden : state;
    const std::int64_t zero_point = projected ? -std::int64_t{parts_.hidden_zero_point} : std::int64_t{parts_.hidden_zero_point};
    for (std::size_t i = 0; i < block(); ++i) {
      const std::int32_t product = scratch.gates[kOutputGate][i] * tanh_q15(cells[i], 15 + parts_.cell_exponent);
      hidden[i] = saturate<std::int8_t>(multiply(product, parts_.hidden_scale) + zero_point);
    }
    if (!projected) return;
    const std::int64_t width = parts_.sequence.width();
    const auto outputs = as_size(width * parts_.sizes.outputs);
    std::fill_n(state, outputs, std::int8_t{0});
    accumulate(parts_.projection[0], hidden, width, parts_.output_zero_point, scratch.products, state);
    if (parts_.projection_clip <= 0) return;
    for (std::size_t i = 0; i < outputs; ++i) {
      state[i] = std::clamp<std::int8_t>(state[i], static_cast<std::int8_t>(-parts_.projection_clip), parts_.projection_clip);
    }
  }

  IntegerLstmParts parts_;
};

/// Fills the parts from the tensors and their scales, which the kernels multiply in float32.
class IntegerLstmReader {
 public:
  IntegerLstmReader(PrepareContext& context, IntegerLstmParts& parts) : context_(context), parts_(parts) {}

  Status run() {
    VISQ_TRY(read_scales());
    for (std::size_t gate = parts_.sizes.first_gate(); gate < kLstmGates; ++gate) VISQ_TRY(read_gate(gate));
    if (parts_.sizes.projected) VISQ_TRY(read_projection());
    return read_clips();
  }

 private:
  static constexpr int kIntermediates = 5;
  static constexpr int kHidden = 4;

  /// The only scale of an input.
  Result<float> scale_of(int slot, std::string_view role) const {
    VISQ_TRY(expect_per_tensor(context_, context_.input(slot), role));
    return context_.input(slot).info->quantization.scale[0];
  }

  Status read_scales() {
    VISQ_ASSIGN(input_scale_, scale_of(kInput, "the input"));
    VISQ_ASSIGN(state_scale_, scale_of(kLstmSlots.output_state, "the output state"));
    VISQ_TRY(expect_per_tensor(context_, context_.output(0), "the output"));
    parts_.output_zero_point = stored_grid(context_.input(kLstmSlots.output_state)).zero_point;
    VISQ_ASSIGN(const float cell_scale, scale_of(kLstmSlots.cell_state, "the cell state"));
    const auto exponent = near_power_of_two(cell_scale);
    if (!exponent || *exponent < -15 || *exponent > -9) {
      return context_.unsupported("the cell state has the scale {}, expected a power of two from 2^-15 to 2^-9", cell_scale);
    }
    parts_.cell_exponent = *exponent;
    VISQ_ASSIGN(const StoredGrid hidden, intermediate(kHidden));
    hidden_scale_ = static_cast<float>(hidden.scale);
    parts_.hidden_zero_point = hidden.zero_point;
    VISQ_ASSIGN(parts_.hidden_scale, to_finite_multiplier(static_cast<float>(0x1p-15 / static_cast<double>(hidden_scale_) * 0x1p-15)));
    return {};
  }

  Result<StoredGrid> intermediate(int position) const {
    const TensorInfo* info = context_.intermediate(position);
    if (info == nullptr || context_.op().intermediates.size() != kIntermediates) {
      return context_.unsupported("has {} intermediate tensors, expected {}", context_.op().intermediates.size(), kIntermediates);
    }
    Tensor tensor;
    tensor.info = info;
    VISQ_TRY(expect_per_tensor(context_, tensor, fmt::format("intermediate {}", position)));
    return stored_grid(*info);
  }

  Result<Multiplier> to_finite_multiplier(float factor) const {
    if (!std::isfinite(factor)) return context_.fail("the scales of its tensors give a factor that is no number");
    return to_multiplier(static_cast<double>(factor));
  }

  template <class T>
  Result<std::vector<T>> values(int slot) {
    VISQ_TRY(context_.require_known(slot));
    const auto stored = context_.input(slot).values<T>();
    context_.mark_packed(slot);
    return std::vector<T>(stored.begin(), stored.end());
  }

  /// `bias` + offset * (sum of each row of the weights)
  static void add_offset(const CodeMatrix& weights, std::int32_t offset, std::vector<std::int32_t>& bias) {
    for (std::size_t r = 0; r < bias.size(); ++r) {
      const auto product = static_cast<std::uint32_t>(weights.row_sums()[r]) * static_cast<std::uint32_t>(offset);
      bias[r] = wrapping_sum(bias[r], static_cast<std::int32_t>(product));
    }
  }

  /// A matrix whose operand has a scale and a zero point, and whose sums count in steps of `sum_scale`.
  Result<IntegerProduct> product(int slot, float scale, std::int32_t zero_point, float sum_scale, int bias_slot) {
    VISQ_ASSIGN(const float weight_scale, scale_of(slot, "the weights"));
    VISQ_ASSIGN(CodeMatrix weights, read_codes(context_, slot, "weights"));
    std::vector<std::int32_t> bias(weights.rows());
    if (bias_slot != kNoSlot) {
      VISQ_ASSIGN(bias, values<std::int32_t>(bias_slot));
    }
    add_offset(weights, zero_point, bias);
    VISQ_ASSIGN(const Multiplier multiplier, to_finite_multiplier(weight_scale * scale / sum_scale));
    return IntegerProduct{std::move(weights), std::move(bias), multiplier};
  }

  static std::int32_t negated(std::int32_t value) { return static_cast<std::int32_t>(0U - static_cast<std::uint32_t>(value)); }

  Status read_gate(std::size_t index) {
    const bool normalized = parts_.sizes.normalized;
    float sum_scale = 0x1p-12F;
    if (normalized) {
      VISQ_ASSIGN(const StoredGrid grid, intermediate(static_cast<int>(index)));
      sum_scale = static_cast<float>(grid.scale);
    }
    const std::int32_t input_zero = stored_grid(context_.input(kInput)).zero_point;
    VISQ_ASSIGN(IntegerProduct input, product(kLstmSlots.input[index], input_scale_, negated(input_zero), sum_scale,
                                              normalized ? kNoSlot : kLstmSlots.bias[index]));
    VISQ_ASSIGN(IntegerProduct recurrent,
                product(kLstmSlots.recurrent[index], state_scale_, negated(parts_.output_zero_point), sum_scale, kNoSlot));
    IntegerGate gate{.input = std::move(input), .recurrent = std::move(recurrent)};
    if (parts_.sizes.peephole && kLstmSlots.peephole[index] != kNoSlot) VISQ_TRY(read_peephole(index, sum_scale, gate));
    if (normalized) VISQ_TRY(read_norm(index, gate));
    parts_.gates.push_back(std::move(gate));
    return {};
  }

  Status read_peephole(std::size_t index, float sum_scale, IntegerGate& gate) {
    if (parts_.sizes.outputs > parts_.sizes.cells) return context_.unsupported("has peephole weights and more outputs than cells");
    const int slot = kLstmSlots.peephole[index];
    VISQ_ASSIGN(const float scale, scale_of(slot, "the peephole weights"));
    VISQ_ASSIGN(gate.peephole, values<std::int16_t>(slot));
    const double factor = std::ldexp(1.0, parts_.cell_exponent) * static_cast<double>(scale) / static_cast<double>(sum_scale);
    VISQ_ASSIGN(gate.peephole_scale, to_finite_multiplier(static_cast<float>(factor)));
    return {};
  }

  Status read_norm(std::size_t index, IntegerGate& gate) {
    const int slot = kLstmSlots.norm[index];
    VISQ_ASSIGN(const float scale, scale_of(slot, "the norm"));
    constexpr float kLargest = 65536;  // shifts of the scale stay within 32 bits
    if (scale > kLargest) return context_.fail("the norm has the scale {}, expected at most {}", scale, kLargest);
    VISQ_ASSIGN(gate.norm, values<std::int16_t>(slot));
    VISQ_ASSIGN(gate.norm_bias, values<std::int32_t>(kLstmSlots.bias[index]));
    gate.norm_scale = to_multiplier(static_cast<double>(scale));
    gate.least_variance = std::max(1, static_cast<std::int32_t>(10000 * scale));
    return {};
  }

  Status read_projection() {
    const int bias = context_.has_input(kLstmSlots.projection_bias) ? kLstmSlots.projection_bias : kNoSlot;
    VISQ_ASSIGN(IntegerProduct projection, product(kLstmSlots.projection, hidden_scale_, parts_.hidden_zero_point, state_scale_, bias));
    parts_.projection.push_back(std::move(projection));
    return {};
  }

  Status read_clips() {
    VISQ_ASSIGN(const float cell, read_clip(context_, "cell_clip"));
    VISQ_ASSIGN(const float projection, read_clip(context_, "proj_clip"));
    const float cell_scale = context_.input(kLstmSlots.cell_state).info->quantization.scale[0];
    const float output_scale = context_.output(0).info->quantization.scale[0];
    parts_.cell_clip = static_cast<std::int16_t>(std::min(cell / cell_scale, 32767.0F));
    parts_.projection_clip = static_cast<std::int8_t>(std::min(projection / output_scale, 127.0F));
    return {};
  }

  PrepareContext& context_;
  IntegerLstmParts& parts_;
  float input_scale_ = 1, state_scale_ = 1, hidden_scale_ = 1;
};

}  // namespace

Result<std::unique_ptr<Kernel>> prepare_integer_lstm(PrepareContext& context, int rank, bool time_major) {
  if (context.input_count() != 20 && context.input_count() != 24) {
    return context.fail("has {} inputs, expected 20 or 24", context.input_count());
  }
  VISQ_TRY(context.expect_inputs(1, 24));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_type(kInput, "input", {DType::kInt8}));
  IntegerLstmParts parts;
  VISQ_ASSIGN(parts.sequence, read_sequence(context, kInput, rank, time_major));
  VISQ_ASSIGN(parts.sizes,
              check_lstm(context, kLstmSlots, {.batch = parts.sequence.batch, .inputs = parts.sequence.features}, kIntegerLstm));
  VISQ_TRY(context.set_output(0, DType::kInt8, output_shape(parts.sequence, rank, parts.sizes.outputs)));
  VISQ_TRY(IntegerLstmReader(context, parts).run());
  return std::unique_ptr<Kernel>(std::make_unique<IntegerLstm>(std::move(parts)));
}

}  // namespace visq::kernels
