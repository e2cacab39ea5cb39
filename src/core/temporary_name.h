// Names of temporaries, from which any later run tells whether who made them is still at work.
#pragma once

#include <string>
#include <string_view>

namespace visq {

/// What temporary_name() of a folder that is removed with all in it begins with.
inline constexpr std::string_view kTemporaryFolder = ".visqerror";

/// "PATH.tmp-PLACE-PID-START-RANDOM" in hexadecimal: a name that no other process makes, in no other container either. PLACE stands for
/// the boot and the container, START is the time at which the process began.
std::string temporary_name(const std::string& path);

/// Removes the temporaries in a folder whose processes have ended: those of this boot and container whose process is gone, and of others,
/// of which that cannot be known, those that nobody has written to for a day. Once per folder and process; errors are ignored.
void remove_stale_temporaries(const std::string& folder);

}  // namespace visq
