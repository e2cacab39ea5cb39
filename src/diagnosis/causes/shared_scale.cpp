// SHARED_SCALE: an operator whose kernel keeps its input's scale makes values that are much smaller than its input's.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "diagnosis/suspicion.h"
#include "diagnosis/value_evidence.h"
#include "kernels/op.h"
#include "model/slots.h"

namespace visq::diagnosis::cause_shared_scale {
namespace {

/// The grid over what the output needs: noticeable, certain. Rounding must leave less than this of the output, in dB.
constexpr double kNoticeable = 4, kCertain = 8, kPoor = 30;
/// An input that needs less of the grid than this share has a grid that is too large for itself: another cause.
constexpr double kNeedsItsGrid = 0.4;

/// What rounding by a step leaves of a map, in dB.
double left_by_rounding(const QuantizedMap& map) {
  const double mean = map.values->moments.mean;
  return 10 * std::log10((map.values->moments.variance() + mean * mean) / (map.step * map.step / 12));
}

/// The output and all that are tied to it behind it.
std::vector<int> behind(const Subject& subject, int output) {
  std::vector<int> maps{output};
  for (std::size_t i = 0; i < maps.size(); ++i) {
    for (const int reader : subject.q().readers(maps[i])) {
      for (const int next : subject.q().op(reader).outputs) {
        if (subject.group(next) == subject.group(output) && std::find(maps.begin(), maps.end(), next) == maps.end()) maps.push_back(next);
      }
    }
  }
  return maps;
}

std::string advice(const Operator& op) {
  if (kernels::kind_of(op) == kernels::OpKind::kAveragePool)
    return "pool with MEAN (GlobalAveragePooling2D, reduce_mean), whose kernel has a scale of its own";
  return fmt::format("requantize before {}: an operator that computes (a multiplication by 1) gives a scale of its own", op.type);
}

void suspect_operator(const Symptoms& symptoms, const Operator& op, Suspicions& suspicions) {
  const Subject& subject = symptoms.subject();
  const int output = output_of(op, 0);
  const QuantizedMap* out = output == kNoTensor ? nullptr : symptoms.map(output);
  const QuantizedMap* in = input_of(op, 0) == kNoTensor ? nullptr : symptoms.map(input_of(op, 0));
  if (out == nullptr || in == nullptr || out->used_width() <= 0 || out->step <= 0) return;
  if (!kernels::facts_of(op).keeps_codes.has(subject.q().tensor(output).dtype) || kernels::kind_of(op) == kernels::OpKind::kConcatenate)
    return;
  const double ratio = out->offered_width() / out->used_width();
  if (ratio < kNoticeable || left_by_rounding(*out) > kPoor || in->used_width() < kNeedsItsGrid * in->offered_width()) return;
  Suspicion& suspicion = suspicions.about_map(output);
  suspicion.place += " behind";
  suspicion.text = fmt::format(
      "{} must keep the scale of its input, which reaches {:.4g}, but makes values that reach {:.4g}: {:.1f} of 8 bits are lost, and "
      "rounding leaves {:.1f} dB",
      op.label(), std::max(-in->values->low(), in->values->high()), std::max(-out->values->low(), out->values->high()), std::log2(ratio),
      left_by_rounding(*out));
  suspicion.evidence = {{"range_over_need", ratio},
                        {"threshold", kNoticeable},
                        {"sqnr_of_rounding", left_by_rounding(*out)},
                        {"needed_low", out->values->low()},
                        {"needed_high", out->values->high()}};
  suspicion.values = evidence_of(*out);
  suspicion.strong = ratio >= kCertain;
  const analysis::RealBounds own{out->values->low() * Symptoms::kMargin, out->values->high() * Symptoms::kMargin};
  Repair repair(subject);
  repair.regrid(behind(subject, output), activation_grid(subject.q().tensor(output).dtype, own));
  suspicion.remedies.push_back({advice(op) + "; or keep it in 16 bits or float",
                                fmt::format("range {} = [{:.6g}, {:.6g}]", in_quotes(subject.names().name(output)), own.low, own.high),
                                repair.finish(), true});
}

void suspect(const Symptoms& symptoms, const DiagnoseOptions&, Suspicions& suspicions) {
  for (const Operator& op : symptoms.subject().quantized().main().operators) suspect_operator(symptoms, op, suspicions);
}

constexpr CauseDef kCause{"SHARED_SCALE", 25, suspect};

}  // namespace

std::span<const CauseDef> definitions() { return {&kCause, 1}; }

}  // namespace visq::diagnosis::cause_shared_scale
