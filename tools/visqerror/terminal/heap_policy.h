// How the C library's heap asks the system for memory.
#pragma once

namespace visq::tool {

/// Weights are unpacked, centred and packed in vectors of megabytes, layer after layer. By default the C library gives each back to the
/// system; clearing fresh pages for the next one costs more than the work on it. Afterwards freed memory stays, and the first part of the
/// main thread's heap lies on large pages where the system has them. To be called before any thread starts.
void set_heap_policy();

}  // namespace visq::tool
