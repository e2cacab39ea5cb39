// Chosen records of another source.
#include "core/as_size.h"
#include "core/error.h"
#include "core/joined.h"
#include "visq/data.h"

namespace visq {
namespace {

class SelectedRecords final : public RecordSource {
 public:
  SelectedRecords(std::unique_ptr<RecordSource> source, std::vector<std::int64_t> records)
      : source_(std::move(source)), records_(std::move(records)) {}

  std::int64_t count() const override { return static_cast<std::int64_t>(records_.size()); }
  Result<Record> read(std::int64_t index) override {
    if (index < 0 || index >= count()) return bad_input("{}: there is no record {}", description(), index);
    VISQ_ASSIGN(Record record, source_->read(records_[as_size(index)]));
    record.index = index;
    return record;
  }
  std::string description() const override {
    return fmt::format("{} (record{} {})", source_->description(), records_.size() == 1 ? "" : "s", joined(records_, ", "));
  }
  std::string record_name(std::int64_t index) const override { return source_->record_name(records_[as_size(index)]); }

 private:
  std::unique_ptr<RecordSource> source_;
  std::vector<std::int64_t> records_;
};

}  // namespace

std::unique_ptr<RecordSource> select_records(std::unique_ptr<RecordSource> source, std::vector<std::int64_t> records) {
  return std::make_unique<SelectedRecords>(std::move(source), std::move(records));
}

}  // namespace visq
