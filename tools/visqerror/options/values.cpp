#include "visqerror/options/values.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "core/memory_size.h"
#include "core/suggest.h"

namespace visq::tool {
namespace {

template <class T>
std::optional<T> whole(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

Result<std::int64_t> parse_integer(const std::string& option, const std::string& text, std::int64_t low, std::int64_t high) {
  const auto value = whole<std::int64_t>(text);
  if (!value || *value < low || *value > high) return usage_error("{}: '{}' is not a whole number from {} to {}", option, text, low, high);
  return *value;
}

Result<std::uint64_t> parse_memory(const std::string& option, const std::string& text) {
  if (text.empty()) return std::uint64_t{0};
  const auto bytes = parse_memory_size(text);
  if (!bytes) return usage_error("{}: '{}' is not an amount of memory such as 512M or 2G", option, text);
  return *bytes;
}

Result<double> parse_number(const std::string& option, const std::string& text) {
  const auto value = whole<double>(text);
  if (!value || !std::isfinite(*value)) return usage_error("{}: '{}' is not a number", option, text);
  return *value;
}

Result<double> parse_duration(const std::string& option, const std::string& text) {
  const auto units = {std::pair('s', 1.0), std::pair('m', 60.0), std::pair('h', 3600.0)};
  const auto unit = std::find_if(units.begin(), units.end(), [&](const auto& each) { return text.ends_with(each.first); });
  const auto number = parse_number(option, unit == units.end() ? text : text.substr(0, text.size() - 1));
  const double seconds = number.ok() ? *number * (unit == units.end() ? 1 : unit->second) : 0;
  if (!(seconds > 0)) return usage_error("{}: '{}' is no time, such as 90s, 2m or 1h", option, text);
  return seconds;
}

Result<RecordSelection> parse_records(const std::string& text) {
  if (text.empty()) return RecordSelection{};
  const auto colon = text.find(':');
  if (text.substr(0, colon) == "worst") {
    const auto count = colon == std::string::npos ? std::optional<std::int64_t>(1) : whole<std::int64_t>(text.substr(colon + 1));
    if (!count || *count < 1) return usage_error("--records: '{}' is not worst:K with K from 1", text);
    return RecordSelection{std::nullopt, *count};
  }
  const auto first = colon == std::string::npos ? std::optional<std::int64_t>(0) : whole<std::int64_t>(text.substr(0, colon));
  const auto last = whole<std::int64_t>(colon == std::string::npos ? text : text.substr(colon + 1));
  if (!first || !last || *first < 0) return usage_error("--records: '{}' is neither N, A:B nor worst[:K]", text);
  if (*first >= *last) return usage_error("--records: '{}' holds no record", text);
  return RecordSelection{RecordRange{*first, *last}, 0};
}

Result<RecordRange> clamp_records(const RecordSelection& selection, std::int64_t count, const std::string& data, const Console& console) {
  if (count == 0) return bad_input("{}: holds no record", data);
  if (!selection.range) return RecordRange{0, count};
  const auto [first, last] = *selection.range;
  if (first >= count) return bad_input("{}: records {}:{} are outside its {} record{}", data, first, last, count, count == 1 ? "" : "s");
  if (last > count) console.warn(fmt::format("{}: holds {} record{}, using {}:{}", data, count, count == 1 ? "" : "s", first, count));
  return RecordRange{first, std::min(last, count)};
}

Result<Metric> parse_metric(const std::string& option, const std::string& name) {
  const Metric named = metric_named(name);
  if (named != Metric::kNone) return named;
  std::vector<std::string_view> names;
  for (const MetricInfo& metric : all_metrics()) names.push_back(metric.name);
  return usage_error("{}: unknown metric '{}'{}", option, name, suggestion(name, names));
}

Result<Mode> parse_mode(const std::string& option, const std::string& text) {
  for (const Mode mode : {Mode::kFp32, Mode::kFakeQuant, Mode::kInteger}) {
    if (text == name(mode)) return mode;
  }
  const std::string_view names[] = {"fp32", "fake-quant", "integer"};
  return usage_error("{}: unknown mode '{}'{}", option, text, suggestion(text, names));
}

Result<PostProcess> parse_post(const std::string& text) {
  if (text.empty()) return PostProcess::kNone;
  if (const auto post = post_process_called(text)) return *post;
  const std::vector<std::string_view> names{"softmax", "sigmoid", "argmax"};
  return usage_error("--post: unknown function '{}'{}", text, suggestion(text, names));
}

}  // namespace visq::tool
