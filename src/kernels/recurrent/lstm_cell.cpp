#include "kernels/recurrent/lstm_cell.h"

#include <algorithm>
#include <cmath>

#include "core/as_size.h"
#include "core/cpu_clones.h"
#include "kernels/math/float_functions.h"
#include "kernels/matrices/weight_matrix.h"

namespace visq::kernels {
namespace {

VISQ_CPU_CLONES void apply_logistic(float* values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) values[i] = exact_logistic_f32(values[i]);
}

VISQ_CPU_CLONES void add_products(const float* a, const float* b, float* sums, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) sums[i] += a[i] * b[i];
}

VISQ_CPU_CLONES void multiply_all(const float* factors, float* values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) values[i] *= factors[i];
}

VISQ_CPU_CLONES void limit_all(float limit, float* values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) values[i] = std::min(std::max(values[i], -limit), limit);
}

/// cells = forget * cells + input * update; without an input gate, with 1 - forget in its place.
VISQ_CPU_CLONES void update_cells(const float* input, const float* forget, const float* update, float* cells, std::size_t count) {
  if (input != nullptr) {
    for (std::size_t i = 0; i < count; ++i) cells[i] = forget[i] * cells[i] + update[i] * input[i];
  } else {
    for (std::size_t i = 0; i < count; ++i) cells[i] = forget[i] * cells[i] + update[i] * (1.0F - forget[i]);
  }
}

/// values = norm * (values - mean) / deviation + bias
void normalize(const std::vector<float>& norm, const std::vector<float>& bias, float* values) {
  constexpr float kLeastVariance = 1e-8F;
  const std::size_t count = norm.size();
  float sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += values[i];
  const float mean = sum / static_cast<float>(count);
  float squares = 0;
  for (std::size_t i = 0; i < count; ++i) squares += (values[i] - mean) * (values[i] - mean);
  const float inverse = 1.0F / std::sqrt(squares / static_cast<float>(count) + kLeastVariance);
  for (std::size_t i = 0; i < count; ++i) values[i] = (values[i] - mean) * inverse * norm[i] + bias[i];
}

/// Vectors of one gate, each as long as there are cells; empty where the gate has none.
struct GateVectors {
  std::vector<float> bias, peephole, norm, diagonal;
};

struct LstmParts {
  LstmSizes sizes;
  LstmOptions options;
  int output_state = kNoSlot, cell_state = kNoSlot;
  std::unique_ptr<WeightMatrix> input = {}, aux = {}, recurrent = {}, projection = {};  ///< null where there is none
  std::array<GateVectors, kLstmGates> gates = {};
  std::vector<float> projection_bias = {};  ///< empty: none
};

class LstmCell final : public RecurrentCell {
 public:
  explicit LstmCell(LstmParts parts) : parts_(std::move(parts)), cells_(as_size(parts_.sizes.cells)) {}

  std::int64_t columns() const override { return static_cast<std::int64_t>(parts_.sizes.gates()) * parts_.sizes.cells; }
  std::int64_t outputs() const override { return parts_.sizes.outputs; }

  std::size_t scratch_bytes(std::int64_t width) const override {
    std::size_t bytes = 0;
    for (const auto* matrix : {parts_.input.get(), parts_.aux.get(), parts_.recurrent.get(), parts_.projection.get()}) {
      if (matrix != nullptr) bytes = std::max(bytes, matrix->scratch_bytes());
    }
    return hidden_bytes(width) + bytes;
  }

  void project(const float* input, const float* aux, std::int64_t count, float* sums, std::byte* scratch) const override {
    float* target = sums;
    for (std::int64_t row = 0; row < count; ++row) {
      for (std::size_t gate = parts_.sizes.first_gate(); gate < kLstmGates; ++gate, target += cells_) {
        const auto& bias = parts_.gates[gate].bias;
        if (parts_.sizes.normalized) {
          std::fill_n(target, cells_, 0.0F);
        } else {
          std::copy(bias.begin(), bias.end(), target);
        }
      }
    }
    parts_.input->accumulate(input, count, sums, scratch);
    if (parts_.aux != nullptr) parts_.aux->accumulate(aux, count, sums, scratch);
  }

  const float* step(const EvalContext& eval, std::int64_t first, std::int64_t width, float* sums, std::byte* scratch) const override {
    float* state = eval.input(parts_.output_state).mutable_values<float>().data() + first * parts_.sizes.outputs;
    float* cells = eval.input(parts_.cell_state).mutable_values<float>().data() + first * parts_.sizes.cells;
    auto* hidden = reinterpret_cast<float*>(scratch);
    std::byte* rest = scratch + hidden_bytes(width);
    if (parts_.recurrent != nullptr) parts_.recurrent->accumulate(state, width, sums, rest);
    for (std::int64_t row = 0; row < width; ++row) {
      advance(state + row * parts_.sizes.outputs, cells + row * parts_.sizes.cells, sums + row * columns(),
              hidden + row * parts_.sizes.cells);
    }
    const auto outputs = as_size(width * parts_.sizes.outputs);
    if (parts_.projection == nullptr) {
      std::copy_n(hidden, outputs, state);
    } else {
      project_hidden(hidden, width, state, rest);
      if (parts_.options.projection_clip > 0) limit_all(parts_.options.projection_clip, state, outputs);
    }
    return state;
  }

 private:
  std::size_t hidden_bytes(std::int64_t width) const { return aligned_bytes(as_size(width) * cells_ * sizeof(float)); }

  /// One row: completes the sums of the gates, updates the cells, gives what the projection reads.
  void advance(const float* state, float* cells, float* sums, float* hidden) const {
    const auto gate_sums = [&](std::size_t gate) { return sums + (gate - parts_.sizes.first_gate()) * cells_; };
    for (std::size_t gate = parts_.sizes.first_gate(); gate < kLstmGates; ++gate) {
      if (parts_.sizes.diagonal) add_products(parts_.gates[gate].diagonal.data(), state, gate_sums(gate), cells_);
      if (gate != kOutputGate) finish_gate(gate, cells, gate_sums(gate));
    }
    const float* input = parts_.sizes.coupled ? nullptr : gate_sums(kInputGate);
    update_cells(input, gate_sums(kForgetGate), gate_sums(kCellGate), cells, cells_);
    if (parts_.options.cell_clip > 0) limit_all(parts_.options.cell_clip, cells, cells_);
    finish_gate(kOutputGate, cells, gate_sums(kOutputGate));
    // LiteRT's activation NONE leaves its buffer as it is, and that holds the cell gate, not the cells.
    const bool activated = parts_.options.activation != Activation::kNone;
    std::copy_n(activated ? cells : gate_sums(kCellGate), cells_, hidden);
    activate(parts_.options.activation, {hidden, cells_});
    multiply_all(gate_sums(kOutputGate), hidden, cells_);
  }

  void finish_gate(std::size_t gate, const float* cells, float* sums) const {
    const GateVectors& vectors = parts_.gates[gate];
    if (!vectors.peephole.empty()) add_products(vectors.peephole.data(), cells, sums, cells_);
    if (parts_.sizes.normalized) normalize(vectors.norm, vectors.bias, sums);
    if (gate == kCellGate) {
      activate(parts_.options.activation, {sums, cells_});
    } else {
      apply_logistic(sums, cells_);
    }
  }

  void project_hidden(const float* hidden, std::int64_t width, float* state, std::byte* scratch) const {
    const auto outputs = as_size(parts_.sizes.outputs);
    for (std::int64_t row = 0; row < width; ++row) {
      float* target = state + row * parts_.sizes.outputs;
      if (parts_.projection_bias.empty()) {
        std::fill_n(target, outputs, 0.0F);
      } else {
        std::copy(parts_.projection_bias.begin(), parts_.projection_bias.end(), target);
      }
    }
    parts_.projection->accumulate(hidden, width, state, scratch);
  }

  LstmParts parts_;
  std::size_t cells_;
};

/// Fills the parts of a cell from its tensors.
class LstmReader {
 public:
  LstmReader(PrepareContext& context, const LstmSlots& slots, LstmParts& parts) : context_(context), slots_(slots), parts_(parts) {}

  Status run() {
    VISQ_TRY(read_matrices());
    for (std::size_t gate = parts_.sizes.first_gate(); gate < kLstmGates; ++gate) VISQ_TRY(read_vectors(gate));
    if (!parts_.sizes.projected) return {};
    VISQ_ASSIGN(parts_.projection, read_weights(context_, {&slots_.projection, 1}, "projection", parts_.options.asymmetric));
    if (!context_.has_input(slots_.projection_bias)) return {};
    VISQ_ASSIGN(parts_.projection_bias, read_values(context_, slots_.projection_bias, "projection bias", projection_step()));
    return {};
  }

 private:
  Status read_matrices() {
    const auto present = [&](const LstmSlots::Gates& slots) { return std::span<const int>(slots).subspan(parts_.sizes.first_gate()); };
    const bool asymmetric = parts_.options.asymmetric;
    VISQ_ASSIGN(parts_.input, read_weights(context_, present(slots_.input), "input weights", asymmetric));
    if (parts_.sizes.aux_inputs > 0) {
      VISQ_ASSIGN(parts_.aux, read_weights(context_, present(slots_.aux), "auxiliary input weights", asymmetric));
    }
    if (parts_.sizes.diagonal) return {};
    VISQ_ASSIGN(parts_.recurrent, read_weights(context_, present(slots_.recurrent), "recurrent weights", asymmetric));
    return {};
  }

  Status read_vectors(std::size_t gate) {
    GateVectors& vectors = parts_.gates[gate];
    VISQ_ASSIGN(vectors.bias, read_values(context_, slots_.bias[gate], "bias", bias_step(gate)));
    if (parts_.sizes.peephole && slots_.peephole[gate] != kNoSlot) {
      VISQ_ASSIGN(vectors.peephole, read_values(context_, slots_.peephole[gate], "peephole weights"));
    }
    if (parts_.sizes.normalized) {
      VISQ_ASSIGN(vectors.norm, read_values(context_, slots_.norm[gate], "norm"));
    }
    if (parts_.sizes.diagonal) {
      VISQ_ASSIGN(vectors.diagonal, read_values(context_, slots_.recurrent[gate], "recurrent weights"));
    }
    return {};
  }

  /// What one step of a stored bias counts: the kernels add it to the products of the input, or behind the norm, in 1024ths of it.
  std::optional<double> bias_step(std::size_t gate) const {
    if (!parts_.sizes.normalized) return product_of_scales(context_, 0, slots_.input[gate]);
    const TensorInfo* norm = context_.input(slots_.norm[gate]).info;
    if (norm == nullptr || norm->quantization.scale.size() != 1) return {};
    return static_cast<double>(norm->quantization.scale[0]) / 1024;
  }

  std::optional<double> projection_step() const {
    constexpr int kHidden = 4;  // the intermediate that holds the scale of what is projected
    const TensorInfo* hidden = context_.intermediate(kHidden);
    const TensorInfo* weights = context_.input(slots_.projection).info;
    if (hidden == nullptr || weights == nullptr || hidden->quantization.scale.size() != 1 || weights->quantization.scale.size() != 1) {
      return {};
    }
    return static_cast<double>(hidden->quantization.scale[0]) * static_cast<double>(weights->quantization.scale[0]);
  }

  PrepareContext& context_;
  const LstmSlots& slots_;
  LstmParts& parts_;
};

}  // namespace

Result<LstmOptions> read_lstm_options(const PrepareContext& context) {
  LstmOptions options{.asymmetric = context.attributes().flag("asymmetric_quantize_inputs")};
  VISQ_ASSIGN(options.activation, fused_activation(context));
  VISQ_ASSIGN(options.cell_clip, read_clip(context, "cell_clip"));
  VISQ_ASSIGN(options.projection_clip, read_clip(context, "proj_clip"));
  return options;
}

Result<std::unique_ptr<RecurrentCell>> make_lstm_cell(PrepareContext& context, const LstmSlots& slots, const LstmSizes& sizes,
                                                      const LstmOptions& options) {
  LstmParts parts{.sizes = sizes, .options = options, .output_state = slots.output_state, .cell_state = slots.cell_state};
  VISQ_TRY(LstmReader(context, slots, parts).run());
  return std::unique_ptr<RecurrentCell>(std::make_unique<LstmCell>(std::move(parts)));
}

}  // namespace visq::kernels
