// Raw files with a list of what they hold: a CSV file with a heading, or a JSON list of objects (or an object with one as "tensors").
#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/checked.h"
#include "core/descriptor.h"
#include "core/error.h"
#include "data/device/device_files.h"
#include "data/device/entry_dump.h"
#include "data/hdf5/hdf5_readers.h"
#include "data/sources/input_spec.h"
#include "data/sources/lines.h"
#include "data/sources/numbered.h"
#include "model/printable.h"

namespace visq::data {
namespace {

namespace fs = std::filesystem;

/// What the list says of a file, as text; empty: nothing.
struct Line {
  std::string file, name, index, record, dtype, shape, layout, scale, zero_point, offset;
};
struct Field {
  std::string_view name;
  std::string Line::*text;
};
constexpr Field kFields[] = {{"file", &Line::file},     {"name", &Line::name},   {"index", &Line::index},
                             {"record", &Line::record}, {"dtype", &Line::dtype}, {"shape", &Line::shape},
                             {"layout", &Line::layout}, {"scale", &Line::scale}, {"zero_point", &Line::zero_point},
                             {"offset", &Line::offset}};

std::string Line::*field_of(std::string_view name) {
  const auto* found = std::find_if(std::begin(kFields), std::end(kFields), [&](const Field& field) { return field.name == name; });
  return found == std::end(kFields) ? nullptr : found->text;
}

struct RawType {
  std::string_view names[3];
  DType dtype;
};
constexpr RawType kRawTypes[] = {
    {{"float32", "f32", "f4"}, DType::kFloat32}, {{"float16", "f16", "f2"}, DType::kFloat16}, {{"float64", "f64", "f8"}, DType::kFloat64},
    {{"int8", "s8", "i1"}, DType::kInt8},        {{"uint8", "u8", "u1"}, DType::kUInt8},      {{"int16", "s16", "i2"}, DType::kInt16},
    {{"uint16", "u16", "u2"}, DType::kUInt16},   {{"int32", "s32", "i4"}, DType::kInt32},     {{"int64", "s64", "i8"}, DType::kInt64},
    {{"uint32", "u32", "u4"}, DType::kUInt32},   {{"bool", "b8", "b1"}, DType::kBool},
};

/// The numbers in a text, whatever stands between them: "[1, 8, 8, 16]", "1x8x8x16", "0.5 0.25". Nothing where one cannot be read.
template <class T>
std::optional<std::vector<T>> numbers_in(std::string_view text) {
  constexpr std::string_view kBetween = " ,;xX[]()\"";
  std::vector<T> numbers;
  while (true) {
    text.remove_prefix(std::min(text.size(), text.find_first_not_of(kBetween)));
    if (text.empty()) return numbers;
    const std::string_view word = text.substr(0, text.find_first_of(kBetween));
    T number{};
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc() || stop != word.data() + word.size()) return std::nullopt;
    numbers.push_back(number);
    text.remove_prefix(word.size());
  }
}

Result<std::vector<Line>> read_csv(std::string_view text, const std::string& path) {
  std::vector<std::string Line::*> columns;
  std::vector<Line> lines;
  for (Lines rows(text); rows.next();) {
    const std::int64_t row = rows.number();
    std::string_view rest = rows.line();
    if (rest.empty()) continue;
    Line line;
    for (std::size_t column = 0; !rest.empty() || column == 0; ++column) {
      const bool quoted = rest.starts_with('"') && rest.find('"', 1) != std::string_view::npos;
      const std::string_view cell = quoted ? rest.substr(1, rest.find('"', 1) - 1) : rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(rest.size(), cell.size() + (quoted ? 3 : 1)));
      if (row == 1) {
        columns.push_back(field_of(cell));
        if (columns.back() == nullptr) return bad_input("{}: column '{}' is not known", path, printable(cell));
      } else if (column >= columns.size()) {
        return bad_input("{}: line {}: {} columns at most", path, row, columns.size());
      } else {
        line.*columns[column] = cell;
      }
    }
    if (row > 1) lines.push_back(std::move(line));
  }
  return lines;
}

Result<std::vector<Line>> read_json(std::string_view text, const std::string& path) {
  constexpr int kDeepest = 16;
  bool deep = false;
  const auto document = nlohmann::json::parse(
      text,
      [&](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
        deep = deep || depth > kDeepest;
        return !deep;
      },
      false);
  if (document.is_discarded() || deep) return bad_input("{}: is no JSON document", path);
  const auto& list = document.is_object() && document.contains("tensors") ? document["tensors"] : document;
  if (!list.is_array()) return bad_input("{}: is neither a list of objects nor an object with one as \"tensors\"", path);
  std::vector<Line> lines;
  for (const auto& entry : list) {
    Line line;
    if (!entry.is_object()) return bad_input("{}: entry {} is no object", path, lines.size());
    for (const auto& [key, value] : entry.items()) {
      std::string Line::*field = field_of(key);
      if (field == nullptr) return bad_input("{}: entry {}: '{}' is not known", path, lines.size(), printable(key));
      line.*field = value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

/// A whole number that is not negative; nothing for an empty text.
Result<std::optional<std::int64_t>> whole(const std::string& text, const char* what, const std::string& place) {
  if (text.empty()) return std::optional<std::int64_t>();
  const auto number = decimal(text);
  if (!number) return bad_input("{}: {} '{}' is no whole number", place, what, printable(text));
  return number;
}

Status read_grid(const Line& line, const std::string& place, DumpTensor& tensor) {
  const auto scale = numbers_in<float>(line.scale);
  const auto zero_point = numbers_in<std::int64_t>(line.zero_point);
  if (!scale || !zero_point)
    return bad_input("{}: scale '{}' or zero_point '{}' are no numbers", place, printable(line.scale), printable(line.zero_point));
  if (scale->empty()) return zero_point->empty() ? Status() : Status(bad_input("{}: a zero_point without a scale", place));
  tensor.scale = *scale;
  tensor.zero_point = *zero_point;
  if (tensor.zero_point.size() <= 1) tensor.zero_point.resize(scale->size(), zero_point->empty() ? 0 : zero_point->front());
  tensor.quantized_dimension = tensor.shape.rank() - 1;
  return check_quantization(tensor, place);
}

/// [n, c, h, w] as [n, h, w, c].
Array channels_last(const Array& array) {
  const Shape& from = array.shape;
  Array result = make_array(array.dtype, {from[0], from[2], from[3], from[1]});
  const auto width = static_cast<std::int64_t>(size_of(array.dtype)), pixels = from[2] * from[3], channels = from[1];
  for (std::int64_t i = 0; i < from.elements(); ++i) {
    const std::int64_t n = i / (channels * pixels), c = i / pixels % channels, p = i % pixels;
    std::copy_n(array.bytes.begin() + i * width, width, result.bytes.begin() + ((n * pixels + p) * channels + c) * width);
  }
  return result;
}

Result<Array> read_raw(const std::string& path, const DumpTensor& tensor, const Shape& stored, std::int64_t offset,
                       const std::string& place) {
  VISQ_ASSIGN(const std::int64_t bytes, check_size(tensor.dtype, stored, place));
  VISQ_ASSIGN(const OpenFile opened, open_regular_file(path));
  const bool fits = static_cast<std::uint64_t>(offset) <= opened.size &&
                    static_cast<std::uint64_t>(bytes) <= opened.size - static_cast<std::uint64_t>(offset);
  if (!fits || (offset == 0 && static_cast<std::uint64_t>(bytes) != opened.size)) {
    return bad_input("{}: {} has {} bytes, but {} of {} need {}", place, printable(path), opened.size, to_string(stored),
                     name(tensor.dtype), bytes);
  }
  std::ifstream file(path, std::ios::binary);
  file.seekg(offset);
  Array array = make_array(tensor.dtype, stored);
  file.read(reinterpret_cast<char*>(array.bytes.data()), bytes);
  if (!file) return bad_input("{}: cannot be read", place);
  return stored == tensor.shape ? array : channels_last(array);
}

Result<DumpEntry> entry_of(const Line& line, const fs::path& folder, const std::string& place) {
  DumpEntry entry;
  DumpTensor& tensor = entry.tensor;
  const fs::path file(line.file);
  const bool climbs = std::any_of(file.begin(), file.end(), [](const fs::path& part) { return part == ".."; });
  if (line.file.empty() || file.is_absolute() || climbs)
    return bad_input("{}: file '{}' does not lie beside the list", place, printable(line.file));
  const auto* type = std::find_if(std::begin(kRawTypes), std::end(kRawTypes), [&](const RawType& each) {
    return std::find(std::begin(each.names), std::end(each.names), line.dtype) != std::end(each.names);
  });
  if (type == std::end(kRawTypes))
    return bad_input("{}: dtype '{}' is not known (float32, int8, uint8, int16 ...)", place, printable(line.dtype));
  tensor.dtype = type->dtype;
  const auto shape = numbers_in<std::int64_t>(line.shape);
  if (!shape || !checked_elements(*shape)) return bad_input("{}: shape '{}' is no list of sizes", place, printable(line.shape));
  Shape stored(*shape);
  tensor.shape = stored;
  const bool nchw = line.layout == "nchw" || line.layout == "NCHW";
  if (nchw && stored.rank() == 4) tensor.shape = {stored[0], stored[2], stored[3], stored[1]};
  if (!nchw && !line.layout.empty() && line.layout != "nhwc" && line.layout != "NHWC") {
    return bad_input("{}: layout '{}' is neither nchw nor nhwc", place, printable(line.layout));
  }
  VISQ_ASSIGN(const auto index, whole(line.index, "index", place));
  VISQ_ASSIGN(const auto offset, whole(line.offset, "offset", place));
  tensor.index = index ? static_cast<int>(std::min<std::int64_t>(*index, INT32_MAX)) : -1;
  tensor.name = !line.name.empty() || index ? line.name : file.stem().string();
  VISQ_TRY(read_grid(line, place, tensor));
  entry.read = [path = (folder / file).string(), tensor, stored, begin = offset.value_or(0)](const std::string& where) {
    return read_raw(path, tensor, stored, begin, where);
  };
  return entry;
}

}  // namespace

std::string manifest_of(const std::string& path, bool folder) {
  std::error_code ignored;
  if (folder) {
    for (const char* name : {"manifest.csv", "manifest.json"}) {
      const fs::path file = fs::path(path) / name;
      if (fs::is_regular_file(file, ignored)) return file.string();
    }
    return "";
  }
  const fs::path ending = fs::path(path).extension();
  if (ending != ".csv" && ending != ".json") return "";
  std::string head(4096, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  if (ending == ".json") return head.find("\"file\"") != std::string::npos && head.find("\"dtype\"") != std::string::npos ? path : "";
  Lines lines(head);
  const std::string_view heading = lines.next() ? lines.line() : "";
  return heading.find("file") != std::string_view::npos && heading.find("dtype") != std::string_view::npos ? path : "";
}

Result<std::unique_ptr<DumpReader>> open_manifest(const std::string& path) {
  return open_manifest_as(path, fs::path(path).extension() == ".json");
}

Result<std::unique_ptr<DumpReader>> open_manifest_as(const std::string& path, bool json) {
  VISQ_ASSIGN(const auto file, MappedFile::open(path));
  const std::string_view text = text_of(*file);
  VISQ_ASSIGN(const auto lines, json ? read_json(text, path) : read_csv(text, path));
  DumpEntries entries;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string place = fmt::format("{}: {} {}", path, json ? "entry" : "line", json ? i : i + 2);
    VISQ_ASSIGN(const auto record, whole(lines[i].record, "record", place));
    VISQ_ASSIGN(DumpEntry entry, entry_of(lines[i], fs::path(path).parent_path(), place));
    entries[record.value_or(0)].push_back(std::move(entry));
  }
  return entry_dump(path, std::move(entries));
}

}  // namespace visq::data
