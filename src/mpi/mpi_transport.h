// The ranks of an MPI job.
#pragma once

#include <memory>

#include "core/ranks.h"

namespace visq {

/// Joins the job. It is left when the object goes: after Ranks::finish().
Result<std::unique_ptr<RankTransport>> join_mpi_job();

}  // namespace visq
