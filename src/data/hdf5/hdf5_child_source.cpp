// Records of an HDF5 file, read in a child process. Records are asked for in batches that grow while they are read in order, so that the
// child works ahead.
#include <algorithm>
#include <functional>
#include <new>

#include "core/error.h"
#include "data/hdf5/hdf5_child.h"
#include "data/hdf5/hdf5_files.h"
#include "data/hdf5/hdf5_readers.h"
#include "data/hdf5/wire_array.h"
#include "data/sources/input_spec.h"

namespace visq::data {
namespace {

constexpr std::int64_t kMostRecords = 64;                     // of one batch
constexpr std::size_t kMostBytes = std::size_t{1} << 20;      // of one batch, if its records are like the last one
constexpr std::size_t kLongestRemark = std::size_t{1} << 16;  // an input's name is cut, the path is the user's

void write_record(const Record& record, WireWriter& out) {
  for (const Array& input : record.inputs) write_array(input, out);
  out.number(record.remarks.size());
  for (const std::string& remark : record.remarks) out.text(remark);
}

/// Opens the file in the child.
using Opens = std::function<Result<std::unique_ptr<RecordSource>>(OpenFile file)>;

void serve(OpenFile file, const Opens& open, WireReader& requests, WireWriter& answers) {
  std::unique_ptr<RecordSource> source;
  answer(
      answers, [&] { return open(std::move(file)); },
      [&](auto& opened) {
        source = std::move(opened);
        answers.number(static_cast<std::uint64_t>(source->count()));
      });
  while (source) {
    const std::int64_t first = requests.signed_number(INT64_MAX);
    const std::int64_t last = requests.signed_number(INT64_MAX);
    if (!requests.ok()) return;
    for (std::int64_t i = first; i < last; ++i) {
      answer(
          answers, [&] { return source->read(i); }, [&](const Record& record) { write_record(record, answers); });
    }
  }
}

class ChildSource final : public RecordSource {
 public:
  ChildSource(std::string path, const Model& model, std::unique_ptr<Hdf5Child> child, std::int64_t count)
      : path_(std::move(path)), inputs_(input_specs(model)), child_(std::move(child)), count_(count) {}

  std::int64_t count() const override { return count_; }
  std::string description() const override { return path_; }

  Result<Record> read(std::int64_t index) override {
    if (index < 0 || index >= count_) return bad_input("{}: record {}: there are {} records", path_, index, count_);
    if (index != next_) go_to(index);
    if (last_ - next_ <= batch_ / 2 && last_ < count_) ask();
    return take();
  }

 private:
  void go_to(std::int64_t index) {
    while (next_ < last_ && child_->wire().ok()) skip();
    next_ = last_ = index;
    batch_ = 0;
  }

  /// Asks before what was asked for is used up: the child is to have work while this process has, too.
  void ask() {
    const auto affordable = static_cast<std::int64_t>(kMostBytes / std::max<std::size_t>(bytes_, 1));
    batch_ = std::clamp<std::int64_t>(std::min(2 * batch_, affordable), 1, kMostRecords);
    const std::int64_t end = last_ + std::min(batch_, count_ - last_);
    child_->ask({static_cast<std::uint64_t>(last_), static_cast<std::uint64_t>(end)});
    last_ = end;
  }

  void skip() {
    try {
      static_cast<void>(take());
    } catch (const std::bad_alloc&) {  // that record's reader's
    }
  }

  Result<Record> take() {
    Record record{next_++, {}, {}};
    VISQ_TRY(child_->answer());
    WireReader& in = child_->wire();
    bytes_ = 0;
    for (const InputSpec& input : inputs_) {
      record.inputs.push_back(read_array(in));
      check_input(input, record.inputs.back());
      bytes_ += record.inputs.back().bytes.size();
    }
    const std::uint64_t remarks = in.number(inputs_.size());
    for (std::uint64_t i = 0; i < remarks; ++i) record.remarks.push_back(in.text(kLongestRemark));
    VISQ_TRY(child_->check());
    return record;
  }

  /// What the reader has promised: the input's type and shape.
  void check_input(const InputSpec& input, const Array& array) {
    const auto shape = fit_shape(input, array.shape, "");
    if (!check_type(input, array.dtype, "").ok() || !shape.ok() || *shape != array.shape) child_->wire().fail();
  }

  std::string path_;
  std::vector<InputSpec> inputs_;
  std::unique_ptr<Hdf5Child> child_;
  std::int64_t count_;
  std::int64_t next_ = 0, last_ = 0;  ///< what the child was asked for and was not taken yet
  std::int64_t batch_ = 0;            ///< how many were asked for last
  std::size_t bytes_ = 0;             ///< of the last record
};

}  // namespace

Result<std::unique_ptr<RecordSource>> open_hdf5(const std::string& path, const Model& model, const std::vector<int>& numbers,
                                                const std::string& dataset) {
  const Opens open = [&](OpenFile file) {
    return dataset.empty() ? read_hdf5_records(std::move(file), path, model, numbers)
                           : read_hdf5_stacked(std::move(file), path, model, dataset);
  };
  VISQ_ASSIGN(auto child, Hdf5Child::start(path, [&](OpenFile file, WireReader& requests, WireWriter& answers) {
                serve(std::move(file), open, requests, answers);
              }));
  VISQ_TRY(child->answer());
  // Records in groups are named in the file; those of a dataset may be packed, to a thousandth and less.
  const std::uint64_t most = dataset.empty() ? child->file_size() : static_cast<std::uint64_t>(INT64_MAX);
  const std::int64_t count = static_cast<std::int64_t>(child->wire().number(most));
  VISQ_TRY(child->check());
  return std::unique_ptr<RecordSource>(
      std::make_unique<ChildSource>(dataset.empty() ? path : path + ":" + dataset, model, std::move(child), count));
}

}  // namespace visq::data
