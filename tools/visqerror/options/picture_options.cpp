#include "visqerror/options/picture_options.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/error.h"
#include "report/words/text.h"
#include "visqerror/options/values.h"

namespace visq::tool {
namespace {

using Resize = Preparation::Resize;

/// What the models of a zoo were trained with, as their documentation says: torchvision's `transforms()` of its weights, the three modes
/// of Keras' imagenet_utils.preprocess_input.
struct Preset {
  std::string_view name;
  Resize resize;
  int side;  ///< of kMiddle
  double scale;
  std::array<double, 3> mean, deviation;
  bool bgr;
};
constexpr Preset kPresets[] = {
    {"raw", Resize::kInput, 0, 1, {0, 0, 0}, {1, 1, 1}, false},
    {"unit", Resize::kInput, 0, 1 / 255.0, {0, 0, 0}, {1, 1, 1}, false},
    {"keras-tf", Resize::kInput, 0, 1 / 127.5, {1, 1, 1}, {1, 1, 1}, false},
    {"keras-caffe", Resize::kInput, 0, 1, {103.939, 116.779, 123.68}, {1, 1, 1}, true},
    {"keras-torch", Resize::kInput, 0, 1 / 255.0, {0.485, 0.456, 0.406}, {0.229, 0.224, 0.225}, false},
    {"torchvision", Resize::kMiddle, 256, 1 / 255.0, {0.485, 0.456, 0.406}, {0.229, 0.224, 0.225}, false},
};

/// All alike become one value, which is good for any number of channels, and `none` none at all.
std::vector<double> as_values(const std::array<double, 3>& each, double none) {
  if (each[0] != each[1] || each[0] != each[2]) return {each.begin(), each.end()};
  return each[0] == none ? std::vector<double>{} : std::vector<double>{each[0]};
}

Result<Preparation> of_preset(const std::string& name) {
  const auto* preset = std::find_if(std::begin(kPresets), std::end(kPresets), [&](const Preset& each) { return each.name == name; });
  if (preset == std::end(kPresets)) {
    std::string names;
    for (const Preset& each : kPresets) names += (names.empty() ? "" : ", ") + std::string(each.name);
    return usage_error("--preset: '{}' is not one of {}", name, names);
  }
  Preparation result;
  result.resize = preset->resize;
  result.width = preset->side;
  result.scale = preset->scale;
  result.bgr = preset->bgr;
  result.mean = as_values(preset->mean, 0);
  result.deviation = as_values(preset->deviation, 1);
  return result;
}

/// "0.5", "1/255".
Result<double> parse_ratio(const std::string& option, const std::string& text) {
  const auto slash = text.find('/');
  if (slash == std::string::npos) return parse_number(option, text);
  VISQ_ASSIGN(const double above, parse_number(option, text.substr(0, slash)));
  VISQ_ASSIGN(const double below, parse_number(option, text.substr(slash + 1)));
  if (below == 0) return usage_error("{}: '{}' divides by 0", option, text);
  return above / below;
}

Result<std::vector<double>> parse_values(const std::string& option, const std::string& text) {
  std::vector<double> values;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    VISQ_ASSIGN(values.emplace_back(), parse_ratio(option, text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return values;
}

Status parse_resize(const std::string& text, Preparation& result) {
  constexpr std::int64_t kMost = 65'536;
  if (text == "input") {
    result.resize = Resize::kInput;
    return {};
  }
  const auto cross = text.find('x');
  VISQ_ASSIGN(const std::int64_t width, parse_integer("--resize", text.substr(0, cross), 1, kMost));
  result.width = static_cast<int>(width);
  result.resize = cross == std::string::npos ? Resize::kMiddle : Resize::kStretch;
  if (cross != std::string::npos) {
    VISQ_ASSIGN(const std::int64_t height, parse_integer("--resize", text.substr(cross + 1), 1, kMost));
    result.height = static_cast<int>(height);
  }
  return {};
}

}  // namespace

void PictureOptions::add_to(Options& options) {
  const std::string group = "Pictures (files, or arrays of them)";
  options
      .value("--preset", preset, "NAME",
             "what models of a zoo take: raw (0 to 255), unit (0 to 1), keras-tf (-1 to 1), keras-caffe (BGR less its mean), keras-torch, "
             "torchvision (256, the middle, mean and deviation); the options below change it")
      .group(group);
  options
      .value("--resize", resize, "SIZE",
             "of files: WIDTHxHEIGHT; input, the model's size; or a number, to which the shorter side is scaled before the middle is taken")
      .group(group);
  options.value("--scale", scale, "X", "each value x becomes (x * scale - mean) / std; such as 1/255").group(group);
  options.value("--mean", mean, "X,X,X", "one number, or one per channel").group(group);
  options.value("--std", deviation, "X,X,X", "likewise").group(group);
  options
      .value("--layout", layout, "nchw|nhwc",
             "how arrays lie where the model takes them otherwise; of files, how the model takes them where its shape does not say")
      .group(group);
  options.flag("--rgb", rgb, "the model takes red first (the default), whatever the preset says").group(group);
  options.flag("--bgr", bgr, "the model takes blue first").group(group);
}

Result<Preparation> PictureOptions::parse() const {
  Preparation result;
  if (!preset.empty()) {
    VISQ_ASSIGN(result, of_preset(preset));
  }
  if (!resize.empty()) VISQ_TRY(parse_resize(resize, result));
  if (!scale.empty()) {
    VISQ_ASSIGN(result.scale, parse_ratio("--scale", scale));
  }
  if (!mean.empty()) {
    VISQ_ASSIGN(result.mean, parse_values("--mean", mean));
  }
  if (!deviation.empty()) {
    VISQ_ASSIGN(result.deviation, parse_values("--std", deviation));
    if (std::count(result.deviation.begin(), result.deviation.end(), 0.0) > 0) return usage_error("--std: 0 divides by 0");
  }
  if (!layout.empty() && layout != "nchw" && layout != "nhwc") return usage_error("--layout: '{}' is neither nchw nor nhwc", layout);
  if (!layout.empty()) result.layout = layout == "nchw" ? PictureLayout::kNchw : PictureLayout::kNhwc;
  if (rgb && bgr) return usage_error("--rgb and --bgr: one order of the channels at a time");
  if (rgb || bgr) result.bgr = bgr;
  return result;
}

std::string PictureOptions::words() const {
  std::string text;
  const std::pair<const char*, const std::string*> all[] = {{"--preset", &preset}, {"--resize", &resize}, {"--scale", &scale},
                                                            {"--mean", &mean},     {"--std", &deviation}, {"--layout", &layout}};
  for (const auto& [name, value] : all) {
    if (!value->empty()) text += fmt::format(" {} {}", name, report::shell_word(*value));
  }
  return text + (rgb ? " --rgb" : "") + (bgr ? " --bgr" : "");
}

}  // namespace visq::tool
