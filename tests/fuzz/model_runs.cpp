#include "fuzz/model_runs.h"

#include <memory>

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

}  // namespace

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

}  // namespace visq::fuzz
