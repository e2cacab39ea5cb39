#include "data/sources/picture_input.h"

namespace visq::data {
namespace {

bool is_channels(std::int64_t size) { return size == 1 || size == 3 || size == 4; }

}  // namespace

std::optional<PictureSize> picture_of(const InputSpec& input, PictureLayout preferred) {
  if (!input.has_rank || input.dims.size() != 4) return std::nullopt;
  const auto& dims = input.dims;
  const bool last = is_channels(dims[3]), second = is_channels(dims[1]);
  if (!last && !second) return std::nullopt;
  const bool nchw = second && (!last || preferred == PictureLayout::kNchw);
  if (nchw) return PictureSize{PictureLayout::kNchw, dims[2], dims[3], dims[1]};
  return PictureSize{PictureLayout::kNhwc, dims[1], dims[2], dims[3]};
}

std::vector<std::int64_t> in_layout(const PictureSize& picture, std::int64_t batch, PictureLayout layout) {
  if (layout == PictureLayout::kNchw) return {batch, picture.channels, picture.height, picture.width};
  return {batch, picture.height, picture.width, picture.channels};
}

}  // namespace visq::data
