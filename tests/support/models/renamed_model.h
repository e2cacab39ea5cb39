// Sound model files whose names are anybody's: what a file says of itself is data, and tests show that nothing takes it for more.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace visq::testing {

/// The bytes of a sound TFLite or circle file with every name (of tensors, subgraphs) and the description replaced by what `rename`
/// makes of it.
std::string rename_all(std::string_view model, const std::function<std::string(const std::string&)>& rename);

}  // namespace visq::testing
