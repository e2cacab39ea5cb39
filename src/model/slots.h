// An operator's tensors by slot. How many an operator has stands in the file, not in its type: a slot may be absent.
#pragma once

#include <cstddef>
#include <vector>

#include "visq/model.h"

namespace visq {

inline constexpr int kNoTensor = -1;

inline int tensor_in(const std::vector<int>& slots, std::size_t slot) { return slot < slots.size() ? slots[slot] : kNoTensor; }

/// The tensor of an input; kNoTensor where it is left out, or the file lists fewer.
inline int input_of(const Operator& op, std::size_t slot) { return tensor_in(op.inputs, slot); }
/// The tensor of an output; kNoTensor where the file lists fewer.
inline int output_of(const Operator& op, std::size_t slot) { return tensor_in(op.outputs, slot); }

}  // namespace visq
