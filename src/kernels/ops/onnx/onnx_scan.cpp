// Scan of ONNX: a graph that runs on one slice after the other. Since operator set 9 along any axes; in set 8 for each element of a batch
// alone, as far as its sequence goes. Source: the ONNX specification of both.
#include <algorithm>
#include <cstring>
#include <limits>

#include "core/as_size.h"
#include "core/checked.h"
#include "kernels/onnx/bodies.h"
#include "kernels/parameters.h"
#include "visq/limits.h"

namespace visq::kernels::ops_onnx_scan {
namespace {

/// Along which axis of a tensor, and from which end.
struct Direction {
  std::int64_t axis = 0;
  bool backwards = false;
};

struct Layout {
  std::string place;
  Body body;
  bool batched = false;  ///< operator set 8: the first axis of all tensors is the batch
  int first = 0;         ///< input that holds the first state
  int states = 0;
  std::vector<Direction> inputs, outputs;  ///< of what is scanned; axes of inputs without the batch
  std::int64_t batch = 1, length = 0;

  int scanned(std::size_t input) const { return first + states + static_cast<int>(input); }
};

/// Slice `index` along an axis, without that axis.
void copy_slice(const Tensor& from, int axis, std::int64_t index, Scratch& to) {
  std::vector<std::int64_t> dims(from.shape.dims().begin(), from.shape.dims().end());
  dims.erase(dims.begin() + axis);
  to.resize(from.dtype, Shape(std::move(dims)));
  const std::size_t inner = as_size(from.shape.elements(axis + 1, from.shape.rank())) * size_of(from.dtype);
  const auto outer = as_size(from.shape.elements(0, axis)), count = as_size(from.shape[axis]);
  for (std::size_t row = 0; row < outer && inner > 0; ++row) {
    std::memcpy(to.bytes.data() + row * inner, from.data + (row * count + as_size(index)) * inner, inner);
  }
}

class Scan final : public CallingKernel {
 public:
  explicit Scan(Layout layout) : layout_(std::move(layout)) {}

  Result<CallStep> next(EvalContext& eval, std::span<const Tensor* const> results) const override {
    auto& run = eval.state<Run>();
    if (!run.running) {
      begin(run);
      if (run.batch < layout_.batch) VISQ_TRY(begin_sequence(eval, run));
    } else {
      VISQ_TRY(take(run, results));
    }
    while (run.batch < layout_.batch && run.turn == run.length) {
      VISQ_TRY(end_sequence(run));
      if (++run.batch < layout_.batch) VISQ_TRY(begin_sequence(eval, run));
    }
    if (run.batch == layout_.batch) return finish(eval, run);
    if (run.all_turns++ >= limits().turns) {
      return bad_input("{}: turns more than {} times; --max-turns allows more", layout_.place, limits().turns);
    }
    return turn(eval, run);
  }
  std::unique_ptr<KernelState> make_state() const override { return std::make_unique<Run>(); }

 private:
  struct Run final : KernelState {
    bool running = false;
    std::int64_t batch = 0, turn = 0, length = 0, all_turns = 0;
    std::vector<const Tensor*> values;
    std::vector<Scratch> states, elements, slices;
    std::vector<Stack> results;                            ///< of one sequence
    std::vector<Stack> final_states, sequences;            ///< of the batch
    std::vector<const Tensor*> last_states, last_results;  ///< without a batch
  };

  void begin(Run& run) const {
    run.running = true;
    run.batch = run.all_turns = 0;
    run.states.resize(as_size(layout_.states));
    run.elements.resize(layout_.inputs.size());
    run.slices.resize(layout_.inputs.size());
    run.final_states = std::vector<Stack>(as_size(layout_.states));
    run.sequences = std::vector<Stack>(layout_.outputs.size());
  }

  Status begin_sequence(EvalContext& eval, Run& run) const {
    run.turn = 0;
    run.length = layout_.length;
    run.results = std::vector<Stack>(layout_.outputs.size());
    run.values.clear();
    for (int i = 0; i < layout_.states; ++i) {
      const Tensor& state = eval.input(layout_.first + i);
      if (layout_.batched) copy_slice(state, 0, run.batch, run.states[as_size(i)]);
      run.values.push_back(layout_.batched ? &run.states[as_size(i)].tensor : &state);
    }
    for (std::size_t i = 0; i < layout_.inputs.size() && layout_.batched; ++i) {
      copy_slice(eval.input(layout_.scanned(i)), 0, run.batch, run.elements[i]);
    }
    if (!layout_.batched || !eval.has_input(0)) return {};
    run.length = eval.in<std::int64_t>(0)[as_size(run.batch)];
    if (run.length >= 0 && run.length <= layout_.length) return {};
    return bad_input("{}: sequence {} has the length {}, there are {} slices", layout_.place, run.batch, run.length, layout_.length);
  }

  CallStep turn(EvalContext& eval, Run& run) const {
    CallStep step{layout_.body.subgraph, run.values};
    for (std::size_t i = 0; i < layout_.inputs.size(); ++i) {
      const auto [axis, backwards] = layout_.inputs[i];
      const Tensor& from = layout_.batched ? run.elements[i].tensor : eval.input(layout_.scanned(i));
      copy_slice(from, static_cast<int>(axis), backwards ? run.length - 1 - run.turn : run.turn, run.slices[i]);
      step.values.push_back(&run.slices[i].tensor);
    }
    for (int slot = layout_.body.captured; slot < eval.input_count(); ++slot) step.values.push_back(&eval.input(slot));
    return step;
  }

  Status take(Run& run, std::span<const Tensor* const> results) const {
    run.values.assign(results.begin(), results.begin() + layout_.states);
    for (std::size_t k = 0; k < run.results.size(); ++k) {
      VISQ_TRY(run.results[k].append(*results[as_size(layout_.states) + k], layout_.place));
    }
    ++run.turn;
    return {};
  }

  TensorInfo declared(std::size_t result) const {
    return layout_.body.graph->tensors[as_size(layout_.body.graph->outputs[as_size(layout_.states) + result])];
  }

  /// A batch gets its states and results element by element, short sequences filled up with zeros.
  Status end_sequence(Run& run) const {
    run.last_states = run.values;
    run.last_results.clear();
    for (std::size_t k = 0; k < run.results.size(); ++k) {
      const TensorInfo info = declared(k);
      VISQ_ASSIGN(const Tensor* const all, run.results[k].joined(real_type(info), least_shape(info), layout_.outputs[k].axis,
                                                                 layout_.outputs[k].backwards, layout_.place));
      run.last_results.push_back(all);
    }
    if (!layout_.batched) return {};
    for (std::size_t i = 0; i < run.last_states.size(); ++i) VISQ_TRY(run.final_states[i].append(*run.last_states[i], layout_.place));
    for (std::size_t k = 0; k < run.last_results.size(); ++k) {
      Scratch filled;
      const Tensor& result = *run.last_results[k];
      std::vector<std::int64_t> dims(result.shape.dims().begin(), result.shape.dims().end());
      dims[0] = layout_.length;
      filled.resize(result.dtype, Shape(std::move(dims)));
      const std::size_t bytes = as_size(result.elements()) * size_of(result.dtype);
      if (bytes > 0) std::memcpy(filled.bytes.data(), result.data, bytes);
      VISQ_TRY(run.sequences[k].append(filled.tensor, layout_.place));
    }
    return {};
  }

  /// Quantized tensors are seen as real values.
  static DType real_type(const TensorInfo& info) { return info.quantization.quantized() ? DType::kFloat32 : info.dtype; }

  Result<CallStep> finish(EvalContext&, Run& run) const {
    run.running = false;
    CallStep step{-1, {}};
    if (!layout_.batched) {
      step.values = run.last_states;
      step.values.insert(step.values.end(), run.last_results.begin(), run.last_results.end());
      return step;
    }
    for (auto* stacks : {&run.final_states, &run.sequences}) {
      for (Stack& stack : *stacks) {
        VISQ_ASSIGN(const Tensor* const all, stack.joined(DType::kFloat32, {}, 0, false, layout_.place));
        step.values.push_back(all);
      }
    }
    return step;
  }

  Layout layout_;
};

std::int64_t at_or(std::span<const std::int64_t> values, std::size_t index, std::int64_t otherwise) {
  return index < values.size() ? values[index] : otherwise;
}

/// How many slices there are; all inputs that are scanned must agree.
Status find_length(PrepareContext& context, Layout& layout) {
  const auto axes = context.attributes().integers("scan_input_axes");
  const auto directions = context.attributes().integers(layout.batched ? "directions" : "scan_input_directions");
  for (std::size_t i = 0; i < layout.inputs.size(); ++i) {
    const Shape& shape = context.input(layout.scanned(i)).shape;
    VISQ_ASSIGN(const int axis, checked_axis(context, layout.batched ? 1 : at_or(axes, i, 0), shape.rank()));
    layout.inputs[i] = {layout.batched ? 0 : axis, at_or(directions, i, 0) == 1};
    if (i > 0 && shape[axis] != layout.length)
      return context.fail("scans {} slices of one input, {} of another", layout.length, shape[axis]);
    layout.length = shape[axis];
  }
  return {};
}

Status find_batch(PrepareContext& context, Layout& layout) {
  if (!layout.batched) return {};
  for (int slot = layout.first; slot < layout.body.captured; ++slot) {
    const Shape& shape = context.input(slot).shape;
    if (shape.rank() == 0) return context.fail("input {} has no batch", slot);
    if (slot > layout.first && shape[0] != layout.batch) return context.fail("has batches of {} and {}", layout.batch, shape[0]);
    layout.batch = shape[0];
  }
  if (!context.has_input(0)) return {};
  VISQ_TRY(context.expect_type(0, "the lengths", {DType::kInt64}));
  if (context.input(0).elements() == layout.batch) return {};
  return context.fail("has {} lengths for a batch of {}", context.input(0).elements(), layout.batch);
}

/// The shape of an output in which `result` of the body stands once for each slice, and each element of a batch.
Result<Shape> stacked_shape(const PrepareContext& context, const Layout& layout, const Shape& result, std::size_t output) {
  std::vector<std::int64_t> dims(result.dims().begin(), result.dims().end());
  if (output >= as_size(layout.states)) {
    const Direction& direction = layout.outputs[output - as_size(layout.states)];
    VISQ_ASSIGN(const int axis, checked_axis(context, direction.axis, result.rank() + 1));
    dims.insert(dims.begin() + axis, layout.length);
  }
  if (layout.batched) dims.insert(dims.begin(), layout.batch);
  return Shape(std::move(dims));
}

Status declare_scan(PrepareContext& context, const Layout& layout) {
  std::vector<Shape> inputs;
  for (int slot = layout.first; slot < context.input_count(); ++slot) {
    std::vector<std::int64_t> dims(context.input(slot).shape.dims().begin(), context.input(slot).shape.dims().end());
    if (slot < layout.body.captured && layout.batched) dims.erase(dims.begin());
    const int scanned = slot - layout.first - layout.states;
    if (slot < layout.body.captured && scanned >= 0) dims.erase(dims.begin() + layout.inputs[as_size(scanned)].axis);
    inputs.emplace_back(std::move(dims));
  }
  VISQ_ASSIGN(const auto shapes, context.call_shapes(layout.body.subgraph, inputs));
  bool steady = shapes.has_value();
  for (std::size_t i = 0; i < as_size(layout.states) && steady; ++i) steady = (*shapes)[i] == inputs[i];
  for (int k = 0; k < context.output_count(); ++k) {
    std::optional<Shape> shape;
    if (steady) {
      VISQ_ASSIGN(shape, stacked_shape(context, layout, (*shapes)[as_size(k)], as_size(k)));
    }
    VISQ_TRY(declare(context, k, shape));
  }
  return {};
}

Status find_layout(PrepareContext& context, Layout& layout) {
  const Body& body = layout.body;
  const std::int64_t scanned = context.attributes().integer("num_scan_inputs");
  const std::int64_t states = body.captured - layout.first - scanned;
  if (scanned < 1 || states < 0) return context.fail("has {} inputs, and scans {} of them", body.captured - layout.first, scanned);
  layout.states = static_cast<int>(states);
  for (int slot = layout.first; slot < context.input_count(); ++slot) {
    if (!context.has_input(slot)) return context.fail("has no input {}", slot);
    if (bits(context.input(slot).dtype) == 0) return context.unsupported("scans values of type {}", name(context.input(slot).dtype));
  }
  const int taken = context.input_count() - layout.first;
  if (body.inputs() != taken) return context.fail("gives {} values to its body, which takes {}", taken, body.inputs());
  if (body.outputs() < states || body.outputs() < context.output_count()) {
    return context.fail("has {} states and {} outputs, its body gives {}", states, context.output_count(), body.outputs());
  }
  layout.inputs.resize(as_size(scanned));
  const auto axes = context.attributes().integers("scan_output_axes"), ends = context.attributes().integers("scan_output_directions");
  for (std::size_t k = 0; k < as_size(body.outputs() - states); ++k) layout.outputs.push_back({at_or(axes, k, 0), at_or(ends, k, 0) == 1});
  for (int k = 0; k < context.output_count(); ++k) {
    if (bits(context.output(k).dtype) == 0) return context.unsupported("gives results of type {}", name(context.output(k).dtype));
  }
  return {};
}

Result<std::unique_ptr<Kernel>> prepare_scan(PrepareContext& context) {
  constexpr int kLastBatched = 8;
  VISQ_ASSIGN(const auto bodies, bodies_of(context, {"body"}));
  Layout layout;
  layout.place = context.place();
  layout.body = bodies[0];
  layout.batched = context.op().version <= kLastBatched;
  layout.first = layout.batched ? 1 : 0;
  if (layout.batched) VISQ_TRY(context.expect_inputs(0, std::max(1, context.input_count())));
  VISQ_TRY(find_layout(context, layout));
  VISQ_TRY(find_batch(context, layout));
  VISQ_TRY(find_length(context, layout));
  VISQ_TRY(declare_scan(context, layout));
  return std::unique_ptr<Kernel>(std::make_unique<Scan>(std::move(layout)));
}

constexpr OpDef kDefinitions[] = {{.name = "ai.onnx.Scan", .prepare = prepare_scan, .types = DTypes::all()}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_onnx_scan
