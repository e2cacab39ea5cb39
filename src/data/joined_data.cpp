#include "data/joined_data.h"

#include <algorithm>
#include <filesystem>

#include "core/as_size.h"
#include "core/error.h"
#include "data/sources/input_names.h"
#include "data/sources/open_numbered.h"
#include "model/printable.h"

namespace visq::data {
namespace {

/// A source per input, in the model's order.
class JoinedSource final : public RecordSource {
 public:
  JoinedSource(std::string description, std::vector<std::unique_ptr<RecordSource>> sources)
      : description_(std::move(description)), sources_(std::move(sources)) {}

  std::int64_t count() const override { return sources_.front()->count(); }
  std::string description() const override { return description_; }
  /// Of the first input that has names.
  std::string record_name(std::int64_t index) const override {
    for (const auto& source : sources_) {
      if (std::string own = source->record_name(index); !own.empty()) return own;
    }
    return {};
  }
  Result<Record> read(std::int64_t index) override {
    Record record{index, {}, {}};
    for (const auto& source : sources_) {
      VISQ_ASSIGN(Record part, source->read(index));
      std::move(part.inputs.begin(), part.inputs.end(), std::back_inserter(record.inputs));
      std::move(part.remarks.begin(), part.remarks.end(), std::back_inserter(record.remarks));
    }
    return record;
  }

 private:
  std::string description_;
  std::vector<std::unique_ptr<RecordSource>> sources_;
};

}  // namespace

std::vector<NamedPart> named_parts(const std::string& path) {
  std::error_code ignored;
  if (path.find('=') == std::string::npos || std::filesystem::exists(path, ignored)) return {};
  std::vector<NamedPart> parts;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(',', begin), path.size());
    const std::string piece = path.substr(begin, end - begin);
    const auto equals = piece.rfind('=');
    if (equals == std::string::npos) return {};
    parts.push_back({piece.substr(0, equals), piece.substr(equals + 1)});
    begin = end + 1;
  }
  return parts;
}

Result<std::unique_ptr<RecordSource>> open_joined(const std::vector<NamedPart>& parts, const std::string& description, const Model& model,
                                                  const Preparation& preparation) {
  const auto inputs = input_specs(model);
  std::vector<std::string> names;
  for (const NamedPart& part : parts) names.push_back(part.input);
  const auto chosen = match_names(inputs, names);
  if (names.size() != inputs.size() || std::find(chosen.begin(), chosen.end(), -1) != chosen.end()) {
    return bad_input("{}: names and inputs do not match: names {}; inputs {}{}", printable(description), quoted_list(names),
                     quoted_list(names_of(inputs)), own_places(inputs));
  }
  std::vector<std::unique_ptr<RecordSource>> sources;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Model one = model;
    one.subgraphs[0].inputs = {model.main().inputs[i]};
    const std::string& path = parts[as_size(chosen[i])].path;
    VISQ_ASSIGN(sources.emplace_back(), open_numbered(path, one, preparation, {}));
    const std::int64_t first = sources.front()->count(), count = sources.back()->count();
    if (count != first) return bad_input("{}: {} has {} records, {} has {}", path, inputs[0].label, first, inputs[i].label, count);
  }
  return std::unique_ptr<RecordSource>(std::make_unique<JoinedSource>(description, std::move(sources)));
}

}  // namespace visq::data
