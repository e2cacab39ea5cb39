#include "analysis/compare/device_names.h"

#include <algorithm>
#include <map>
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
    // What ONNX's quantizer gives is the map on its grid; what bears the map's own name there is not rounded yet.
    [](const DumpTensor& d, const DumpTensor& r, const Model&) {
      return !r.scale.empty() && d.name == r.name + "_DequantizeLinear_Output";
    },
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

  /// Where no name explains anything: each map is the next of the model's of its size, in one record or in as many as first axes count,
  /// whichever finds more. `stacked`: see shape_of_record().
  void guess(std::int64_t stacked) {
    guessed_ = true;
    partner_ = by_order(0);
    if (stacked == 0) return;
    std::vector<int> along = by_order(stacked);
    if (joined(along) > joined(partner_)) partner_ = std::move(along);
  }

  std::vector<NamedPair> pairs() const {
    std::vector<NamedPair> all;
    for (std::size_t d = 0; d < device_.size(); ++d) {
      if (partner_[d] < 0) continue;
      all.push_back({device_[d], reference_[as_size(partner_[d])], guessed_, guessed_ && count() == reference_.size()});
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
  std::size_t count() const { return joined(partner_); }

 private:
  static std::size_t joined(const std::vector<int>& partners) {
    return as_size(std::ranges::count_if(partners, [](int partner) { return partner >= 0; }));
  }
  std::vector<int> by_order(std::int64_t stacked) const {
    std::vector<int> partners(device_.size(), -1);
    std::size_t next = 0;
    for (std::size_t d = 0; d < device_.size(); ++d) {
      if (device_[d].name.starts_with("m_")) continue;
      const Shape shape = shape_of_record(device_[d].shape, stacked);
      std::size_t r = next;
      while (r < reference_.size() && possible_layouts(shape, reference_[r].shape).empty()) ++r;
      if (r == reference_.size()) continue;
      partners[d] = static_cast<int>(r);
      next = r + 1;
    }
    return partners;
  }
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

/// The number that most first axes of a dump's maps are, at least 2; 0 where there is none.
std::int64_t usual_first_axis(const std::vector<DumpTensor>& maps) {
  std::map<std::int64_t, int> times;
  for (const DumpTensor& map : maps) {
    if (map.shape.rank() > 0 && map.shape[0] >= 2) ++times[map.shape[0]];
  }
  const auto most = std::ranges::max_element(times, {}, [](const auto& each) { return each.second; });
  return most == times.end() ? 0 : most->first;
}

/// How well maps fit those of the model: one for every map that can be its partner, and another where the axes say so, too.
int fitting(const std::vector<NamedPair>& pairs, std::int64_t stacked) {
  int sum = 0;
  for (const NamedPair& pair : pairs) {
    if (stacked > 0 && (pair.device.shape.rank() == 0 || pair.device.shape[0] != stacked)) continue;
    const auto ways = possible_layouts(shape_of_record(pair.device.shape, stacked), pair.reference.shape);
    if (!ways.empty()) sum += ways.front().as_shaped ? 2 : 1;
  }
  return sum;
}

}  // namespace

Shape shape_of_record(const Shape& stored, std::int64_t stacked) {
  return stacked > 0 && stored.rank() > 0 ? Shape(stored.dims().subspan(1)) : stored;
}

std::int64_t stacked_records(const std::vector<NamedPair>& pairs) {
  std::vector<DumpTensor> maps;
  for (const NamedPair& pair : pairs) maps.push_back(pair.device);
  const std::int64_t count = usual_first_axis(maps);
  return count > 0 && fitting(pairs, count) > fitting(pairs, 0) ? count : 0;
}

Result<std::vector<NamedPair>> pair_by_name(const std::vector<DumpTensor>& device, const std::vector<DumpTensor>& reference,
                                            const Model& model, const NamedMaps& names, const std::string& path, bool one_record,
                                            std::vector<std::string>& remarks) {
  NamePairs pairs(device, reference, model);
  VISQ_TRY(pairs.take(names, path));
  for (const Rule rule : kRules) pairs.apply(rule);
  if (pairs.count() == 0) pairs.guess(one_record ? usual_first_axis(device) : 0);
  if (pairs.count() == 0) {
    return bad_input("{}: no map has a name or a size of {}'s ('{}' …); --map FILE tells which is which", path, model.path,
                     printable(name_of(device.front())));
  }
  if (const std::string left = pairs.left_over(); !left.empty())
    remarks.push_back(fmt::format("{}: no map of the model's: {}", path, left));
  return pairs.pairs();
}

}  // namespace visq::analysis
