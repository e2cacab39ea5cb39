// JPEG files, by libjpeg. Its functions end an error by jumping back; between setjmp and there nothing is made that has a destructor.
#include <cstdio>  // jpeglib.h needs it first

#include <jpeglib.h>

#include <csetjmp>

#include "core/as_size.h"
#include "core/error.h"
#include "data/pictures/pixels.h"

namespace visq::data {
namespace {

struct JpegErrors {
  jpeg_error_mgr base;
  std::jmp_buf back;
};

[[noreturn]] void jump_back(j_common_ptr info) { std::longjmp(reinterpret_cast<JpegErrors*>(info->err)->back, 1); }
void count_warning(j_common_ptr info, int level) {
  if (level < 0) ++info->err->num_warnings;
}
void say_nothing(j_common_ptr) {}

/// Ends with its scope, wherever an error jumped from.
struct Decompression {
  jpeg_decompress_struct info{};
  JpegErrors errors{};
  Decompression() {
    info.err = jpeg_std_error(&errors.base);
    errors.base.error_exit = jump_back;
    errors.base.emit_message = count_warning;
    errors.base.output_message = say_nothing;
  }
  ~Decompression() { jpeg_destroy_decompress(&info); }
  Decompression(const Decompression&) = delete;
  Decompression& operator=(const Decompression&) = delete;
};

/// False where the file is no JPEG that can be read.
bool begin_jpeg(Decompression& jpeg, std::span<const std::byte> file) {
  if (setjmp(jpeg.errors.back) != 0) return false;
  jpeg_create_decompress(&jpeg.info);
  jpeg_mem_src(&jpeg.info, reinterpret_cast<const unsigned char*>(file.data()), file.size());
  return jpeg_read_header(&jpeg.info, TRUE) == JPEG_HEADER_OK;
}

/// `rows` has room for the whole picture.
bool read_jpeg_rows(Decompression& jpeg, std::uint8_t* rows) {
  if (setjmp(jpeg.errors.back) != 0) return false;
  jpeg.info.out_color_space = JCS_RGB;
  jpeg_start_decompress(&jpeg.info);
  while (jpeg.info.output_scanline < jpeg.info.output_height) {
    JSAMPROW row = rows + std::size_t{jpeg.info.output_scanline} * jpeg.info.output_width * 3;
    jpeg_read_scanlines(&jpeg.info, &row, 1);
  }
  jpeg_finish_decompress(&jpeg.info);
  return true;
}

}  // namespace

Result<Pixels> decode_jpeg(std::span<const std::byte> file, const std::string& place) {
  Decompression jpeg;
  if (!begin_jpeg(jpeg, file)) return bad_input("{}: the JPEG file is damaged", place);
  VISQ_TRY(check_pixels(jpeg.info.image_width, jpeg.info.image_height, place));
  if (jpeg.info.num_components == 4) return bad_input("{}: a JPEG of four inks (CMYK); save it as RGB", place);
  Pixels pixels{static_cast<int>(jpeg.info.image_width), static_cast<int>(jpeg.info.image_height), 3, {}, false};
  pixels.bytes.resize(as_size(pixels.width) * as_size(pixels.height) * 3);
  if (!read_jpeg_rows(jpeg, pixels.bytes.data())) return bad_input("{}: the JPEG file is damaged", place);
  pixels.damaged = jpeg.errors.base.num_warnings > 0;
  return pixels;
}

std::string jpeg_version() {
#ifdef LIBJPEG_TURBO_VERSION
#define VISQ_WORDS_OF(text) #text
#define VISQ_WORDS_OF_VALUE(macro) VISQ_WORDS_OF(macro)
  return "libjpeg-turbo " VISQ_WORDS_OF_VALUE(LIBJPEG_TURBO_VERSION);
#undef VISQ_WORDS_OF_VALUE
#undef VISQ_WORDS_OF
#else
  return "libjpeg " + std::to_string(JPEG_LIB_VERSION / 10);
#endif
}

}  // namespace visq::data
