#include "kernels/elementwise/elementwise.h"

#include <algorithm>
#include <cstring>

namespace visq::kernels {
namespace {

/// Elements that one call of a run takes where operands are laid out for it: little beside a cache, much beside what a call costs.
constexpr std::int64_t kAtOnce = 1024;

template <class T>
VISQ_CPU_CLONES void widen(const T* __restrict in, float* __restrict out, std::int64_t length) {
  for (std::int64_t i = 0; i < length; ++i) out[i] = in[i];
}
template <class T>
VISQ_CPU_CLONES void narrow(const float* __restrict in, T* __restrict out, std::int64_t length) {
  for (std::int64_t i = 0; i < length; ++i) out[i] = in[i];
}

bool is_half(DType type) { return type == DType::kFloat16 || type == DType::kBFloat16; }
void widen(DType type, const std::byte* in, float* out, std::int64_t length) {
  type == DType::kFloat16 ? widen(reinterpret_cast<const Half*>(in), out, length)
                          : widen(reinterpret_cast<const BFloat16*>(in), out, length);
}
void narrow(DType type, const float* in, std::byte* out, std::int64_t length) {
  type == DType::kFloat16 ? narrow(in, reinterpret_cast<Half*>(out), length) : narrow(in, reinterpret_cast<BFloat16*>(out), length);
}

/// What a run on float32 gives, which may be narrowed.
class HalfResults {
 public:
  explicit HalfResults(DType type) : type_(type), size_(static_cast<std::int64_t>(size_of(type))) {}
  /// Calls run(where its results go, first element, length) for all parts of `out`, each of at most kAtOnce elements.
  template <class Run>
  void for_each_part(std::byte* out, std::int64_t length, const Run& run) const {
    float results[kAtOnce];
    for (std::int64_t first = 0; first < length; first += kAtOnce) {
      const std::int64_t part = std::min(kAtOnce, length - first);
      std::byte* const to = out + first * size_;
      run(is_half(type_) ? reinterpret_cast<std::byte*>(results) : to, first, part);
      if (is_half(type_)) narrow(type_, results, to, part);
    }
  }

 private:
  DType type_;
  std::int64_t size_;
};

class HalfMap final : public MapRun {
 public:
  HalfMap(DType in, DType out, std::unique_ptr<const MapRun> run) : in_(in), results_(out), run_(std::move(run)) {}
  void operator()(const std::byte* in, std::byte* out, std::int64_t length) const override {
    float values[kAtOnce];
    results_.for_each_part(out, length, [&](std::byte* to, std::int64_t first, std::int64_t part) {
      widen(in_, in + first * 2, values, part);
      (*run_)(reinterpret_cast<const std::byte*>(values), to, part);
    });
  }

 private:
  DType in_;
  HalfResults results_;
  std::unique_ptr<const MapRun> run_;
};

class HalfZip final : public ZipRun {
 public:
  HalfZip(DType in, DType out, std::unique_ptr<const ZipRun> run) : in_(in), results_(out), run_(std::move(run)) {}
  void operator()(const std::byte* a, const std::byte* b, std::byte* out, std::int64_t length) const override {
    float first_values[kAtOnce], second_values[kAtOnce];
    results_.for_each_part(out, length, [&](std::byte* to, std::int64_t first, std::int64_t part) {
      widen(in_, a + first * 2, first_values, part);
      widen(in_, b + first * 2, second_values, part);
      (*run_)(reinterpret_cast<const std::byte*>(first_values), reinterpret_cast<const std::byte*>(second_values), to, part);
    });
  }

 private:
  DType in_;
  HalfResults results_;
  std::unique_ptr<const ZipRun> run_;
};

/// Elements of `size` bytes, all like the first one, which stands there already.
void repeat(std::byte* first, std::size_t size, std::int64_t count) {
  const std::size_t bytes = size * static_cast<std::size_t>(count);
  for (std::size_t done = size; done < bytes;) {
    const std::size_t more = std::min(done, bytes - done);
    std::memcpy(first + done, first, more);
    done += more;
  }
}

class ZipKernel final : public Kernel {
 public:
  ZipKernel(Broadcast<2> broadcast, DType in, DType out, std::unique_ptr<const ZipRun> run)
      : broadcast_(std::move(broadcast)), in_size_(size_of(in)), out_size_(size_of(out)), run_(std::move(run)) {
    repeated_ = broadcast_.repeated_runs();
  }

  Status eval(EvalContext& eval) const override {
    const auto steps = broadcast_.steps();
    if (repeated_) {
      join_runs(*repeated_, eval);
    } else if (steps[0] == steps[1]) {  // both 1; or both 0, and a run is one element
      const std::byte* const a = eval.input(0).data;
      const std::byte* const b = eval.input(1).data;
      std::byte* const out = eval.output(0).data;
      broadcast_.for_each_run([&](const auto& offsets, std::int64_t start, std::int64_t length) {
        (*run_)(a + in_bytes(offsets[0]), b + in_bytes(offsets[1]), out + out_bytes(start), length);
      });
    } else {
      lay_out_still(steps[0] == 0 ? 0 : 1, eval);
    }
    return {};
  }

 private:
  std::ptrdiff_t in_bytes(std::int64_t elements) const { return elements * static_cast<std::ptrdiff_t>(in_size_); }
  std::ptrdiff_t out_bytes(std::int64_t elements) const { return elements * static_cast<std::ptrdiff_t>(out_size_); }

  /// The operand that stands still in a run is laid out as often as the run needs, or a call takes.
  void lay_out_still(std::size_t still, EvalContext& eval) const {
    std::byte* const laid_out = eval.scratch(static_cast<std::size_t>(in_bytes(kAtOnce)));
    const std::byte* const operands[] = {eval.input(0).data, eval.input(1).data};
    std::byte* const out = eval.output(0).data;
    std::int64_t there = -1;  // which element is laid out
    broadcast_.for_each_run([&](const auto& offsets, std::int64_t start, std::int64_t length) {
      if (offsets[still] != there) {
        there = offsets[still];
        std::memcpy(laid_out, operands[still] + in_bytes(there), in_size_);
        repeat(laid_out, in_size_, std::min(length, kAtOnce));
      }
      for (std::int64_t first = 0; first < length; first += kAtOnce) {
        const std::byte* const moving = operands[1 - still] + in_bytes(offsets[1 - still] + first);
        (*run_)(still == 0 ? laid_out : moving, still == 0 ? moving : laid_out, out + out_bytes(start + first),
                std::min(kAtOnce, length - first));
      }
    });
  }

  /// The operand whose run repeats is laid out several times, so that one call does many runs.
  void join_runs(const Broadcast<2>::RepeatedRuns& runs, EvalContext& eval) const {
    const std::int64_t at_once = std::min(runs.count, kAtOnce / runs.length);
    const auto run_bytes = static_cast<std::size_t>(in_bytes(runs.length));
    std::byte* const laid_out = eval.scratch(static_cast<std::size_t>(at_once) * run_bytes);
    const std::size_t moves = 1 - runs.repeats;
    const std::byte* const operands[] = {eval.input(0).data, eval.input(1).data};
    std::byte* const out = eval.output(0).data;
    broadcast_.for_each_block(runs, [&](const auto& offsets, std::int64_t start) {
      std::memcpy(laid_out, operands[runs.repeats] + in_bytes(offsets[runs.repeats]), run_bytes);
      repeat(laid_out, run_bytes, at_once);
      for (std::int64_t first = 0; first < runs.count; first += at_once) {
        const std::byte* const moving = operands[moves] + in_bytes(offsets[moves] + first * runs.length);
        const std::byte* const a = moves == 0 ? moving : laid_out;
        const std::byte* const b = moves == 0 ? laid_out : moving;
        const std::int64_t length = std::min(at_once, runs.count - first) * runs.length;
        (*run_)(a, b, out + out_bytes(start + first * runs.length), length);
      }
    });
  }

  Broadcast<2> broadcast_;
  std::size_t in_size_, out_size_;
  std::unique_ptr<const ZipRun> run_;
  std::optional<Broadcast<2>::RepeatedRuns> repeated_;
};

template <class Choice>
Result<std::unique_ptr<Kernel>> chosen(PrepareContext& context, int inputs, std::span<const Choice> choices, auto make) {
  VISQ_TRY(context.expect_inputs(inputs, inputs));
  VISQ_TRY(context.expect_outputs(1));
  const DType dtype = context.input(0).dtype;
  for (const Choice& choice : choices) {
    if (choice.in == dtype) return make(context, choice.in, choice.out, choice.make());
  }
  return context.unsupported("cannot run with {}", name(dtype));
}

}  // namespace

Result<std::unique_ptr<Kernel>> map_kernel(PrepareContext& context, std::span<const MapChoice> choices) {
  return chosen(context, 1, choices, [](auto&&... parts) { return map_kernel(std::forward<decltype(parts)>(parts)...); });
}

Result<std::unique_ptr<Kernel>> zip_kernel(PrepareContext& context, std::span<const ZipChoice> choices) {
  return chosen(context, 2, choices, [](auto&&... parts) { return zip_kernel(std::forward<decltype(parts)>(parts)...); });
}

Result<std::unique_ptr<Kernel>> map_kernel(PrepareContext& context, DType in, DType out, std::unique_ptr<const MapRun> run) {
  VISQ_TRY(context.set_output(0, out, context.input(0).shape));
  if (is_half(in)) run = std::make_unique<HalfMap>(in, out, std::move(run));
  return make_kernel([run = std::move(run)](EvalContext& eval) -> Status {
    (*run)(eval.input(0).data, eval.output(0).data, eval.input(0).elements());
    return {};
  });
}

Result<std::unique_ptr<Kernel>> zip_kernel(PrepareContext& context, DType in, DType out, std::unique_ptr<const ZipRun> run) {
  VISQ_TRY(context.expect_same_type(1, "the second input", 0));
  VISQ_ASSIGN(auto broadcast, Broadcast<2>::plan(context, out));
  if (is_half(in)) run = std::make_unique<HalfZip>(in, out, std::move(run));
  std::unique_ptr<Kernel> kernel = std::make_unique<ZipKernel>(std::move(broadcast), in, out, std::move(run));
  return kernel;
}

}  // namespace visq::kernels
