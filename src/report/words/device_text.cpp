#include "report/words/device_text.h"

#include <algorithm>

#include "core/as_size.h"
#include "report/words/text.h"

namespace visq::report {
namespace {

/// "312 of 4096 elements differ by more than rounding, by up to 14 steps (record 0, element 37)"
std::string counted(const StepDifference& difference) {
  return fmt::format("{} of {} elements differ by more than rounding, by up to {} steps (record {}, element {})", difference.beyond,
                     difference.elements, brief(difference.largest), difference.record, difference.element);
}

std::string what_is_wrong(const DeviceMap& map, const StepDifference& difference) {
  if (map.fault != "zero point") return counted(difference);
  return fmt::format("{:.0f} % of its elements are off by the same {:+.0f} steps, as a wrong zero point makes them",
                     100 * difference.offset_share, difference.offset);
}

}  // namespace

std::string device_sentence(const CompareResult& result, std::size_t columns) {
  const DeviceReport& report = *result.device;
  if (report.first < 0) {
    const auto worst = std::ranges::max_element(report.maps, {}, [](const DeviceMap& map) { return map.whole.largest; });
    if (worst == report.maps.end()) return "nothing was compared";
    if (worst->whole.differing == 0) {
      const bool floats = result.reference_mode == Mode::kFp32;
      return fmt::format("the device computes what the model does: all {} maps agree {}", report.maps.size(),
                         floats ? "to half a thousandth of their largest values" : "to the bit");
    }
    return fmt::format(
        "no operator of the device is off by more than its rounding: given the device's own inputs, each gives its output but for ties "
        "(1 step); what they add up to is largest in {} ({} of {} elements, up to {} steps)",
        shortened(printable(worst->name), columns), worst->whole.differing, worst->whole.elements, brief(worst->whole.largest));
  }
  const DeviceMap& map = report.maps[as_size(report.first)];
  const std::string name = shortened(printable(map.name), columns);
  const bool replayed = map.own.elements > 0;
  const StepDifference& difference = replayed ? map.own : map.whole;
  if (map.node < 0) {
    return fmt::format("the device was fed with something else: of graph input {}, {}", name, what_is_wrong(map, difference));
  }
  const auto faults = std::ranges::count_if(report.maps, [](const DeviceMap& each) { return !each.fault.empty(); });
  std::string text = fmt::format("the device leaves the model first at node {} {} {}: ", map.node, printable(map.op), name);
  text += what_is_wrong(map, difference);
  if (!replayed) {
    text += ". The operators before it were not run again, so the fault may be theirs";
  } else if (map.unseen.empty()) {
    text += fmt::format(". {}, so it is this operator", difference.record >= 0 ? "That is with the device's own inputs" : "");
  } else {
    text += fmt::format(". That is with the device's own maps before it; the fault is in this operator or in those that make {}",
                        shortened(printable(map.unseen.front()), columns));
    if (map.unseen.size() > 1) text += fmt::format(" and {} more, which the dump does not hold", map.unseen.size() - 1);
  }
  if (faults > 1) text += fmt::format(". {} more maps are off by more than their own rounding", faults - 1);
  return text;
}

std::string device_next(const CompareResult& result, const std::string& data_options) {
  if (!result.device || result.device->first < 0) return "";
  const DeviceMap& map = result.device->maps[as_size(result.device->first)];
  if (map.node < 0 || result.reference.format == "onnx") return "";  // parts of ONNX files are not written
  const std::string model = shell_word(printable(result.reference.path));
  return fmt::format("visqerror extract {} {} --nodes {} -d {}{} --mode {} -o OUT", model, model, shell_word(printable(map.name)),
                     shell_word(printable(result.data)), data_options, name(result.reference_mode));
}

}  // namespace visq::report
