#include "quant/constant_likeness.h"

#include <algorithm>
#include <cmath>

#include "core/as_size.h"
#include "kernels/constants/dequantize_constant.h"

namespace visq::quant {
namespace {

/// Channels of fewer elements are alike by chance.
constexpr std::size_t kShortestChannel = 4;
constexpr double kSurelyAlike = 0.9;

TensorInfo leading_rows(const TensorInfo& constant, std::int64_t enough) {
  const std::int64_t elements = constant.shape.elements();
  TensorInfo part = constant;
  if (elements <= enough || constant.sparsity != nullptr || constant.quantization.block_size != 0 || bits(constant.dtype) < 8) return part;
  const std::int64_t rows = constant.shape[0], length = elements / rows;
  const std::int64_t taken = std::min(rows, (enough + length - 1) / length);
  part.shape[0] = taken;
  part.data = constant.data.first(as_size(taken * length) * size_of(constant.dtype));
  if (constant.quantization.per_channel() && constant.quantization.axis == 0) {
    part.quantization.scale.resize(as_size(taken));
    part.quantization.zero_point.resize(as_size(taken));
  }
  return part;
}

struct Products {
  double xx = 0, yy = 0, xy = 0;
  void add(double x, double y) { xx += x * x, yy += y * y, xy += x * y; }
  double cosine() const { return xx == 0 || yy == 0 ? (xx == yy ? 1.0 : 0.0) : xy / std::sqrt(xx * yy); }
};

/// Mean over output channels, whatever the sign of their factors; 0 where channels are too short to tell.
double channel_cosine(const ConstantLook& a, const ConstantLook& b, std::size_t count) {
  const int axis = a.channel_axis;
  if (axis < 0 || axis >= a.shape.rank()) return 0;
  std::size_t inner = 1;
  for (int i = axis + 1; i < a.shape.rank(); ++i) inner *= as_size(a.shape[i]);
  const auto channels = as_size(a.shape[axis]);
  std::vector<Products> sums(channels);
  for (std::size_t i = 0; i < count; ++i) {
    sums[i / inner % channels].add(static_cast<double>(a.values[i]), static_cast<double>(b.values[i]));
  }
  const std::size_t seen = axis == 0 ? std::min(channels, (count + inner - 1) / inner) : channels;
  if (seen == 0 || count / seen < kShortestChannel) return 0;
  double total = 0;
  for (std::size_t c = 0; c < seen; ++c) total += std::fabs(sums[c].cosine());
  return total / static_cast<double>(seen);
}

}  // namespace

std::optional<ConstantLook> look_at(const TensorInfo& constant, int channel_axis, std::int64_t enough) {
  auto values = kernels::dequantize_constant(leading_rows(constant, enough), "");
  if (!values.ok()) return std::nullopt;
  return ConstantLook{constant.shape, std::move(values).value(), channel_axis};
}

std::optional<double> likeness(const ConstantLook& a, const ConstantLook& b) {
  if (a.shape.elements() != b.shape.elements()) return std::nullopt;
  const std::size_t count = std::min(a.values.size(), b.values.size());
  Products all;
  for (std::size_t i = 0; i < count; ++i) all.add(static_cast<double>(a.values[i]), static_cast<double>(b.values[i]));
  const double plain = all.cosine();
  if (plain >= kSurelyAlike || a.shape != b.shape) return plain;
  return std::max(plain, channel_cosine(a, b, count));
}

}  // namespace visq::quant
