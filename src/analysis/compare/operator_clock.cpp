#include "analysis/compare/operator_clock.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "analysis/values/operator_times.h"
#include "kernels/backend/onednn.h"
#include "kernels/multiply_adds.h"

namespace visq {

double roofline_share(const OperatorCost& cost, const MachineSpeed& machine) {
  if (!(cost.seconds > 0) || !(machine.macs_per_second > 0) || !(machine.bytes_per_second > 0)) return 0;
  const double arithmetic = static_cast<double>(cost.macs) / machine.macs_per_second;
  const double traffic = static_cast<double>(cost.bytes) / machine.bytes_per_second;
  return std::max(arithmetic, traffic) / cost.seconds;
}

namespace analysis {
namespace {

/// The least seconds of a few calls.
template <class Work>
double fastest(const Work& work) {
  constexpr int kCalls = 5;
  double least = 0;
  for (int i = 0; i < kCalls; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (i == 0 || seconds < least) least = seconds;
  }
  return least;
}

MachineSpeed measure_machine() {
  constexpr std::int64_t kSide = 384;
  constexpr std::size_t kBytes = std::size_t{20} << 20;
  MachineSpeed speed;
  {
    const std::vector<float> a(kSide * kSide, 1.0F), b(kSide * kSide, 1.0F);
    std::vector<float> c(kSide * kSide);
    const kernels::backend::MatrixProduct product{.m = kSide, .n = kSide, .k = kSide};
    const double seconds = fastest([&] { (void)kernels::backend::multiply(product, a.data(), b.data(), c.data()); });
    speed.macs_per_second = static_cast<double>(kSide * kSide * kSide) / seconds;
  }
  const std::vector<std::byte> from(kBytes, std::byte{1});
  std::vector<std::byte> to(kBytes);
  speed.bytes_per_second = 2.0 * kBytes / fastest([&] { std::memcpy(to.data(), from.data(), kBytes); });
  return speed;
}

}  // namespace

OperatorClock::OperatorClock() : machine_(measure_machine()) {}

void OperatorClock::Side::add(const runtime::Executor& executor, const std::vector<double>& seconds, bool first) {
  const Subgraph& graph = executor.graph().subgraph();
  for (std::size_t node = 0; node < seconds.size(); ++node) {
    const Operator& op = graph.operators[node];
    auto type = std::find_if(types.begin(), types.end(), [&](const OperatorCost& known) { return known.op == op.label(); });
    if (type == types.end()) type = types.insert(types.end(), {.op = op.label()});
    type->seconds += seconds[node];
    if (!first) continue;
    ++type->nodes;
    type->macs += kernels::multiply_adds(graph, op).value_or(0);
    type->bytes += operator_bytes(graph, op, executor);
  }
}

std::vector<OperatorCost> OperatorClock::Side::mean(std::int64_t records) const {
  std::vector<OperatorCost> means = types;
  for (OperatorCost& type : means) type.seconds /= static_cast<double>(std::max<std::int64_t>(records, 1));
  std::stable_sort(means.begin(), means.end(), [](const OperatorCost& a, const OperatorCost& b) { return a.seconds > b.seconds; });
  return means;
}

void OperatorClock::add(const runtime::Lockstep& lockstep, const runtime::StepTimes& times) {
  const std::lock_guard lock(mutex_);
  reference_.add(lockstep.reference(), times.reference, records_ == 0);
  quantized_.add(lockstep.quantized(), times.quantized, records_ == 0);
  ++records_;
}

RunCosts OperatorClock::costs() const {
  const std::lock_guard lock(mutex_);
  return {reference_.mean(records_), quantized_.mean(records_), records_, machine_};
}

}  // namespace analysis
}  // namespace visq
