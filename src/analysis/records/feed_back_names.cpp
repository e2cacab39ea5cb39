// What --feed-back names: one output and one input, or with a "*" all that fit.
#include <algorithm>
#include <optional>

#include "analysis/facts/map_identity.h"
#include "core/error.h"
#include "visq/sequence.h"

namespace visq {
namespace {

using analysis::MapNames;

constexpr char kAny = '*';

/// A name with one "*" in it.
struct NamePattern {
  std::string before, after;

  /// What stands for the "*" in a name; nothing where the name does not fit.
  std::optional<std::string> part_of(std::string_view name) const {
    if (name.size() < before.size() + after.size() || !name.starts_with(before) || !name.ends_with(after)) return std::nullopt;
    return std::string(name.substr(before.size(), name.size() - before.size() - after.size()));
  }
  std::string with(const std::string& part) const { return before + part + after; }
};

Result<NamePattern> parse_pattern(const std::string& text, const std::string& whole) {
  if (std::ranges::count(text, kAny) != 1) return usage_error("--feed-back: '{}' has not one * on each side", whole);
  const auto place = text.find(kAny);
  return NamePattern{text.substr(0, place), text.substr(place + 1)};
}

bool is_output(const Model& model, const std::string& name) {
  const MapNames names(model, 0);
  return std::ranges::any_of(model.main().outputs, [&](int tensor) { return names.goes_by(tensor, name); });
}

/// The outputs of a model that fit, in their order, each with the input of the pattern beside it.
std::vector<FeedBack> fitting_outputs(const Model& model, const NamePattern& output, const NamePattern& input) {
  std::vector<FeedBack> found;
  const MapNames names(model, 0);
  for (const int tensor : model.main().outputs) {
    for (const std::string_view name : {names.alias(tensor), std::string_view(names.name(tensor))}) {
      const auto part = name.empty() ? std::nullopt : output.part_of(name);
      if (!part) continue;
      found.push_back({std::string(name), input.with(*part)});
      break;
    }
  }
  return found;
}

}  // namespace

Result<std::vector<FeedBack>> feed_backs(const Model& model, const Model* twin, const std::string& text) {
  const auto equals = text.rfind('=');  // names hold '=' at times, so the last one splits
  const bool whole = equals == std::string::npos;
  const std::string left = text.substr(0, equals), right = whole ? text : text.substr(equals + 1);
  const bool pattern = left.find(kAny) != std::string::npos && !is_output(model, left) && (twin == nullptr || !is_output(*twin, left));
  if ((whole && !pattern) || left.empty() || right.empty()) {
    return usage_error("--feed-back: '{}' is neither OUTPUT=INPUT nor names with one *", text);
  }
  if (!pattern) return std::vector<FeedBack>{{left, right}};
  VISQ_ASSIGN(const NamePattern output, parse_pattern(left, text));
  VISQ_ASSIGN(const NamePattern input, parse_pattern(right, text));
  for (const Model* each : {&model, twin}) {
    auto found = each != nullptr ? fitting_outputs(*each, output, input) : std::vector<FeedBack>();
    if (!found.empty()) return found;
  }
  return usage_error("--feed-back: no graph output of {} fits '{}'", model.path, left);
}

}  // namespace visq
