// What a process that reads a stranger's file gives up first, so that whatever the file makes of it can do nothing to the system.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace visq {

/// For good: closes every descriptor but `keep`; from then on this process can open no file, start no process, reach no other one, and
/// write nothing but to `keep`. It may read and write what it holds, take memory up to `most_memory` bytes beyond what it has, and end.
/// Signals that a terminal sends to all of a group are ignored; crashes end it without a word.
/// The system calls that are left are held to a list (seccomp) on x86-64 and AArch64. Where the system has no such lists, limits of the
/// system alone (no further descriptor, no file that grows) do what they can.
void enter_sandbox(std::initializer_list<int> keep, std::uint64_t most_memory);

/// In the sandbox: begins to count again what the work at hand may take: kOwnMemory, and `seconds` of one processor. Beyond that, memory is
/// refused, and time ends the process by SIGXCPU. Elsewhere: nothing.
void begin_work(int seconds);
/// Allows the work at hand so much more memory, and a second more for every 16 MiB of it.
void allow_work(std::uint64_t bytes);

/// What a library may take for itself beside the data that it is to read.
inline constexpr std::uint64_t kOwnMemory = std::uint64_t{128} << 20;

}  // namespace visq
