// How much text an operator may write: strings are moved whole, and one long one may become every element of an output.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/op.h"

namespace visq::kernels {

/// The most bytes that the strings of the outputs take: each as long as the longest of the inputs'.
std::uint64_t most_text(std::span<const Tensor* const> inputs, std::span<Tensor* const> outputs);

}  // namespace visq::kernels
