// What the kernels were built on and run on, for `visqerror --version`.
#pragma once

#include <string>
#include <vector>

namespace visq::kernels {

/// One line per kernel library: name and version.
std::vector<std::string> kernel_libraries();

/// The instruction set extensions of this CPU that kernels may use: "AVX2 FMA AVX-512F AVX-512-VNNI".
std::string cpu_features();

}  // namespace visq::kernels
