#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/facts/map_identity.h"
#include "analysis/records/real_values.h"
#include "analysis/scores/box_score.h"
#include "analysis/scores/mask_score.h"
#include "analysis/scores/scored_outputs.h"
#include "core/as_size.h"
#include "core/error.h"
#include "kernels/op.h"
#include "model/printable.h"
#include "visq/scores/task_labels.h"

namespace visq {
namespace {

/// An output of a record as numbers.
struct OutputValues {
  std::vector<float> values;
  Shape shape;
};

/// Keeps the outputs of a record that are scored until all of them are there.
class OutputCollector : public TaskScorer {
 public:
  OutputCollector(const TaskLabels& labels, const Model& model, std::vector<int> tensors)
      : labels_(labels), model_(model), tensors_(std::move(tensors)) {}

  Status begin_record(std::int64_t index) override {
    VISQ_TRY(end_record());
    record_ = index;
    return {};
  }

  Status add(const FeatureMap& map) override {
    if (std::ranges::find(tensors_, map.tensor) == tensors_.end()) return {};
    const kernels::Tensor tensor{
        .dtype = map.dtype, .shape = map.shape, .data = const_cast<std::byte*>(map.data), .info = map.info};  // only read
    const float* const values = analysis::number_values(tensor, scratch_);
    if (values == nullptr)
      return bad_input("{}: output '{}' is {}, which holds no numbers", model_.path, name_of(map.tensor), name(map.dtype));
    outputs_[map.tensor] = {std::vector<float>(values, values + map.shape.elements()), map.shape};
    return {};
  }

  Result<ModelScore> finish() override {
    VISQ_TRY(end_record());
    return total();
  }

  std::string output() const override { return analysis::MapNames(model_, 0).name(tensors_.front()); }

 protected:
  /// All outputs of record_ are there; `place`: of its labels.
  virtual Status score(std::int64_t place) = 0;
  virtual Result<ModelScore> total() const = 0;

  const OutputValues& output_of(int tensor) const { return outputs_.at(tensor); }
  std::string name_of(int tensor) const { return printable(model_.main().tensors[as_size(tensor)].name); }
  /// "m.tflite: record 3, output 'boxes'"
  std::string output_place(int tensor) const { return fmt::format("{}: record {}, output '{}'", model_.path, record_, name_of(tensor)); }
  const TaskLabels& labels() const { return labels_; }
  std::int64_t record() const { return record_; }

 private:
  Status end_record() {
    if (record_ < 0) return {};
    for (const int tensor : tensors_) {
      if (tensor >= 0 && !outputs_.contains(tensor)) return unsupported("{} was not computed", output_place(tensor));
    }
    const std::int64_t place = as_size(record_) < labels_.places.size() ? labels_.places[as_size(record_)] : -1;
    if (place < 0) return bad_input("--labels: there is nothing that belongs to record {}", record_);
    VISQ_TRY(score(place));
    record_ = -1;
    outputs_.clear();
    return {};
  }

  const TaskLabels& labels_;
  const Model& model_;
  std::vector<int> tensors_;
  std::int64_t record_ = -1;
  std::map<int, OutputValues> outputs_;
  std::vector<float> scratch_;
};

class BoxScorer final : public OutputCollector {
 public:
  BoxScorer(const TaskLabels& labels, const Model& model, const analysis::BoxOutputs& outputs)
      : OutputCollector(labels, model, {outputs.boxes, outputs.classes, outputs.scores, outputs.count}),
        outputs_(outputs),
        score_(labels.boxes->categories.size()) {}

  std::int64_t classes() const override { return static_cast<std::int64_t>(labels().boxes->categories.size()); }

 private:
  Status score(std::int64_t place) override {
    const TruePicture& picture = labels().boxes->pictures[as_size(place)];
    VISQ_ASSIGN(const std::size_t count, count_of_boxes());
    const auto& [corners, shape] = output_of(outputs_.boxes);
    std::vector<analysis::FoundBox> found;
    for (std::size_t i = 0; i < count; ++i) {
      VISQ_ASSIGN(const int category, category_of(output_of(outputs_.classes).values[i]));
      if (category < 0) continue;
      const auto edge = [&](std::size_t k) { return static_cast<double>(corners[4 * i + k]); };
      const Box box{edge(1) * picture.width, edge(0) * picture.height, (edge(3) - edge(1)) * picture.width,
                    (edge(2) - edge(0)) * picture.height};
      found.push_back({box, static_cast<double>(output_of(outputs_.scores).values[i]), category});
    }
    score_.add(picture, found);
    return {};
  }

  Result<ModelScore> total() const override { return score_.finish(labels().boxes->path); }

  /// How many of the boxes that there is room for are told.
  Result<std::size_t> count_of_boxes() const {
    const std::size_t room = output_of(outputs_.scores).values.size();
    const bool fits = output_of(outputs_.boxes).values.size() == 4 * room && output_of(outputs_.classes).values.size() == room;
    if (!fits) {
      return bad_input("{}: {} boxes, {} classes and {} scores do not belong together", output_place(outputs_.boxes),
                       to_string(output_of(outputs_.boxes).shape), output_of(outputs_.classes).values.size(), room);
    }
    if (outputs_.count < 0) return room;
    const std::vector<float>& told = output_of(outputs_.count).values;
    const bool number = told.size() == 1 && told[0] >= 0 && told[0] <= static_cast<float>(room);
    if (!number) return bad_input("{}: is no number of boxes from 0 to {}", output_place(outputs_.count), room);
    return static_cast<std::size_t>(told[0]);
  }

  /// Position among the categories; -1: a class that the pictures do not know.
  Result<int> category_of(float found) const {
    const std::vector<std::int64_t>& categories = labels().boxes->categories;
    const double label = std::round(static_cast<double>(found)) - static_cast<double>(labels().offset.value_or(0));
    if (labels().offset) {
      const auto same = std::ranges::find_if(categories, [&](std::int64_t id) { return static_cast<double>(id) == label; });
      return same == categories.end() ? -1 : static_cast<int>(same - categories.begin());
    }
    if (label >= 0 && label < static_cast<double>(categories.size())) return static_cast<int>(label);
    return bad_input(
        "{}: class {} is none of the {} categories of {}; where classes are their ids less 1, --label-offset -1 says so, where they are "
        "the "
        "ids, --label-offset 0",
        output_place(outputs_.classes), found, categories.size(), labels().boxes->path);
  }

  analysis::BoxOutputs outputs_;
  analysis::BoxScore score_;
};

class MaskScorer final : public OutputCollector {
 public:
  MaskScorer(const TaskLabels& labels, const Model& model, int output) : OutputCollector(labels, model, {output}), output_(output) {}

  std::int64_t classes() const override { return score_.classes(); }

 private:
  Status score(std::int64_t place) override {
    const auto& [values, shape] = output_of(output_);
    VISQ_ASSIGN(const analysis::FoundMap found, analysis::class_map(values, shape, output_place(output_)));
    VISQ_ASSIGN(const Record mask, labels().masks->read(place));
    const std::string where = fmt::format("{}: mask of record {}", labels().masks->description(), record());
    VISQ_ASSIGN(const analysis::ClassMap truth,
                analysis::true_map(mask.inputs.front(), labels().offset.value_or(0), found.channels, where));
    score_.add(truth, found.map);
    return {};
  }

  Result<ModelScore> total() const override { return score_.finish(labels().masks->description()); }

  int output_;
  analysis::MaskScore score_;
};

}  // namespace

Result<std::unique_ptr<TaskScorer>> task_scorer(const TaskLabels& labels, const Model& model, const Model& reference) {
  if (labels.boxes != nullptr) {
    VISQ_ASSIGN(const analysis::BoxOutputs outputs, analysis::box_outputs(labels.outputs, model, reference));
    return std::unique_ptr<TaskScorer>(std::make_unique<BoxScorer>(labels, model, outputs));
  }
  if (model.main().outputs.empty()) return bad_input("{}: has no outputs, so masks say nothing about it", model.path);
  if (labels.outputs.size() > 1) return usage_error("--output-node: masks need one output");
  VISQ_ASSIGN(auto named, analysis::outputs_called(labels.outputs, model, reference));
  if (named.empty()) named = {model.main().outputs.front()};
  return std::unique_ptr<TaskScorer>(std::make_unique<MaskScorer>(labels, model, named.front()));
}

}  // namespace visq
