// Calls of a sequence, each as a record that stands alone.
#include <algorithm>

#include "analysis/records/model_runner.h"
#include "visq/run.h"

namespace visq {
namespace {

using analysis::SequenceFeed;
constexpr auto kSide = SequenceFeed::Side::kModel;

Status nothing(int, const runtime::Executor&) { return {}; }

}  // namespace

Result<std::vector<Record>> sequence_calls(std::shared_ptr<const Model> model, RecordSource& data, const SequenceRequest& request,
                                           Mode mode, const std::vector<std::int64_t>& chosen) {
  VISQ_ASSIGN(const SequenceFeed feed, SequenceFeed::create(*model, nullptr, request.sequence));
  analysis::ModelRunner runner(model, mode);
  analysis::KeptOutputs kept;
  std::vector<Record> calls;
  for (std::int64_t i = request.records.first; i < request.records.last; ++i) {
    if (request.stop != nullptr && request.stop->load()) break;
    VISQ_ASSIGN(Record record, data.read(i));
    if (i == request.records.first || feed.starts_afresh(i)) {
      runner.forget();
      kept = feed.start(kSide, i);
    }
    if (std::ranges::binary_search(chosen, i)) {
      calls.push_back(feed.complete(record, kept));
      calls.back().index = static_cast<std::int64_t>(calls.size()) - 1;
    }
    VISQ_ASSIGN(const auto inputs, feed.inputs(kSide, std::move(record), std::move(kept)));
    VISQ_TRY(runner.run(inputs, nothing));
    VISQ_TRY(feed.keep(kSide, runner.executor(), kept));
    if (feed.ends(i)) feed.end(i, {kept, {}});
    if (request.progress) request.progress(i + 1 - request.records.first, request.records.last - request.records.first);
  }
  return calls;
}

}  // namespace visq
