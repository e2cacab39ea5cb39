// ONNX operators of any number of inputs that broadcast: Max, Min, Sum, Mean.
#include <algorithm>

#include "core/as_size.h"
#include "kernels/elementwise/wide_numbers.h"
#include "kernels/fixed_point/integer_arithmetic.h"
#include "kernels/indexing/strided_copy.h"
#include "kernels/onnx/translation.h"

namespace visq::kernels::ops_onnx_variadic {
namespace {

/// NaN wins.
struct Larger {
  template <class T>
  T operator()(T a, T b) const {
    return b > a || b != b ? b : a;
  }
};
struct Smaller {
  template <class T>
  T operator()(T a, T b) const {
    return b < a || b != b ? b : a;
  }
};
struct Total {
  template <class T>
  T operator()(T a, T b) const {
    return wrapping_add(a, b);
  }
};

/// The inputs broadcast to the output's shape, and what joins each to those before it.
struct Joined {
  std::vector<StridedCopy> spread;  ///< per input
  std::vector<bool> dense;          ///< per input: it has the output's shape
  std::unique_ptr<const ZipRun> join;
};

/// out = join(out, values), a part at a time, since a run must not write where it reads.
void join_values(const ZipRun& join, const std::byte* values, Tensor& out) {
  constexpr std::int64_t kPart = 512;
  std::uint64_t before[kPart];
  const std::size_t size = size_of(out.dtype);
  for (std::int64_t first = 0; first < out.elements(); first += kPart) {
    const std::int64_t count = std::min(kPart, out.elements() - first);
    std::byte* const at = out.data + as_size(first) * size;
    std::copy_n(at, as_size(count) * size, reinterpret_cast<std::byte*>(before));
    join(reinterpret_cast<const std::byte*>(before), values + as_size(first) * size, at, count);
  }
}

Status join_all(const Joined& joined, EvalContext& eval) {
  Tensor& out = eval.output(0);
  joined.spread[0].run(eval.input(0), out);
  for (std::size_t i = 1; i < joined.spread.size(); ++i) {
    const Tensor& in = eval.input(static_cast<int>(i));
    Tensor values = in;
    if (!joined.dense[i]) {
      values.shape = out.shape;
      values.data = eval.scratch(as_size(out.elements()) * size_of(out.dtype));
      joined.spread[i].run(in, values);
    }
    join_values(*joined.join, values.data, out);
  }
  return {};
}

template <class Op>
Result<std::unique_ptr<const ZipRun>> run_for(const PrepareContext& context, DType type) {
  const auto make = [&]<class T>(std::type_identity<T>) -> std::unique_ptr<const ZipRun> {
    return std::make_unique<ZipOf<T, T, false, Op>>(Op());
  };
  switch (wide_type(type)) {
    case DType::kFloat32:
      return half_too(type, type, make(std::type_identity<float>()));
    case DType::kFloat64:
      return make(std::type_identity<double>());
    case DType::kUInt64:
      return make(std::type_identity<std::uint64_t>());
    case DType::kInt64:
      return through_wide(type, false, make(std::type_identity<std::int64_t>()));
    default:
      return context.unsupported("cannot run with {}", name(type));
  }
}

template <class Op>
Result<Joined> plan(PrepareContext& context) {
  const int count = std::max(context.input_count(), 1);
  VISQ_TRY(context.expect_inputs(count, count));
  VISQ_TRY(context.expect_outputs(1));
  std::vector<const Shape*> shapes;
  for (int slot = 0; slot < count; ++slot) {
    VISQ_TRY(context.expect_same_type(slot, fmt::format("input {}", slot), 0));
    shapes.push_back(&context.input(slot).shape);
  }
  const auto shape = broadcast_shape(shapes);
  if (!shape) return context.fail("its inputs do not broadcast");
  Joined joined;
  for (const Shape* const from : shapes) {
    joined.spread.emplace_back(*shape, Walk{0, broadcast_strides(*from, *shape)}, dense_walk(*shape));
    joined.dense.push_back(*from == *shape);
  }
  VISQ_ASSIGN(joined.join, run_for<Op>(context, context.input(0).dtype));
  VISQ_TRY(context.set_output(0, context.input(0).dtype, *shape));
  return joined;
}

template <class Op>
Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_ASSIGN(Joined joined, plan<Op>(context));
  return make_kernel([joined = std::move(joined)](EvalContext& eval) { return join_all(joined, eval); });
}

/// Two floats are an operator of TFLite.
Result<std::unique_ptr<Kernel>> prepare_sum(PrepareContext& context) {
  const bool two = context.input_count() == 2 && context.has_input(0) && context.input(0).dtype == DType::kFloat32;
  return two ? Translation(context, "ADD").inputs(2).prepare() : prepare<Total>(context);
}

Result<std::unique_ptr<Kernel>> prepare_mean(PrepareContext& context) {
  VISQ_ASSIGN(Joined joined, plan<Total>(context));
  return make_kernel([joined = std::move(joined)](EvalContext& eval) -> Status {
    VISQ_TRY(join_all(joined, eval));
    auto numbers = real_numbers(eval.output(0));
    for (double& number : numbers) number /= eval.input_count();
    store_numbers(numbers, eval.output(0));
    return {};
  });
}

constexpr OpDef kDefinitions[] = {
    {.name = "ai.onnx.Max", .prepare = prepare<Larger>, .types = kNumbers, .kind = OpKind::kMaximum},
    {.name = "ai.onnx.Mean", .prepare = prepare_mean, .types = kRealNumbers},
    {.name = "ai.onnx.Min", .prepare = prepare<Smaller>, .types = kNumbers, .kind = OpKind::kMinimum},
    {.name = "ai.onnx.Sum", .prepare = prepare_sum, .types = kRealNumbers, .kind = OpKind::kSum},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_onnx_variadic
