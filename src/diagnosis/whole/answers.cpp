#include "diagnosis/whole/answers.h"

#include <algorithm>
#include <vector>

#include "core/as_size.h"
#include "quant/fake_quantize.h"
#include "visq/accuracy.h"

namespace visq::diagnosis {
namespace {

/// Keeps the best element of one output per record; -1 where it is no row of scores.
class BestElements final : public MapSink {
 public:
  explicit BestElements(int tensor) : tensor_(tensor) {}
  Status begin_record(std::int64_t) override {
    best_.push_back(-1);
    return {};
  }
  Status add(const FeatureMap& map) override {
    const bool row = map.shape.rank() > 0 && map.shape.back() == map.shape.elements() && map.shape.back() > 1;
    if (map.tensor != tensor_ || !row) return {};
    classes_ = map.shape.back();
    if (map.dtype == DType::kFloat32) best_.back() = best(reinterpret_cast<const float*>(map.data));
    if (map.dtype == DType::kInt8) best_.back() = best(reinterpret_cast<const std::int8_t*>(map.data));
    if (map.dtype == DType::kUInt8) best_.back() = best(reinterpret_cast<const std::uint8_t*>(map.data));
    if (map.dtype == DType::kInt16) best_.back() = best(reinterpret_cast<const std::int16_t*>(map.data));
    return {};
  }
  std::int64_t classes() const { return classes_; }
  const std::vector<std::int64_t>& best() const { return best_; }

 private:
  /// The order of stored integers is that of the real values: scales are positive.
  template <class T>
  std::int64_t best(const T* scores) const {
    return std::max_element(scores, scores + classes_) - scores;
  }

  int tensor_;
  std::int64_t classes_ = 0;
  std::vector<std::int64_t> best_;
};

}  // namespace

Result<Answers> answers_of(const std::shared_ptr<const Model>& reference, const std::shared_ptr<const Model>& quantized, RecordSource& data,
                           const RunRequest& request, Mode quantized_mode) {
  Answers answers;
  if (reference->main().outputs.empty() || quantized->main().outputs.empty()) return answers;
  AccuracyOptions options;
  static_cast<RunRequest&>(options) = request;
  options.progress = {};
  options.quantized_mode = quantized_mode;
  BestElements f(reference->main().outputs[0]), q(quantized->main().outputs[0]);
  VISQ_ASSIGN(const std::int64_t done, send_outputs(reference, quantized, data, options, f, q));
  if (f.classes() < 2 || f.classes() != q.classes()) return answers;
  answers.classes = f.classes();
  answers.records = done;
  for (std::size_t i = 0; i < as_size(done); ++i) answers.same += f.best()[i] == q.best()[i] ? 1 : 0;
  return answers;
}

}  // namespace visq::diagnosis
