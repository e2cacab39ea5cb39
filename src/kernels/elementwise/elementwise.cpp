#include "kernels/elementwise/elementwise.h"

#include <cstring>

namespace visq::kernels {
namespace {

class ZipKernel final : public Kernel {
 public:
  ZipKernel(Broadcast<2> broadcast, const ElementTypes& types, std::unique_ptr<const ZipRun> run)
      : broadcast_(std::move(broadcast)), types_(types), run_(std::move(run)) {
    if (types.vectors) repeated_ = broadcast_.repeated_runs();
  }

  Status eval(EvalContext& eval) const override {
    if (repeated_) {
      join_runs(*repeated_, eval);
      return {};
    }
    const std::byte* const a = eval.input(0).data;
    const std::byte* const b = eval.input(1).data;
    std::byte* const out = eval.output(0).data;
    const bool a_moves = broadcast_.steps()[0] != 0, b_moves = broadcast_.steps()[1] != 0;
    broadcast_.for_each_run([&](const auto& offsets, std::int64_t start, std::int64_t length) {
      (*run_)(a + in_bytes(offsets[0]), a_moves, b + in_bytes(offsets[1]), b_moves, out + out_bytes(start), length);
    });
    return {};
  }

 private:
  std::ptrdiff_t in_bytes(std::int64_t elements) const { return elements * static_cast<std::ptrdiff_t>(types_.in_size); }
  std::ptrdiff_t out_bytes(std::int64_t elements) const { return elements * static_cast<std::ptrdiff_t>(types_.out_size); }

  /// The operand whose run repeats is laid out several times, so that one call does many runs.
  void join_runs(const Broadcast<2>::RepeatedRuns& runs, EvalContext& eval) const {
    constexpr std::int64_t kElements = 1024;  // of a call: little beside a cache, much beside what a call costs
    const std::int64_t at_once = std::min(runs.count, kElements / runs.length);
    const auto run_bytes = static_cast<std::size_t>(in_bytes(runs.length));
    std::byte* const laid_out = eval.scratch(static_cast<std::size_t>(at_once) * run_bytes);
    const std::size_t moves = 1 - runs.repeats;
    const std::byte* const operands[] = {eval.input(0).data, eval.input(1).data};
    std::byte* const out = eval.output(0).data;
    broadcast_.for_each_block(runs, [&](const auto& offsets, std::int64_t start) {
      for (std::int64_t i = 0; i < at_once; ++i)
        std::memcpy(laid_out + in_bytes(i * runs.length), operands[runs.repeats] + in_bytes(offsets[runs.repeats]), run_bytes);
      for (std::int64_t first = 0; first < runs.count; first += at_once) {
        const std::byte* const moving = operands[moves] + in_bytes(offsets[moves] + first * runs.length);
        const std::byte* const a = moves == 0 ? moving : laid_out;
        const std::byte* const b = moves == 0 ? laid_out : moving;
        const std::int64_t length = std::min(at_once, runs.count - first) * runs.length;
        (*run_)(a, true, b, true, out + out_bytes(start + first * runs.length), length);
      }
    });
  }

  Broadcast<2> broadcast_;
  ElementTypes types_;
  std::unique_ptr<const ZipRun> run_;
  std::optional<Broadcast<2>::RepeatedRuns> repeated_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> map_kernel(PrepareContext& context, const ElementTypes& types, std::unique_ptr<const MapRun> run) {
  VISQ_TRY(context.set_output(0, types.out, context.input(0).shape));
  return make_kernel([run = std::move(run)](EvalContext& eval) -> Status {
    (*run)(eval.input(0).data, eval.output(0).data, eval.input(0).elements());
    return {};
  });
}

Result<std::unique_ptr<Kernel>> zip_kernel(PrepareContext& context, const ElementTypes& types, std::unique_ptr<const ZipRun> run) {
  VISQ_TRY(context.expect_same_type(1, "the second input", 0));
  VISQ_ASSIGN(auto broadcast, Broadcast<2>::plan(context, types.out));
  std::unique_ptr<Kernel> kernel = std::make_unique<ZipKernel>(std::move(broadcast), types, std::move(run));
  return kernel;
}

}  // namespace visq::kernels
