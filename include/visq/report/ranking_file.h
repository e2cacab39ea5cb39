// Reads the ranking that `visqerror sensitivity` writes as JSON.
#pragma once

#include <string>

#include "visq/partial.h"
#include "visq/status.h"

namespace visq::report {

/// Entries by rank. Errors: kBadInput naming the file and the key that is missing or of the wrong type.
Result<Ranking> read_ranking(const std::string& path);

}  // namespace visq::report
