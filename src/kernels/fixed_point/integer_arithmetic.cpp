#include "kernels/fixed_point/integer_arithmetic.h"

#include <algorithm>

#include "core/as_size.h"

namespace visq::kernels {
namespace {

/// First element of which all bytes are zero; `count` where there is none.
std::int64_t find_zero(const Tensor& tensor) {
  const std::size_t size = size_of(tensor.dtype);
  const std::int64_t count = tensor.elements();
  for (std::int64_t i = 0; i < count; ++i) {
    const std::byte* element = tensor.data + as_size(i) * size;
    if (std::all_of(element, element + size, [](std::byte b) { return b == std::byte{0}; })) return i;
  }
  return count;
}

}  // namespace

std::unique_ptr<Kernel> refusing_zero_divisors(const PrepareContext& context, std::unique_ptr<Kernel> kernel) {
  if (!is_integer(context.input(1).dtype)) return kernel;
  return make_kernel([place = context.place(), inner = std::shared_ptr<Kernel>(std::move(kernel))](EvalContext& eval) -> Status {
    const std::int64_t zero = find_zero(eval.input(1));
    if (zero < eval.input(1).elements() && eval.output(0).elements() > 0)
      return bad_input("{}: division by zero, element {} of the divisor", place, zero);
    return inner->eval(eval);
  });
}

}  // namespace visq::kernels
