#include "data/hdf5/hdf5_stacked.h"

#include <vector>

#include "core/error.h"
#include "data/hdf5/hdf5_array.h"
#include "data/hdf5/hdf5_readers.h"
#include "data/sources/input_names.h"
#include "data/sources/input_spec.h"
#include "model/printable.h"

namespace visq::data {
namespace {

/// All records of one input in one dataset, along its first axis.
class Hdf5Stacked final : public RecordSource {
 public:
  Hdf5Stacked(std::string path, std::string place, InputSpec input, hdf5::InputFile file, hdf5::Dataset dataset)
      : path_(std::move(path)),
        place_(std::move(place)),
        input_(std::move(input)),
        file_(std::move(file)),
        dataset_(std::move(dataset)),
        found_(dataset_.shape.dims().subspan(1)) {}
  ~Hdf5Stacked() override {
    const hdf5::Session session;
    dataset_ = {};
    file_.id.close();
  }
  Hdf5Stacked(const Hdf5Stacked&) = delete;
  Hdf5Stacked& operator=(const Hdf5Stacked&) = delete;

  std::int64_t count() const override { return dataset_.shape[0]; }
  std::string description() const override { return path_; }

  Result<Record> read(std::int64_t index) override {
    const hdf5::Session session;
    if (index < 0 || index >= count()) return bad_input("{}: record {}: there are {} records", place_, index, count());
    const std::string place = fmt::format("{}: record {}, {}", place_, index, input_.label);
    VISQ_ASSIGN(Shape shape, fit_shape(input_, found_, place));
    VISQ_ASSIGN(Array array, hdf5::read_one(dataset_, index, place));
    array.shape = std::move(shape);
    Record record{index, {}, {}};
    remark_non_finite(array, place, record);
    record.inputs.push_back(std::move(array));
    return record;
  }

 private:
  std::string path_, place_;
  InputSpec input_;
  hdf5::InputFile file_;
  hdf5::Dataset dataset_;
  Shape found_;  ///< of one record
};

struct Found {
  std::string name;  ///< "/group/images"
  Shape shape;
};

/// Datasets of a group and of the groups in it, until there are `kNamed`.
void collect(hid_t group, const std::string& prefix, int depth, std::vector<Found>& found) {
  constexpr std::size_t kNamed = 4;
  constexpr int kDeepest = 3;
  const auto names = hdf5::link_names(group, "");
  if (!names.ok() || depth > kDeepest) return;
  for (const std::string& name : *names) {
    if (found.size() == kNamed) return;
    const auto dataset = hdf5::open_dataset(group, name, "");
    if (dataset.ok()) {
      found.push_back({prefix + name, dataset->shape});
      continue;
    }
    const hdf5::Handle inner(H5Gopen2(group, name.c_str(), H5P_DEFAULT), H5Gclose);
    if (inner) collect(inner.get(), prefix + name + "/", depth + 1, found);
  }
}

}  // namespace

std::string datasets_advice(const hdf5::InputFile& file, const std::string& path) {
  std::vector<Found> found;
  collect(file.id.get(), "/", 0, found);
  if (found.empty()) return "";
  std::string text;
  for (const Found& each : found) {
    text += fmt::format("{}'{}' {}", text.empty() ? "; it holds " : ", ", printable(each.name), to_string(each.shape));
  }
  return text + fmt::format(": give one whose first axis counts the records, as {}:{}", path, printable(found.front().name));
}

Result<std::unique_ptr<RecordSource>> read_hdf5_stacked(OpenFile opened, const std::string& path, const Model& model,
                                                        const std::string& dataset) {
  const hdf5::Session session;
  const std::string place = fmt::format("{}: dataset '{}'", path, printable(dataset));
  const auto inputs = input_specs(model);
  if (inputs.size() != 1) return one_input_only(place, model.path, inputs);
  VISQ_ASSIGN(hdf5::InputFile file, hdf5::open_file(std::move(opened), path));
  auto found = hdf5::open_dataset(file.id.get(), dataset, place);
  if (!found.ok()) return bad_input("{}{}", found.error().message, datasets_advice(file, path));
  if (found->shape.rank() == 0) return bad_input("{}: is a scalar; its first axis must count the records", place);
  if (found->shape[0] == 0) return bad_input("{}: there are no records", place);
  VISQ_TRY(check_type(inputs[0], found->dtype, place));
  const Shape record(found->shape.dims().subspan(1));
  VISQ_TRY(fit_shape(inputs[0], record, fmt::format("{}: record 0, {}", place, inputs[0].label)));
  return std::unique_ptr<RecordSource>(std::make_unique<Hdf5Stacked>(path, place, inputs[0], std::move(file), std::move(found).value()));
}

}  // namespace visq::data
