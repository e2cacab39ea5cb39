// Data in other units than those a model was calibrated with: pictures of 0 to 255 for a network of 0 to 1, and the like.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "core/as_size.h"
#include "data/sources/input_range.h"
#include "visq/data.h"

namespace visq {
namespace {

/// See InputMismatch.
constexpr double kOutsideShare = 0.05, kFarOutside = 0.5, kOtherUnits = 4, kTooSmall = 0.02;

std::optional<InputMismatch> mismatch_of(std::span<const float> values, const data::InputRange& range) {
  InputMismatch found;
  found.range_low = range.low, found.range_high = range.high;
  const double width = range.high - range.low;
  std::size_t finite = 0, outside = 0;
  for (const float each : values) {
    const auto value = static_cast<double>(each);
    if (!std::isfinite(value)) continue;
    found.low = finite == 0 ? value : std::min(found.low, value);
    found.high = finite == 0 ? value : std::max(found.high, value);
    ++finite;
    outside += value < range.low - width / 256 || value > range.high + width / 256 ? 1 : 0;
  }
  if (finite < 2 || width <= 0) return std::nullopt;
  found.outside_share = static_cast<double>(outside) / static_cast<double>(finite);
  const double beyond = std::max(found.high - range.high, range.low - found.low) / width;
  const bool too_small =
      outside == 0 && found.high > found.low && std::max(std::fabs(found.low), std::fabs(found.high)) < kTooSmall * width;
  if (!too_small && !(found.outside_share >= kOutsideShare && beyond >= kFarOutside)) return std::nullopt;
  found.grave = too_small || beyond >= kOtherUnits;
  return found;
}

/// How pictures are usually scaled: bounds of the range, and what makes it from 0 to 255.
struct Scaling {
  double low, high;
  std::string_view formula;
};
constexpr std::array<Scaling, 2> kScalings{{{0, 1, "x / 255: --scale 1/255"}, {-1, 1, "x / 127.5 - 1: --scale 1/127.5 --mean 1"}}};

std::string_view usual_scaling(const InputMismatch& mismatch) {
  const bool picture = mismatch.low >= 0 && mismatch.high > 64 && mismatch.high <= 255;
  const auto near = [](double a, double b) { return std::fabs(a - b) < 0.1; };
  for (const Scaling& scaling : kScalings) {
    if (picture && near(mismatch.range_low, scaling.low) && near(mismatch.range_high, scaling.high)) return scaling.formula;
  }
  return "";
}

}  // namespace

Result<std::vector<InputMismatch>> input_mismatches(const Record& record, const Model& model, const Model& twin) {
  std::vector<InputMismatch> all;
  VISQ_ASSIGN(const InputFeed feed, InputFeed::create(model, &twin));
  VISQ_ASSIGN(const auto arrays, feed.for_model(record));
  const auto partners = data::twin_inputs(model, &twin);
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    if (partners[i] < 0 || arrays[i].dtype != DType::kFloat32) continue;
    const auto range = data::input_range(twin, partners[i]);
    if (!range) continue;
    auto found = mismatch_of(arrays[i].values<float>(), *range);
    if (!found) continue;
    found->input = static_cast<int>(i);
    found->name = model.main().tensors[as_size(model.main().inputs[i])].name;
    all.push_back(std::move(*found));
  }
  return all;
}

std::string sentence(const InputMismatch& mismatch, const std::string& twin_path) {
  std::string text = fmt::format("input {} '{}' has values of [{:.4g}, {:.4g}], and {} represents [{:.4g}, {:.4g}]", mismatch.input,
                                 mismatch.name, mismatch.low, mismatch.high, twin_path, mismatch.range_low, mismatch.range_high);
  if (mismatch.outside_share > 0) text += fmt::format(": {:.0f} % are cut off", 100 * mismatch.outside_share);
  text += "; the data are scaled otherwise than those it was calibrated with";
  const std::string_view formula = usual_scaling(mismatch);
  return formula.empty() ? text : fmt::format("{} (pictures of 0 to 255? give it {})", text, formula);
}

}  // namespace visq
