#include "data/device/text_map.h"

#include <charconv>
#include <fstream>
#include <optional>
#include <string_view>

#include "core/error.h"
#include "data/sources/input_spec.h"
#include "data/sources/lines.h"
#include "model/printable.h"

namespace visq::data {
namespace {

constexpr std::string_view kBetween = " \t\r\n,;[]";

/// A number as printf, numpy and others write it: "-0.5", "1e-3", "nan", "inf".
template <class T>
std::optional<T> as_number(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  T value{};
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || stop != word.data() + word.size()) return std::nullopt;
  return value;
}

/// Calls visit(word) for every word until it returns false.
template <class Visit>
void each_word(std::string_view text, Visit visit) {
  while (true) {
    text.remove_prefix(std::min(text.size(), text.find_first_not_of(kBetween)));
    if (text.empty()) return;
    const std::string_view word = text.substr(0, text.find_first_of(kBetween));
    if (!visit(word)) return;
    text.remove_prefix(word.size());
  }
}

}  // namespace

bool holds_numbers(const std::string& path) {
  char head[256];
  std::ifstream file(path, std::ios::binary);
  file.read(head, sizeof head);
  bool number = false;
  each_word({head, static_cast<std::size_t>(file.gcount())}, [&](std::string_view word) {
    number = as_number<double>(word).has_value();
    return false;
  });
  return number;
}

Result<DumpTensor> look_at_text(const std::string& path, const std::string& place) {
  VISQ_ASSIGN(const auto file, MappedFile::open(path));
  std::int64_t count = 0;
  bool whole = true;
  std::string odd;
  each_word(text_of(*file), [&](std::string_view word) {
    whole = whole && as_number<std::int64_t>(word).has_value();
    if (!whole && !as_number<double>(word)) odd = printable(word.substr(0, 40));
    ++count;
    return odd.empty();
  });
  if (!odd.empty()) return bad_input("{}: word {} is '{}', which is no number", place, count, odd);
  if (count == 0) return bad_input("{}: holds no numbers", place);
  DumpTensor tensor;
  tensor.dtype = whole ? DType::kInt64 : DType::kFloat32;
  tensor.shape = {count};
  return tensor;
}

Result<Array> read_text(const std::string& path, const DumpTensor& tensor, const std::string& place) {
  VISQ_TRY(check_size(tensor.dtype, tensor.shape, place));
  VISQ_ASSIGN(const auto file, MappedFile::open(path));
  Array array = make_array(tensor.dtype, tensor.shape);
  const auto elements = static_cast<std::size_t>(tensor.shape.elements());
  std::size_t i = 0;
  each_word(text_of(*file), [&](std::string_view word) {
    if (i < elements && tensor.dtype == DType::kInt64) array.values<std::int64_t>()[i] = as_number<std::int64_t>(word).value_or(0);
    if (i < elements && tensor.dtype == DType::kFloat32) array.values<float>()[i] = static_cast<float>(as_number<double>(word).value_or(0));
    return ++i <= elements;
  });
  if (i != elements) return bad_input("{}: the file has changed while it was read", place);
  return array;
}

}  // namespace visq::data
