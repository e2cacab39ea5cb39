// What a trial measured, as bytes: for the state of a stopped run, and for the other ranks of a job.
#pragma once

#include "analysis/trials/trial_runner.h"
#include "core/packing.h"

namespace visq::analysis {

void pack(PackWriter& writer, const TrialRecord& record);
/// False where there is not so much left. `outputs`: how many a trial measures.
bool unpack(PackReader& reader, std::size_t outputs, TrialRecord& record);

}  // namespace visq::analysis
