// Pictures of 8 bits per channel, from files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "visq/status.h"

namespace visq::data {

struct Pixels {
  int width = 0, height = 0, channels = 3;
  std::vector<std::uint8_t> bytes;  ///< row by row, pixel by pixel, red first
  bool damaged = false;             ///< a part of the file could not be read; what it was to hold is grey or as libjpeg guesses it
};

/// A format of picture files. Its library may be left out of the build; `decode` then says so.
struct PictureFormat {
  std::string_view signature;
  /// As RGB: grey is spread over three channels, palettes are looked up, transparency is left out, 16 bits are cut to the upper 8. Errors:
  /// begin with `place`; pictures of more than limits().input bytes, damaged ones, JPEG files of four inks.
  Result<Pixels> (*decode)(std::span<const std::byte> file, const std::string& place);
};

Result<Pixels> decode_jpeg(std::span<const std::byte> file, const std::string& place);
Result<Pixels> decode_png(std::span<const std::byte> file, const std::string& place);

/// A picture whose pixels are numbers, not colours: grey values, or places in a palette.
struct PixelCodes {
  int width = 0, height = 0;
  std::vector<std::uint16_t> values;  ///< row by row
};

/// The numbers of a PNG file as it stores them: of 1 to 16 bits. Errors: begin with `place`; what is no PNG file, colours, pictures of more
/// than limits().input bytes, damaged ones.
Result<PixelCodes> decode_png_codes(std::span<const std::byte> file, const std::string& place);

inline constexpr PictureFormat kPictureFormats[] = {{"\xFF\xD8\xFF", decode_jpeg}, {"\x89PNG\r\n\x1A\n", decode_png}};

/// Which libraries read them, or that they are not in this build: "libpng 1.6.39".
std::string jpeg_version();
std::string png_version();

/// Whether a picture of this size may be unpacked. Errors: begin with `place`.
Status check_pixels(std::uint64_t width, std::uint64_t height, const std::string& place);

/// One channel: 0.299 red + 0.587 green + 0.114 blue, rounded.
Pixels to_grey(const Pixels& rgb);

/// To another size: see visq::Preparation.
Pixels resized(const Pixels& pixels, int width, int height);

/// The middle of a picture at least as large: what is left over is halved, rounded to nearest even of the halves, before it.
Pixels middle_of(const Pixels& pixels, int width, int height);

}  // namespace visq::data
