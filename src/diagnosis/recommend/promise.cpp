#include "diagnosis/recommend/promise.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace visq::diagnosis {
namespace {

constexpr double kMoved = 1e-3;   ///< of an input's RMS
constexpr int kDisturbances = 3;  ///< copies of the records
constexpr double kLuck = 0.5;     ///< in dB

class DisturbedData final : public RecordSource {
 public:
  DisturbedData(RecordSource& data, std::uint64_t seed) : data_(data), seed_(seed) {}
  std::int64_t count() const override { return data_.count(); }
  std::string description() const override { return data_.description(); }

  Result<Record> read(std::int64_t index) override {
    VISQ_ASSIGN(Record record, data_.read(index));
    std::mt19937_64 draws(seed_ << 32U ^ static_cast<std::uint64_t>(index));
    for (Array& input : record.inputs) {
      if (input.dtype == DType::kFloat32) move(input.values<float>(), draws);
    }
    return record;
  }

 private:
  static void move(std::span<float> values, std::mt19937_64& draws) {
    double squares = 0;
    for (const float value : values) squares += std::isfinite(value) ? static_cast<double>(value) * value : 0;
    const double most = values.empty() ? 0 : kMoved * std::sqrt(squares / static_cast<double>(values.size()));
    for (float& value : values) value += static_cast<float>(most * (static_cast<double>(draws() >> 11U) * 0x1p-52 - 1));
  }

  RecordSource& data_;
  std::uint64_t seed_;
};

}  // namespace

Promise with_rounding_in_run(const Promise& promise, double measured, double simulated) {
  const double more = std::max(0.0, noise_of(measured) - noise_of(simulated));
  const auto worse = [&](double decibels) { return to_decibels(noise_of(decibels) + more); };
  return {worse(promise.sqnr), worse(promise.low), worse(promise.high), promise.steady};
}

std::unique_ptr<RecordSource> disturbed(RecordSource& data, std::uint64_t seed) { return std::make_unique<DisturbedData>(data, seed); }

Result<Promise> promise_of(analysis::PartialModels& models, const PrecisionForms& forms, RecordSource& data,
                           const RecommendOptions& options, const PrecisionPoint& point) {
  Promise promise{point.sqnr, point.sqnr, point.sqnr, true};
  if (point.operators.empty()) return promise;
  double low = kPerfect, high = 0, noise = 0;
  for (int copy = 1; copy <= kDisturbances; ++copy) {
    const auto moved = disturbed(data, static_cast<std::uint64_t>(copy));
    VISQ_ASSIGN(const double sqnr, PartSimulation(models, forms, *moved, options).simulate(point.operators));
    low = std::min(low, sqnr), high = std::max(high, sqnr);
    noise += noise_of(sqnr) / kDisturbances;
  }
  const double mean = to_decibels(noise);
  if (mean < point.sqnr - kLuck) promise = {mean, low, high, false};
  return promise;
}

}  // namespace visq::diagnosis
