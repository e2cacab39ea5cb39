#include "analysis/records/sequence_links.h"

#include <algorithm>

#include "analysis/facts/map_identity.h"
#include "core/as_size.h"
#include "core/error.h"
#include "core/joined.h"
#include "data/sources/input_spec.h"
#include "quant/graph_index.h"
#include "quant/pairing.h"
#include "visq/data.h"
#include "visq/graph.h"

namespace visq {
namespace analysis {
namespace {

/// Position of the tensor of that name in a list of inputs or outputs of a model; -1 where none bears it.
int position_of(const std::string& name, const std::vector<int>& tensors, const MapNames& names) {
  const auto found = std::find_if(tensors.begin(), tensors.end(), [&](int t) { return names.goes_by(t, name); });
  return found == tensors.end() ? -1 : static_cast<int>(found - tensors.begin());
}

std::string listed(const std::vector<int>& tensors, const MapNames& names) {
  std::vector<std::string> list;
  for (const int tensor : tensors) list.push_back("'" + names.name(tensor) + "'");
  return joined(list, ", ");
}

class Linker {
 public:
  Linker(const Model& model, const Model* twin)
      : model_(model), twin_(twin), names_(model, 0), twin_names_(twin != nullptr ? *twin : model, 0) {}

  /// Works out how the two models belong together; only pairs need it.
  Status pair() {
    if (twin_ == nullptr) return {};
    VISQ_ASSIGN(order_, match_inputs(model_, *twin_));
    pairing_ = quant::pair_models(model_, *twin_, order_).front().pairing;
    return {};
  }

  Result<SequenceLink> link(const FeedBack& names) const {
    SequenceLink link;
    VISQ_ASSIGN(link.input, input_of(names.input));
    VISQ_ASSIGN(const int output, output_of(names.output));
    link.output = outputs()[as_size(output)];
    if (twin_ != nullptr) {
      VISQ_ASSIGN(link.twin_output, twin_output_of(names.output, output));
    }
    VISQ_TRY(check_fits(link, names));
    return link;
  }

 private:
  const std::vector<int>& outputs() const { return model_.main().outputs; }
  const std::vector<int>& twin_outputs() const { return twin_->main().outputs; }

  Result<int> input_of(const std::string& name) const {
    const auto& inputs = model_.main().inputs;
    if (const int own = position_of(name, inputs, names_); own >= 0) return own;
    const int other = twin_ != nullptr ? position_of(name, twin_->main().inputs, twin_names_) : -1;
    if (other >= 0) return order_[as_size(other)];
    return usage_error("--feed-back: {} has no graph input '{}', only {}", model_.path, name, listed(inputs, names_));
  }

  Result<int> output_of(const std::string& name) const {
    if (const int own = position_of(name, outputs(), names_); own >= 0) return own;
    const int other = twin_ != nullptr ? position_of(name, twin_outputs(), twin_names_) : -1;
    for (std::size_t i = 0; other >= 0 && i < outputs().size(); ++i) {
      if (paired(outputs()[i], twin_outputs()[as_size(other)])) return static_cast<int>(i);
    }
    if (other >= 0 && twin_outputs().size() == outputs().size()) return other;
    return usage_error("--feed-back: {} has no graph output '{}', only {}", model_.path, name, listed(outputs(), names_));
  }

  /// The twin's output that belongs to output `position`: by its own name, else by the pairing of the graphs, else by position.
  Result<int> twin_output_of(const std::string& name, int position) const {
    const int tensor = outputs()[as_size(position)];
    for (const std::string& candidate : {name, names_.name(tensor)}) {
      const int own = position_of(candidate, twin_outputs(), twin_names_);
      if (own >= 0) return twin_outputs()[as_size(own)];
    }
    for (const int candidate : twin_outputs()) {
      if (paired(tensor, candidate)) return candidate;
    }
    if (twin_outputs().size() == outputs().size()) return twin_outputs()[as_size(position)];
    return usage_error("--feed-back: '{}' of {} has no counterpart among the outputs of {}: {}", name, model_.path, twin_->path,
                       listed(twin_outputs(), twin_names_));
  }

  /// Whether two outputs hold the same values, on whatever grid.
  bool paired(int tensor, int twin_tensor) const {
    const quant::GraphIndex own(model_.main()), other(twin_->main());
    return std::any_of(pairing_.matches.begin(), pairing_.matches.end(), [&](const quant::TensorMatch& match) {
      return own.origin(match.reference) == own.origin(tensor) && other.origin(match.quantized) == other.origin(twin_tensor);
    });
  }

  Status check_fits(const SequenceLink& link, const FeedBack& names) const {
    const TensorInfo& input = model_.main().tensors[as_size(model_.main().inputs[as_size(link.input)])];
    const TensorInfo& output = model_.main().tensors[as_size(link.output)];
    const std::string place = fmt::format("--feed-back {}={}", names.output, names.input);
    if (data::kind_of(input) == data::InputKind::kOther || data::kind_of(input) != data::kind_of(output)) {
      return usage_error("{}: {} cannot feed {}", place, name(output.dtype), name(input.dtype));
    }
    const bool open = std::any_of(output.shape_signature.begin(), output.shape_signature.end(), [](std::int64_t size) { return size < 0; });
    if (open || !output.has_rank) return {};
    const auto shape = data::fit_shape(data::input_spec(input, as_size(link.input)), output.shape, place);
    return shape.ok() ? Status() : Status(usage_error("{}", shape.error().message));
  }

  const Model& model_;
  const Model* twin_;
  MapNames names_, twin_names_;
  std::vector<int> order_;
  quant::Pairing pairing_;
};

}  // namespace

Result<std::vector<SequenceLink>> sequence_links(const Model& model, const Model* twin, const SequenceOptions& options) {
  std::vector<SequenceLink> links;
  if (options.feed_back.empty()) return links;
  Linker linker(model, twin);
  VISQ_TRY(linker.pair());
  for (const FeedBack& names : options.feed_back) {
    VISQ_ASSIGN(const SequenceLink link, linker.link(names));
    if (std::any_of(links.begin(), links.end(), [&](const SequenceLink& other) { return other.input == link.input; })) {
      return usage_error("--feed-back: two outputs feed '{}'", names.input);
    }
    links.push_back(link);
  }
  return links;
}

}  // namespace analysis

Result<std::vector<int>> fed_back_inputs(const Model& model, const Model* twin, const SequenceOptions& options) {
  VISQ_ASSIGN(const auto links, analysis::sequence_links(model, twin, options));
  std::vector<int> positions;
  for (const analysis::SequenceLink& link : links) positions.push_back(link.input);
  return positions;
}

SequenceIdentity identity(const SequenceOptions& options) {
  SequenceIdentity identity{{}, options.state_file, options.length};
  for (const FeedBack& link : options.feed_back) identity.feed_back.push_back(link.output + "=" + link.input);
  return identity;
}

}  // namespace visq
