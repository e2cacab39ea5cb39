// In a build without PNG.
#include "core/error.h"
#include "data/pictures/pixels.h"

namespace visq::data {

namespace {

Error without_png(const std::string& place) {
  return unsupported("{}: this visqerror was built without PNG (VISQ_WITH_PNG), which reads it", place);
}

}  // namespace

std::string png_version() { return "libpng is not in this build (VISQ_WITH_PNG)"; }

Result<Pixels> decode_png(std::span<const std::byte>, const std::string& place) { return without_png(place); }

Result<PixelCodes> decode_png_codes(std::span<const std::byte>, const std::string& place) { return without_png(place); }

}  // namespace visq::data
