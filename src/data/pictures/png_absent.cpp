// In a build without PNG.
#include "core/error.h"
#include "data/pictures/pixels.h"

namespace visq::data {

Result<Pixels> decode_png(std::span<const std::byte>, const std::string& place) {
  return unsupported("{}: this visqerror was built without PNG (VISQ_WITH_PNG), which reads it", place);
}

}  // namespace visq::data
