// What one process may take of the machine: a small hostile model can ask for any amount of memory and for loops without an end.
#pragma once

#include <cstdint>

namespace visq {

struct Limits {
  /// Bytes of feature maps, unpacked constants and test data at any time. 0: what the machine has left, of which one request may take
  /// nine tenths.
  std::uint64_t memory = 0;
  /// Turns of one WHILE. A record may run a hundred times as many operators, those of all loops and calls counted.
  std::int64_t turns = 1'000'000;
  /// Bytes of one input of one record, or of one map of a dump; larger ones are refused before anything is allocated.
  std::int64_t input = std::int64_t{1} << 30;
  /// Places, each reached by its own chain of calls, from which subgraphs may be called: each keeps feature maps of its own, and calls that
  /// branch at every level multiply them.
  std::int64_t calls = 65'536;
  /// Seconds of one processor that the HDF5 library gets for one answer about a file: the opening, one record, one map. For every 16 MiB
  /// that it reads it gets another one.
  int library_seconds = 5;
};

const Limits& limits();

/// For the whole process. To be called before the first model is run: threads that run see no change.
void set_limits(const Limits& limits);

}  // namespace visq
