// How much text an operator may write: strings are moved whole, and one long one may become every element of an output.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "kernels/op.h"

namespace visq::kernels {

/// What is wrong where there is no room for the strings of the outputs, each as long as the longest of the inputs'.
std::optional<std::string> text_shortage(std::span<const Tensor* const> inputs, std::span<Tensor* const> outputs);

}  // namespace visq::kernels
