#include "data/numpy/npy.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>

#include "core/as_size.h"
#include "core/checked.h"
#include "core/error.h"
#include "data/sources/input_spec.h"
#include "model/printable.h"

namespace visq::data {
namespace {

static_assert(std::endian::native == std::endian::little);
constexpr std::size_t kMaxHeader = 1 << 16;

struct NpyType {
  std::string_view code;
  DType dtype;
};
constexpr NpyType kTypes[] = {
    {"f2", DType::kFloat16}, {"f4", DType::kFloat32}, {"f8", DType::kFloat64},   {"i1", DType::kInt8},        {"i2", DType::kInt16},
    {"i4", DType::kInt32},   {"i8", DType::kInt64},   {"u1", DType::kUInt8},     {"u2", DType::kUInt16},      {"u4", DType::kUInt32},
    {"u8", DType::kUInt64},  {"b1", DType::kBool},    {"c8", DType::kComplex64}, {"c16", DType::kComplex128},
};

/// Reads the header's text: a Python dictionary with the keys descr, fortran_order and shape in any order.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : rest_(text) {}

  /// False where the text is anything else.
  bool parse() {
    if (!take('{')) return false;
    while (!take('}')) {
      const auto key = quoted();
      if (!key || !take(':') || !value(*key)) return false;
      if (!take(',') && peek() != '}') return false;
    }
    skip_space();
    return rest_.empty() && descr && fortran_order && shape;
  }

  std::optional<std::string_view> descr;
  std::optional<bool> fortran_order;
  std::optional<Shape> shape;

 private:
  bool value(std::string_view key) {
    if (key == "descr" && !descr) return (descr = quoted()).has_value();
    if (key == "fortran_order" && !fortran_order) return (fortran_order = boolean()).has_value();
    if (key == "shape" && !shape) return (shape = tuple()).has_value();
    return false;
  }

  void skip_space() { rest_.remove_prefix(std::min(rest_.size(), rest_.find_first_not_of(" \t\n"))); }
  char peek() {
    skip_space();
    return rest_.empty() ? '\0' : rest_[0];
  }
  bool take(char expected) {
    if (peek() != expected) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool take_word(std::string_view word) {
    skip_space();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  std::optional<std::string_view> quoted() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') return std::nullopt;
    const auto end = rest_.find(quote, 1);
    if (end == std::string_view::npos) return std::nullopt;
    const auto text = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return text;
  }

  std::optional<bool> boolean() {
    if (take_word("True")) return true;
    return take_word("False") ? std::optional(false) : std::nullopt;
  }

  std::optional<Shape> tuple() {
    if (!take('(')) return std::nullopt;
    Shape sizes;
    while (!take(')')) {
      std::int64_t size = 0;
      skip_space();
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), size);
      if (error != std::errc() || size < 0) return std::nullopt;
      rest_.remove_prefix(as_size(end - rest_.data()));
      sizes.push_back(size);
      if (!take(',') && peek() != ')') return std::nullopt;
    }
    return sizes;
  }

  std::string_view rest_;
};

/// The header's text behind its length field, which has two bytes in version 1 and four later. `offset` becomes its end.
Result<std::string> header_text(std::istream& file, std::int64_t& offset, const std::string& place) {
  char start[12] = {};
  file.read(start, 8);
  if (file.bad()) return bad_input("{}: cannot be read: it is damaged", place);
  if (!file || std::string_view(start, kNpySignature.size()) != kNpySignature) return bad_input("{}: is not a .npy file", place);
  const int version = start[6];
  if (version < 1 || version > 3) return bad_input("{}: .npy version {} is not known", place, version);
  const int length_bytes = version == 1 ? 2 : 4;
  file.read(start + 8, length_bytes);
  std::size_t length = 0;
  for (int i = length_bytes; i-- > 0;) length = length << 8 | static_cast<unsigned char>(start[8 + i]);
  if (!file || length > kMaxHeader) return bad_input("{}: its .npy header is cut off or too long", place);
  std::string text(length, '\0');
  file.read(text.data(), static_cast<std::streamsize>(length));
  if (!file) return bad_input("{}: its .npy header is cut off or too long", place);
  offset = 8 + length_bytes + static_cast<std::int64_t>(length);
  return text;
}

Status check_file_size(std::int64_t size, const NpyHeader& header, const std::string& place) {
  const auto elements = checked_elements(header.shape.dims());
  const auto bytes = elements ? checked_bytes(*elements, header.dtype) : std::nullopt;
  if (bytes && *bytes == size - header.offset) return {};
  return bad_input("{}: {} bytes of data, but {} of {} need {}", place, size - header.offset, to_string(header.shape), name(header.dtype),
                   bytes ? std::to_string(*bytes) : "more than a file can have");
}

void swap_bytes(Array& array) {
  const bool complex = array.dtype == DType::kComplex64 || array.dtype == DType::kComplex128;
  const std::size_t width = size_of(array.dtype) / (complex ? 2 : 1);
  for (auto part = array.bytes.begin(); part != array.bytes.end(); part += static_cast<std::ptrdiff_t>(width)) {
    std::reverse(part, part + static_cast<std::ptrdiff_t>(width));
  }
}

}  // namespace

Result<NpyHeader> read_npy_header(const std::string& path, const std::string& place) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return bad_input("{}: cannot be opened", place);
  std::error_code error;
  const auto size = static_cast<std::int64_t>(std::filesystem::file_size(path, error));
  if (error) return bad_input("{}: cannot be read: {}", place, error.message());
  return read_npy_header(file, size, place);
}

Result<NpyHeader> read_npy_header(std::istream& file, std::int64_t size, const std::string& place) {
  NpyHeader header;
  VISQ_ASSIGN(const std::string text, header_text(file, header.offset, place));
  HeaderParser parser(text);
  if (!parser.parse()) return bad_input("{}: its .npy header is not a dictionary of descr, fortran_order and shape", place);
  const std::string_view code = parser.descr->empty() ? "" : parser.descr->substr(1);
  const auto* type = std::find_if(std::begin(kTypes), std::end(kTypes), [&](const NpyType& t) { return t.code == code; });
  const char order = parser.descr->empty() ? '\0' : parser.descr->front();
  if (type == std::end(kTypes) || std::string_view("<>|=").find(order) == std::string_view::npos) {
    return bad_input("{}: type '{}' cannot be read; save numbers, as x.astype(\"float32\")", place, printable(*parser.descr));
  }
  if (*parser.fortran_order && parser.shape->rank() > 1) {
    return bad_input("{}: is in Fortran order; save numpy.ascontiguousarray of it", place);
  }
  header.dtype = type->dtype;
  header.shape = *parser.shape;
  header.swapped = order == '>' && size_of(header.dtype) > 1;
  VISQ_TRY(check_file_size(size, header, place));
  return header;
}

Result<Array> read_npy(const std::string& path, const NpyHeader& header, std::int64_t first, const Shape& shape, const std::string& place) {
  std::ifstream file(path, std::ios::binary);
  return read_npy(file, header, first, shape, place);
}

Result<Array> read_npy(std::istream& file, const NpyHeader& header, std::int64_t first, const Shape& shape, const std::string& place) {
  VISQ_ASSIGN(const std::int64_t bytes, check_size(header.dtype, shape, place));
  file.clear();
  file.seekg(header.offset + first * static_cast<std::int64_t>(size_of(header.dtype)));
  Array array = make_array(header.dtype, shape);
  file.read(reinterpret_cast<char*>(array.bytes.data()), bytes);
  if (!file) return bad_input("{}: cannot be read{}", place, file.bad() ? ": it is damaged" : "");
  if (header.swapped) swap_bytes(array);
  if (header.dtype == DType::kBool) {
    for (std::byte& value : array.bytes) value = std::byte{value != std::byte{0}};
  }
  return array;
}

}  // namespace visq::data
