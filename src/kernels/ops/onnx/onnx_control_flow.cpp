// If and Loop of ONNX: they only say which of their graphs to run next, and on what. Source: the ONNX specification of both.
#include <algorithm>
#include <limits>

#include "core/as_size.h"
#include "kernels/onnx/bodies.h"
#include "model/slots.h"
#include "visq/limits.h"

namespace visq::kernels::ops_onnx_control_flow {
namespace {

using Shapes = std::optional<std::vector<Shape>>;

Status expect_condition(const PrepareContext& context, int slot) {
  VISQ_TRY(context.expect_type(slot, "the condition", {DType::kBool}));
  if (context.input(slot).elements() == 1) return {};
  return context.fail("the condition has {} elements", context.input(slot).elements());
}

bool holds(const Tensor& condition) { return *condition.data != std::byte{0}; }

/// One of two graphs, each on the values that it takes from around it.
class If final : public CallingKernel {
 public:
  explicit If(std::vector<Body> branches) : branches_(std::move(branches)) {}

  Result<CallStep> next(EvalContext& eval, std::span<const Tensor* const> results) const override {
    auto& called = eval.state<Called>();
    called.yes = !called.yes;
    if (!called.yes) return CallStep{-1, {results.begin(), results.end()}};
    const Body& branch = branches_[holds(eval.input(0)) ? 0 : 1];
    std::vector<const Tensor*> values;
    for (int i = 0; i < branch.inputs(); ++i) values.push_back(&eval.input(branch.captured + i));
    return CallStep{branch.subgraph, std::move(values)};
  }
  std::unique_ptr<KernelState> make_state() const override { return std::make_unique<Called>(); }

 private:
  struct Called final : KernelState {
    bool yes = false;
  };
  std::vector<Body> branches_;
};

Result<Shapes> shapes_of(const PrepareContext& context, const Body& branch) {
  std::vector<Shape> inputs;
  for (int i = 0; i < branch.inputs(); ++i) inputs.push_back(context.input(branch.captured + i).shape);
  return context.call_shapes(branch.subgraph, inputs);
}

/// What the outputs' shapes are by the branch that is taken, or by both where the run decides. Exporters write branches that do not fit the
/// shapes at hand, and are never taken: such a one counts as unknown.
Result<Shapes> common_shapes(PrepareContext& context, const std::vector<Body>& branches) {
  if (context.known(0)) {
    VISQ_TRY(context.require_known(0));
    return shapes_of(context, branches[holds(context.input(0)) ? 0 : 1]);
  }
  auto then = shapes_of(context, branches[0]);
  auto otherwise = shapes_of(context, branches[1]);
  if (!then.ok() && !otherwise.ok()) return then.error();
  if (!then.ok() || !otherwise.ok() || *then != *otherwise) return Shapes();
  return std::move(then).value();
}

Result<std::unique_ptr<Kernel>> prepare_if(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(std::max(1, context.input_count()), std::max(1, context.input_count())));
  VISQ_TRY(expect_condition(context, 0));
  VISQ_ASSIGN(auto branches, bodies_of(context, {"then_branch", "else_branch"}));
  for (std::size_t i = 0; i < branches.size(); ++i) {
    if (branches[i].inputs() != captured_by(context, i)) return context.fail("has a branch with inputs of its own");
    if (branches[i].outputs() < context.output_count()) {
      return context.fail("needs {} outputs of a branch that has {}", context.output_count(), branches[i].outputs());
    }
  }
  VISQ_ASSIGN(const auto shapes, common_shapes(context, branches));
  for (int k = 0; k < context.output_count(); ++k) {
    VISQ_TRY(declare(context, k, shapes ? std::optional((*shapes)[as_size(k)]) : std::nullopt));
  }
  return std::unique_ptr<Kernel>(std::make_unique<If>(std::move(branches)));
}

constexpr int kTurns = 0, kCondition = 1, kFirstValue = 2;

/// Exporters declare the turn and the condition as scalars or as vectors of one.
Shape single(const Body& body, std::size_t input) {
  const TensorInfo& info = body.graph->tensors[as_size(body.graph->inputs[input])];
  return info.has_rank && info.shape.elements() == 1 ? info.shape : Shape();
}

/// A loop's graph takes its turn, its condition, the values that go round, and those from around it; it gives the condition, the values for
/// the next turn, and results that are stacked.
class Loop final : public CallingKernel {
 public:
  Loop(std::string place, Body body, int values) : place_(std::move(place)), body_(body), values_(values) {}

  Result<CallStep> next(EvalContext& eval, std::span<const Tensor* const> results) const override {
    auto& run = eval.state<Run>();
    if (!run.running) {
      start(eval, run);
    } else {
      VISQ_TRY(take(run, results));
    }
    const std::int64_t most = eval.has_input(kTurns) ? eval.in<std::int64_t>(kTurns)[0] : std::numeric_limits<std::int64_t>::max();
    if (!run.goes_on || run.turn >= most) return finish(eval, run);
    if (run.turn >= limits().turns) {
      return bad_input("{}: turned {} times without an end; --max-turns allows more", place_, limits().turns);
    }
    return turn(eval, run);
  }
  std::unique_ptr<KernelState> make_state() const override { return std::make_unique<Run>(); }

 private:
  struct Run final : KernelState {
    bool running = false, goes_on = true;
    std::int64_t turn = 0;
    std::vector<const Tensor*> values;
    std::vector<Stack> stacks;
    Scratch turn_number, condition;
  };

  void start(EvalContext& eval, Run& run) const {
    run.running = true;
    run.turn = 0;
    run.goes_on = !eval.has_input(kCondition) || holds(eval.input(kCondition));
    run.values.clear();
    for (int i = 0; i < values_; ++i) run.values.push_back(&eval.input(kFirstValue + i));
    run.stacks = std::vector<Stack>(as_size(body_.outputs() - 1 - values_));
    run.turn_number.resize(DType::kInt64, single(body_, 0));
    run.condition.resize(DType::kBool, single(body_, 1));
  }

  Status take(Run& run, std::span<const Tensor* const> results) const {
    const Tensor& condition = *results[0];
    if (condition.dtype != DType::kBool || condition.elements() != 1) return bad_input("{}: its condition is no single bool", place_);
    run.goes_on = holds(condition);
    run.values.assign(results.begin() + 1, results.begin() + 1 + values_);
    for (std::size_t k = 0; k < run.stacks.size(); ++k) VISQ_TRY(run.stacks[k].append(*results[1 + as_size(values_) + k], place_));
    ++run.turn;
    return {};
  }

  CallStep turn(EvalContext& eval, Run& run) const {
    run.turn_number.tensor.mutable_values<std::int64_t>()[0] = run.turn;
    run.condition.bytes[0] = std::byte{1};
    CallStep step{body_.subgraph, {&run.turn_number.tensor, &run.condition.tensor}};
    step.values.insert(step.values.end(), run.values.begin(), run.values.end());
    for (int slot = body_.captured; slot < eval.input_count(); ++slot) step.values.push_back(&eval.input(slot));
    return step;
  }

  Result<CallStep> finish(EvalContext& eval, Run& run) const {
    run.running = false;
    CallStep step{-1, run.values};
    for (std::size_t k = 0; k < run.stacks.size() && static_cast<int>(step.values.size()) < eval.output_count(); ++k) {
      const Tensor& output = eval.output(static_cast<int>(step.values.size()));
      const TensorInfo& info = body_.graph->tensors[as_size(body_.graph->outputs[1 + as_size(values_) + k])];
      VISQ_ASSIGN(const Tensor* const all, run.stacks[k].joined(output.dtype, least_shape(info), 0, false, place_));
      step.values.push_back(all);
    }
    return step;
  }

  std::string place_;
  Body body_;
  int values_;
};

/// Whether the body's condition is always the one that it is given, or true.
bool never_stops(const Subgraph& body) {
  int tensor = body.outputs[0];
  for (std::size_t left = body.operators.size() + 1; left > 0; --left) {
    const TensorInfo& info = body.tensors[as_size(tensor)];
    if (tensor == body.inputs[1]) return true;
    if (info.is_constant) return info.dtype == DType::kBool && info.data.size() == 1 && info.data[0] != std::byte{0};
    const auto maker = std::ranges::find_if(body.operators, [&](const Operator& op) { return output_of(op, 0) == tensor; });
    if (maker == body.operators.end() || maker->type != "Identity" || input_of(*maker, 0) == kNoTensor) return false;
    tensor = input_of(*maker, 0);
  }
  return false;
}

/// How often the body runs, where that is known.
Result<std::optional<std::int64_t>> turns_of(PrepareContext& context, const Body& body) {
  using Turns = std::optional<std::int64_t>;
  if (!context.has_input(kTurns) || !context.known(kTurns) || !never_stops(*body.graph)) return Turns();
  if (context.has_input(kCondition)) {
    if (!context.known(kCondition)) return Turns();
    VISQ_TRY(context.require_known(kCondition));
    if (!holds(context.input(kCondition))) return Turns(0);
  }
  VISQ_ASSIGN(const auto turns, context.integers(kTurns, "the count of turns"));
  return Turns(std::max<std::int64_t>(0, turns[0]));
}

/// Shapes of the outputs: of values that stay the same from turn to turn, and of results where the count of turns is known.
Status declare_loop(PrepareContext& context, const Body& body, int values) {
  std::vector<Shape> inputs{single(body, kTurns), single(body, kCondition)};
  for (int slot = kFirstValue; slot < context.input_count(); ++slot) inputs.push_back(context.input(slot).shape);
  VISQ_ASSIGN(const auto shapes, context.call_shapes(body.subgraph, inputs));
  VISQ_ASSIGN(const auto turns, turns_of(context, body));
  bool steady = shapes.has_value();
  for (int i = 0; i < values && steady; ++i) steady = (*shapes)[as_size(1 + i)] == inputs[as_size(kFirstValue + i)];
  for (int k = 0; k < context.output_count(); ++k) {
    std::optional<Shape> shape;
    if (steady) shape = (*shapes)[as_size(1 + k)];
    if (k >= values && shape) {
      std::vector<std::int64_t> dims(shape->dims().begin(), shape->dims().end());
      dims.insert(dims.begin(), turns.value_or(0));
      shape = turns ? std::optional(Shape(std::move(dims))) : std::nullopt;
    }
    VISQ_TRY(declare(context, k, shape));
  }
  return {};
}

Result<std::unique_ptr<Kernel>> prepare_loop(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(0, std::max(2, context.input_count())));
  VISQ_ASSIGN(const auto bodies, bodies_of(context, {"body"}));
  const Body& body = bodies[0];
  const int values = body.captured - kFirstValue;
  if (values < 0) return context.fail("has {} inputs, expected its count of turns and its condition", body.captured);
  for (int slot = kFirstValue; slot < context.input_count(); ++slot) {
    if (!context.has_input(slot)) return context.fail("has no input {}", slot);
  }
  if (context.has_input(kTurns)) {
    VISQ_TRY(context.expect_type(kTurns, "the count of turns", {DType::kInt64}));
    if (context.input(kTurns).elements() != 1) return context.fail("the count of turns has {} elements", context.input(kTurns).elements());
  }
  if (context.has_input(kCondition)) VISQ_TRY(expect_condition(context, kCondition));
  const int taken = kFirstValue + values + context.input_count() - body.captured;
  if (body.inputs() != taken) return context.fail("gives {} values to its body, which takes {}", taken, body.inputs());
  if (body.outputs() < 1 + values || body.outputs() - 1 < context.output_count()) {
    return context.fail("has {} values and {} outputs, its body gives {}", values, context.output_count(), body.outputs());
  }
  for (int k = values; k < context.output_count(); ++k) {
    if (bits(context.output(k).dtype) == 0) return context.unsupported("stacks results of type {}", name(context.output(k).dtype));
  }
  VISQ_TRY(declare_loop(context, body, values));
  return std::unique_ptr<Kernel>(std::make_unique<Loop>(context.place(), body, values));
}

constexpr OpDef kDefinitions[] = {
    {.name = "ai.onnx.If", .prepare = prepare_if, .types = {DType::kBool}},
    {.name = "ai.onnx.Loop", .prepare = prepare_loop, .types = {DType::kInt64}},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_onnx_control_flow
