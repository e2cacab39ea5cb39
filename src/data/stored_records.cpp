// Records that are at hand already.
#include "core/as_size.h"
#include "core/error.h"
#include "visq/data.h"

namespace visq {
namespace {

class StoredRecords final : public RecordSource {
 public:
  StoredRecords(std::shared_ptr<const std::vector<Record>> records, std::string description)
      : records_(std::move(records)), description_(std::move(description)) {}

  std::int64_t count() const override { return static_cast<std::int64_t>(records_->size()); }
  Result<Record> read(std::int64_t index) override {
    if (index < 0 || index >= count()) return bad_input("{}: there is no record {}", description_, index);
    return (*records_)[as_size(index)];
  }
  std::string description() const override { return description_; }

 private:
  std::shared_ptr<const std::vector<Record>> records_;
  std::string description_;
};

}  // namespace

std::unique_ptr<RecordSource> stored_records(std::shared_ptr<const std::vector<Record>> records, std::string description) {
  return std::make_unique<StoredRecords>(std::move(records), std::move(description));
}

}  // namespace visq
