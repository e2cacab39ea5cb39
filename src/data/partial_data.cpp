// Data that leave out some inputs of the model: those that are fed back from its outputs.
#include <algorithm>

#include "core/as_size.h"
#include "core/error.h"
#include "data/sources/open_numbered.h"

namespace visq {
namespace {

/// Records of a source for some of the inputs, as records of all.
class WidenedSource final : public RecordSource {
 public:
  WidenedSource(std::unique_ptr<RecordSource> inner, std::vector<int> present, std::size_t inputs)
      : inner_(std::move(inner)), present_(std::move(present)), inputs_(inputs) {}

  std::int64_t count() const override { return inner_->count(); }
  std::string description() const override { return inner_->description(); }
  Result<Record> read(std::int64_t index) override {
    VISQ_ASSIGN(Record record, inner_->read(index));
    std::vector<Array> all(inputs_);
    for (std::size_t i = 0; i < present_.size(); ++i) all[as_size(present_[i])] = std::move(record.inputs[i]);
    record.inputs = std::move(all);
    return record;
  }

 private:
  std::unique_ptr<RecordSource> inner_;
  std::vector<int> present_;
  std::size_t inputs_;
};

/// Whether the source gives its first record.
bool readable(const Result<std::unique_ptr<RecordSource>>& source) { return source.ok() && (*source)->read(0).ok(); }

}  // namespace

Result<PartialData> open_data_without(const std::string& path, const Model& model, const std::vector<int>& absent,
                                      const Preparation& preparation) {
  auto all = open_data(path, model, preparation);
  if (absent.empty() || readable(all)) {
    if (!all.ok()) return all.error();
    return PartialData{std::move(all).value(), true};
  }
  const auto& inputs = model.main().inputs;
  Model others = model;
  others.subgraphs[0].inputs.clear();
  std::vector<int> present;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (std::find(absent.begin(), absent.end(), static_cast<int>(i)) != absent.end()) continue;
    others.subgraphs[0].inputs.push_back(inputs[i]);
    present.push_back(static_cast<int>(i));
  }
  auto some = open_data(path, others, preparation);
  if (!readable(some)) {
    auto numbered = data::open_numbered(path, others, preparation, present);
    if (readable(numbered)) some = std::move(numbered);
  }
  if (!some.ok()) return some.error();
  return PartialData{std::make_unique<WidenedSource>(std::move(some).value(), std::move(present), inputs.size()), false};
}

}  // namespace visq
