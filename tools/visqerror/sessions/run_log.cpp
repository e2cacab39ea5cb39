#include "visqerror/sessions/run_log.h"

#include <fmt/core.h>

#include "core/memory_size.h"

namespace visq::tool {
namespace {

void log_memory(const Console& console, const RunMemory& memory) {
  console.log(fmt::format("memory: {} at the peak: {} for models, packed weights and what was read, {} x {} for feature maps",
                          memory_size(memory.peak), memory_size(memory.resident), memory.threads, memory_size(memory.per_thread)));
}

void log_side(const Console& console, std::string_view which, const std::vector<OperatorCost>& types, const RunCosts& costs) {
  double total = 0;
  for (const OperatorCost& type : types) total += type.seconds;
  console.log(fmt::format("{}: {:.3f} ms per record", which, total * 1e3));
  console.log(fmt::format("  {:<24}  {:>5}  {:>9}  {:>6}  {:>7}  {:>8}", "operator", "nodes", "ms", "share", "GFLOP/s", "roofline"));
  for (const OperatorCost& type : types) {
    const double gigaflops = type.seconds > 0 ? 2e-9 * static_cast<double>(type.macs) / type.seconds : 0;
    const double share = total > 0 ? 100 * type.seconds / total : 0;
    console.log(fmt::format("  {:<24}  {:>5}  {:>9.4f}  {:>4.1f} %  {:>7}  {:>6.0f} %", type.op, type.nodes, type.seconds * 1e3, share,
                            type.macs > 0 ? fmt::format("{:.1f}", gigaflops) : "", 100 * roofline_share(type, costs.machine)));
  }
}

void log_costs(const Console& console, const RunCosts& costs) {
  console.log(fmt::format("this machine, one thread: {:.0f} GFLOP/s in float32, {:.1f} GB/s to and from memory (100 % of the roofline)",
                          2e-9 * costs.machine.macs_per_second, 1e-9 * costs.machine.bytes_per_second));
  log_side(console, "FP32", costs.reference, costs);
  log_side(console, "QUANT, with rounding", costs.quantized, costs);
}

}  // namespace

RunWatch watch_run(const Console& console) {
  if (!console.verbose()) return {};
  return {[console](const RunMemory& memory) { log_memory(console, memory); },
          [console](const RunCosts& costs) { log_costs(console, costs); }};
}

}  // namespace visq::tool
