#include "diagnosis/recalibration.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/facts/layer_values.h"
#include "diagnosis/suspicion.h"
#include "diagnosis/weight_steps.h"
#include "kernels/op.h"

namespace visq::diagnosis {
namespace {

/// A range is wrong where its noise is so many times that of the new one: a bit is lost.
constexpr double kOffNoise = 4;
/// Ranges that must be wrong for calibration to be to blame, and their share of all.
constexpr std::size_t kFewestOff = 3;
constexpr double kLeastShareOff = 0.25;
/// What calibrating again must win, in dB; beyond the best single repair, also as a share of that.
constexpr double kLeastGainOfAll = 3, kLeastBeyond = 2, kLeastShareBeyond = 0.2;
/// An output below this after calibrating again has been ruined by something else.
constexpr double kLeastAfter = 6;

double worst(const OutputErrors& errors) {
  return errors.outputs.empty() ? kPerfect : *std::min_element(errors.outputs.begin(), errors.outputs.end());
}

/// A bias that an operator adds to codes, in the scale of its input times that of its weights, and that cannot follow another scale.
bool has_stubborn_bias(const Subject& subject, int node) {
  const Operator& op = subject.q().op(node);
  const auto slots = kernels::facts_of(op).weights;
  for (std::size_t slot = 0; slot < op.inputs.size(); ++slot) {
    if (op.inputs[slot] < 0) continue;
    const TensorInfo& input = subject.q().tensor(op.inputs[slot]);
    const bool bias = input.is_constant && input.quantization.quantized() && bits(input.dtype) >= 32;
    if (bias && (!slots || slots->bias != slot || subject.q().readers(op.inputs[slot]).size() > 1)) return true;
  }
  return false;
}

bool keeps_state_on_codes(const Subject& subject, int node) {
  const auto& inputs = subject.q().op(node).inputs;
  return std::any_of(inputs.begin(), inputs.end(), [&](int input) { return input >= 0 && subject.q().tensor(input).is_variable; });
}

/// A range is an average of the records' where its width is, within this factor.
constexpr double kAsWide = 1.25;

bool is_average(const QuantizedMap& map) {
  const analysis::RealBounds average = map.values->average();
  const double width = average.high - average.low;
  return map.offered_width() <= kAsWide * width && width <= kAsWide * map.offered_width();
}

/// Weights per channel one of which has steps so many times larger than its values ask for: converters enlarge them where a range is so
/// narrow that the bias would not fit.
constexpr double kCoarse = 4;

/// Codes of a bias that are certain to fit.
constexpr double kFittingCode = 1 << 30;

/// Some channel is so coarse, and with steps as fine as the values ask for the bias fits, on the new range of the data.
bool can_be_finer(const Symptoms& symptoms, const ConstantValues& constant) {
  const Subject& subject = symptoms.subject();
  const TensorInfo& tensor = subject.q().tensor(constant.where.tensor);
  const Operator& op = subject.q().op(constant.where.node);
  const auto slots = kernels::facts_of(op).weights;
  if (constant.where.bias || !slots || tensor.dtype != DType::kInt8 || !tensor.quantization.per_channel()) return false;
  const int data = input_of(op, slots->data);
  const auto bias = analysis::bias_values(subject.r(), subject.r().op(constant.where.reference_node));
  if (data == kNoTensor || symptoms.map(data) == nullptr) return false;
  const auto data_scale = static_cast<double>(new_grid(symptoms, data).scale.front());
  const std::vector<double> reaches = channel_reaches(subject, constant);
  bool coarse = false;
  for (std::size_t c = 0; c < std::min(reaches.size(), tensor.quantization.scale.size()); ++c) {
    const double natural = reaches[c] / 127;
    if (bias && c < bias->size() && std::fabs((*bias)[c]) > kFittingCode * data_scale * natural) return false;
    coarse = coarse || (natural > 0 && static_cast<double>(tensor.quantization.scale[c]) > kCoarse * natural);
  }
  return coarse;
}

/// Counts what is wrong with the grid of a map and of those tied to it.
void judge_range(const Symptoms& symptoms, const std::vector<int>& tied, const Quantization& grid, Recalibration& result) {
  TensorInfo renewed = symptoms.subject().q().tensor(tied.front());
  renewed.quantization = grid;
  const auto range = analysis::representable_range(renewed).value_or(analysis::RealBounds());
  GridNoise now, then;
  for (const int tensor : tied) {
    const QuantizedMap* map = symptoms.map(tensor);
    if (map == nullptr) continue;
    const GridNoise wanted = noise_of(map->values->sketch, range, static_cast<double>(grid.scale.front()));
    now.rounding += map->noise.rounding, now.clipped_low += map->noise.clipped();
    then.rounding += wanted.rounding, then.clipped_low += wanted.clipped();
  }
  if (now.total() <= kOffNoise * then.total()) return;
  const bool narrow = now.clipped() > now.rounding;
  ++(narrow ? result.narrow : result.wide);
  const QuantizedMap* first = symptoms.map(tied.front());
  if (narrow && first != nullptr && is_average(*first)) ++result.average;
}

}  // namespace

bool can_have_another_grid(const Subject& subject, int tensor) {
  const auto& tied = subject.tied(tensor);
  return std::none_of(tied.begin(), tied.end(), [&](int map) {
    const int maker = subject.q().maker(map);
    if (maker >= 0 && keeps_state_on_codes(subject, maker)) return true;
    const auto& readers = subject.q().readers(map);
    return std::any_of(readers.begin(), readers.end(),
                       [&](int reader) { return keeps_state_on_codes(subject, reader) || has_stubborn_bias(subject, reader); });
  });
}

Recalibration recalibrate(const Symptoms& symptoms) {
  const Subject& subject = symptoms.subject();
  Recalibration result;
  Repair repair(subject);
  std::set<std::size_t> groups;
  std::vector<double> ratios;
  for (const QuantizedMap& map : symptoms.maps()) {
    if (!groups.insert(subject.group(map.tensor)).second || !can_have_another_grid(subject, map.tensor)) continue;
    const auto& tied = subject.tied(map.tensor);
    const Quantization grid = new_grid(symptoms, map.tensor);
    repair.regrid(tied, grid);
    ++result.ranges;
    ratios.push_back(map.step / static_cast<double>(grid.scale.front()));
    judge_range(symptoms, tied, grid, result);
  }
  if (!ratios.empty()) {
    const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
    std::nth_element(ratios.begin(), middle, ratios.end());
    result.median_ratio = *middle;
  }
  for (const ConstantValues& constant : symptoms.constants()) {
    if (can_be_finer(symptoms, constant)) repair.reweight(constant.where, WeightScales::kPerChannel);
  }
  result.edit = repair.finish();
  return result;
}

std::optional<CalibrationTrial> try_calibration(const Symptoms& symptoms, const Trials& trials, double best_single) {
  CalibrationTrial trial;
  trial.recalibration = recalibrate(symptoms);
  trial.best_single = best_single;
  const auto least_off = std::max<double>(kFewestOff, kLeastShareOff * static_cast<double>(trial.recalibration.ranges));
  if (static_cast<double>(trial.recalibration.off()) < least_off) return std::nullopt;
  const auto after = trials.after(trial.recalibration.edit);
  if (!after.ok()) return std::nullopt;
  trial.before = worst(trials.before());
  trial.after = worst(*after);
  trial.gain = gain(trials.before().outputs, after->outputs);
  trial.decisions = after->decisions;
  const bool beyond = trial.gain >= best_single + std::max(kLeastBeyond, kLeastShareBeyond * best_single);
  if (trial.gain < kLeastGainOfAll || trial.after < kLeastAfter || !beyond) return std::nullopt;
  if (const auto all = trials.after(trial.recalibration.edit, Sample::kAll); all.ok()) {
    const OutputErrors& before = trials.before(Sample::kAll);
    trial.before = worst(before), trial.after = worst(*all), trial.gain = gain(before.outputs, all->outputs);
    trial.decisions = all->decisions;
  }
  return trial;
}

}  // namespace visq::diagnosis
