// BITCAST: the same bytes as elements of another type; a last axis appears or goes where the sizes differ.
#include <cstring>

#include "core/as_size.h"
#include "kernels/element_types.h"

namespace visq::kernels::ops_bitcast {
namespace {

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(context.expect_outputs(1));
  const Tensor& input = context.input(0);
  const DType type = context.output(0).dtype;
  if (!kMovable.has(type)) return context.unsupported("cannot make {}", name(type));
  const auto from = static_cast<std::int64_t>(size_of(input.dtype)), to = static_cast<std::int64_t>(size_of(type));
  Shape shape = input.shape;
  if (from > to) {
    shape.push_back(from / to);
  } else if (from < to) {
    const bool divides = shape.rank() > 0 && shape.back() == to / from;
    if (!divides) return context.fail("{} of shape {} make no {}", name(input.dtype), to_string(shape), name(type));
    shape = Shape(shape.dims().first(as_size(shape.rank()) - 1));
  }
  VISQ_TRY(context.set_output(0, type, std::move(shape)));
  return make_kernel([](EvalContext& eval) -> Status {
    const Tensor& source = eval.input(0);
    const std::size_t bytes = as_size(source.elements()) * size_of(source.dtype);
    if (bytes > 0) std::memcpy(eval.output(0).data, source.data, bytes);
    return {};
  });
}

constexpr OpDef kDefinitions[] = {{.name = "BITCAST", .prepare = prepare, .types = kMovable, .takes_stored = true}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_bitcast
