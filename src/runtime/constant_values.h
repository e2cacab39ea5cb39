// Constants as operators see them.
#pragma once

#include <string>
#include <vector>

#include "core/available_memory.h"
#include "kernels/op.h"
#include "runtime/aligned_buffer.h"

namespace visq::runtime {

/// Memory behind one tensor that has its value before the run.
struct ConstantMemory {
  AlignedBuffer bytes;  ///< empty where the file's own bytes are used
  std::vector<std::string> strings;
  MemoryClaim strings_claim;
};

/// True where the element type has strings for elements, or names of resources.
bool holds_strings(DType type);

/// Gives a constant of `subgraph` its memory: in place in the file where it can be used as it is, else a copy, its real values, or its
/// strings. Errors: kUnsupported for types that nothing can read, kBadInput where there is no memory; `place` heads the message.
Status materialize(kernels::Tensor& tensor, const Subgraph& subgraph, ConstantMemory& memory, const std::string& place);

}  // namespace visq::runtime
