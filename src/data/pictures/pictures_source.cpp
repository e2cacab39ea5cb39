#include "data/pictures/pictures_source.h"

#include <algorithm>
#include <filesystem>

#include "core/as_size.h"
#include "core/error.h"
#include "core/file.h"
#include "data/pictures/picture_files.h"
#include "data/pictures/pixels.h"
#include "data/sources/input_spec.h"
#include "model/printable.h"

namespace visq::data {
namespace {

namespace fs = std::filesystem;
using Resize = Preparation::Resize;

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
  std::string record_name(std::int64_t index) const override { return files_[as_size(index)]; }

  Result<Record> read(std::int64_t index) override {
    if (index < 0 || index >= count()) return bad_input("{}: record {}: there are {} records", path_, index, count());
    const std::string& file = files_[as_size(index)];
    VISQ_ASSIGN(Pixels pixels, decode(file));
    const std::string place = fmt::format("{}: record {}", printable(file), index);
    if (input_.dims[3] == 1) pixels = to_grey(pixels);
    VISQ_ASSIGN(pixels, fitted(std::move(pixels), place));
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

Result<std::unique_ptr<RecordSource>> open_pictures(const std::string& path, const Model& model, const Preparation& preparation) {
  std::error_code ignored;
  auto files = picture_files(path, fs::is_directory(path, ignored));
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
