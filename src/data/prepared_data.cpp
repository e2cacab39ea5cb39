#include "data/prepared_data.h"

#include <algorithm>

#include "core/as_size.h"
#include "core/error.h"
#include "data/sources/convert.h"
#include "data/sources/picture_input.h"

namespace visq::data {
namespace {

/// What is to be done to one input.
struct Treatment {
  std::string label;
  bool turn = false;                               ///< the data lie in the layout other than `layout`
  PictureLayout layout = PictureLayout::kUnknown;  ///< the model's; kUnknown: not a picture, all values are one channel
};

/// Elements per channel as an array of this layout holds them: `outer` blocks of `channels` runs of `inner` elements.
struct ChannelRuns {
  std::int64_t outer = 1, channels = 1, inner = 1;
};

ChannelRuns channel_runs(const Shape& shape, PictureLayout layout) {
  const int rank = shape.rank();
  if (layout == PictureLayout::kUnknown || rank != 4) return {1, 1, shape.elements()};
  if (layout == PictureLayout::kNchw) return {shape[0], shape[1], shape.elements(2, rank)};
  return {shape.elements(0, 3), shape[3], 1};
}

/// Calls visit(element, channel) for all elements in their order.
template <class Visit>
void each_element(const ChannelRuns& runs, Visit visit) {
  std::size_t element = 0;
  for (std::int64_t block = 0; block < runs.outer; ++block) {
    for (std::int64_t channel = 0; channel < runs.channels; ++channel) {
      for (std::int64_t i = 0; i < runs.inner; ++i, ++element) visit(element, channel);
    }
  }
}

/// The same values with the channels last instead of second, or the other way round.
Array turned(const Array& array, PictureLayout to) {
  const Shape& from = array.shape;
  const bool nchw = to == PictureLayout::kNchw;
  const std::int64_t batch = from[0], channels = nchw ? from[3] : from[1];
  const std::int64_t pixels = nchw ? from[1] * from[2] : from[2] * from[3];
  Array result = make_array(array.dtype, nchw ? Shape{batch, channels, from[1], from[2]} : Shape{batch, from[2], from[3], channels});
  const std::size_t width = size_of(array.dtype);
  for (std::int64_t n = 0; n < batch; ++n) {
    for (std::int64_t p = 0; p < pixels; ++p) {
      for (std::int64_t c = 0; c < channels; ++c) {
        const std::int64_t first = (n * channels + c) * pixels + p, last = (n * pixels + p) * channels + c;
        const std::byte* source = array.bytes.data() + as_size(nchw ? last : first) * width;
        std::copy(source, source + width, result.bytes.data() + as_size(nchw ? first : last) * width);
      }
    }
  }
  return result;
}

/// Exchanges the first and the third of three channels.
void exchange_red_and_blue(Array& array, PictureLayout layout) {
  const ChannelRuns runs = channel_runs(array.shape, layout);
  const std::size_t width = size_of(array.dtype), step = as_size(2 * runs.inner) * width;
  each_element(runs, [&](std::size_t element, std::int64_t channel) {
    std::byte* red = array.bytes.data() + element * width;
    if (channel == 0) std::swap_ranges(red, red + width, red + step);
  });
}

class PreparedSource final : public RecordSource {
 public:
  PreparedSource(std::unique_ptr<RecordSource> inner, Preparation preparation, std::vector<Treatment> treatments)
      : inner_(std::move(inner)), preparation_(std::move(preparation)), treatments_(std::move(treatments)) {}

  std::int64_t count() const override { return inner_->count(); }
  std::string description() const override { return inner_->description(); }
  std::string record_name(std::int64_t index) const override { return inner_->record_name(index); }

  Result<Record> read(std::int64_t index) override {
    VISQ_ASSIGN(Record record, inner_->read(index));
    for (std::size_t i = 0; i < treatments_.size(); ++i) {
      if (!treatments_[i].label.empty()) VISQ_TRY(treat(record.inputs[i], treatments_[i], record.index));
    }
    return record;
  }

 private:
  Status treat(Array& array, const Treatment& treatment, std::int64_t record) const {
    const bool picture = treatment.layout != PictureLayout::kUnknown;
    if (picture && array.shape.rank() == 4 && treatment.turn) array = turned(array, treatment.layout);
    const std::int64_t channels = channel_runs(array.shape, treatment.layout).channels;
    for (const auto* values : {&preparation_.mean, &preparation_.deviation}) {
      if (values->size() <= 1 || static_cast<std::int64_t>(values->size()) == channels) continue;
      return usage_error("{}: record {}, {}: {} has {} values, but there are {} channels", description(), record, treatment.label,
                         values == &preparation_.mean ? "--mean" : "--std", values->size(), channels);
    }
    if (preparation_.bgr && channels == 3) exchange_red_and_blue(array, treatment.layout);
    if (preparation_.changes_values()) array = scaled(array, treatment.layout);
    return {};
  }

  /// One of the values per channel, or the only one.
  static double of_channel(const std::vector<double>& values, std::int64_t channel, double none) {
    if (values.empty()) return none;
    return values.size() == 1 ? values[0] : values[as_size(channel)];
  }

  Array scaled(const Array& array, PictureLayout layout) const {
    const Array wide = to_floats(array, DType::kFloat64);
    Array result = make_array(DType::kFloat32, array.shape);
    const auto from = wide.values<double>();
    const auto to = result.values<float>();
    each_element(channel_runs(array.shape, layout), [&](std::size_t element, std::int64_t channel) {
      const double moved = from[element] * preparation_.scale - of_channel(preparation_.mean, channel, 0);
      to[element] = static_cast<float>(moved / of_channel(preparation_.deviation, channel, 1));
    });
    return result;
  }

  std::unique_ptr<RecordSource> inner_;
  Preparation preparation_;
  std::vector<Treatment> treatments_;
};

/// The model as the data see it: its picture inputs in the layout of the data.
void turn_input(Model& model, std::size_t position, const PictureSize& picture, PictureLayout layout) {
  TensorInfo& tensor = model.subgraphs[0].tensors[as_size(model.main().inputs[position])];
  const bool dynamic = tensor.shape_signature.size() == 4;
  const std::int64_t batch = dynamic ? tensor.shape_signature[0] : tensor.shape[0];
  std::vector<std::int64_t> dims = in_layout(picture, batch, layout);
  if (dynamic) tensor.shape_signature = dims;
  for (std::int64_t& size : dims) size = std::max<std::int64_t>(size, 1);
  tensor.shape = Shape(dims);
}

bool wants_anything(const Preparation& wanted, bool pictures) {
  return pictures || wanted.changes_values() || wanted.bgr || wanted.layout != PictureLayout::kUnknown ||
         wanted.resize != Preparation::Resize::kNone;
}

}  // namespace

Result<std::unique_ptr<RecordSource>> open_prepared(const DataFormat& format, const std::string& path, const Model& model,
                                                    const DataRequest& request) {
  const Preparation& wanted = request.preparation;
  if (!wants_anything(wanted, format.pictures)) return format.open(path, model, request);
  if (!format.pictures && wanted.resize != Preparation::Resize::kNone) {
    return usage_error("--resize: {} holds no PNG or JPEG files; arrays have the size that they have", path);
  }
  const PictureLayout data = format.pictures ? PictureLayout::kNhwc : wanted.layout;
  const auto inputs = input_specs(model);
  Model seen = model;
  std::vector<Treatment> treatments(inputs.size());
  bool any = false;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const bool real = kind_of(model.main().tensors[as_size(model.main().inputs[i])]) == InputKind::kReal;
    const auto picture =
        real || format.pictures ? picture_of(inputs[i], format.pictures ? wanted.layout : PictureLayout::kUnknown) : std::nullopt;
    if (!picture) continue;
    const bool turn = data != PictureLayout::kUnknown && data != picture->layout;
    treatments[i] = {inputs[i].label, turn, picture->layout};
    if (turn) turn_input(seen, i, *picture, data);
    any = true;
  }
  const bool by_channel = wanted.mean.size() > 1 || wanted.deviation.size() > 1 || wanted.bgr || wanted.layout != PictureLayout::kUnknown;
  if (!any && !format.pictures && !by_channel && inputs.size() == 1) {
    treatments[0] = {inputs[0].label, false, PictureLayout::kUnknown};
  } else if (!any && !format.pictures) {
    return usage_error("--scale, --mean, --std, --layout and --bgr: no input of {} takes pictures (four axes, 1, 3 or 4 channels)",
                       model.path);
  }
  VISQ_ASSIGN(auto source, format.open(path, seen, request));
  return std::unique_ptr<RecordSource>(std::make_unique<PreparedSource>(std::move(source), wanted, std::move(treatments)));
}

}  // namespace visq::data
