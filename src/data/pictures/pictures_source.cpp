#include "data/pictures/pictures_source.h"

#include <algorithm>
#include <filesystem>

#include "core/as_size.h"
#include "core/error.h"
#include "core/file.h"
#include "data/pictures/pixels.h"
#include "data/sources/data_format.h"
#include "data/sources/input_spec.h"
#include "data/sources/numbered.h"
#include "model/printable.h"

namespace visq::data {
namespace {

namespace fs = std::filesystem;
using Resize = Preparation::Resize;

bool has_picture_name(const fs::path& path) {
  std::string ending = path.extension().string();
  for (char& letter : ending) letter = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  return ending == ".jpg" || ending == ".jpeg" || ending == ".png";
}

struct Found {
  std::vector<std::string> pictures, folders;
};

/// What a folder holds, each in order; hidden files are left alone.
Found look_into(const std::string& path) {
  Found found;
  std::error_code error;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    if (entry->path().filename().native().starts_with('.')) continue;
    if (entry->is_directory(ignored)) found.folders.push_back(entry->path().string());
    if (entry->is_regular_file(ignored) && has_picture_name(entry->path())) found.pictures.push_back(entry->path().string());
  }
  const auto number_of = [](const std::string& file) { return decimal(fs::path(file).stem().string()); };
  const bool numbers =
      std::all_of(found.pictures.begin(), found.pictures.end(), [&](const auto& file) { return number_of(file).has_value(); });
  std::sort(found.folders.begin(), found.folders.end());
  std::sort(found.pictures.begin(), found.pictures.end(), [&](const std::string& a, const std::string& b) {
    return numbers && number_of(a) != number_of(b) ? *number_of(a) < *number_of(b) : a < b;
  });
  return found;
}

std::vector<std::string> pictures_in(const std::string& path, bool folder) {
  if (!folder) return {path};
  Found found = look_into(path);
  if (!found.pictures.empty()) return std::move(found.pictures);
  std::vector<std::string> all;
  for (const std::string& inner : found.folders) {
    const auto pictures = look_into(inner).pictures;
    all.insert(all.end(), pictures.begin(), pictures.end());
  }
  return all;
}

Result<Pixels> decode(const std::string& path) {
  VISQ_ASSIGN(const auto file, MappedFile::open(path));
  const std::string_view bytes(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
  for (const PictureFormat& format : kPictureFormats) {
    if (bytes.starts_with(format.signature)) return format.decode(file->bytes(), printable(path));
  }
  return bad_input("{}: is neither a JPEG nor a PNG file, whatever its name says", printable(path));
}

class PicturesSource final : public RecordSource {
 public:
  PicturesSource(std::string path, std::vector<std::string> files, InputSpec input, Preparation preparation)
      : path_(std::move(path)), files_(std::move(files)), input_(std::move(input)), preparation_(std::move(preparation)) {}

  std::int64_t count() const override { return static_cast<std::int64_t>(files_.size()); }
  std::string description() const override { return path_; }

  Result<Record> read(std::int64_t index) override {
    if (index < 0 || index >= count()) return bad_input("{}: record {}: there are {} records", path_, index, count());
    const std::string& file = files_[as_size(index)];
    VISQ_ASSIGN(Pixels pixels, decode(file));
    const std::string place = fmt::format("{}: record {}", printable(file), index);
    VISQ_ASSIGN(pixels, fitted(std::move(pixels), place));
    if (input_.dims[3] == 1) pixels = to_grey(pixels);
    Record record{index, {}, {}};
    if (pixels.damaged) record.remarks.push_back(place + ": the file is damaged or cut off; what it lacks is guessed");
    Array array = make_array(DType::kUInt8, {1, pixels.height, pixels.width, pixels.channels});
    std::copy(pixels.bytes.begin(), pixels.bytes.end(), array.values<std::uint8_t>().begin());
    record.inputs.push_back(std::move(array));
    return record;
  }

 private:
  /// In the input's size.
  Result<Pixels> fitted(Pixels pixels, const std::string& place) const {
    const auto axis = [](std::int64_t wanted, int own) {
      return wanted < 0 ? own : static_cast<int>(std::min<std::int64_t>(wanted, 1 << 20));
    };
    const int height = axis(input_.dims[1], pixels.height), width = axis(input_.dims[2], pixels.width);
    switch (preparation_.resize) {
      case Resize::kNone:
        break;
      case Resize::kInput:
        return resized(pixels, width, height);
      case Resize::kStretch:
        pixels = resized(pixels, preparation_.width, preparation_.height);
        break;
      case Resize::kMiddle:
        pixels = shorter_side(pixels, preparation_.width);
        if (pixels.width >= width && pixels.height >= height) pixels = middle_of(pixels, width, height);
        break;
    }
    if (axis(input_.dims[1], pixels.height) == pixels.height && axis(input_.dims[2], pixels.width) == pixels.width) return pixels;
    return bad_input(
        "{}: {}x{} pixels, {} takes {}x{}; --resize input stretches them, --resize {} scales the shorter side and takes the middle", place,
        pixels.width, pixels.height, input_.label, width, height, std::max(width, height) * 8 / 7);
  }

  static Pixels shorter_side(const Pixels& pixels, int side) {
    const int shorter = std::min(pixels.width, pixels.height);
    const auto scaled = [&](int length) { return std::max(1, static_cast<int>(static_cast<std::int64_t>(side) * length / shorter)); };
    return resized(pixels, scaled(pixels.width), scaled(pixels.height));
  }

  std::string path_;
  std::vector<std::string> files_;
  InputSpec input_;  ///< as the data see it: [batch, height, width, channels]
  Preparation preparation_;
};

}  // namespace

bool holds_pictures(const std::string& path, bool folder) {
  if (!folder) {
    return std::any_of(std::begin(kPictureFormats), std::end(kPictureFormats),
                       [&](const PictureFormat& format) { return starts_with(path, format.signature); });
  }
  return !pictures_in(path, true).empty();
}

Result<std::unique_ptr<RecordSource>> open_pictures(const std::string& path, const Model& model, const Preparation& preparation) {
  std::error_code ignored;
  auto files = pictures_in(path, fs::is_directory(path, ignored));
  auto inputs = input_specs(model);
  if (inputs.size() != 1) {
    return bad_input("{}: holds pictures for one input, {} has {}; give each input its own, as -d INPUT={},INPUT=PATH", path, model.path,
                     inputs.size(), path);
  }
  const InputSpec& input = inputs.front();
  const bool picture =
      input.has_rank && input.dims.size() == 4 && (input.dims[3] == 1 || input.dims[3] == 3) && (input.dims[0] == 1 || input.dims[0] == -1);
  if (!picture) {
    return bad_input("{}: holds pictures, but {} of {} takes {} {}, not one picture of 1 or 3 channels", path, input.label, model.path,
                     name(input.dtype), input.has_rank ? to_string(Shape(input.dims)) : "any shape");
  }
  return std::unique_ptr<RecordSource>(std::make_unique<PicturesSource>(path, std::move(files), std::move(inputs.front()), preparation));
}

}  // namespace visq::data
