// Run-time dispatch for loops: the build targets the oldest x86-64, the machine usually knows more.
#pragma once

/// Before a function: compiled once per instruction set, the best one chosen when the program is loaded. The loop stands in
/// the function itself, what it calls must be inlined. Products and sums are never fused (see cmake/VisqWarnings.cmake), so
/// all copies give the same numbers. Thread sanitizer cannot run the resolvers.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define VISQ_CPU_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define VISQ_CPU_CLONES
#endif
