#include "diagnosis/repair.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "analysis/facts/layer_values.h"
#include "core/as_size.h"
#include "kernels/op.h"
#include "quant/fake_quantize.h"

namespace visq::diagnosis {
namespace {

bool symmetric(DType type) { return type != DType::kInt8 && type != DType::kUInt8 && type != DType::kUInt16; }

/// The largest code of symmetric weights: the lowest code is left out, as converters do.
double largest_code(DType type) { return static_cast<double>(integer_range(type).high); }

/// Two values a byte, low nibble first.
std::vector<std::byte> pack_nibbles(const std::vector<std::byte>& codes) {
  std::vector<std::byte> packed((codes.size() + 1) / 2, std::byte{0});
  for (std::size_t i = 0; i < codes.size(); ++i) {
    packed[i / 2] |= static_cast<std::byte>((std::to_integer<unsigned>(codes[i]) & 15U) << (i % 2 == 0 ? 0 : 4));
  }
  return packed;
}

/// Stored form of real values.
std::vector<std::byte> stored_bytes(const std::vector<float>& values, const TensorInfo& tensor) {
  std::vector<std::byte> codes(values.size() * size_of(tensor.dtype));
  quant::quantize(values.data(), tensor, tensor.shape, codes.data());
  return tensor.dtype == DType::kInt4 ? pack_nibbles(codes) : codes;
}

std::vector<std::byte> bytes_of(const std::vector<float>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

bool quantizes_weights(DType type) {
  return type == DType::kInt8 || type == DType::kUInt8 || type == DType::kInt16 || type == DType::kInt4;
}

Quantization weight_grid(DType type, const std::vector<float>& values, const ChannelLayout& layout, bool per_channel) {
  Quantization grid;
  grid.axis = layout.axis;
  const auto channels = as_size(per_channel ? layout.channels : 1);
  std::vector<double> low(channels, 0), high(channels, 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t c = per_channel ? layout.channel_of(i) : 0;
    const auto value = static_cast<double>(values[i]);
    low[c] = std::min(low[c], value), high[c] = std::max(high[c], value);
  }
  for (std::size_t c = 0; c < channels; ++c) {
    if (type == DType::kUInt8 && !per_channel) return activation_grid(type, {low[c], high[c]});
    const double reach = std::max(-low[c], high[c]);
    const double most = type == DType::kUInt8 ? 127 : largest_code(type);
    grid.scale.push_back(static_cast<float>(reach > 0 ? reach / most : 1.0));
    grid.zero_point.push_back(type == DType::kUInt8 ? 128 : 0);
  }
  return grid;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::isfinite(sum) ? sum : HUGE_VAL;
}

/// Whether `codes`, as real values, are `values` rounded to steps of these sizes.
bool is_rounded(const std::vector<double>& values, const std::vector<double>& codes, const std::vector<double>& steps) {
  constexpr double kHalf = 0.51;
  if (values.size() != codes.size() || values.size() != steps.size()) return false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!(std::fabs(values[i] - codes[i]) <= kHalf * steps[i])) return false;
  }
  return true;
}

/// The values of a bias, those of the reference where the code is at the end of int32: there it says nothing but that it did not fit.
std::vector<double> without_limits(const std::vector<std::int64_t>& codes, const std::vector<double>& now,
                                   const std::vector<double>& wanted) {
  std::vector<double> values = now;
  for (std::size_t c = 0; c < std::min({codes.size(), values.size(), wanted.size()}); ++c) {
    if (codes[c] >= INT32_MAX || codes[c] <= INT32_MIN) values[c] = wanted[c];
  }
  return values;
}

}  // namespace

Quantization activation_grid(DType type, analysis::RealBounds range) {
  const IntegerRange codes = integer_range(type);
  const double low = std::min(range.low, 0.0), high = std::max(range.high, 0.0);
  Quantization grid;
  if (symmetric(type)) {
    const double reach = std::max(-low, high);
    grid.scale = {static_cast<float>(reach > 0 ? reach / static_cast<double>(codes.high) : 1.0)};
    grid.zero_point = {0};
    return grid;
  }
  const double width = high - low;
  const double scale = width > 0 ? width / static_cast<double>(codes.high - codes.low) : 1.0;
  const double zero = std::round(static_cast<double>(codes.low) - low / scale);
  grid.scale = {static_cast<float>(scale)};
  grid.zero_point = {static_cast<std::int64_t>(std::clamp(zero, static_cast<double>(codes.low), static_cast<double>(codes.high)))};
  return grid;
}

ChannelLayout channel_layout(const Operator& op, const TensorInfo& weight) {
  const int rank = weight.shape.rank();
  if (rank == 0) return {};
  const bool known = weight.quantization.per_channel() && weight.quantization.axis < rank;
  const auto slots = kernels::facts_of(op).weights;
  const int axis = known ? weight.quantization.axis : (slots && slots->rank == rank ? slots->channel_axis : 0);
  return {axis, std::max<std::int64_t>(1, weight.shape[axis]), std::max<std::int64_t>(1, weight.shape.elements(axis + 1, rank))};
}

const Quantization& Repair::grid_of(int tensor) const {
  const auto changed = edit_.find(tensor);
  if (changed != edit_.end() && changed->second.quantization) return *changed->second.quantization;
  return subject_.q().tensor(tensor).quantization;
}

void Repair::regrid(const std::vector<int>& tensors, const Quantization& grid) {
  for (const int index : tensors) {
    const TensorInfo& tensor = subject_.q().tensor(index);
    if (tensor.is_constant) {
      const auto values = analysis::constant_values(subject_.q(), index);
      if (!values || !quantizes_weights(tensor.dtype)) continue;
      TensorInfo changed = tensor;
      changed.quantization = grid;
      edit_[index].data = stored_bytes(*values, changed);
    }
    edit_[index].quantization = grid;
    for (const int reader : subject_.q().readers(index)) touched_.insert(reader);
  }
}

void Repair::widen(const std::vector<int>& tensors, analysis::RealBounds range) {
  const bool narrow = std::all_of(tensors.begin(), tensors.end(), [&](int index) { return bits(subject_.q().tensor(index).dtype) <= 8; });
  const DType type = narrow ? DType::kUInt16 : DType::kInt32;
  const Quantization grid = activation_grid(type, range);
  std::vector<int> maps;
  for (const int index : tensors) {
    if (subject_.q().tensor(index).is_constant) continue;
    edit_[index].dtype = type;
    maps.push_back(index);
  }
  regrid(maps, grid);
}

void Repair::store(const PairedConstant& constant, const std::vector<float>& values, Quantization grid, DType type) {
  TensorInfo changed = subject_.q().tensor(constant.tensor);
  changed.dtype = type;
  changed.quantization = grid;
  TensorEdit& change = edit_[constant.tensor];
  change.data = stored_bytes(values, changed);
  change.quantization = std::move(grid);
  if (type != subject_.q().tensor(constant.tensor).dtype) change.dtype = type;
  for (const int reader : subject_.q().readers(constant.tensor)) touched_.insert(reader);
  touched_.insert(constant.node);
}

bool Repair::reweight(const PairedConstant& weight, WeightScales scales) {
  const TensorInfo& tensor = subject_.q().tensor(weight.tensor);
  const auto values = analysis::constant_values(subject_.r(), weight.reference);
  if (!values || !quantizes_weights(tensor.dtype) || tensor.quantization.block_size > 0) return false;
  const ChannelLayout layout = channel_layout(subject_.q().op(weight.node), tensor);
  if (scales == WeightScales::kKeep) {
    store(weight, *values, tensor.quantization, tensor.dtype);
  } else {
    store(weight, *values, weight_grid(tensor.dtype, *values, layout, scales == WeightScales::kPerChannel), tensor.dtype);
  }
  return true;
}

bool Repair::reweight(const PairedConstant& weight, const std::vector<double>& least_scales) {
  const TensorInfo& tensor = subject_.q().tensor(weight.tensor);
  const auto values = analysis::constant_values(subject_.r(), weight.reference);
  Quantization grid = tensor.quantization;
  if (!values || !quantizes_weights(tensor.dtype) || grid.scale.size() != least_scales.size()) return false;
  for (std::size_t c = 0; c < grid.scale.size(); ++c) grid.scale[c] = std::max(grid.scale[c], static_cast<float>(least_scales[c]));
  store(weight, *values, std::move(grid), tensor.dtype);
  return true;
}

bool Repair::widen_weights(const PairedConstant& weight) {
  const auto values = analysis::constant_values(subject_.r(), weight.reference);
  if (!values) return false;
  const ChannelLayout layout = channel_layout(subject_.q().op(weight.node), subject_.q().tensor(weight.tensor));
  store(weight, *values, weight_grid(DType::kInt16, *values, layout, true), DType::kInt16);
  return true;
}

bool Repair::move_codes(const PairedConstant& weight, std::int64_t steps) {
  const TensorInfo& tensor = subject_.q().tensor(weight.tensor);
  if (tensor.dtype == DType::kUInt8) {  // its kernels know zero points: nothing is cut off
    Quantization grid = tensor.quantization;
    for (std::int64_t& zero : grid.zero_point) zero = std::clamp<std::int64_t>(zero + steps, 0, 255);
    edit_[weight.tensor].quantization = std::move(grid);
    return true;
  }
  if (tensor.dtype != DType::kInt8) return false;
  std::vector<std::byte> codes(tensor.data.begin(), tensor.data.end());
  for (std::byte& code : codes) {
    const auto moved = static_cast<std::int64_t>(static_cast<std::int8_t>(code)) - steps;
    code = static_cast<std::byte>(static_cast<std::int8_t>(std::clamp<std::int64_t>(moved, -128, 127)));
  }
  edit_[weight.tensor].data = std::move(codes);
  return true;
}

bool Repair::replace(int constant, const std::vector<float>& values) {
  TensorInfo changed = subject_.q().tensor(constant);
  if (changed.dtype == DType::kFloat32) {
    edit_[constant].data = bytes_of(values);
    return true;
  }
  if (!quantizes_weights(changed.dtype) || changed.quantization.per_channel() || changed.quantization.block_size > 0) return false;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  changed.quantization = activation_grid(changed.dtype, {static_cast<double>(*low), static_cast<double>(*high)});
  edit_[constant].data = stored_bytes(values, changed);
  edit_[constant].quantization = changed.quantization;
  for (const int reader : subject_.q().readers(constant)) touched_.insert(reader);
  return true;
}

void Repair::rebias(int node, std::vector<double> values) {
  new_biases_[node] = std::move(values);
  touched_.insert(node);
}

void Repair::rebias(const PairedConstant& bias) {
  const auto values = analysis::bias_values(subject_.r(), subject_.r().op(bias.reference_node));
  if (values) rebias(bias.node, *values);
}

std::vector<double> Repair::accumulator_scales(int node, std::size_t channels, bool edited) const {
  const Operator& op = subject_.q().op(node);
  const auto slots = kernels::facts_of(op).weights;
  const auto grid = [&](int tensor) -> const Quantization& { return edited ? grid_of(tensor) : subject_.q().tensor(tensor).quantization; };
  const Quantization& data = grid(input_of(op, slots->data));
  const Quantization& weight = grid(subject_.q().origin(input_of(op, slots->weight)));
  std::vector<double> scales;
  if (data.scale.size() != 1 || (weight.scale.size() != 1 && weight.scale.size() != channels)) return scales;
  for (std::size_t c = 0; c < channels; ++c) {
    scales.push_back(static_cast<double>(data.scale[0]) * static_cast<double>(weight.scale[weight.per_channel() ? c : 0]));
  }
  return scales;
}

bool Repair::store_bias(int node, int tensor, const std::vector<double>& values) {
  const TensorInfo& info = subject_.q().tensor(tensor);
  const std::vector<double> scales = accumulator_scales(node, values.size());
  const std::size_t size = size_of(info.dtype);
  if (subject_.q().readers(tensor).size() > 1) return false;  // another layer reads it in a scale of its own
  if (scales.empty() || (size != sizeof(std::int32_t) && size != sizeof(std::int64_t))) return false;
  const double most = size == sizeof(std::int32_t) ? 2147483647.0 : 9.0e18;
  std::vector<std::byte> bytes(values.size() * size);
  Quantization grid;
  for (std::size_t c = 0; c < values.size(); ++c) {
    const double code = std::round(values[c] / scales[c]);
    const auto wide = static_cast<std::int64_t>(std::isnan(code) ? 0 : std::clamp(code, -most, most));
    const auto narrow = static_cast<std::int32_t>(size == sizeof(std::int32_t) ? wide : 0);
    std::memcpy(bytes.data() + c * size, size == sizeof narrow ? static_cast<const void*>(&narrow) : static_cast<const void*>(&wide), size);
    grid.scale.push_back(static_cast<float>(scales[c]));
    grid.zero_point.push_back(0);
  }
  const Operator& op = subject_.q().op(node);
  if (!grid_of(subject_.q().origin(input_of(op, kernels::facts_of(op).weights->weight))).per_channel()) {
    grid.scale.resize(1);
    grid.zero_point.resize(1);
  }
  edit_[tensor].quantization = grid;
  edit_[tensor].data = std::move(bytes);
  return true;
}

/// A layer whose accumulator has a new scale keeps the real values of its bias; those of the reference where it is these that were rounded
/// to the old scale. Where its codes are nearer to the reference's bias in the new scale than in the old one, they were made for the new
/// scale: they stay.
void Repair::follow(int node) {
  const Operator& op = subject_.q().op(node);
  const auto slots = kernels::facts_of(op).weights;
  const int bias = slots ? input_of(op, slots->bias) : -1;
  const auto codes = slots ? analysis::bias_codes(subject_.q(), op) : std::nullopt;
  if (bias < 0 || !codes) return;
  const auto given = new_biases_.find(node);
  if (given != new_biases_.end()) {
    store_bias(node, bias, given->second);
    return;
  }
  const auto now = analysis::bias_values(subject_.q(), op);
  const std::vector<double> scales = accumulator_scales(node, codes->size());
  if (!now || scales.empty()) return;
  if (const PairedConstant* const constant = subject_.bias_of(node)) {
    const auto wanted = analysis::bias_values(subject_.r(), subject_.r().op(constant->reference_node));
    std::vector<double> as_stored;
    for (std::size_t c = 0; c < codes->size(); ++c) as_stored.push_back(static_cast<double>((*codes)[c]) * scales[c]);
    if (wanted && wanted->size() == codes->size() && distance(as_stored, *wanted) < distance(*now, *wanted)) return;
    if (wanted && is_rounded(*wanted, without_limits(*codes, *now, *wanted), accumulator_scales(node, codes->size(), false))) {
      store_bias(node, bias, *wanted);
      return;
    }
  }
  store_bias(node, bias, *now);
}

ModelEdit Repair::finish() {
  for (const int node : touched_) follow(node);
  return std::move(edit_);
}

}  // namespace visq::diagnosis
