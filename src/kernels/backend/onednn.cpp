#include "kernels/backend/onednn.h"

#include <omp.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "core/alignment.h"
#include "core/error.h"
#include "dnnl.hpp"

namespace visq::kernels::backend {
namespace {

using dnnl::memory;
using DataType = memory::data_type;

/// oneDNN plans its work for the OpenMP team of the calling thread, when it prepares and when it runs.
void use_one_thread() {
  thread_local const bool done = [] {
    omp_set_num_threads(1);
    return true;
  }();
  static_cast<void>(done);
}

const dnnl::engine& cpu() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

memory without_data(const memory::desc& desc) { return {desc, cpu(), nullptr}; }

/// oneDNN's handles are not const, though it does not write through those of inputs.
void* handle(const void* data) { return const_cast<void*>(data); }

DataType data_type(DType type) {
  switch (type) {
    case DType::kInt8:
      return DataType::s8;
    case DType::kUInt8:
      return DataType::u8;
    case DType::kInt32:
      return DataType::s32;
    default:
      return DataType::f32;
  }
}

using Depth = std::optional<ConvolutionAxis>;

memory::desc map_desc(const ConvolutionShape& shape, bool input, DataType type, memory::format_tag layout = memory::format_tag::nhwc,
                      const Depth& depth = {}) {
  memory::dims dims = {shape.batch, input ? shape.in_channels : shape.out_channels, input ? shape.height.in : shape.height.out,
                       input ? shape.width.in : shape.width.out};
  if (depth) dims.insert(dims.begin() + 2, input ? depth->in : depth->out);
  return {dims, type, layout};
}

/// One number of each axis of space, the depth's first where there is one.
memory::dims of_axes(const ConvolutionShape& shape, const Depth& depth, std::int64_t ConvolutionAxis::*number, std::int64_t less = 0) {
  memory::dims numbers{shape.height.*number - less, shape.width.*number - less};
  if (depth) numbers.insert(numbers.begin(), (*depth).*number - less);
  return numbers;
}

/// Sizes of a filter in oneDNN's order: [groups,] out, in, [depth,] height, width.
memory::dims filter_dims(const ConvolutionShape& shape, const Depth& depth = {}) {
  memory::dims dims = of_axes(shape, depth, &ConvolutionAxis::kernel);
  dims.insert(dims.begin(), {shape.out_channels / shape.groups, shape.in_channels / shape.groups});
  if (shape.groups == 1) return dims;
  memory::dims grouped = {shape.groups};
  grouped.insert(grouped.end(), dims.begin(), dims.end());
  return grouped;
}

memory::desc onnx_filter_desc(const ConvolutionShape& shape, DataType type, const Depth& depth) {
  const std::int64_t in = shape.in_channels / shape.groups, out = shape.out_channels / shape.groups;
  const std::int64_t plane = shape.height.kernel * shape.width.kernel, window = (depth ? depth->kernel : 1) * plane;
  memory::dims strides = shape.transposed ? memory::dims{window, out * window} : memory::dims{in * window, window};
  if (depth) strides.push_back(plane);
  strides.insert(strides.end(), {shape.width.kernel, 1});
  if (shape.groups > 1) strides.insert(strides.begin(), in * out * window);
  return {filter_dims(shape, depth), type, strides};
}

/// The model's filter as strides over the same axes.
memory::desc filter_desc(const ConvolutionShape& shape, FilterLayout layout, DataType type, const Depth& depth) {
  if (layout == FilterLayout::kOnnx) return onnx_filter_desc(shape, type, depth);
  const std::int64_t in = shape.in_channels / shape.groups;
  const std::int64_t width = shape.width.kernel;
  const std::int64_t out = shape.out_channels;
  memory::dims strides = layout == FilterLayout::kOhwi ? memory::dims{shape.height.kernel * width * in, 1, width * in, in}
                                                       : memory::dims{1, 1, width * out, out};
  if (shape.groups > 1) strides.insert(strides.begin(), strides.front() * (out / shape.groups));
  return {filter_dims(shape), type, strides};
}

dnnl::primitive_attr attributes(const OneDnnConvolution& convolution) {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  const auto& scales = convolution.scales;
  if (!scales.empty()) {
    const bool uniform = std::all_of(scales.begin(), scales.end(), [&](float scale) { return scale == scales.front(); });
    if (uniform) attr.set_output_scales(0, {scales.front()});
    if (!uniform) attr.set_output_scales(1 << 1, {scales.begin(), scales.end()});
  }
  if (convolution.source_zero_point != 0) attr.set_zero_points(DNNL_ARG_SRC, 0, {convolution.source_zero_point});
  const Clamp& clamp = convolution.clamp;
  if (clamp.active()) {
    dnnl::post_ops post;
    const bool relu = clamp.low == 0 && clamp.high == Clamp{}.high;
    if (relu) post.append_eltwise(1.0F, dnnl::algorithm::eltwise_relu, 0, 0);
    if (!relu) post.append_eltwise(1.0F, dnnl::algorithm::eltwise_clip, clamp.low, clamp.high);
    attr.set_post_ops(post);
  }
  return attr;
}

/// What the primitives of all kinds have in common once they are made.
struct Parts {
  dnnl::primitive primitive;
  memory::desc source, target, scratch;
  memory filter, bias;         ///< packed while preparing; empty where there are none or they come at run time
  memory::desc filter_given;   ///< at run time: as the caller has it
  memory::desc filter_packed;  ///< at run time: as the primitive wants it
  dnnl::reorder filter_packing;
  memory::desc source_inside, target_inside;  ///< as the primitive wants the maps, where it wants them otherwise than we have them
  dnnl::reorder enter, leave;
  bool has_own_layout = false;
  bool filter_at_run_time = false;
  bool bias_at_run_time = false;
  bool generated = false;
};

struct Call final : OneDnnCall {
  memory source, target, scratch, bias;
  memory source_inside, target_inside;  ///< only where the primitive has a layout of its own
  memory filter_given, filter;          ///< only where the filter comes at run time
  std::vector<dnnl_exec_arg_t> arguments;
};

Status check(dnnl_status_t status) {
  if (status == dnnl_success) return {};
  return internal_error("oneDNN failed with status {}", static_cast<int>(status));
}

class Primitive final : public OneDnnPrimitive {
 public:
  explicit Primitive(Parts parts) : parts_(std::move(parts)), stream_(cpu()) {}

  std::unique_ptr<OneDnnCall> make_call() const override;
  Status run(OneDnnCall& call, const OneDnnOperands& operands) const override;
  /// The library's own, then the maps in its layout.
  std::size_t scratch_bytes() const override {
    return parts_.has_own_layout ? target_offset() + parts_.target_inside.get_size() : parts_.scratch.get_size();
  }
  bool generated() const override { return parts_.generated; }

 private:
  std::size_t source_offset() const { return align_up(parts_.scratch.get_size()); }
  std::size_t target_offset() const { return source_offset() + align_up(parts_.source_inside.get_size()); }
  Status convert(const dnnl::reorder& conversion, const memory& from, const memory& to) const;

  Parts parts_;
  dnnl::stream stream_;  ///< without state on a CPU, so threads may share it
};

std::unique_ptr<OneDnnCall> Primitive::make_call() const {
  auto call = std::make_unique<Call>();
  const auto add = [&](int kind, const memory& value) { call->arguments.push_back({kind, value.get()}); };
  call->source = without_data(parts_.source);
  call->target = without_data(parts_.target);
  if (parts_.has_own_layout) {
    add(DNNL_ARG_SRC, call->source_inside = without_data(parts_.source_inside));
    add(DNNL_ARG_DST, call->target_inside = without_data(parts_.target_inside));
  } else {
    add(DNNL_ARG_SRC, call->source);
    add(DNNL_ARG_DST, call->target);
  }
  if (parts_.scratch.get_size() > 0) add(DNNL_ARG_SCRATCHPAD, call->scratch = without_data(parts_.scratch));
  if (parts_.filter) add(DNNL_ARG_WEIGHTS, parts_.filter);
  if (parts_.bias) add(DNNL_ARG_BIAS, parts_.bias);
  if (parts_.filter_at_run_time) {
    call->filter_given = without_data(parts_.filter_given);
    add(DNNL_ARG_WEIGHTS, call->filter = memory(parts_.filter_packed, cpu()));
  }
  if (parts_.bias_at_run_time) {
    const memory::desc bias({parts_.target.dims()[1]}, DataType::f32, memory::format_tag::a);
    add(DNNL_ARG_BIAS, call->bias = without_data(bias));
  }
  return call;
}

Status Primitive::run(OneDnnCall& base, const OneDnnOperands& operands) const {
  use_one_thread();
  auto& call = static_cast<Call&>(base);
  VISQ_TRY(check(dnnl_memory_set_data_handle(call.source.get(), handle(operands.source))));
  VISQ_TRY(check(dnnl_memory_set_data_handle(call.target.get(), operands.target)));
  if (call.scratch) VISQ_TRY(check(dnnl_memory_set_data_handle(call.scratch.get(), operands.scratch)));
  if (call.bias) VISQ_TRY(check(dnnl_memory_set_data_handle(call.bias.get(), handle(operands.bias))));
  if (parts_.filter_at_run_time) {
    VISQ_TRY(check(dnnl_memory_set_data_handle(call.filter_given.get(), handle(operands.filter))));
    VISQ_TRY(convert(parts_.filter_packing, call.filter_given, call.filter));
  }
  if (parts_.has_own_layout) {
    VISQ_TRY(check(dnnl_memory_set_data_handle(call.source_inside.get(), operands.scratch + source_offset())));
    VISQ_TRY(check(dnnl_memory_set_data_handle(call.target_inside.get(), operands.scratch + target_offset())));
    VISQ_TRY(convert(parts_.enter, call.source, call.source_inside));
  }
  VISQ_TRY(
      check(dnnl_primitive_execute(parts_.primitive.get(), stream_.get(), static_cast<int>(call.arguments.size()), call.arguments.data())));
  return parts_.has_own_layout ? convert(parts_.leave, call.target_inside, call.target) : Status();
}

Status Primitive::convert(const dnnl::reorder& conversion, const memory& from, const memory& to) const {
  const std::array<dnnl_exec_arg_t, 2> maps = {{{DNNL_ARG_FROM, from.get()}, {DNNL_ARG_TO, to.get()}}};
  return check(dnnl_primitive_execute(conversion.get(), stream_.get(), static_cast<int>(maps.size()), maps.data()));
}

bool is_generated(std::string_view implementation) {
  return implementation.find("ref") == std::string_view::npos && implementation.find("gemm") == std::string_view::npos;
}

memory reordered(memory& from, const memory::desc& wanted) {
  memory to(wanted, cpu());
  dnnl::stream stream(cpu());
  dnnl::reorder(from, to).execute(stream, from, to);
  stream.wait();
  return to;
}

/// Brings the filter into the primitive's own layout: now, or at every run.
void set_filter(Parts& parts, const OneDnnConvolution& convolution, const memory::desc& wanted) {
  const DataType type = convolution.source == DType::kFloat32 ? DataType::f32 : DataType::s8;
  const memory::desc given = filter_desc(convolution.shape, convolution.layout, type, convolution.depth);
  if (convolution.filter == nullptr) {
    parts.filter_at_run_time = true;
    parts.filter_given = given;
    parts.filter_packed = wanted;
    parts.filter_packing = dnnl::reorder(dnnl::reorder::primitive_desc(cpu(), given, cpu(), wanted));
    return;
  }
  memory from(given, cpu(), handle(convolution.filter));
  if (convolution.winograd)
    from = reordered(from, {filter_dims(convolution.shape), type, memory::format_tag::oihw});  // all it can transform
  parts.filter = reordered(from, wanted);
}

void set_bias(Parts& parts, const OneDnnConvolution& convolution) {
  parts.bias_at_run_time = convolution.bias_at_run_time;
  if (convolution.bias.empty()) return;
  const memory::desc desc({convolution.shape.out_channels}, DataType::f32, memory::format_tag::a);
  parts.bias = memory(desc, cpu());
  std::copy(convolution.bias.begin(), convolution.bias.end(), static_cast<float*>(parts.bias.get_data_handle()));
}

dnnl::reorder reordering(const memory::desc& from, const memory::desc& to) { return {{cpu(), from, cpu(), to}}; }

/// For primitives that chose the layout of their maps.
void set_layout(Parts& parts, const memory::desc& source, const memory::desc& target) {
  parts.has_own_layout = source != parts.source || target != parts.target;
  if (!parts.has_own_layout) return;
  parts.source_inside = source;
  parts.target_inside = target;
  parts.enter = reordering(parts.source, source);
  parts.leave = reordering(target, parts.target);
}

template <class Forward>
Parts make_parts(const OneDnnConvolution& convolution, dnnl::algorithm algorithm) {
  const ConvolutionShape& shape = convolution.shape;
  const bool biased = !convolution.bias.empty() || convolution.bias_at_run_time;
  const DataType weights = convolution.source == DType::kFloat32 ? DataType::f32 : DataType::s8;
  const bool channels_first = convolution.maps == MapLayout::kNchw;
  const auto layout = convolution.winograd || channels_first ? memory::format_tag::any : memory::format_tag::nhwc;
  const Depth& depth = convolution.depth;
  const auto given = depth ? memory::format_tag::ncdhw : channels_first ? memory::format_tag::nchw : memory::format_tag::nhwc;
  const memory::desc source = map_desc(shape, true, data_type(convolution.source), layout, depth);
  const memory::desc target = map_desc(shape, false, data_type(convolution.target), layout, depth);
  const memory::desc filter(filter_dims(shape, depth), weights, memory::format_tag::any);
  const memory::desc bias = biased ? memory::desc({shape.out_channels}, DataType::f32, memory::format_tag::a) : memory::desc();
  const typename Forward::desc desc(dnnl::prop_kind::forward_inference, algorithm, source, filter, bias, target,
                                    of_axes(shape, depth, &ConvolutionAxis::stride), of_axes(shape, depth, &ConvolutionAxis::dilation, 1),
                                    of_axes(shape, depth, &ConvolutionAxis::before), of_axes(shape, depth, &ConvolutionAxis::after));
  const typename Forward::primitive_desc chosen(desc, attributes(convolution), cpu());
  Parts parts;
  parts.primitive = Forward(chosen);
  parts.source = map_desc(shape, true, data_type(convolution.source), given, depth);
  parts.target = map_desc(shape, false, data_type(convolution.target), given, depth);
  parts.scratch = chosen.scratchpad_desc();
  parts.generated = is_generated(chosen.impl_info_str());
  set_layout(parts, chosen.src_desc(), chosen.dst_desc());
  set_filter(parts, convolution, chosen.weights_desc());
  set_bias(parts, convolution);
  return parts;
}

Parts make_pooling_parts(const ConvolutionShape& shape, bool maximum) {
  const memory::desc source = map_desc(shape, true, DataType::f32);
  const memory::desc target = map_desc(shape, false, DataType::f32);
  const auto algorithm = maximum ? dnnl::algorithm::pooling_max : dnnl::algorithm::pooling_avg_exclude_padding;
  const dnnl::pooling_forward::desc desc(dnnl::prop_kind::forward_inference, algorithm, source, target,
                                         {shape.height.stride, shape.width.stride}, {shape.height.kernel, shape.width.kernel},
                                         {shape.height.before, shape.width.before}, {shape.height.after, shape.width.after});
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  const dnnl::pooling_forward::primitive_desc chosen(desc, attr, cpu());
  Parts parts;
  parts.primitive = dnnl::pooling_forward(chosen);
  parts.source = source;
  parts.target = target;
  parts.scratch = chosen.scratchpad_desc();
  parts.generated = is_generated(chosen.impl_info_str());
  return parts;
}

}  // namespace

std::unique_ptr<OneDnnPrimitive> make_onednn_convolution(const OneDnnConvolution& convolution) {
  use_one_thread();
  const auto algorithm = convolution.winograd ? dnnl::algorithm::convolution_winograd : dnnl::algorithm::convolution_direct;
  try {
    return std::make_unique<Primitive>(convolution.shape.transposed
                                           ? make_parts<dnnl::deconvolution_forward>(convolution, dnnl::algorithm::deconvolution_direct)
                                           : make_parts<dnnl::convolution_forward>(convolution, algorithm));
  } catch (const dnnl::error&) {
    return nullptr;
  }
}

std::unique_ptr<OneDnnPrimitive> make_onednn_pooling(const ConvolutionShape& shape, bool maximum) {
  use_one_thread();
  try {
    return std::make_unique<Primitive>(make_pooling_parts(shape, maximum));
  } catch (const dnnl::error&) {
    return nullptr;
  }
}

bool has_wide_kernels() { return static_cast<int>(dnnl::get_effective_cpu_isa()) >= static_cast<int>(dnnl::cpu_isa::avx512_core); }

// The library's kernels for AVX2 without VNNI sum pairs of products in saturating 16 bits; those for AVX2 with VNNI are left out
// because we could not try them.
bool exact_int8_sums() { return static_cast<int>(dnnl::get_effective_cpu_isa()) >= static_cast<int>(dnnl::cpu_isa::avx512_core_vnni); }

namespace {

char letter(bool transpose) { return transpose ? 'T' : 'N'; }
std::int64_t row_of_a(const MatrixProduct& product) { return product.transpose_a ? product.m : product.k; }
std::int64_t row_of_b(const MatrixProduct& product) { return product.transpose_b ? product.k : product.n; }

}  // namespace

Status multiply(const MatrixProduct& product, const float* a, const float* b, float* c) {
  use_one_thread();
  return check(dnnl_sgemm(letter(product.transpose_a), letter(product.transpose_b), product.m, product.n, product.k, 1.0F, a,
                          row_of_a(product), b, row_of_b(product), 0.0F, c, product.n));
}

Status multiply(const MatrixProduct& product, const Int8Operand& a, const Int8Operand& b, std::int32_t* c) {
  use_one_thread();
  constexpr char kOneOffset = 'F';  // for all of c
  const std::int32_t offset = 0;
  return check(dnnl_gemm_s8s8s32(letter(product.transpose_a), letter(product.transpose_b), kOneOffset, product.m, product.n, product.k,
                                 1.0F, a.codes, row_of_a(product), a.zero_point, b.codes, row_of_b(product), b.zero_point, 0.0F, c,
                                 product.n, &offset));
}

}  // namespace visq::kernels::backend
