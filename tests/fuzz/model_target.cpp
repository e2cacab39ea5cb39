// A model file from anywhere: loaded, described, checked, prepared and run on one random record in all three modes, and once more as the
// last of its signatures has it.
#include <memory>

#include "fuzz/flatbuffer_mutator.h"
#include "fuzz/fuzz_input.h"
#include "kernels/multiply_adds.h"
#include "visq/check.h"
#include "visq/data.h"
#include "visq/inspect.h"
#include "visq/run.h"

namespace visq::fuzz {
namespace {

/// Operators that are made of more are left alone: time is no limit of the tool, but one of the fuzzer.
constexpr std::int64_t kMostMultiplyAdds = 10'000'000;

bool is_small(const Model& model) {
  std::int64_t sum = 0;
  for (const Subgraph& graph : model.subgraphs) {
    for (const Operator& op : graph.operators) {
      const std::int64_t work = kernels::multiply_adds(graph, op).value_or(0);
      if (work > kMostMultiplyAdds - sum) return false;
      sum += work;
    }
  }
  return true;
}

/// Reads every byte it is given, so that a sanitizer sees where a map is shorter than it says.
class Reader final : public MapSink {
 public:
  Status begin_record(std::int64_t) override { return {}; }
  Status add(const FeatureMap& map) override {
    const std::size_t bytes = static_cast<std::size_t>(map.shape.elements()) * size_of(map.dtype);
    for (std::size_t i = 0; map.data != nullptr && i < bytes; ++i) sum_ = sum_ + static_cast<unsigned>(map.data[i]);
    for (const std::string& text : map.strings) sum_ = sum_ + static_cast<unsigned>(text.size());
    return {};
  }

 private:
  volatile unsigned sum_ = 0;
};

void run_in(const std::shared_ptr<const Model>& model, Mode mode) {
  const auto data = random_data(*model, nullptr, 0, false);
  RunOptions options;
  options.mode = mode;
  options.records = {0, 1};
  Reader reader;
  static_cast<void>(run(model, *data, options, reader));
}

void try_all(const std::shared_ptr<const Model>& model) {
  static_cast<void>(inspect(*model));
  static_cast<void>(check(nullptr, model));
  if (!is_small(*model)) return;
  for (const Mode mode : {Mode::kFp32, Mode::kFakeQuant, Mode::kInteger}) {
    try {
      run_in(model, mode);
    } catch (const std::bad_alloc&) {  // as main() does: beyond the limit
    }
  }
}

}  // namespace
}  // namespace visq::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace visq;
  fuzz::limit_the_run();
  auto loaded = load_model(fuzz::file_of(data, size));
  if (!loaded.ok()) return 0;
  if (loaded->signatures.size() > 1) {
    Model chosen = *loaded;
    const std::string key = chosen.signatures.back().key;
    if (choose_signature(chosen, key).ok()) fuzz::try_all(std::make_shared<const Model>(std::move(chosen)));
  }
  fuzz::try_all(std::make_shared<const Model>(std::move(loaded).value()));
  return 0;
}

#ifdef VISQ_LIBFUZZER
/// libFuzzer's own change of bytes.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned int seed) {
  const bool blind = seed % 4 == 0;
  if (!blind && visq::fuzz::mutate_flatbuffer({data, size}, seed)) return size;
  return LLVMFuzzerMutate(data, size, max_size);
}
#endif
