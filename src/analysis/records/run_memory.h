// How much memory a run of two graphs in lockstep will take.
#pragma once

#include "runtime/lockstep.h"
#include "visq/run_watch.h"

namespace visq::analysis {

/// What this process holds now, and what `threads` threads that run `plan` will add.
RunMemory run_memory(const runtime::LockstepPlan& plan, int threads);

}  // namespace visq::analysis
