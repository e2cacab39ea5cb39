// Which input of one model is which of the other.
#include <algorithm>

#include "core/as_size.h"
#include "core/error.h"
#include "data/channel_order.h"
#include "data/sources/input_spec.h"

namespace visq {
namespace {

using data::kind_of;

/// Sizes behind leading axes of 1, where the batch axis may be missing; a dynamic first axis stays.
std::span<const std::int64_t> without_batch(const std::vector<std::int64_t>& dims) {
  std::span<const std::int64_t> rest(dims);
  return !rest.empty() && rest[0] == 1 ? rest.subspan(1) : rest;
}

bool sizes_agree(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](std::int64_t x, std::int64_t y) { return x == y || x == -1 || y == -1; });
}

/// An input together with what tells it apart.
struct Candidate {
  const TensorInfo* tensor = nullptr;
  data::InputSpec spec;
  std::size_t position = 0;
};

/// Whether the same data can feed both.
bool fits(const Candidate& a, const Candidate& b) {
  if (kind_of(*a.tensor) != kind_of(*b.tensor)) return false;
  if (!a.spec.has_rank || !b.spec.has_rank) return true;
  return sizes_agree(a.spec.dims, b.spec.dims) || sizes_agree(without_batch(a.spec.dims), without_batch(b.spec.dims));
}

/// Whether only the channels stand elsewhere: NCHW in one, NHWC in the other. Sizes are known, or nothing tells.
bool fits_moved(const Candidate& a, const Candidate& b) {
  const auto open = [](const Candidate& each) {
    return !each.spec.has_rank || std::ranges::find(each.spec.dims, -1) != each.spec.dims.end();
  };
  if (kind_of(*a.tensor) != kind_of(*b.tensor) || open(a) || open(b)) return false;
  return !data::possible_moves(Shape(a.spec.dims), Shape(b.spec.dims), ChannelOrder::kUnknown).empty();
}
bool same_alias_moved(const Candidate& a, const Candidate& b) {
  return fits_moved(a, b) && !a.spec.alias.empty() && a.spec.alias == b.spec.alias;
}
bool same_name_moved(const Candidate& a, const Candidate& b) { return fits_moved(a, b) && a.spec.name == b.spec.name; }
bool same_position_moved(const Candidate& a, const Candidate& b) { return fits_moved(a, b) && a.position == b.position; }

bool same_alias(const Candidate& a, const Candidate& b) { return fits(a, b) && !a.spec.alias.empty() && a.spec.alias == b.spec.alias; }
bool same_name(const Candidate& a, const Candidate& b) { return fits(a, b) && a.spec.name == b.spec.name; }
bool same_type(const Candidate& a, const Candidate& b) { return fits(a, b) && a.spec.dims == b.spec.dims && a.spec.dtype == b.spec.dtype; }
bool same_shape(const Candidate& a, const Candidate& b) { return fits(a, b) && a.spec.dims == b.spec.dims; }
bool same_position(const Candidate& a, const Candidate& b) { return fits(a, b) && a.position == b.position; }

/// A rule pairs two inputs if it holds for them and, where it asks for that, for no other input that is left on either side.
struct Rule {
  bool (*holds)(const Candidate&, const Candidate&);
  bool unique;
};
constexpr Rule kRules[] = {{same_alias, true},           {same_name, true},  {same_type, true},        {same_shape, true},
                           {same_position, false},       {fits, false},      {same_alias_moved, true}, {same_name_moved, true},
                           {same_position_moved, false}, {fits_moved, false}};

std::vector<Candidate> candidates(const Model& model) {
  std::vector<Candidate> list;
  for (const int index : model.main().inputs) {
    const TensorInfo& tensor = model.main().tensors[as_size(index)];
    list.push_back({&tensor, data::input_spec(model, list.size()), list.size()});
  }
  return list;
}

/// The positions of the inputs of both models and which of them are paired already.
class Matcher {
 public:
  Matcher(const Model& model, const Model& twin)
      : models_(candidates(model)), twins_(candidates(twin)), order_(twins_.size(), -1), taken_(models_.size(), false) {}

  void apply(const Rule& rule) {
    for (std::size_t t = 0; t < twins_.size(); ++t) {
      if (order_[t] >= 0) continue;
      const auto found = partners(rule, t);
      if (found.empty() || (rule.unique && (found.size() > 1 || rivals(rule, found[0]) > 1))) continue;
      order_[t] = static_cast<int>(found[0]);
      taken_[found[0]] = true;
    }
  }

  const std::vector<int>& order() const { return order_; }
  const Candidate& twin(std::size_t position) const { return twins_[position]; }
  /// An input that nothing has taken, of the same kind of values and number of axes as this one of the twin; null where there is none.
  const Candidate* other_size(std::size_t twin) const {
    const Candidate& wanted = twins_[twin];
    for (std::size_t m = 0; m < models_.size(); ++m) {
      const bool same_rank = models_[m].spec.has_rank && models_[m].spec.dims.size() == wanted.spec.dims.size();
      if (!taken_[m] && same_rank && wanted.spec.has_rank && kind_of(*models_[m].tensor) == kind_of(*wanted.tensor)) return &models_[m];
    }
    return nullptr;
  }

 private:
  std::vector<std::size_t> partners(const Rule& rule, std::size_t twin) const {
    std::vector<std::size_t> found;
    for (std::size_t m = 0; m < models_.size(); ++m) {
      if (!taken_[m] && rule.holds(models_[m], twins_[twin])) found.push_back(m);
    }
    return found;
  }
  std::size_t rivals(const Rule& rule, std::size_t model) const {
    std::size_t count = 0;
    for (std::size_t t = 0; t < twins_.size(); ++t) {
      if (order_[t] < 0 && rule.holds(models_[model], twins_[t])) ++count;
    }
    return count;
  }

  std::vector<Candidate> models_, twins_;
  std::vector<int> order_;
  std::vector<bool> taken_;
};

/// One network that was converted for two sizes of its input: what to do about it.
std::string size_advice(const Candidate& model, const Candidate& twin) {
  const std::string theirs = to_string(Shape(model.spec.dims)), ours = to_string(Shape(twin.spec.dims));
  const bool turned = std::is_permutation(model.spec.dims.begin(), model.spec.dims.end(), twin.spec.dims.begin());
  const std::string_view what = turned ? "the axes are in another order" : "the sizes differ";
  return fmt::format(": {} takes {} there; {}, so no feature map can be compared: quantize the float model for {}, or export it for {}",
                     model.spec.label, theirs, what, theirs, ours);
}

}  // namespace

Result<std::vector<int>> match_inputs(const Model& model, const Model& twin) {
  const std::size_t wanted = model.main().inputs.size();
  const std::size_t found = twin.main().inputs.size();
  if (wanted != found) return bad_input("{} has {} inputs, {} has {}", twin.path, found, model.path, wanted);
  Matcher matcher(model, twin);
  for (const Rule& rule : kRules) matcher.apply(rule);
  for (std::size_t i = 0; i < matcher.order().size(); ++i) {
    if (matcher.order()[i] >= 0) continue;
    const data::InputSpec& input = matcher.twin(i).spec;
    const Candidate* const other = matcher.other_size(i);
    return bad_input("{}: {} ({} {}) fits no input of {} that is left{}", twin.path, input.label, name(input.dtype),
                     to_string(Shape(input.dims)), model.path, other != nullptr ? size_advice(*other, matcher.twin(i)) : "");
  }
  return matcher.order();
}

}  // namespace visq
