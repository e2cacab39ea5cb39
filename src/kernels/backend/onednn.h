// All that we use of oneDNN (2.x): convolutions and their transpose in float32 and int8, pooling, matrix products.
//
// A Primitive is prepared once and shared by all threads; its packed weights are never written again. What one executor needs for
// itself is a Call. Every thread that enters here gets an OpenMP team of one: records run in parallel, not operators.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "kernels/backend/convolution_shape.h"
#include "visq/dtype.h"
#include "visq/status.h"

namespace visq::kernels::backend {

/// One executor's handles for one Primitive.
class OneDnnCall {
 public:
  virtual ~OneDnnCall() = default;
};

/// Memory that a Primitive works on. `scratch` has at least scratch_bytes() bytes, 64-byte aligned.
struct OneDnnOperands {
  const void* source = nullptr;
  void* target = nullptr;  ///< of the convolution's target type; float32 for pooling
  std::byte* scratch = nullptr;
  const float* filter = nullptr;  ///< only where the filter was not given while preparing
  const float* bias = nullptr;    ///< only where the bias was not given while preparing
};

class OneDnnPrimitive {
 public:
  virtual ~OneDnnPrimitive() = default;
  virtual std::unique_ptr<OneDnnCall> make_call() const = 0;
  virtual Status run(OneDnnCall& call, const OneDnnOperands& operands) const = 0;
  virtual std::size_t scratch_bytes() const = 0;
  /// True where the kernel was generated for this shape and CPU. The others go through im2col or plain loops.
  virtual bool generated() const = 0;
};

/// target[p, c] = clamp(scale[c] * (sum over taps of (source - source_zero_point) * filter + bias[c])); padding counts as 0.
/// int8 and uint8 sources: the sum is exact in int32, then converted to float32 (once, exactly, below 2^24), as is all that follows.
struct OneDnnConvolution {
  ConvolutionShape shape;
  std::optional<ConvolutionAxis> depth =
      {};  ///< a third axis of space, before the others; of FilterLayout::kOnnx and MapLayout::kNchw only
  FilterLayout layout = FilterLayout::kOhwi;
  MapLayout maps = MapLayout::kNhwc;   ///< kNchw: brought into the primitive's own layout and back at every run
  DType source = DType::kFloat32;      ///< or int8, uint8
  std::int32_t source_zero_point = 0;  ///< int8, uint8 only
  DType target = DType::kFloat32;      ///< or int32, of int8 and uint8 sources: converted from float32 in the end
  std::span<const float> scales = {};  ///< one per output channel (int8, uint8 only); empty: 1
  const void* filter = nullptr;        ///< float32, or int8 where the source is int8 or uint8; null: given at run time (float32)
  std::span<const float> bias = {};    ///< one per output channel; empty: none, or given at run time
  bool bias_at_run_time = false;
  Clamp clamp = {};
  bool winograd = false;  ///< by Winograd's transform (Lavin, Gray 2016), float32 only: rounds more
};

/// Null where oneDNN has no kernel for it or memory ran out.
std::unique_ptr<OneDnnPrimitive> make_onednn_convolution(const OneDnnConvolution& convolution);

/// Average (without padding) or maximum over windows; `shape` with in_channels = out_channels.
std::unique_ptr<OneDnnPrimitive> make_onednn_pooling(const ConvolutionShape& shape, bool maximum);

/// True where its kernels use the registers of AVX-512.
bool has_wide_kernels();

/// True where int8 products are summed in int32 without saturating on the way (VNNI, AMX).
bool exact_int8_sums();

/// Row-major matrices c[m, n] = op(a)[m, k] * op(b)[k, n]; a is stored [k, m] where transposed, b [n, k].
struct MatrixProduct {
  std::int64_t m = 0, n = 0, k = 0;
  bool transpose_a = false, transpose_b = false;
};
Status multiply(const MatrixProduct& product, const float* a, const float* b, float* c);

/// The same of codes: c[m, n] = (op(a) - a_zero) * (op(b) - b_zero). Exact where exact_int8_sums() and the sums fit into int32.
struct Int8Operand {
  const std::int8_t* codes = nullptr;
  std::int8_t zero_point = 0;
};
Status multiply(const MatrixProduct& product, const Int8Operand& a, const Int8Operand& b, std::int32_t* c);

}  // namespace visq::kernels::backend
