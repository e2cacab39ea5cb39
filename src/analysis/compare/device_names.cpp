#include "analysis/compare/device_names.h"

#include <algorithm>
#include <optional>

#include "analysis/compare/device_layout.h"
#include "analysis/compare/dump_tensors.h"
#include "core/as_size.h"
#include "core/error.h"
#include "data/sources/input_names.h"
#include "data/sources/numbered.h"
#include "model/printable.h"

namespace visq::analysis {
namespace {

/// Letters and digits, all else as '_': what is left of a name where it had to be a file's, or an identifier of C.
std::string mangled(std::string_view name) {
  std::string text;
  for (const char c : name) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    text += plain ? c : '_';
  }
  return text;
}

/// Names of several layers that were fused, joined by ';'.
bool is_one_of(std::string_view joined, std::string_view name) {
  while (!joined.empty()) {
    const std::string_view part = joined.substr(0, joined.find(';'));
    if (!part.empty() && (part == name || mangled(part) == mangled(name))) return true;
    joined.remove_prefix(std::min(joined.size(), part.size() + 1));
  }
  return false;
}

/// "c_outputs_2": the tensor of the model's second output. "m_…" are what the same tool computed on the PC.
std::optional<int> by_position(const std::string& name, const Model& model) {
  const std::pair<std::string_view, const std::vector<int>*> kinds[] = {{"c_inputs_", &model.main().inputs},
                                                                        {"c_outputs_", &model.main().outputs}};
  for (const auto& [prefix, tensors] : kinds) {
    const auto number = name.starts_with(prefix) ? data::decimal(name.substr(prefix.size())) : std::nullopt;
    if (number && *number >= 1 && *number <= static_cast<std::int64_t>(tensors->size())) return (*tensors)[as_size(*number - 1)];
  }
  return std::nullopt;
}

using Rule = bool (*)(const DumpTensor& device, const DumpTensor& reference, const Model& model);

/// From the surest to the least.
constexpr Rule kRules[] = {
    [](const DumpTensor& d, const DumpTensor& r, const Model&) { return d.index >= 0 && d.name.empty() && d.index == r.index; },
    [](const DumpTensor& d, const DumpTensor& r, const Model&) { return !d.name.empty() && d.name == r.name; },
    [](const DumpTensor& d, const DumpTensor& r, const Model& model) {
      return !d.name.empty() && d.name == signature_name(model, r.index);
    },
    [](const DumpTensor& d, const DumpTensor& r, const Model& model) { return by_position(d.name, model) == r.index; },
    [](const DumpTensor& d, const DumpTensor& r, const Model&) { return !d.name.empty() && mangled(d.name) == mangled(r.name); },
    [](const DumpTensor& d, const DumpTensor& r, const Model&) {
      return !d.name.empty() && mangled(data::plain_name(d.name)) == mangled(data::plain_name(r.name));
    },
    [](const DumpTensor& d, const DumpTensor& r, const Model&) { return !d.name.empty() && is_one_of(r.name, d.name); },
};

class NamePairs {
 public:
  NamePairs(const std::vector<DumpTensor>& device, const std::vector<DumpTensor>& reference, const Model& model)
      : device_(device), reference_(reference), model_(model), partner_(device.size(), -1), taken_(reference.size(), false) {}

  Status take(const NamedMaps& names, const std::string& path) {
    for (const auto& [of_device, of_model] : names) {
      const auto d = position(device_, of_device), r = position(reference_, of_model);
      if (d < 0) return usage_error("--map: {} holds no map '{}'", path, printable(of_device));
      if (r < 0) return usage_error("--map: {} has no feature map '{}'", model_.path, printable(of_model));
      join(as_size(d), as_size(r));
    }
    return {};
  }

  void apply(Rule rule) {
    for (std::size_t d = 0; d < device_.size(); ++d) {
      for (std::size_t r = 0; r < reference_.size() && partner_[d] < 0; ++r) {
        if (!taken_[r] && rule(device_[d], reference_[r], model_)) join(d, r);
      }
    }
  }

  /// Maps that no name explains, in order, each with the next of the model's of its size.
  void by_order() {
    std::size_t next = 0;
    guessed_ = true;
    for (std::size_t d = 0; d < device_.size(); ++d) {
      if (partner_[d] >= 0 || device_[d].name.starts_with("m_")) continue;
      for (std::size_t r = next; r < reference_.size(); ++r) {
        if (taken_[r] || possible_layouts(device_[d].shape, reference_[r].shape).empty()) continue;
        join(d, r);
        next = r + 1;
        break;
      }
    }
  }

  std::vector<NamedPair> pairs() const {
    std::vector<NamedPair> all;
    for (std::size_t d = 0; d < device_.size(); ++d) {
      if (partner_[d] >= 0) all.push_back({device_[d], reference_[as_size(partner_[d])], guessed_});
    }
    return all;
  }
  /// Names of the device's maps that are left over, the first few of them.
  std::string left_over() const {
    constexpr std::size_t kNamed = 5;
    std::vector<std::string> names;
    std::size_t more = 0;
    for (std::size_t d = 0; d < device_.size(); ++d) {
      if (partner_[d] >= 0) continue;
      if (names.size() < kNamed) {
        names.push_back(name_of(device_[d]));
      } else {
        ++more;
      }
    }
    return names.empty() ? "" : data::quoted_list(names) + (more > 0 ? fmt::format(" and {} more", more) : "");
  }
  bool any() const {
    return std::any_of(partner_.begin(), partner_.end(), [](int partner) { return partner >= 0; });
  }

 private:
  static int position(const std::vector<DumpTensor>& list, const std::string& name) {
    const auto found = std::find_if(list.begin(), list.end(), [&](const DumpTensor& tensor) {
      return name_of(tensor) == name || (tensor.index >= 0 && std::to_string(tensor.index) == name);
    });
    return found == list.end() ? -1 : static_cast<int>(found - list.begin());
  }
  void join(std::size_t d, std::size_t r) {
    partner_[d] = static_cast<int>(r);
    taken_[r] = true;
  }

  const std::vector<DumpTensor>&device_, &reference_;
  const Model& model_;
  std::vector<int> partner_;
  std::vector<bool> taken_;
  bool guessed_ = false;
};

}  // namespace

Result<std::vector<NamedPair>> pair_by_name(const std::vector<DumpTensor>& device, const std::vector<DumpTensor>& reference,
                                            const Model& model, const NamedMaps& names, const std::string& path,
                                            std::vector<std::string>& remarks) {
  NamePairs pairs(device, reference, model);
  VISQ_TRY(pairs.take(names, path));
  for (const Rule rule : kRules) pairs.apply(rule);
  if (!pairs.any()) pairs.by_order();
  if (!pairs.any()) {
    return bad_input("{}: no map has a name or a size of {}'s ('{}' …); --map FILE tells which is which", path, model.path,
                     printable(name_of(device.front())));
  }
  if (const std::string left = pairs.left_over(); !left.empty())
    remarks.push_back(fmt::format("{}: no map of the model's: {}", path, left));
  return pairs.pairs();
}

}  // namespace visq::analysis
