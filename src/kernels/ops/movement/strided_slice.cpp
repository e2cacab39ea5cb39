// STRIDED_SLICE: begin, end and stride per axis, with the five masks of numpy-like indexing.
#include <algorithm>

#include "core/as_size.h"
#include "kernels/element_types.h"
#include "kernels/indexing/strided_copy.h"
#include "kernels/parameters.h"

namespace visq::kernels::ops_strided_slice {
namespace {

constexpr int kInput = 0;
constexpr int kBegin = 1;
constexpr int kEnd = 2;
constexpr int kStrides = 3;

/// Larger than any axis: indices and strides beyond it act alike, and sums of them cannot overflow.
constexpr std::int64_t kFar = std::int64_t{1} << 60;

struct Mask {
  std::int64_t bits;
  bool has(std::size_t i) const { return i < 32 && (bits >> i & 1) != 0; }
};

/// The operator's parameters: one entry per index of the specification.
struct Specification {
  std::vector<std::int64_t> begin, end, strides;
  Mask begin_mask, end_mask, ellipsis, new_axis, shrink;
  bool offset;  ///< end counts from begin

  std::size_t size() const { return begin.size(); }
  bool is_ellipsis(std::size_t i) const { return ellipsis.has(i); }
  bool is_new_axis(std::size_t i) const { return !is_ellipsis(i) && new_axis.has(i); }
  /// How many axes of the input it names itself.
  std::int64_t named_axes() const {
    std::int64_t count = 0;
    for (std::size_t i = 0; i < size(); ++i) count += is_ellipsis(i) || is_new_axis(i) ? 0 : 1;
    return count;
  }
};

/// The elements of one axis that are taken.
struct Taken {
  std::int64_t first = 0, step = 1, count = 0;
};

std::int64_t within(std::int64_t index, std::int64_t size, std::int64_t stride) {
  const std::int64_t positive = index < 0 ? index + size : index;
  return stride > 0 ? std::clamp<std::int64_t>(positive, 0, size) : std::clamp<std::int64_t>(positive, -1, size - 1);
}

Result<Taken> take(const PrepareContext& context, const Specification& spec, std::size_t i, std::int64_t size) {
  const std::int64_t begin = std::clamp(spec.begin[i], -kFar, kFar), end = std::clamp(spec.end[i], -kFar, kFar);
  const std::int64_t stride = std::clamp(spec.strides[i], -kFar, kFar);
  if (stride == 0) return context.fail("stride {} is 0", i);
  if (spec.shrink.has(i)) {
    if (begin < -size || begin >= size) return context.fail("index {} is out of range for an axis of size {}", begin, size);
    return Taken{begin < 0 ? begin + size : begin, 0, 1};
  }
  const std::int64_t first = spec.begin_mask.has(i) ? (stride > 0 ? 0 : size - 1) : within(begin, size, stride);
  std::int64_t stop = stride > 0 ? size : -1;
  if (!spec.end_mask.has(i)) stop = within(spec.offset ? first + end : end, size, stride);
  const std::int64_t distance = stride > 0 ? stop - first : first - stop;
  const std::int64_t pace = stride > 0 ? stride : -stride;
  const std::int64_t count = distance <= 0 ? 0 : (distance - 1) / pace + 1;
  return Taken{first, count > 1 ? stride : 0, count};
}

/// The output's shape and the walk over the input that fills it, built index by index.
class Builder {
 public:
  explicit Builder(const Shape& from) : from_(from), strides_(dense_strides(from)) {}

  void keep_axes(std::int64_t count) {
    for (; count > 0; --count) add({0, 1, from_[axis_]}, false);
  }
  void insert_axis() {
    shape_.push_back(1);
    walk_.strides.push_back(0);
  }
  void add(const Taken& taken, bool shrink) {
    const std::int64_t step = strides_[as_size(axis_++)];
    walk_.offset += taken.first * step;
    if (shrink) return;
    shape_.push_back(taken.count);
    walk_.strides.push_back(taken.step * step);
  }
  std::int64_t next_size() const { return from_[axis_]; }
  std::int64_t axes_left() const { return from_.rank() - axis_; }
  const Shape& shape() const { return shape_; }
  const Walk& walk() const { return walk_; }

 private:
  const Shape& from_;
  std::vector<std::int64_t> strides_;
  int axis_ = 0;
  Shape shape_;
  Walk walk_;
};

Result<Specification> read_specification(PrepareContext& context) {
  const auto mask = [&](std::string_view name) { return Mask{context.attributes().integer(name)}; };
  VISQ_ASSIGN(auto begin, context.integers(kBegin, "begin"));
  VISQ_ASSIGN(auto end, integers_of(context, kEnd, "end", static_cast<int>(begin.size())));
  VISQ_ASSIGN(auto strides, integers_of(context, kStrides, "strides", static_cast<int>(begin.size())));
  return Specification{std::move(begin),      std::move(end),           std::move(strides),
                       mask("begin_mask"),    mask("end_mask"),         mask("ellipsis_mask"),
                       mask("new_axis_mask"), mask("shrink_axis_mask"), context.attributes().flag("offset")};
}

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(4, 4));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_ASSIGN(const Specification spec, read_specification(context));
  const Shape& from = context.input(kInput).shape;
  const std::int64_t unnamed = from.rank() - spec.named_axes();
  if (unnamed < 0) return context.fail("{} indices for an input of rank {}", spec.named_axes(), from.rank());
  Builder builder(from);
  bool ellipsis_seen = false;
  for (std::size_t i = 0; i < spec.size(); ++i) {
    if (spec.is_ellipsis(i)) {
      if (ellipsis_seen) return context.fail("ellipsis_mask has more than one bit set");
      ellipsis_seen = true;
      builder.keep_axes(unnamed);
    } else if (spec.is_new_axis(i)) {
      builder.insert_axis();
    } else {
      VISQ_ASSIGN(const Taken taken, take(context, spec, i, builder.next_size()));
      builder.add(taken, spec.shrink.has(i));
    }
  }
  builder.keep_axes(builder.axes_left());
  VISQ_TRY(context.set_output(0, context.input(kInput).dtype, builder.shape()));
  return copy_kernel({StridedCopy(builder.shape(), builder.walk(), dense_walk(builder.shape()))});
}

constexpr OpDef kDefinitions[] = {
    {.name = "STRIDED_SLICE", .prepare = prepare, .types = kMovableOrString, .takes_stored = true, .keeps_codes = DTypes::all()}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_strided_slice
