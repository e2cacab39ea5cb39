// Zip files made by hand.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace visq::testing {

/// A zip file of these entries, name and content, as they are or deflated.
std::string zip(const std::vector<std::pair<std::string, std::string>>& entries, bool deflated);

}  // namespace visq::testing
