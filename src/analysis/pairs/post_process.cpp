#include "analysis/pairs/post_process.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "analysis/records/real_values.h"
#include "core/as_size.h"

namespace visq {
namespace {

constexpr std::array<std::string_view, 4> kNames{"", "softmax", "sigmoid", "argmax"};  // in the order of the enumeration

}  // namespace

std::string_view name(PostProcess post) { return kNames[as_size(post)]; }

std::optional<PostProcess> post_process_called(std::string_view name) {
  const auto* const found = std::find(kNames.begin() + 1, kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<PostProcess>(found - kNames.begin());
}

namespace analysis {
namespace {

/// The largest element is taken off first: no e^x overflows.
void softmax(const float* row, std::int64_t count, float* out) {
  const auto largest = static_cast<double>(*std::max_element(row, row + count));
  double sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += std::exp(static_cast<double>(row[i]) - largest);
  for (std::int64_t i = 0; i < count; ++i) out[i] = static_cast<float>(std::exp(static_cast<double>(row[i]) - largest) / sum);
}

void sigmoid(const float* row, std::int64_t count, float* out) {
  for (std::int64_t i = 0; i < count; ++i) out[i] = static_cast<float>(1 / (1 + std::exp(-static_cast<double>(row[i]))));
}

std::int64_t argmax(const float* row, std::int64_t count) {
  std::int64_t best = -1;
  for (std::int64_t i = 0; i < count; ++i) {
    if (!std::isnan(row[i]) && (best < 0 || row[i] > row[best])) best = i;
  }
  return best;
}

Shape without_last_axis(const Shape& shape) {
  const auto dims = shape.dims();
  return dims.empty() ? Shape() : Shape(std::vector<std::int64_t>(dims.begin(), dims.end() - 1));
}

}  // namespace

const kernels::Tensor& ProcessedOutput::apply(PostProcess post, const kernels::Tensor& output) {
  if (post == PostProcess::kNone || !is_real(output)) return output;
  const float* values = real_values(output, scratch_);
  const std::int64_t row = output.shape.rank() > 0 ? output.shape.back() : 1;
  if (values == nullptr || output.elements() == 0) return output;
  const std::int64_t rows = output.elements() / row;
  info_ = TensorInfo();
  info_.name = output.info->name;
  tensor_ = kernels::Tensor();
  tensor_.info = &info_;
  if (post == PostProcess::kArgmax) {
    indices_.resize(as_size(rows));
    for (std::int64_t r = 0; r < rows; ++r) indices_[as_size(r)] = argmax(values + r * row, row);
    tensor_.dtype = info_.dtype = DType::kInt64;
    tensor_.shape = without_last_axis(output.shape);
    tensor_.data = reinterpret_cast<std::byte*>(indices_.data());
    return tensor_;
  }
  values_.resize(as_size(output.elements()));
  const auto process = post == PostProcess::kSoftmax ? softmax : sigmoid;
  for (std::int64_t r = 0; r < rows; ++r) process(values + r * row, row, values_.data() + r * row);
  tensor_.shape = output.shape;
  tensor_.data = reinterpret_cast<std::byte*>(values_.data());
  return tensor_;
}

MapRecord compare_processed(PostProcess post, const runtime::Executor& reference, int reference_tensor, const runtime::Executor& quantized,
                            int quantized_tensor, PostScratch& scratch) {
  if (!reference.available(reference_tensor) || !quantized.available(quantized_tensor)) {
    return compare_maps(reference, reference_tensor, quantized, quantized_tensor, {}, scratch.maps);  // says so
  }
  return compare_tensors(scratch.reference.apply(post, reference.tensor(reference_tensor)),
                         scratch.quantized.apply(post, quantized.tensor(quantized_tensor)), 0, {.output = true}, scratch.maps);
}

}  // namespace analysis
}  // namespace visq
