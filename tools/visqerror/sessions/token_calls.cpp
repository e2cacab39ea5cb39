#include "visqerror/sessions/token_calls.h"

#include <algorithm>

#include "core/as_size.h"
#include "core/error.h"
#include "model/printable.h"
#include "visq/limits.h"
#include "visq/run.h"
#include "visqerror/sessions/session.h"
#include "visqerror/sessions/signatures.h"
#include "visqerror/terminal/interrupt.h"

namespace visq::tool {
namespace {

constexpr std::int64_t kMostCalls = 64;
/// What the calls together may take of the memory; their caches may be large.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;
constexpr std::uint64_t kShareOfMemory = 8;

std::uint64_t bytes_of_call(const Model& model) {
  std::uint64_t bytes = 0;
  for (const int input : model.main().inputs) {
    bytes += static_cast<std::uint64_t>(model.main().tensors[as_size(input)].shape.elements()) * sizeof(float);
  }
  return std::max<std::uint64_t>(1, bytes);
}

/// Spread evenly over the range, as many as there is room for.
std::vector<std::int64_t> chosen_calls(const RecordRange& all, const Model& model) {
  const std::uint64_t memory = limits().memory > 0 ? std::min(kMostBytes, limits().memory / kShareOfMemory) : kMostBytes;
  const auto room = static_cast<std::int64_t>(std::min<std::uint64_t>(memory / bytes_of_call(model), kMostCalls));
  const std::int64_t count = all.last - all.first, taken = std::min(count, std::max<std::int64_t>(1, room));
  std::vector<std::int64_t> calls;
  for (std::int64_t i = 0; i < taken; ++i) calls.push_back(all.first + i * count / taken);
  return calls;
}

/// One signature of the reference alone. Of the last one the chosen calls.
Result<std::vector<Record>> run_stage(TokenRun& run, const std::string& reference, const std::string& signature, bool last,
                                      const Console& console) {
  VISQ_ASSIGN(const SharedModel model, load(reference, signature, console));
  CompareOptions options;
  VISQ_ASSIGN(TokenRecords stage, run.begin(signature, *model, nullptr, options));
  set_up(options, {nullptr, stage.range, {}}, "calls of the reference", console);
  const auto chosen = last ? chosen_calls(stage.range, *model) : std::vector<std::int64_t>();
  if (last) options.records.last = chosen.back() + 1;
  VISQ_ASSIGN(auto calls, sequence_calls(model, *stage.source, options, default_mode(*model), chosen));
  run.end();
  const std::int64_t all = stage.range.last - stage.range.first;
  if (last && static_cast<std::int64_t>(calls.size()) < all && !interrupted()) {
    console.warn(fmt::format("{} of {} calls of '{}' are used, spread evenly, each with the caches that {} has there", calls.size(), all,
                             printable(signature), reference));
  }
  return calls;
}

}  // namespace

Status check_tokens(const TokenArguments& arguments, std::initializer_list<std::pair<const char*, bool>> others) {
  if (arguments.path.empty()) return arguments.prompt.empty() ? Status() : usage_error("--prompt: is of no use without --tokens");
  for (const auto& [option, given] : others) {
    if (given) return usage_error("--tokens: goes without {}", option);
  }
  return {};
}

Status take_token_calls(const TokenArguments& arguments, const std::string& reference, const std::string& quantized, std::string& signature,
                        DataOptions& data, const Console& console) {
  VISQ_TRY(check_tokens(arguments, {{"--data", !data.path.empty()}}));
  if (arguments.path.empty()) return {};
  VISQ_ASSIGN(const auto run, TokenRun::plan(arguments, data.records, reference, quantized, signature, console));
  std::vector<Record> calls;
  for (const std::string& each : run->signatures()) {
    const bool last = each == run->signatures().back();
    VISQ_ASSIGN(calls, run_stage(*run, reference, each, last, console));
  }
  data.path = arguments.path;
  data.tokens = arguments.words() + (data.records.empty() ? "" : " --records " + data.records) + signature_words(signature);
  signature = run->signatures().back();
  data.records.clear();
  data.calls = std::make_shared<const std::vector<Record>>(std::move(calls));
  return {};
}

}  // namespace visq::tool
