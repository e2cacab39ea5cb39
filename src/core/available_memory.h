// How much memory the machine can still give, so that a file that asks for more is refused instead of served until nothing is left.
#pragma once

#include <cstdint>
#include <string>

namespace visq {

/// Bytes that this process can still take without driving others out: what the system calls available, or what the control group of the
/// process has left, whichever is less. The largest number where the system does not say.
std::uint64_t available_memory();

/// Of what is available, the most that one array or the feature maps of one run may take. The rest is for all that comes with them.
inline constexpr double kLargestShare = 0.9;

/// Whether so many bytes may be taken besides what is claimed: of limits().memory, or of what the system has left. Without a limit, amounts
/// under 64 MiB may without asking the system.
bool affordable(std::uint64_t bytes);

/// Counts bytes that are about to be taken, where they are affordable(). Exact for any number of threads.
bool claim_memory(std::uint64_t bytes);
void release_memory(std::uint64_t bytes);

/// What to say where they may not: "745G are needed, 20G are available", "2G are needed, --memory 1G leaves 500M".
std::string memory_shortage(std::uint64_t bytes);

}  // namespace visq
