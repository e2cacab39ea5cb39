// A run that several processes share (MPI): joined at the start, left with one exit code for all.
#pragma once

#include "visq/status.h"

namespace visq::tool {

/// Joins the job that this process was started in, if it was in one; all ranks but the first fall silent.
/// Errors: kUsage where the build has no MPI and would do the same work once per process.
Status join_job();

/// Ends this rank's run with an exit code. Returns the one that the whole job ends with, and says on the first rank why another failed.
int leave_job(int code);

}  // namespace visq::tool
