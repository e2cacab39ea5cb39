// ONNX functions of one number: the trigonometric and hyperbolic ones that TFLite lacks, and Abs, Neg, Sign of any type.
#include <cmath>

#include "kernels/elementwise/number_functions.h"
#include "kernels/elementwise/wide_numbers.h"

namespace visq::kernels::ops_onnx_functions {
namespace {

/// A function of the C library, for float and double.
using FloatFunction = float (*)(float);
using DoubleFunction = double (*)(double);
template <FloatFunction kFloatFunction, DoubleFunction kDoubleFunction>
struct OfLibrary {
  float operator()(float x) const { return kFloatFunction(x); }
  double operator()(double x) const { return kDoubleFunction(x); }
};

template <class Types, class Op>
Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  return map_numbers<Types>(context, Op());
}
using WideReals = TypeList<float, double>;
template <FloatFunction kFloatFunction, DoubleFunction kDoubleFunction>
constexpr auto kOf = prepare<WideReals, OfLibrary<kFloatFunction, kDoubleFunction>>;

constexpr DTypes kSigned = {DType::kFloat32, DType::kFloat16, DType::kBFloat16, DType::kFloat64,
                            DType::kInt8,    DType::kInt16,   DType::kInt32,    DType::kInt64};

constexpr OpDef kDefinitions[] = {
    {.name = "ai.onnx.Abs", .prepare = prepare<WideTypes, AbsoluteValue>, .types = kNumbers, .pointwise = true},
    {.name = "ai.onnx.Acos", .prepare = kOf<std::acos, std::acos>, .types = kRealNumbers, .pointwise = true},
    {.name = "ai.onnx.Acosh", .prepare = kOf<std::acosh, std::acosh>, .types = kRealNumbers, .pointwise = true},
    {.name = "ai.onnx.Asin", .prepare = kOf<std::asin, std::asin>, .types = kRealNumbers, .pointwise = true},
    {.name = "ai.onnx.Asinh", .prepare = kOf<std::asinh, std::asinh>, .types = kRealNumbers, .pointwise = true},
    {.name = "ai.onnx.Atan", .prepare = kOf<std::atan, std::atan>, .types = kRealNumbers, .pointwise = true},
    {.name = "ai.onnx.Atanh", .prepare = kOf<std::atanh, std::atanh>, .types = kRealNumbers, .pointwise = true},
    {.name = "ai.onnx.Cosh", .prepare = kOf<std::cosh, std::cosh>, .types = kRealNumbers, .pointwise = true},
    {.name = "ai.onnx.Neg", .prepare = prepare<TypeList<float, double, std::int64_t>, Negated>, .types = kSigned, .pointwise = true},
    {.name = "ai.onnx.Sign", .prepare = prepare<WideTypes, SignOf>, .types = kNumbers, .pointwise = true},
    {.name = "ai.onnx.Sinh", .prepare = kOf<std::sinh, std::sinh>, .types = kRealNumbers, .pointwise = true},
    {.name = "ai.onnx.Tan", .prepare = kOf<std::tan, std::tan>, .types = kRealNumbers, .pointwise = true},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_onnx_functions
