#include "kernels/recurrent/recurrent.h"

#include <algorithm>

#include "core/as_size.h"
#include "core/checked.h"
#include "core/cpu_clones.h"
#include "kernels/constants/dequantize_constant.h"
#include "kernels/convolution/convolution.h"
#include "kernels/math/float_functions.h"

namespace visq::kernels {
namespace {

/// Steps whose projections are computed at once: enough for matrix products, few enough for the cache.
std::int64_t steps_at_once(const RecurrentPass& pass) {
  constexpr std::int64_t kFloatsAtOnce = std::int64_t{1} << 16;
  const std::int64_t per_step = std::max<std::int64_t>(1, pass.sequence.width() * pass.cell->columns());
  return std::clamp<std::int64_t>(kFloatsAtOnce / per_step, 1, std::max<std::int64_t>(1, pass.sequence.steps));
}

class RecurrentKernel final : public Kernel {
 public:
  explicit RecurrentKernel(std::vector<RecurrentPass> passes) : passes_(std::move(passes)) {}

  Status eval(EvalContext& eval) const override {
    for (const RecurrentPass& pass : passes_) walk(pass, eval);
    return {};
  }

 private:
  static void walk(const RecurrentPass& pass, EvalContext& eval) {
    const Sequence& sequence = pass.sequence;
    if (sequence.steps == 0 || sequence.batch == 0) return;
    const std::int64_t at_once = steps_at_once(pass);
    const auto floats = as_size(at_once * sequence.width() * pass.cell->columns());
    const std::size_t own = aligned_bytes(floats * sizeof(float));
    std::byte* scratch = eval.scratch(own + pass.cell->scratch_bytes(sequence.width()));
    for (std::int64_t lane = 0; lane < sequence.lanes(); ++lane) {
      for (std::int64_t done = 0; done < sequence.steps; done += at_once) {
        const std::int64_t count = std::min(at_once, sequence.steps - done);
        const std::int64_t first = pass.backward ? sequence.steps - done - count : done;
        walk_steps(pass, eval, lane, first, count, reinterpret_cast<float*>(scratch), scratch + own);
      }
    }
  }

  static void walk_steps(const RecurrentPass& pass, EvalContext& eval, std::int64_t lane, std::int64_t first, std::int64_t count,
                         float* sums, std::byte* scratch) {
    const RecurrentCell& cell = *pass.cell;
    const std::int64_t width = pass.sequence.width();
    const std::int64_t row = pass.sequence.row(lane, first);
    const float* input = eval.in<float>(pass.input).data() + row * pass.sequence.features;
    const float* aux = pass.aux < 0 ? nullptr : eval.in<float>(pass.aux).data() + row * pass.aux_features;
    cell.project(input, aux, count * width, sums, scratch);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t step = pass.backward ? count - 1 - i : i;
      const float* results = cell.step(eval, lane * width, width, sums + step * width * cell.columns(), scratch);
      if (pass.output < 0) continue;
      float* target = eval.out<float>(pass.output).data() + (row + step * width) * pass.columns + pass.column;
      for (std::int64_t r = 0; r < width; ++r) std::copy_n(results + r * cell.outputs(), cell.outputs(), target + r * pass.columns);
    }
  }

  std::vector<RecurrentPass> passes_;
};

VISQ_CPU_CLONES void tanh_all(float* values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) values[i] = tanh_f32(values[i]);
}

}  // namespace

Result<Sequence> read_sequence(const PrepareContext& context, int slot, int rank, bool time_major) {
  VISQ_TRY(context.expect_rank(slot, "input", rank));
  const Shape& shape = context.input(slot).shape;
  if (shape.back() < 1) return context.fail("input has the shape {}: no features", to_string(shape));
  if (rank == 2) return Sequence{.steps = 1, .batch = shape[0], .features = shape[1], .time_major = true};
  return Sequence{.steps = shape[time_major ? 0 : 1], .batch = shape[time_major ? 1 : 0], .features = shape[2], .time_major = time_major};
}

Shape output_shape(const Sequence& sequence, int rank, std::int64_t outputs) {
  if (rank == 2) return {sequence.batch, outputs};
  return sequence.time_major ? Shape{sequence.steps, sequence.batch, outputs} : Shape{sequence.batch, sequence.steps, outputs};
}

Status expect_shape(const PrepareContext& context, int slot, std::string_view role, const Shape& shape) {
  if (!context.has_input(slot)) return context.fail("{} (input {}) is absent", role, slot);
  const Shape& found = context.input(slot).shape;
  if (found == shape) return {};
  return context.fail("{} (input {}) has the shape {}, expected {}", role, slot, to_string(found), to_string(shape));
}

Status expect_state(const PrepareContext& context, int slot, std::string_view role, DType type, std::int64_t rows, std::int64_t columns) {
  if (!context.has_input(slot)) return context.fail("{} (input {}) is absent", role, slot);
  const Tensor& tensor = context.input(slot);
  if (tensor.dtype != type) return context.unsupported("{} has type {}, expected {}", role, name(tensor.dtype), name(type));
  if (tensor.info == nullptr || !tensor.info->is_variable) return context.fail("{} (input {}) is no variable tensor", role, slot);
  if (checked_mul(rows, columns) == tensor.elements()) return {};
  return context.fail("{} (input {}) has {} elements, expected {} * {}", role, slot, tensor.elements(), rows, columns);
}

Result<std::vector<float>> read_values(PrepareContext& context, int slot, std::string_view role, std::optional<double> step) {
  VISQ_TRY(context.require_known(slot));
  const Tensor& tensor = context.input(slot);
  const bool stored = tensor.info != nullptr && tensor.info->is_constant && tensor.info->quantization.quantized();
  if (!stored) return take_constant(context, slot, role);
  context.mark_packed(slot);
  if (!step || tensor.info->dtype != DType::kInt32) return dequantize_constant(*tensor.info, context.place());
  VISQ_ASSIGN(const auto integers, stored_integers(*tensor.info, context.place()));
  std::vector<float> values(integers.size());
  std::transform(integers.begin(), integers.end(), values.begin(), [&](std::int32_t q) { return static_cast<float>(q * *step); });
  return values;
}

std::optional<double> product_of_scales(const PrepareContext& context, int slot, int other) {
  const TensorInfo* a = context.input(slot).info;
  const TensorInfo* b = context.input(other).info;
  if (a == nullptr || b == nullptr || a->quantization.scale.size() != 1 || b->quantization.scale.size() != 1) return {};
  return static_cast<double>(a->quantization.scale[0]) * static_cast<double>(b->quantization.scale[0]);
}

Status place_two_ways(PrepareContext& context, std::vector<RecurrentPass>& passes, bool merged) {
  RecurrentPass& forward = passes[0];
  RecurrentPass& backward = passes[1];
  backward.backward = true;
  forward.columns = forward.cell->outputs();
  backward.columns = backward.cell->outputs();
  if (merged) {
    backward.column = forward.columns;
    forward.columns += backward.columns;
    backward.columns = forward.columns;
  } else {
    backward.output = 1;
    VISQ_TRY(context.set_output(1, DType::kFloat32, output_shape(backward.sequence, 3, backward.columns)));
  }
  return context.set_output(0, DType::kFloat32, output_shape(forward.sequence, 3, forward.columns));
}

void activate(Activation activation, std::span<float> values) {
  if (activation == Activation::kTanh) {
    tanh_all(values.data(), values.size());
  } else {
    apply(activation, values);
  }
}

std::unique_ptr<Kernel> make_recurrent(std::vector<RecurrentPass> passes) { return std::make_unique<RecurrentKernel>(std::move(passes)); }

}  // namespace visq::kernels
