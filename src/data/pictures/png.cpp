// PNG files, by libpng. Its functions end an error by jumping back; between setjmp and there nothing is made that has a destructor.
#include <png.h>

#include <csetjmp>
#include <cstring>

#include "core/as_size.h"
#include "core/error.h"
#include "data/pictures/pixels.h"

namespace visq::data {
namespace {

struct PngInput {
  std::span<const std::byte> rest;
};

void give_bytes(png_structp png, png_bytep into, std::size_t count) {
  auto& input = *static_cast<PngInput*>(png_get_io_ptr(png));
  if (count > input.rest.size()) png_error(png, "");
  std::memcpy(into, input.rest.data(), count);
  input.rest = input.rest.subspan(count);
}
[[noreturn]] void png_jump_back(png_structp png, png_const_charp) { png_longjmp(png, 1); }
void ignore_warning(png_structp, png_const_charp) {}

/// Ends with its scope, wherever an error jumped from.
struct PngReading {
  PngInput input;
  png_structp png = nullptr;
  png_infop info = nullptr;
  explicit PngReading(std::span<const std::byte> file) : input{file} {
    png = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, png_jump_back, ignore_warning);
    info = png != nullptr ? png_create_info_struct(png) : nullptr;
  }
  ~PngReading() { png_destroy_read_struct(&png, &info, nullptr); }
  PngReading(const PngReading&) = delete;
  PngReading& operator=(const PngReading&) = delete;
};

/// False where the file is no PNG that can be read.
bool begin_png(PngReading& reading) {
  if (reading.info == nullptr || setjmp(png_jmpbuf(reading.png)) != 0) return false;
  png_set_read_fn(reading.png, &reading.input, give_bytes);
  png_set_user_limits(reading.png, 1 << 20, 1 << 20);  // check_pixels() says more
  png_read_info(reading.png, reading.info);
  return true;
}

/// `rows`: where each begins, with room for three bytes per pixel.
bool read_png_rows(PngReading& reading, png_bytepp rows) {
  if (setjmp(png_jmpbuf(reading.png)) != 0) return false;
  png_set_strip_16(reading.png);
  png_set_palette_to_rgb(reading.png);
  png_set_expand_gray_1_2_4_to_8(reading.png);
  png_set_strip_alpha(reading.png);
  png_set_gray_to_rgb(reading.png);
  png_set_interlace_handling(reading.png);
  png_read_update_info(reading.png, reading.info);
  if (png_get_rowbytes(reading.png, reading.info) != std::size_t{png_get_image_width(reading.png, reading.info)} * 3) return false;
  png_read_image(reading.png, rows);
  return true;
}

/// `rows`: where each begins, with room for two bytes per pixel, of which it takes one where `small`.
bool read_png_codes(PngReading& reading, png_bytepp rows, bool small) {
  if (setjmp(png_jmpbuf(reading.png)) != 0) return false;
  png_set_packing(reading.png);
  png_set_strip_alpha(reading.png);
  png_set_interlace_handling(reading.png);
  png_read_update_info(reading.png, reading.info);
  const std::size_t width = png_get_image_width(reading.png, reading.info);
  if (png_get_rowbytes(reading.png, reading.info) != width * (small ? 1 : 2)) return false;
  png_read_image(reading.png, rows);
  return true;
}

bool is_png(std::span<const std::byte> file) {
  constexpr std::size_t kSignature = 8;
  return file.size() >= kSignature && png_sig_cmp(reinterpret_cast<png_const_bytep>(file.data()), 0, kSignature) == 0;
}

}  // namespace

Result<PixelCodes> decode_png_codes(std::span<const std::byte> file, const std::string& place) {
  if (!is_png(file)) return bad_input("{}: is no PNG file; masks are PNG files of one channel", place);
  PngReading reading(file);
  if (!begin_png(reading)) return bad_input("{}: the PNG file is damaged", place);
  const int colours = png_get_color_type(reading.png, reading.info);
  const bool numbers = colours == PNG_COLOR_TYPE_PALETTE || (colours & PNG_COLOR_MASK_COLOR) == 0;
  if (!numbers)
    return bad_input("{}: holds colours; masks are PNG files of one channel, whose values or places in the palette are classes", place);
  const std::uint64_t width = png_get_image_width(reading.png, reading.info), height = png_get_image_height(reading.png, reading.info);
  VISQ_TRY(check_pixels(width, height, place));
  const bool small = png_get_bit_depth(reading.png, reading.info) <= 8;
  std::vector<png_byte> bytes(width * height * (small ? 1 : 2));
  std::vector<png_bytep> rows;
  for (std::uint64_t y = 0; y < height; ++y) rows.push_back(bytes.data() + y * (bytes.size() / height));
  if (!read_png_codes(reading, rows.data(), small)) return bad_input("{}: the PNG file is damaged", place);
  PixelCodes codes{static_cast<int>(width), static_cast<int>(height), {}};
  for (std::uint64_t i = 0; i < width * height; ++i) {
    codes.values.push_back(small ? bytes[i] : static_cast<std::uint16_t>(bytes[2 * i] * 256 + bytes[2 * i + 1]));
  }
  return codes;
}

std::string png_version() { return std::string("libpng ") + png_get_libpng_ver(nullptr); }

Result<Pixels> decode_png(std::span<const std::byte> file, const std::string& place) {
  PngReading reading(file);
  if (!begin_png(reading)) return bad_input("{}: the PNG file is damaged", place);
  const std::uint64_t width = png_get_image_width(reading.png, reading.info), height = png_get_image_height(reading.png, reading.info);
  VISQ_TRY(check_pixels(width, height, place));
  Pixels pixels{static_cast<int>(width), static_cast<int>(height), 3, {}, false};
  pixels.bytes.resize(width * height * 3);
  std::vector<png_bytep> rows;
  for (std::uint64_t y = 0; y < height; ++y) rows.push_back(pixels.bytes.data() + y * width * 3);
  if (!read_png_rows(reading, rows.data())) return bad_input("{}: the PNG file is damaged", place);
  return pixels;
}

}  // namespace visq::data
