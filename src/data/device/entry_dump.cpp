#include "data/device/entry_dump.h"

#include <algorithm>
#include <set>

#include "core/error.h"
#include "model/printable.h"

namespace visq::data {
namespace {

class EntryDump final : public DumpReader {
 public:
  EntryDump(std::string path, DumpEntries entries) : path_(std::move(path)), entries_(std::move(entries)) {
    for (const auto& [record, list] : entries_) records_.push_back(record);
  }

  const std::string& model() const override { return model_; }
  std::optional<Mode> mode() const override { return std::nullopt; }
  const std::vector<std::int64_t>& records() const override { return records_; }

  Result<std::vector<DumpTensor>> tensors(std::int64_t record) override {
    std::vector<DumpTensor> list;
    for (const DumpEntry& entry : entries_.at(record)) list.push_back(entry.tensor);
    return list;
  }

  Result<Array> read(std::int64_t record, const DumpTensor& tensor) override {
    const auto& list = entries_.at(record);
    const auto found = std::find_if(list.begin(), list.end(), [&](const DumpEntry& entry) {
      return entry.tensor.index == tensor.index && entry.tensor.name == tensor.name;
    });
    const std::string place = fmt::format("{}: record {}, tensor {}", path_, record, printable(tensor.name));
    if (found == list.end()) return bad_input("{}: missing", place);
    return found->read(place);
  }

 private:
  std::string path_, model_;
  DumpEntries entries_;
  std::vector<std::int64_t> records_;
};

}  // namespace

Result<std::unique_ptr<DumpReader>> entry_dump(std::string path, DumpEntries entries) {
  if (entries.empty()) return bad_input("{}: holds no feature maps", path);
  for (const auto& [record, list] : entries) {
    std::set<std::pair<int, std::string>> seen;
    for (const DumpEntry& entry : list) {
      if (seen.emplace(entry.tensor.index, entry.tensor.name).second) continue;
      return bad_input("{}: record {}: two tensors are called '{}'", path, record, printable(entry.tensor.name));
    }
  }
  return std::unique_ptr<DumpReader>(std::make_unique<EntryDump>(std::move(path), std::move(entries)));
}

}  // namespace visq::data
