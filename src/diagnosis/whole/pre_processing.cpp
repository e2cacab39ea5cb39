#include "diagnosis/whole/pre_processing.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/as_size.h"
#include "core/error.h"

namespace visq::diagnosis {
namespace {

/// Mean and deviation of ImageNet's pictures, red, green and blue of [0, 1], as torchvision and many others have them.
constexpr std::array<double, 3> kMean{0.485, 0.456, 0.406}, kDeviation{0.229, 0.224, 0.225};

/// Elements between neighbours of one channel's axis.
std::size_t channel_stride(const InputValues& input) { return as_size(input.shape.elements(input.channel_axis + 1, input.shape.rank())); }

PreProcessing line(std::string words, double factor, double offset) {
  return {std::move(words), [factor, offset](InputValues& input) {
            for (float& value : input.values) value = static_cast<float>(static_cast<double>(value) * factor + offset);
          }};
}

/// x * factor + offset, of each of three channels.
PreProcessing by_channel(std::string words, std::array<double, 3> factor, std::array<double, 3> offset) {
  return {std::move(words),
          [factor, offset](InputValues& input) {
            if (input.channel_axis < 0 || input.shape[input.channel_axis] != 3) return;
            const std::size_t stride = channel_stride(input);
            for (std::size_t i = 0; i < input.values.size(); ++i) {
              const std::size_t c = i / stride % 3;
              input.values[i] = static_cast<float>(static_cast<double>(input.values[i]) * factor[c] + offset[c]);
            }
          },
          true};
}

/// (x / range - mean) / deviation.
PreProcessing normalized(std::string words, double range) {
  std::array<double, 3> factor{}, offset{};
  for (std::size_t c = 0; c < 3; ++c) factor[c] = 1 / (range * kDeviation[c]), offset[c] = -kMean[c] / kDeviation[c];
  return by_channel(std::move(words), factor, offset);
}

/// (x * deviation + mean) * range.
PreProcessing plain_again(std::string words, double range) {
  std::array<double, 3> factor{}, offset{};
  for (std::size_t c = 0; c < 3; ++c) factor[c] = range * kDeviation[c], offset[c] = range * kMean[c];
  return by_channel(std::move(words), factor, offset);
}

void standardize(InputValues& input) {
  double sum = 0, squares = 0;
  for (const float value : input.values)
    sum += static_cast<double>(value), squares += static_cast<double>(value) * static_cast<double>(value);
  const double count = static_cast<double>(std::max<std::size_t>(1, input.values.size())), mean = sum / count;
  const double deviation = std::sqrt(std::max(0.0, squares / count - mean * mean));
  for (float& value : input.values) value = static_cast<float>((static_cast<double>(value) - mean) / (deviation > 0 ? deviation : 1));
}

void reverse_channels(InputValues& input) {
  if (input.channel_axis < 0 || input.shape[input.channel_axis] != 3) return;
  const std::size_t stride = channel_stride(input);
  for (std::size_t i = 0; i < input.values.size(); ++i) {
    if (i / stride % 3 == 0) std::swap(input.values[i], input.values[i + 2 * stride]);
  }
}

/// What lies channel by channel in memory becomes pixel by pixel, or the other way round where the model takes it so.
void turn_layout(InputValues& input) {
  if (input.channel_axis < 0 || input.shape[input.channel_axis] < 2) return;
  const std::vector<float> old(input.values.begin(), input.values.end());
  const auto channels = as_size(input.shape[input.channel_axis]);
  const std::size_t pixels = channel_stride(input) > 1 ? channel_stride(input) : as_size(input.shape[1]) * as_size(input.shape[2]);
  for (std::size_t first = 0; first < old.size(); first += pixels * channels) {
    for (std::size_t c = 0; c < channels; ++c) {
      for (std::size_t p = 0; p < pixels; ++p) {
        const std::size_t plane = first + c * pixels + p, pixel = first + p * channels + c;
        input.channel_axis == 1 ? input.values[plane] = old[pixel] : input.values[pixel] = old[plane];
      }
    }
  }
}

void swap_rows_and_columns(InputValues& input) {
  if (input.channel_axis < 0) return;
  const int row_axis = input.channel_axis == 1 ? 2 : 1;
  const auto size = as_size(input.shape[row_axis]), inner = input.channel_axis == 1 ? std::size_t{1} : as_size(input.shape[3]);
  if (input.shape[row_axis] != input.shape[row_axis + 1]) return;
  for (std::size_t first = 0; first < input.values.size(); first += size * size * inner) {
    for (std::size_t y = 0; y < size; ++y) {
      for (std::size_t x = 0; x < y; ++x) {
        const auto a = input.values.begin() + static_cast<std::ptrdiff_t>(first + (y * size + x) * inner);
        const auto b = input.values.begin() + static_cast<std::ptrdiff_t>(first + (x * size + y) * inner);
        std::swap_ranges(a, a + static_cast<std::ptrdiff_t>(inner), b);
      }
    }
  }
}

class ChangedRecords final : public RecordSource {
 public:
  ChangedRecords(RecordSource& data, InputFeed feed, std::vector<const PreProcessing*> steps, std::vector<std::int64_t> records)
      : data_(data), feed_(std::move(feed)), steps_(std::move(steps)), records_(std::move(records)) {}

  std::int64_t count() const override { return records_.empty() ? data_.count() : static_cast<std::int64_t>(records_.size()); }
  std::string description() const override { return data_.description(); }
  Result<Record> read(std::int64_t index) override {
    if (index < 0 || index >= count()) return bad_input("{}: there is no record {}", description(), index);
    VISQ_ASSIGN(Record record, data_.read(records_.empty() ? index : records_[as_size(index)]));
    record.index = index;
    VISQ_ASSIGN(record.inputs, feed_.for_model(record));
    for (Array& array : record.inputs) change(array, record.inputs.size() == 1);
    return record;
  }

 private:
  void change(Array& array, bool only) const {
    if (array.dtype != DType::kFloat32) return;
    InputValues input{array.values<float>(), array.shape, picture_channels(array.shape)};
    for (const PreProcessing* step : steps_) {
      if (input.channel_axis >= 0 || (only && !step->pictures)) step->apply(input);
    }
  }

  RecordSource& data_;
  InputFeed feed_;
  std::vector<const PreProcessing*> steps_;
  std::vector<std::int64_t> records_;
};

}  // namespace

int picture_channels(const Shape& shape) {
  const auto few = [&](int axis) { return shape[axis] >= 1 && shape[axis] <= 4; };
  if (shape.rank() != 4) return -1;
  return few(3) ? 3 : few(1) ? 1 : -1;
}

const std::vector<PreProcessing>& usual_changes() {
  static const std::vector<PreProcessing> all{
      line("divided by 255", 1 / 255.0, 0),
      line("multiplied by 255", 255, 0),
      line("times 2, less 1 ([0, 1] to [-1, 1])", 2, -1),
      line("divided by 127.5, less 1 ([0, 255] to [-1, 1])", 1 / 127.5, -1),
      line("halved, plus 0.5 ([-1, 1] to [0, 1])", 0.5, 0.5),
      line("times 127.5, plus 127.5 ([-1, 1] to [0, 255])", 127.5, 127.5),
      normalized("less ImageNet's mean, divided by its deviation", 1),
      normalized("divided by 255, less ImageNet's mean, divided by its deviation", 255),
      plain_again("multiplied by ImageNet's deviation, plus its mean (back to [0, 1])", 1),
      plain_again("multiplied by ImageNet's deviation, plus its mean, times 255 (back to [0, 255])", 255),
      {"less the mean of each record, divided by its deviation", standardize},
      {"taken with reversed channels (RGB for BGR)", reverse_channels, true, true},
      {"read in the other memory layout (NCHW for NHWC)", turn_layout, true, true},
      {"turned, rows for columns", swap_rows_and_columns, true, true},
  };
  return all;
}

std::vector<const PreProcessing*> usual_changes(const Model& model) {
  const auto& inputs = model.main().inputs;
  const bool pictures = std::any_of(inputs.begin(), inputs.end(),
                                    [&](int input) { return picture_channels(model.main().tensors[as_size(input)].shape) >= 0; });
  std::vector<const PreProcessing*> changes;
  for (const PreProcessing& change : usual_changes()) {
    if (pictures || (inputs.size() == 1 && !change.pictures)) changes.push_back(&change);
  }
  return changes;
}

PreProcessing stretched(double low, double high, double new_low, double new_high) {
  const double factor = high > low ? (new_high - new_low) / (high - low) : 1;
  return line(fmt::format("stretched from [{:.4g}, {:.4g}] to [{:.4g}, {:.4g}]", low, high, new_low, new_high), factor,
              new_low - low * factor);
}

Result<std::unique_ptr<RecordSource>> changed_records(RecordSource& data, const Model& model, const Model& twin,
                                                      std::vector<const PreProcessing*> steps, std::vector<std::int64_t> records) {
  VISQ_ASSIGN(InputFeed feed, InputFeed::create(model, &twin));
  return std::unique_ptr<RecordSource>(std::make_unique<ChangedRecords>(data, std::move(feed), std::move(steps), std::move(records)));
}

}  // namespace visq::diagnosis
