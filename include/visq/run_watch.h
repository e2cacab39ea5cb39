// What a run tells those who watch it: how much memory it will take, and afterwards where its time went.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace visq {

/// Memory of a run, said before its first record.
struct RunMemory {
  std::uint64_t resident = 0;    ///< bytes held now: program, models, packed weights, records read ahead
  std::uint64_t per_thread = 0;  ///< bytes of feature maps of both models that each thread adds
  int threads = 1;
  std::uint64_t peak = 0;  ///< what the run will have held at most
};

/// All operators of one type in a model's main graph, over one record.
struct OperatorCost {
  std::string op;
  int nodes = 0;
  double seconds = 0;
  std::int64_t macs = 0;   ///< multiply-adds; 0 where an operator is not made of them
  std::int64_t bytes = 0;  ///< inputs, constants and outputs, in their stored types
};

/// What one thread of this machine can do at best.
struct MachineSpeed {
  double macs_per_second = 0;   ///< float32 multiply-adds, measured with a matrix product that fits into the cache
  double bytes_per_second = 0;  ///< read and written, measured by copying more than the cache holds
};

/// The shortest time in which the machine could do it, the greater of arithmetic and memory traffic (roofline; Williams, Waterman and
/// Patterson, 2009), as a share of the time that it took. More than 1 where the data stay in the cache or arithmetic is narrower than
/// float32.
double roofline_share(const OperatorCost& cost, const MachineSpeed& machine);

/// Where the time of a run went, each list by descending time.
struct RunCosts {
  std::vector<OperatorCost> reference, quantized;
  std::int64_t records = 0;  ///< over which the times are the mean
  MachineSpeed machine;
};

/// Called from one thread at a time. Empty members are not called, and what they would need is not measured.
struct RunWatch {
  std::function<void(const RunMemory&)> memory;
  std::function<void(const RunCosts&)> costs;
};

}  // namespace visq
