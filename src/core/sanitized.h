// Whether this program was built with a sanitizer of addresses or threads: those bring an allocator and a loader of their own, which limits
// of memory and preloaded libraries do not get along with.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define VISQ_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define VISQ_SANITIZED 1
#endif
#endif
#ifndef VISQ_SANITIZED
#define VISQ_SANITIZED 0
#endif

namespace visq {

inline constexpr bool kSanitized = VISQ_SANITIZED != 0;

}  // namespace visq
