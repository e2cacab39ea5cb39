// IF, WHILE, STABLEHLO_CASE, STABLEHLO_COMPOSITE, CALL_ONCE: operators that call subgraphs. They only say what to call next.
#include "core/as_size.h"
#include "kernels/op.h"
#include "visq/limits.h"

namespace visq::kernels::ops_control_flow {
namespace {

int subgraph_attribute(const PrepareContext& context, std::string_view name) {
  return static_cast<int>(context.attributes().integer(name, -1));
}

/// A callee takes the operator's inputs from `first` on, and has `outputs` outputs.
Status expect_callee(const PrepareContext& context, int subgraph, int first, int outputs) {
  const Subgraph* callee = context.called(subgraph);
  if (callee == nullptr) return context.fail("calls subgraph {}, which does not exist", subgraph);
  const int inputs = context.input_count() - first;
  if (static_cast<int>(callee->inputs.size()) != inputs) {
    return context.fail("gives {} values to subgraph {}, which takes {}", inputs, subgraph, callee->inputs.size());
  }
  if (static_cast<int>(callee->outputs.size()) != outputs) {
    return context.fail("needs {} results of subgraph {}, which has {}", outputs, subgraph, callee->outputs.size());
  }
  return {};
}

std::vector<Shape> argument_shapes(const PrepareContext& context, int first) {
  std::vector<Shape> shapes;
  for (int slot = first; slot < context.input_count(); ++slot) shapes.push_back(context.input(slot).shape);
  return shapes;
}

std::vector<const Tensor*> arguments(const EvalContext& eval, int first) {
  std::vector<const Tensor*> values;
  for (int slot = first; slot < eval.input_count(); ++slot) values.push_back(&eval.input(slot));
  return values;
}

/// Declares the outputs: shapes that all callees agree on, else left to the run.
Status declare_outputs(PrepareContext& context, const std::optional<std::vector<Shape>>& shapes) {
  for (int i = 0; i < context.output_count(); ++i) {
    if (shapes) {
      VISQ_TRY(context.set_output(i, context.output(i).dtype, (*shapes)[as_size(i)]));
    } else {
      context.leave_open(i);
    }
  }
  return {};
}

/// Shapes of the outputs where each of the subgraphs gives the same ones.
Result<std::optional<std::vector<Shape>>> common_shapes(const PrepareContext& context, std::span<const int> subgraphs, int first) {
  std::optional<std::vector<Shape>> common;
  bool agree = true;
  for (const int subgraph : subgraphs) {
    VISQ_ASSIGN(auto shapes, context.call_shapes(subgraph, argument_shapes(context, first)));
    agree = agree && shapes && (!common || *shapes == *common);
    common = std::move(shapes);
  }
  return agree ? common : std::nullopt;
}

/// One call, chosen by `choose`, whose results are the outputs.
template <class Choose>
class OneCall final : public CallingKernel {
 public:
  OneCall(int first, Choose choose) : first_(first), choose_(std::move(choose)) {}
  Result<CallStep> next(EvalContext& eval, std::span<const Tensor* const> results) const override {
    if (auto& called = eval.state<Called>(); !called.yes) {
      called.yes = true;
      return CallStep{choose_(eval), arguments(eval, first_)};
    } else {
      called.yes = false;
    }
    return CallStep{-1, {results.begin(), results.end()}};
  }
  std::unique_ptr<KernelState> make_state() const override { return std::make_unique<Called>(); }

 private:
  struct Called final : KernelState {
    bool yes = false;
  };
  int first_;
  Choose choose_;
};

template <class Choose>
Result<std::unique_ptr<Kernel>> make_choice(PrepareContext& context, const std::vector<int>& subgraphs, int first, Choose choose) {
  for (const int subgraph : subgraphs) VISQ_TRY(expect_callee(context, subgraph, first, context.output_count()));
  VISQ_ASSIGN(const auto shapes, common_shapes(context, subgraphs, first));
  VISQ_TRY(declare_outputs(context, shapes));
  return std::unique_ptr<Kernel>(std::make_unique<OneCall<Choose>>(first, std::move(choose)));
}

Status expect_all_inputs(const PrepareContext& context, int least) {
  return context.expect_inputs(std::max(least, context.input_count()), std::max(least, context.input_count()));
}

Result<std::unique_ptr<Kernel>> prepare_if(PrepareContext& context) {
  constexpr int kCondition = 0;
  VISQ_TRY(expect_all_inputs(context, 1));
  VISQ_TRY(context.expect_type(kCondition, "the condition", {DType::kBool}));
  if (context.input(kCondition).elements() != 1) return context.fail("the condition has {} elements", context.input(kCondition).elements());
  const int then = subgraph_attribute(context, "then_subgraph_index");
  const int otherwise = subgraph_attribute(context, "else_subgraph_index");
  return make_choice(context, {then, otherwise}, 1,
                     [=](EvalContext& eval) { return *eval.input(kCondition).data != std::byte{0} ? then : otherwise; });
}

Result<std::unique_ptr<Kernel>> prepare_case(PrepareContext& context) {
  constexpr int kIndex = 0;
  VISQ_TRY(expect_all_inputs(context, 1));
  VISQ_TRY(context.expect_type(kIndex, "the index", {DType::kInt32}));
  if (context.input(kIndex).elements() != 1) return context.fail("the index has {} elements", context.input(kIndex).elements());
  const auto branches = context.attributes().integers("branch_subgraph_indices");
  if (branches.empty()) return context.fail("has no branches");
  const std::vector<int> subgraphs(branches.begin(), branches.end());
  return make_choice(context, subgraphs, 1, [subgraphs](EvalContext& eval) {
    const auto index = as_size(eval.in<std::int32_t>(kIndex)[0]);
    return index < subgraphs.size() ? subgraphs[index] : subgraphs.back();  // an index out of range takes the last branch
  });
}

Result<std::unique_ptr<Kernel>> prepare_composite(PrepareContext& context) {
  VISQ_TRY(expect_all_inputs(context, 0));
  const int body = subgraph_attribute(context, "decomposition_subgraph_index");
  return make_choice(context, {body}, 0, [body](EvalContext&) { return body; });
}

/// Condition and body in turn; values go round from the body's results to the next turn's inputs.
class While final : public CallingKernel {
 public:
  While(std::string place, int condition, int body) : place_(std::move(place)), condition_(condition), body_(body) {}

  Result<CallStep> next(EvalContext& eval, std::span<const Tensor* const> results) const override {
    auto& loop = eval.state<Loop>();
    switch (loop.phase) {
      case Phase::kStart:
        loop.values = arguments(eval, 0);
        loop.turns = 0;
        break;
      case Phase::kCondition: {
        const Tensor& condition = *results[0];
        if (condition.dtype != DType::kBool || condition.elements() != 1) return fail("its condition is no single bool");
        if (*condition.data == std::byte{0}) {
          loop.phase = Phase::kStart;
          return CallStep{-1, loop.values};
        }
        if (++loop.turns > limits().turns) {
          return fail(fmt::format("turned {} times without an end; --max-turns allows more", limits().turns));
        }
        loop.phase = Phase::kBody;
        return CallStep{body_, loop.values};
      }
      case Phase::kBody:
        loop.values.assign(results.begin(), results.end());
        break;
    }
    loop.phase = Phase::kCondition;
    return CallStep{condition_, loop.values};
  }
  std::unique_ptr<KernelState> make_state() const override { return std::make_unique<Loop>(); }

 private:
  enum class Phase { kStart, kCondition, kBody };  ///< what ran last
  struct Loop final : KernelState {
    Phase phase = Phase::kStart;
    std::int64_t turns = 0;
    std::vector<const Tensor*> values;
  };
  Error fail(std::string_view text) const { return bad_input("{}: {}", place_, text); }

  std::string place_;
  int condition_, body_;
};

Result<std::unique_ptr<Kernel>> prepare_while(PrepareContext& context) {
  VISQ_TRY(expect_all_inputs(context, 0));
  const int condition = subgraph_attribute(context, "cond_subgraph_index");
  const int body = subgraph_attribute(context, "body_subgraph_index");
  VISQ_TRY(context.expect_outputs(context.input_count()));
  VISQ_TRY(expect_callee(context, condition, 0, 1));
  VISQ_TRY(expect_callee(context, body, 0, context.output_count()));
  const auto inputs = argument_shapes(context, 0);
  VISQ_ASSIGN(const auto tested, context.call_shapes(condition, inputs));
  VISQ_ASSIGN(const auto shapes, context.call_shapes(body, inputs));
  const bool steady = tested && shapes && *shapes == inputs;
  VISQ_TRY(declare_outputs(context, steady ? shapes : std::nullopt));
  return std::unique_ptr<Kernel>(std::make_unique<While>(context.place(), condition, body));
}

/// Runs a subgraph without inputs and outputs the first time it is met in a run.
class CallOnce final : public CallingKernel {
 public:
  explicit CallOnce(int subgraph) : subgraph_(subgraph) {}
  Result<CallStep> next(EvalContext& eval, std::span<const Tensor* const>) const override {
    const bool first = eval.session().called_once.insert(subgraph_).second;
    return CallStep{first ? subgraph_ : -1, {}};
  }

 private:
  int subgraph_;
};

Result<std::unique_ptr<Kernel>> prepare_call_once(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(0, 0));
  VISQ_TRY(context.expect_outputs(0));
  const int subgraph = subgraph_attribute(context, "init_subgraph_index");
  VISQ_TRY(expect_callee(context, subgraph, 0, 0));
  VISQ_TRY(context.call_shapes(subgraph, {}));
  return std::unique_ptr<Kernel>(std::make_unique<CallOnce>(subgraph));
}

constexpr DTypes kAny = {DType::kFloat32, DType::kFloat16,    DType::kInt32,  DType::kUInt8,     DType::kInt64,
                         DType::kString,  DType::kBool,       DType::kInt16,  DType::kComplex64, DType::kInt8,
                         DType::kFloat64, DType::kComplex128, DType::kUInt64, DType::kResource,  DType::kVariant,
                         DType::kUInt32,  DType::kUInt16,     DType::kInt4,   DType::kBFloat16};

constexpr OpDef kDefinitions[] = {
    {.name = "IF", .prepare = prepare_if, .types = {DType::kBool}, .takes_stored = true},
    {.name = "WHILE", .prepare = prepare_while, .types = kAny, .takes_stored = true},
    {.name = "STABLEHLO_CASE", .prepare = prepare_case, .types = {DType::kInt32}, .takes_stored = true},
    {.name = "STABLEHLO_COMPOSITE", .prepare = prepare_composite, .types = kAny, .takes_stored = true},
    {.name = "CALL_ONCE", .prepare = prepare_call_once, .types = kAny, .stateful = true},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_control_flow
