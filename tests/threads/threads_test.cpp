// Every analysis that shares records or trials between threads gives, on any number of them, the bits of one thread. Alone in its program,
// with the rooms below `analysis` only: this is what ThreadSanitizer watches.
#include <gtest/gtest.h>

#include <vector>

#include "visq/accumulate.h"
#include "visq/badcase.h"
#include "visq/compare.h"
#include "visq/distribution.h"
#include "visq/partial.h"
#include "visq/profile.h"
#include "visq/sensitivity.h"

namespace visq {
namespace {

using Numbers = std::vector<double>;

constexpr std::int64_t kRecords = 12;

/// The bundled example, read ahead on a thread of its own.
struct Example {
  Example() : source(read_ahead(open_data(kFolder + "data.h5", *reference).value(), {0, kRecords}, {.records = 3})) {}

  static std::shared_ptr<const Model> model(const char* name) { return std::make_shared<const Model>(load_model(kFolder + name).value()); }

  inline static const std::string kFolder = VISQ_SOURCE_DIR "/examples/digits/";
  std::shared_ptr<const Model> reference = model("fp32.tflite"), quantized = model("int8.tflite");
  std::unique_ptr<RecordSource> source;
};

void append(Numbers& numbers, const std::vector<MetricValue>& values) {
  for (const MetricValue& value : values) numbers.push_back(value.value);
}

template <class Options>
Options options_on(int threads) {
  Options options;
  options.records = {0, kRecords};
  options.threads = threads;
  return options;
}

Numbers compared(int threads) {
  Example example;
  auto options = options_on<CompareOptions>(threads);
  options.per_record = options.per_channel = options.origin = true;
  Numbers numbers;
  const auto result = compare(example.reference, example.quantized, *example.source, options).value();
  for (const MapComparison& map : result.maps) {
    append(numbers, map.metrics);
    for (const auto& record : map.per_record) append(numbers, record);
  }
  return numbers;
}

Numbers bad_cases(int threads) {
  Example example;
  Numbers numbers;
  const auto result = badcase(example.reference, example.quantized, *example.source, options_on<BadcaseOptions>(threads)).value();
  for (const BadCase& found : result.cases) {
    numbers.push_back(static_cast<double>(found.record));
    append(numbers, found.values);
  }
  return numbers;
}

Numbers sensitivities(int threads, bool leave_one_out) {
  Example example;
  auto options = options_on<SensitivityOptions>(threads);
  options.leave_one_out = leave_one_out;
  Numbers numbers;
  const auto result = sensitivity(example.reference, example.quantized, *example.source, options).value();
  for (const Sensitivity& node : result.nodes) append(numbers, node.metrics);
  return numbers;
}

Numbers accumulated(int threads) {
  Example example;
  Numbers numbers;
  const auto result = accumulate(example.reference, example.quantized, *example.source, options_on<AccumulateOptions>(threads)).value();
  for (const AccumulateCurve& curve : result.curves) {
    for (const AccumulatedError& node : curve.nodes) append(numbers, node.metrics);
  }
  return numbers;
}

Numbers partly_quantized(int threads) {
  Example example;
  Numbers numbers;
  const auto result = partial(example.reference, example.quantized, *example.source, options_on<PartialOptions>(threads)).value();
  for (const PartialStep& step : result.steps) {
    append(numbers, step.alone.metrics);
    append(numbers, step.kept_float.metrics);
  }
  return numbers;
}

Numbers profiled(int threads) {
  Example example;
  auto options = options_on<ProfileOptions>(threads);
  options.per_channel = true;
  options.modes = {Mode::kFp32, Mode::kFakeQuant};
  Numbers numbers;
  const auto result = profile(example.reference, example.quantized, *example.source, options).value();
  for (const ModelProfile& model : result.models) {
    for (const TensorProfile& tensor : model.tensors) {
      numbers.insert(numbers.end(), {tensor.values.min, tensor.values.max, tensor.values.mean, tensor.values.variance});
      for (const Quantile& quantile : tensor.quantiles) numbers.push_back(quantile.value);
    }
  }
  return numbers;
}

Numbers distributions(int threads) {
  Example example;
  Numbers numbers;
  const auto result = distribution(example.reference, example.quantized, *example.source, options_on<DistributionOptions>(threads)).value();
  for (const Distribution& each : result.distributions) numbers.insert(numbers.end(), {each.sqnr, each.before.largest, each.after.largest});
  return numbers;
}

struct Analysis {
  const char* name;
  Numbers (*numbers)(int threads);
};

class Threads : public ::testing::TestWithParam<Analysis> {};

TEST_P(Threads, AnyNumberGivesTheBitsOfOne) {
  const Numbers one = GetParam().numbers(1);
  EXPECT_GT(one.size(), 3U);
  for (const int threads : {2, 3, 8}) EXPECT_EQ(GetParam().numbers(threads), one) << threads;
}

INSTANTIATE_TEST_SUITE_P(All, Threads,
                         ::testing::Values(Analysis{"compare", compared}, Analysis{"badcase", bad_cases},
                                           Analysis{"sensitivity", [](int threads) { return sensitivities(threads, false); }},
                                           Analysis{"leave_one_out", [](int threads) { return sensitivities(threads, true); }},
                                           Analysis{"accumulate", accumulated}, Analysis{"partial", partly_quantized},
                                           Analysis{"profile", profiled}, Analysis{"distribution", distributions}),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace visq
