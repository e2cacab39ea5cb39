// Feature maps and labels of an HDF5 file, read in a child process.
#include <algorithm>

#include "core/as_size.h"
#include "core/error.h"
#include "data/hdf5/hdf5.h"
#include "data/hdf5/hdf5_child.h"
#include "data/hdf5/hdf5_files.h"
#include "data/hdf5/hdf5_readers.h"
#include "data/hdf5/wire_array.h"

namespace visq::data {
namespace {

/// What the child is asked for: a record's tensors (-1), or one of them.
constexpr std::uint64_t kTensors = UINT64_MAX;
constexpr std::uint64_t kModes = 3;

void write_numbers(std::span<const std::int64_t> numbers, WireWriter& out) {
  out.number(numbers.size());
  out.bytes(std::as_bytes(numbers));
}

/// Takes memory as they come: that they are many is only a claim.
std::vector<std::int64_t> read_numbers(WireReader& in, std::size_t most) {
  constexpr std::size_t kPiece = std::size_t{1} << 17;
  std::vector<std::int64_t> numbers;
  for (std::size_t left = in.number(most); left > 0 && in.ok();) {
    const std::size_t piece = std::min(left, kPiece);
    numbers.resize(numbers.size() + piece);
    in.bytes(std::as_writable_bytes(std::span(numbers).last(piece)));
    left -= piece;
  }
  return numbers;
}

/// Of labels: chunks that are packed hold more than the file has bytes.
std::size_t most_numbers() { return as_size(limits().input) / sizeof(std::int64_t); }

void write_tensor(const DumpTensor& tensor, WireWriter& out) {
  out.number(static_cast<std::uint64_t>(tensor.index));
  out.text(tensor.name);
  out.number(static_cast<std::uint64_t>(tensor.dtype));
  write_shape(tensor.shape, out);
  out.number(tensor.scale.size());
  out.bytes(std::as_bytes(std::span(tensor.scale)));
  write_numbers(tensor.zero_point, out);
  out.number(static_cast<std::uint64_t>(tensor.quantized_dimension));
}

DumpTensor read_tensor(WireReader& in) {
  DumpTensor tensor;
  tensor.index = static_cast<int>(in.signed_number(INT32_MAX));
  tensor.name = in.text(hdf5::kMaxText);
  tensor.dtype = read_dtype(in);
  tensor.shape = read_shape(in);
  tensor.scale.resize(in.number(hdf5::kMaxAttribute));
  in.bytes(std::as_writable_bytes(std::span(tensor.scale)));
  tensor.zero_point = read_numbers(in, hdf5::kMaxAttribute);
  tensor.quantized_dimension = static_cast<int>(in.signed_number(INT32_MAX));
  if (!check_quantization(tensor, "").ok()) in.fail();
  return tensor;
}

void serve(OpenFile file, const std::string& path, WireReader& requests, WireWriter& answers) {
  std::unique_ptr<DumpReader> dump;
  answer(
      answers, [&] { return read_hdf5_dump(std::move(file), path); },
      [&](auto& opened) {
        dump = std::move(opened);
        answers.text(dump->model());
        answers.number(dump->mode() ? static_cast<std::uint64_t>(*dump->mode()) : kModes);
        write_numbers(dump->records(), answers);
      });
  while (dump) {
    const std::int64_t record = requests.signed_number(INT64_MAX);
    const std::uint64_t tensor = requests.number(UINT64_MAX);
    if (!requests.ok()) return;
    if (tensor == kTensors) {
      answer(
          answers, [&] { return dump->tensors(record); },
          [&](const std::vector<DumpTensor>& list) {
            answers.number(list.size());
            for (const DumpTensor& one : list) write_tensor(one, answers);
          });
    } else {
      DumpTensor wanted;
      wanted.index = static_cast<int>(tensor);
      answer(
          answers, [&] { return dump->read(record, wanted); }, [&](const Array& array) { write_array(array, answers); });
    }
  }
}

class ChildDump final : public DumpReader {
 public:
  ChildDump(std::string path, std::unique_ptr<Hdf5Child> child) : path_(std::move(path)), child_(std::move(child)) {}

  /// What the child says first.
  Status load() {
    VISQ_TRY(child_->answer());
    WireReader& in = child_->wire();
    model_ = in.text(hdf5::kMaxText);
    const std::uint64_t mode = in.number(kModes);
    if (mode < kModes) mode_ = static_cast<Mode>(mode);
    records_ = read_numbers(in, child_->file_size());
    const bool sound = !records_.empty() && records_.front() >= 0 && std::is_sorted(records_.begin(), records_.end());
    if (!sound) in.fail();
    return child_->check();
  }

  const std::string& model() const override { return model_; }
  std::optional<Mode> mode() const override { return mode_; }
  const std::vector<std::int64_t>& records() const override { return records_; }

  Result<std::vector<DumpTensor>> tensors(std::int64_t record) override {
    child_->ask({static_cast<std::uint64_t>(record), kTensors});
    VISQ_TRY(child_->answer());
    std::vector<DumpTensor> list;
    auto room = as_size(limits().input);
    WireReader& in = child_->wire();
    for (std::uint64_t left = in.number(child_->file_size()); left > 0 && in.ok(); --left) {
      list.push_back(read_tensor(in));
      const std::size_t size = list.back().name.size() + list.back().scale.size() * (sizeof(float) + sizeof(std::int64_t));
      if (size > room) in.fail();
      room -= std::min(room, size);
    }
    VISQ_TRY(child_->check());
    return list;
  }

  Result<Array> read(std::int64_t record, const DumpTensor& tensor) override {
    child_->ask({static_cast<std::uint64_t>(record), static_cast<std::uint64_t>(tensor.index)});
    VISQ_TRY(child_->answer());
    Array array = read_array(child_->wire());
    DumpTensor found = tensor;
    found.shape = array.shape;
    if (!check_quantization(found, "").ok()) child_->wire().fail();
    VISQ_TRY(child_->check());
    return array;
  }

 private:
  std::string path_, model_;
  std::optional<Mode> mode_;
  std::vector<std::int64_t> records_;
  std::unique_ptr<Hdf5Child> child_;
};

}  // namespace

Result<std::unique_ptr<DumpReader>> open_hdf5_dump(const std::string& path) {
  VISQ_ASSIGN(auto child, Hdf5Child::start(path, [&](OpenFile file, WireReader& requests, WireWriter& answers) {
                serve(std::move(file), path, requests, answers);
              }));
  auto dump = std::make_unique<ChildDump>(path, std::move(child));
  VISQ_TRY(dump->load());
  return std::unique_ptr<DumpReader>(std::move(dump));
}

Result<std::vector<std::int64_t>> hdf5_labels(const std::string& path, const std::string& dataset) {
  VISQ_ASSIGN(auto child, Hdf5Child::start(path, [&](OpenFile file, WireReader&, WireWriter& answers) {
                answer(
                    answers, [&] { return read_hdf5_labels(std::move(file), path, dataset); },
                    [&](const std::vector<std::int64_t>& labels) { write_numbers(labels, answers); });
              }));
  VISQ_TRY(child->answer());
  std::vector<std::int64_t> labels = read_numbers(child->wire(), most_numbers());
  VISQ_TRY(child->check());
  return labels;
}

}  // namespace visq::data
