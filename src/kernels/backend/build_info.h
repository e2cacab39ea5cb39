// What the kernels were built on and run on, for `visqerror --version`.
#pragma once

#include <string>
#include <vector>

namespace visq::kernels {

/// One line per kernel library: name, version, and which instructions of this machine it uses, as far as it says.
std::vector<std::string> kernel_libraries();

/// The instruction set extensions of this CPU that kernels may use: "AVX2 FMA AVX-512F AVX-512-VNNI".
std::string cpu_features();

}  // namespace visq::kernels
