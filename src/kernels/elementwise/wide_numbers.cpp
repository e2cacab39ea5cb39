#include "kernels/elementwise/wide_numbers.h"

#include <algorithm>

#include "core/as_size.h"

namespace visq::kernels {
namespace {

/// Elements that are widened at once.
constexpr std::int64_t kWidened = 512;

template <class From, class To>
void convert_numbers(const std::byte* in, std::byte* out, std::int64_t count) {
  const auto* const from = reinterpret_cast<const From*>(in);
  auto* const to = reinterpret_cast<To*>(out);
  for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<To>(from[i]);
}
void narrow_bools(const std::byte* in, std::byte* out, std::int64_t count) {
  const auto* const from = reinterpret_cast<const std::int64_t*>(in);
  auto* const to = reinterpret_cast<Bool*>(out);
  for (std::int64_t i = 0; i < count; ++i) to[i] = from[i] != 0;
}

/// The ways of a type into its wide one and back.
using ConvertNumbers = void (*)(const std::byte* in, std::byte* out, std::int64_t count);
struct WideWays {
  DType type, wide;
  ConvertNumbers widen, narrow;
};
template <class T, class Wide>
constexpr WideWays wide_ways() {
  return {kDTypeOf<T>, kDTypeOf<Wide>, convert_numbers<T, Wide>, convert_numbers<Wide, T>};
}
constexpr WideWays kWideWays[] = {
    wide_ways<Half, float>(),
    wide_ways<BFloat16, float>(),
    wide_ways<std::int8_t, std::int64_t>(),
    wide_ways<std::uint8_t, std::int64_t>(),
    wide_ways<std::int16_t, std::int64_t>(),
    wide_ways<std::uint16_t, std::int64_t>(),
    wide_ways<std::int32_t, std::int64_t>(),
    wide_ways<std::uint32_t, std::int64_t>(),
    {DType::kBool, DType::kInt64, convert_numbers<Bool, std::int64_t>, narrow_bools},
};

const WideWays* wide_ways_of(DType type) {
  const auto* const found = std::ranges::find(kWideWays, type, &WideWays::type);
  return found == std::end(kWideWays) ? nullptr : found;
}

/// Results of a run on int64: narrowed, or bools, which stand where they belong at once.
class NarrowedResults {
 public:
  NarrowedResults(DType type, bool are_bools) : type_(type), are_bools_(are_bools), size_(are_bools ? 1 : size_of(type)) {}
  template <class Run>
  void part(std::byte* out, std::int64_t first, std::int64_t count, const Run& run) const {
    std::int64_t results[kWidened];
    std::byte* const to = out + as_size(first) * size_;
    run(are_bools_ ? to : reinterpret_cast<std::byte*>(results));
    if (!are_bools_) narrow_numbers(type_, reinterpret_cast<const std::byte*>(results), to, count);
  }

 private:
  DType type_;
  bool are_bools_;
  std::size_t size_;
};

class WideMap final : public MapRun {
 public:
  WideMap(DType type, bool makes_bools, std::unique_ptr<const MapRun> run)
      : type_(type), results_(type, makes_bools), run_(std::move(run)) {}
  void operator()(const std::byte* in, std::byte* out, std::int64_t length) const override {
    std::int64_t values[kWidened];
    auto* const widened = reinterpret_cast<std::byte*>(values);
    for (std::int64_t first = 0; first < length; first += kWidened) {
      const std::int64_t count = std::min(kWidened, length - first);
      widen_numbers(type_, in + as_size(first) * size_of(type_), widened, count);
      results_.part(out, first, count, [&](std::byte* to) { (*run_)(widened, to, count); });
    }
  }

 private:
  DType type_;
  NarrowedResults results_;
  std::unique_ptr<const MapRun> run_;
};

class WideZip final : public ZipRun {
 public:
  WideZip(DType type, bool makes_bools, std::unique_ptr<const ZipRun> run)
      : type_(type), results_(type, makes_bools), run_(std::move(run)) {}
  void operator()(const std::byte* a, const std::byte* b, std::byte* out, std::int64_t length) const override {
    std::int64_t left[kWidened], right[kWidened];
    auto* const first_values = reinterpret_cast<std::byte*>(left);
    auto* const second_values = reinterpret_cast<std::byte*>(right);
    for (std::int64_t first = 0; first < length; first += kWidened) {
      const std::int64_t count = std::min(kWidened, length - first);
      widen_numbers(type_, a + as_size(first) * size_of(type_), first_values, count);
      widen_numbers(type_, b + as_size(first) * size_of(type_), second_values, count);
      results_.part(out, first, count, [&](std::byte* to) { (*run_)(first_values, second_values, to, count); });
    }
  }

 private:
  DType type_;
  NarrowedResults results_;
  std::unique_ptr<const ZipRun> run_;
};

template <class Wrapped, class Run>
std::unique_ptr<const Run> wrapped_run(DType in, bool makes_bools, std::unique_ptr<const Run> run) {
  if (!is_narrow(in) || wide_type(in) != DType::kInt64) return run;
  return std::make_unique<Wrapped>(in, makes_bools, std::move(run));
}

}  // namespace

DType wide_type(DType type) {
  const WideWays* const ways = wide_ways_of(type);
  return ways == nullptr ? type : ways->wide;
}

void widen_numbers(DType from, const std::byte* in, std::byte* out, std::int64_t count) { wide_ways_of(from)->widen(in, out, count); }
void narrow_numbers(DType to, const std::byte* in, std::byte* out, std::int64_t count) { wide_ways_of(to)->narrow(in, out, count); }

std::vector<double> real_numbers(const Tensor& tensor) {
  std::vector<double> numbers(as_size(tensor.elements()));
  const auto read = [&]<class T>(std::type_identity<T>, const std::byte* from) {
    std::ranges::transform(std::span(reinterpret_cast<const T*>(from), numbers.size()), numbers.begin(),
                           [](T value) { return static_cast<double>(value); });
  };
  std::vector<std::uint64_t> widened;
  const std::byte* from = tensor.data;
  if (is_narrow(tensor.dtype)) {
    widened.resize(numbers.size());
    widen_numbers(tensor.dtype, from, reinterpret_cast<std::byte*>(widened.data()), tensor.elements());
    from = reinterpret_cast<const std::byte*>(widened.data());
  }
  switch (wide_type(tensor.dtype)) {
    case DType::kFloat32:
      read(std::type_identity<float>(), from);
      break;
    case DType::kFloat64:
      read(std::type_identity<double>(), from);
      break;
    case DType::kUInt64:
      read(std::type_identity<std::uint64_t>(), from);
      break;
    default:
      read(std::type_identity<std::int64_t>(), from);
  }
  return numbers;
}

namespace {

template <class T>
void store_wide(std::span<const double> numbers, Tensor& tensor) {
  std::vector<T> wide(numbers.size());
  std::ranges::transform(numbers, wide.begin(), nearest_number<T>);
  const auto* const from = reinterpret_cast<const std::byte*>(wide.data());
  if (is_narrow(tensor.dtype)) {
    narrow_numbers(tensor.dtype, from, tensor.data, tensor.elements());
  } else {
    std::copy_n(from, wide.size() * sizeof(T), tensor.data);
  }
}

}  // namespace

void store_numbers(std::span<const double> numbers, Tensor& tensor) {
  switch (wide_type(tensor.dtype)) {
    case DType::kFloat32:
      return store_wide<float>(numbers, tensor);
    case DType::kFloat64:
      return store_wide<double>(numbers, tensor);
    case DType::kUInt64:
      return store_wide<std::uint64_t>(numbers, tensor);
    default:
      return store_wide<std::int64_t>(numbers, tensor);
  }
}

std::unique_ptr<const MapRun> through_wide(DType in, bool makes_bools, std::unique_ptr<const MapRun> run) {
  return wrapped_run<WideMap>(in, makes_bools, std::move(run));
}
std::unique_ptr<const ZipRun> through_wide(DType in, bool makes_bools, std::unique_ptr<const ZipRun> run) {
  return wrapped_run<WideZip>(in, makes_bools, std::move(run));
}

}  // namespace visq::kernels
