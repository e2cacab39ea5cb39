#include "kernels/elementwise/elementwise.h"

#include <algorithm>
#include <cstring>

#include "core/as_size.h"

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

/// Lays out `count` elements, `step` apart, each `times` times.
template <class Element>
void spread(const std::byte* from, std::int64_t step, std::int64_t count, std::int64_t times, std::byte* to) {
  const auto* const elements = reinterpret_cast<const Element*>(from);
  for (std::int64_t i = 0; i < count; ++i) std::fill_n(reinterpret_cast<Element*>(to) + i * times, times, elements[i * step]);
}
using SpreadFunction = void (*)(const std::byte* from, std::int64_t step, std::int64_t count, std::int64_t times, std::byte* to);
SpreadFunction spread_of(std::size_t size) {
  switch (size) {
    case 1:
      return spread<std::uint8_t>;
    case 2:
      return spread<std::uint16_t>;
    case 4:
      return spread<std::uint32_t>;
    default:
      return spread<std::uint64_t>;
  }
}

class ZipKernel final : public Kernel {
 public:
  ZipKernel(Broadcast<2> broadcast, DType in, DType out, std::unique_ptr<const ZipRun> run)
      : broadcast_(std::move(broadcast)),
        short_runs_(broadcast_.short_runs()),
        in_size_(size_of(in)),
        out_size_(size_of(out)),
        spread_(spread_of(in_size_)),
        run_(std::move(run)) {}

  Status eval(EvalContext& eval) const override {
    const auto steps = broadcast_.steps();
    if (short_runs_) {
      join_runs(*short_runs_, eval);
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
    std::byte* const laid_out = eval.scratch(as_size(in_bytes(kAtOnce)));
    const std::byte* const operands[] = {eval.input(0).data, eval.input(1).data};
    std::byte* const out = eval.output(0).data;
    std::int64_t there = -1;  // which element is laid out
    broadcast_.for_each_run([&](const auto& offsets, std::int64_t start, std::int64_t length) {
      if (offsets[still] != there) {
        there = offsets[still];
        spread_(operands[still] + in_bytes(there), 0, 1, std::min(length, kAtOnce), laid_out);
      }
      for (std::int64_t first = 0; first < length; first += kAtOnce) {
        const std::byte* const moving = operands[1 - still] + in_bytes(offsets[1 - still] + first);
        (*run_)(still == 0 ? laid_out : moving, still == 0 ? moving : laid_out, out + out_bytes(start + first),
                std::min(kAtOnce, length - first));
      }
    });
  }

  /// The operand that repeats is laid out for several runs, so that one call does them.
  void join_runs(const Broadcast<2>::ShortRuns& runs, EvalContext& eval) const {
    const std::int64_t at_once = std::min(runs.count, kAtOnce / runs.length);
    std::byte* const laid_out = eval.scratch(as_size(in_bytes(at_once * runs.length)));
    const std::size_t repeats = runs.repeats, moves = 1 - repeats;
    const bool still = broadcast_.steps()[repeats] == 0;
    const std::byte* const operands[] = {eval.input(0).data, eval.input(1).data};
    std::byte* const out = eval.output(0).data;
    broadcast_.for_each_block(runs, [&](const auto& offsets, std::int64_t start) {
      const std::byte* const from = operands[repeats] + in_bytes(offsets[repeats]);
      for (std::int64_t i = 0; i < at_once && !still; ++i) {
        std::memcpy(laid_out + in_bytes(i * runs.length), from, as_size(in_bytes(runs.length)));
      }
      for (std::int64_t first = 0; first < runs.count; first += at_once) {
        const std::int64_t count = std::min(at_once, runs.count - first);
        if (still) spread_(from + in_bytes(first * runs.step), runs.step, count, runs.length, laid_out);
        const std::byte* const moving = operands[moves] + in_bytes(offsets[moves] + first * runs.length);
        const std::byte* const a = moves == 0 ? moving : laid_out;
        const std::byte* const b = moves == 0 ? laid_out : moving;
        (*run_)(a, b, out + out_bytes(start + first * runs.length), count * runs.length);
      }
    });
  }

  Broadcast<2> broadcast_;
  std::optional<Broadcast<2>::ShortRuns> short_runs_;
  std::size_t in_size_, out_size_;
  SpreadFunction spread_;
  std::unique_ptr<const ZipRun> run_;
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

std::unique_ptr<const MapRun> half_too(DType in, DType out, std::unique_ptr<const MapRun> run) {
  if (!is_half(in)) return run;
  return std::make_unique<HalfMap>(in, out, std::move(run));
}
std::unique_ptr<const ZipRun> half_too(DType in, DType out, std::unique_ptr<const ZipRun> run) {
  if (!is_half(in)) return run;
  return std::make_unique<HalfZip>(in, out, std::move(run));
}

Result<std::unique_ptr<Kernel>> map_kernel(PrepareContext& context, DType in, DType out, std::unique_ptr<const MapRun> run) {
  VISQ_TRY(context.set_output(0, out, context.input(0).shape));
  run = half_too(in, out, std::move(run));
  return make_kernel([run = std::move(run)](EvalContext& eval) -> Status {
    (*run)(eval.input(0).data, eval.output(0).data, eval.input(0).elements());
    return {};
  });
}

Result<std::unique_ptr<Kernel>> zip_kernel(PrepareContext& context, DType in, DType out, std::unique_ptr<const ZipRun> run) {
  VISQ_TRY(context.expect_same_type(1, "the second input", 0));
  VISQ_ASSIGN(auto broadcast, Broadcast<2>::plan(context, out));
  run = half_too(in, out, std::move(run));
  std::unique_ptr<Kernel> kernel = std::make_unique<ZipKernel>(std::move(broadcast), in, out, std::move(run));
  return kernel;
}

}  // namespace visq::kernels
