// HASHTABLE_LOOKUP: rows of a table found by rising integer keys; a key that is not there gives a row of zero bytes (or "").
#include <algorithm>

#include "core/as_size.h"
#include "kernels/element_types.h"
#include "kernels/fixed_point/integer_arithmetic.h"
#include "kernels/indexing/strided_copy.h"

namespace visq::kernels::ops_hashtable_lookup {
namespace {

enum Input : int { kLookups, kKeys, kValues };
enum Output : int { kFound, kHits };

/// The row of a key by bisection, or -1. Where keys do not rise, or are equal, which row it is (or none) is that of C's bsearch.
std::int64_t row_of(std::span<const std::int32_t> keys, std::int32_t wanted) {
  std::size_t low = 0, high = keys.size();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    const std::int32_t difference = wrapping_subtract(wanted, keys[middle]);
    if (difference == 0) return static_cast<std::int64_t>(middle);
    (difference < 0 ? high : low) = difference < 0 ? middle : middle + 1;
  }
  return -1;
}

void clear(Tensor& tensor, std::int64_t from, std::int64_t count) {
  if (tensor.strings != nullptr) {
    std::fill_n(tensor.strings->begin() + from, count, std::string());
  } else {
    const std::size_t size = size_of(tensor.dtype);
    std::fill_n(tensor.data + as_size(from) * size, as_size(count) * size, std::byte{0});
  }
}

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(3, 3));
  VISQ_TRY(context.expect_outputs(2));
  VISQ_TRY(context.expect_type(kLookups, "the lookups", {DType::kInt32}));
  VISQ_TRY(context.expect_type(kKeys, "the keys", {DType::kInt32}));
  VISQ_TRY(context.expect_rank(kLookups, "the lookups", 1));
  VISQ_TRY(context.expect_rank(kKeys, "the keys", 1));
  const Tensor& values = context.input(kValues);
  const std::int64_t keys = context.input(kKeys).shape[0];
  if (values.shape.rank() < 1 || values.shape[0] != keys) {
    return context.fail("{} keys for values of shape {}", keys, to_string(values.shape));
  }
  Shape found = values.shape;
  found[0] = context.input(kLookups).shape[0];
  VISQ_TRY(context.set_output(kFound, values.dtype, std::move(found)));
  VISQ_TRY(context.set_output(kHits, DType::kUInt8, context.input(kLookups).shape));
  const std::int64_t width = values.shape.elements(1, values.shape.rank());
  return make_kernel([width](EvalContext& eval) -> Status {
    const auto lookups = eval.in<std::int32_t>(kLookups);
    const auto hits = eval.out<std::uint8_t>(kHits);
    for (std::size_t i = 0; i < lookups.size(); ++i) {
      const std::int64_t row = row_of(eval.in<std::int32_t>(kKeys), lookups[i]);
      const std::int64_t target = static_cast<std::int64_t>(i) * width;
      if (row >= 0) {
        copy_elements(eval.input(kValues), row * width, eval.output(kFound), target, width);
      } else {
        clear(eval.output(kFound), target, width);
      }
      hits[i] = row >= 0 ? 1 : 0;
    }
    return {};
  });
}

constexpr OpDef kDefinitions[] = {
    {.name = "HASHTABLE_LOOKUP", .prepare = prepare, .types = kMovableOrString, .main_input = kValues, .takes_stored = true}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_hashtable_lookup
