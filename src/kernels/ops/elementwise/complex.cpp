// REAL, IMAG, COMPLEX_ABS: from complex numbers to real ones.
#include <cmath>

#include "kernels/elementwise/elementwise.h"

namespace visq::kernels::ops_complex {
namespace {

struct RealPart {
  template <class T>
  T operator()(const std::complex<T>& z) const {
    return z.real();
  }
};
struct ImaginaryPart {
  template <class T>
  T operator()(const std::complex<T>& z) const {
    return z.imag();
  }
};
struct Magnitude {
  template <class T>
  T operator()(const std::complex<T>& z) const {
    return std::hypot(z.real(), z.imag());
  }
};

using Types = TypeList<std::complex<float>, std::complex<double>>;

template <class Op>
Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(context.expect_outputs(1));
  return for_type(context, 0, Types(),
                  [&]<class T>(std::type_identity<T>) { return map_kernel<T, typename T::value_type>(context, Op()); });
}

constexpr OpDef kDefinitions[] = {
    {.name = "REAL", .prepare = prepare<RealPart>, .types = Types::dtypes()},
    {.name = "IMAG", .prepare = prepare<ImaginaryPart>, .types = Types::dtypes()},
    {.name = "COMPLEX_ABS", .prepare = prepare<Magnitude>, .types = Types::dtypes()},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_complex
