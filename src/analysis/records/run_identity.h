// Says in a result what it is of.
#pragma once

#include "visq/identity.h"
#include "visq/request.h"

namespace visq::analysis {

/// Of a run over all records that were asked for. `data`: RecordSource::description().
RunIdentity run_identity(const std::string& data, const RunRequest& request);
RunIdentity run_identity(const std::string& data, const SequenceRequest& request);

/// The same of a pair; without modes in the request those of PairIdentity.
PairIdentity pair_identity(const Model& reference, const Model& quantized, RunIdentity run);
PairIdentity pair_identity(const Model& reference, const Model& quantized, const std::string& data, const PairRunRequest& request);

/// What stands in a model's place, such as a dump: a folder has no checksum.
ModelIdentity file_identity(const std::string& path);

/// Only the first `done` of the records have been run.
void end_after(std::int64_t done, RunIdentity& run);

}  // namespace visq::analysis
