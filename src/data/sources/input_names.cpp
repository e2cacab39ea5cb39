#include "data/sources/input_names.h"

#include <algorithm>

#include "core/as_size.h"
#include "data/sources/folder.h"
#include "model/printable.h"

namespace visq::data {

std::string plain_name(std::string_view name) {
  constexpr std::string_view kServing = "serving_default_";
  if (name.starts_with(kServing)) name.remove_prefix(kServing.size());
  const auto colon = name.rfind(':');
  const bool numbered =
      colon != std::string_view::npos && colon + 1 < name.size() &&
      std::all_of(name.begin() + static_cast<std::ptrdiff_t>(colon) + 1, name.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (numbered) name = name.substr(0, colon);
  return as_file_name(std::string(name));
}

std::vector<int> match_names(const std::vector<InputSpec>& inputs, const std::vector<std::string>& names) {
  std::vector<int> found(inputs.size(), -1);
  std::vector<bool> taken(names.size(), false);
  const auto take = [&](std::size_t input, const auto& is_it) {
    for (std::size_t n = 0; n < names.size() && found[input] < 0; ++n) {
      if (taken[n] || !is_it(names[n])) continue;
      found[input] = static_cast<int>(n);
      taken[n] = true;
    }
  };
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const InputSpec& input = inputs[i];
    for (const std::string& name : {input.alias, input.name, as_file_name(input.name)}) {
      if (!name.empty()) take(i, [&](const std::string& other) { return other == name; });
    }
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    for (const std::string& name : {plain_name(inputs[i].alias), plain_name(inputs[i].name)}) {
      if (!name.empty()) take(i, [&](const std::string& other) { return plain_name(other) == name; });
    }
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    take(i, [&](const std::string& other) { return other == std::to_string(i); });
  }
  return found;
}

std::string quoted_list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "'" : ", '") + printable(name) + "'";
  return text.empty() ? "none" : text;
}

std::vector<std::string> names_of(const std::vector<InputSpec>& inputs) {
  std::vector<std::string> names;
  for (const InputSpec& input : inputs) names.push_back(input.alias.empty() ? input.name : input.alias);
  return names;
}

std::string own_places(const std::vector<InputSpec>& inputs) {
  constexpr std::size_t kNamed = 4;
  std::string list;
  for (const std::string& name : names_of(inputs)) {
    list += fmt::format("{}{}=PATH", list.empty() ? "" : ",", printable(name));
    if (std::count(list.begin(), list.end(), '=') == static_cast<std::ptrdiff_t>(kNamed)) break;
  }
  return fmt::format("; give each input its own, as -d {}{}", list, inputs.size() > kNamed ? ",…" : "");
}

Error one_input_only(const std::string& place, const std::string& model, const std::vector<InputSpec>& inputs) {
  return bad_input("{}: holds arrays of one input, {} has {}{}", place, model, inputs.size(), own_places(inputs));
}

}  // namespace visq::data
