// In a build without JPEG.
#include "core/error.h"
#include "data/pictures/pixels.h"

namespace visq::data {

Result<Pixels> decode_jpeg(std::span<const std::byte>, const std::string& place) {
  return unsupported("{}: this visqerror was built without JPEG (VISQ_WITH_JPEG), which reads it", place);
}

std::string jpeg_version() { return "libjpeg is not in this build (VISQ_WITH_JPEG)"; }

}  // namespace visq::data
