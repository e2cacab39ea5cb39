#include "visqerror/sessions/session.h"

#include <algorithm>
#include <limits>
#include <set>

#include "core/error.h"
#include "core/joined.h"
#include "visq/badcase.h"
#include "visq/limits.h"
#include "visq/models/find_shapes.h"
#include "visqerror/sessions/signatures.h"
#include "visqerror/terminal/interrupt.h"

namespace visq::tool {
namespace {

/// Passes records on and prints what is odd about their values: the first few remarks, then how many there are; and whether the first
/// record is such as `model` and its quantized twin (may be null) were made for, before anything is said of them. The models outlive it.
class RemarkingSource final : public RecordSource {
 public:
  RemarkingSource(std::unique_ptr<RecordSource> inner, const Model& model, const Model* twin, const Console& console)
      : inner_(std::move(inner)), model_(model), twin_(twin != nullptr ? *twin : model), console_(console) {}
  ~RemarkingSource() override {
    if (remarks_ > kShown) console_.warn(fmt::format("{}: {} more remarks like these", inner_->description(), remarks_ - kShown));
  }
  std::int64_t count() const override { return inner_->count(); }
  std::string description() const override { return inner_->description(); }
  std::string record_name(std::int64_t index) const override { return inner_->record_name(index); }
  Result<Record> read(std::int64_t index) override {
    auto record = inner_->read(index);
    if (!record.ok()) return record;
    if (!checked_) check(*record);
    for (const std::string& remark : record->remarks) {
      if (++remarks_ <= kShown) console_.warn(remark);
    }
    return record;
  }

 private:
  void check(const Record& record) {
    checked_ = true;
    const auto found = input_mismatches(record, model_, twin_);
    if (!found.ok()) return;  // whoever feeds the models says why
    for (const InputMismatch& mismatch : *found) {
      console_.warn(fmt::format("{}: record {}: {}", inner_->description(), record.index, sentence(mismatch, twin_.path)));
    }
  }

  static constexpr std::int64_t kShown = 5;
  std::unique_ptr<RecordSource> inner_;
  const Model &model_, &twin_;
  Console console_;
  bool checked_ = false;
  std::int64_t remarks_ = 0;
};

/// The data of a sequence, which need not hold what is fed back.
Result<std::unique_ptr<RecordSource>> open_source(const DataOptions& options, const Model& model, const Model* twin,
                                                  const SequenceOptions& sequence, const Console& console) {
  const std::string& path = options.path;
  VISQ_ASSIGN(const Preparation preparation, options.pictures.parse());
  if (sequence.feed_back.empty()) return open_data(path, model, preparation);
  VISQ_ASSIGN(const auto positions, fed_back_inputs(model, twin, sequence));
  VISQ_ASSIGN(PartialData data, open_data_without(path, model, positions, preparation));
  if (data.complete) {
    std::vector<std::string> inputs;
    for (const FeedBack& link : sequence.feed_back) inputs.push_back("'" + link.input + "'");
    console.warn(fmt::format("{}: its values of {} are not used: --feed-back gives them", path, joined(inputs, ", ")));
  }
  return std::move(data.source);
}

/// Says what the values of a record have changed about the pairs, or left open.
void tell_pairs(const Records& records, const Console& console) {
  std::size_t doubtful = 0, decided = 0;
  for (const PairRule& rule : records.pairs) {
    if (rule.by == PairedBy::kMaps) ++(rule.doubtful ? doubtful : decided);
  }
  if (decided > 0)
    console.log(
        fmt::format("{}: the values of record {} decided {} pairs of maps", records.source->description(), records.range.first, decided));
  if (doubtful > 0) {
    console.warn(
        fmt::format("{} pairs of feature maps are doubtful (their values do not agree) and compared with nothing; --pair A=B says "
                    "which belong together",
                    doubtful));
  }
}

/// For functions that share models: the caller's outlives the call.
std::shared_ptr<const Model> unowned(const Model& model) { return {std::shared_ptr<const Model>(), &model}; }

/// Replaces the records by the worst of them, found in one pass.
Status keep_worst(Records& records, std::int64_t count, const Model& model, const Model* twin, const Console& console) {
  if (twin == nullptr) return usage_error("--records worst: one model has no worst record; give a command that takes a pair");
  if (keeps_state(model) || keeps_state(*twin)) {
    return usage_error("--records worst: the models keep state from record to record, so no record stands alone");
  }
  VISQ_ASSIGN(auto worst, worst_of(records, records.range, count, model, *twin, console));
  console.log(fmt::format("{}: worst records, worst first: {}", records.source->description(), joined(worst, ", ")));
  records.range = {0, static_cast<std::int64_t>(worst.size())};
  records.source = select_records(std::move(records.source), std::move(worst));
  return {};
}

/// The mode that a user chose for a model; an empty text: its usual one.
Result<Mode> mode_of(const std::string& option, const std::string& text, const Model& model) {
  return text.empty() ? default_mode(model) : parse_mode(option, text);
}

void describe(const Model& model, const Console& console) {
  console.log(fmt::format("{}: {}, {} subgraph{}, {} operators in the main one", model.path, format_label(model.format),
                          model.subgraphs.size(), model.subgraphs.size() == 1 ? "" : "s", model.main().operators.size()));
}

}  // namespace

Result<SharedModel> load(const std::string& path, const std::string& signature, const Console& console) {
  VISQ_ASSIGN(Model model, load_model(path));
  VISQ_TRY(choose_signatures(signature, model, nullptr, console));
  find_shapes(model);
  describe(model, console);
  return std::make_shared<const Model>(std::move(model));
}

Result<Pair> load_pair(const std::string& reference, const std::string& quantized, const std::string& signature, const Console& console) {
  VISQ_ASSIGN(Model model, load_model(reference));
  VISQ_ASSIGN(Model twin, load_model(quantized));
  VISQ_TRY(choose_signatures(signature, model, &twin, console));
  find_shapes(model);
  find_shapes(twin);
  describe(model, console);
  describe(twin, console);
  return Pair{std::make_shared<const Model>(std::move(model)), std::make_shared<const Model>(std::move(twin))};
}

Result<Pair> load_one_or_two(const std::string& model, const std::string& twin, const std::string& signature, const Console& console) {
  if (!twin.empty()) return load_pair(model, twin, signature, console);
  VISQ_ASSIGN(SharedModel one, load(model, signature, console));
  return Pair{std::move(one), nullptr};
}

Status need_pair(const std::string& command, const std::string& quantized) {
  if (quantized.empty()) return usage_error("{0}: two models are needed; see 'visqerror {0} --help'", command);
  return {};
}

Result<Pair> open_pair(const std::string& reference, const std::string& quantized, const std::string& signature, const Console& console) {
  VISQ_ASSIGN(Pair pair, load_pair(reference, quantized, signature, console));
  say_if_sequence({pair.reference.get(), pair.quantized.get()}, console);
  return pair;
}

void set_up(RunRequest& request, const Records& records, const std::string& unit, const Console& console) {
  request.records = records.range;
  request.pairs = records.pairs;
  request.progress = console.progress(unit);
  request.stop = &interrupted();
}

void set_up(TrialRequest& request, const Records& records, const std::string& unit, const Console& console) {
  set_up(static_cast<RunRequest&>(request), records, unit, console);
  request.memory = limits().memory;
}

Result<std::vector<std::int64_t>> worst_of(const Records& records, RecordRange searched, std::int64_t count, const Model& model,
                                           const Model& twin, const Console& console) {
  BadcaseOptions options;
  set_up(options, records, "records, looking for the worst", console);
  options.records = searched;
  options.reference_mode = default_mode(model);
  options.quantized_mode = default_mode(twin);
  return worst_records(unowned(model), unowned(twin), *records.source, options, count);
}

Status set_modes(PairRunRequest& request, const std::string& reference_mode, const std::string& mode, const Pair& pair) {
  VISQ_ASSIGN(request.reference_mode, mode_of("--ref-mode", reference_mode, *pair.reference));
  VISQ_ASSIGN(request.quantized_mode, mode_of("--mode", mode, *pair.quantized));
  request.modes_given = !mode.empty() || !reference_mode.empty();
  return {};
}

Result<Records> records_of(std::unique_ptr<RecordSource> source, RecordRange range, const DataOptions& options, const Model& model,
                           const Model* twin, const Console& console, const SequenceOptions& sequence) {
  Records records{std::move(source), range, {}};
  if (twin != nullptr) {
    SequenceOptions first = sequence;
    first.ended = nullptr;  // one record, to look at
    VISQ_ASSIGN(auto rules, pair_rules(model, *twin, options.pairs));
    VISQ_ASSIGN(records.pairs, judge_pairs(unowned(model), unowned(*twin), *records.source, range.first, first, std::move(rules)));
    tell_pairs(records, console);
  } else if (!options.pairs.pairs.empty() || !options.pairs.apart.empty()) {
    return usage_error("--pair and --no-pair: two models are needed");
  }
  return records;
}

Result<Records> open_records(const DataOptions& options, const Model& model, const Model* twin, bool legacy, const Console& console,
                             const SequenceOptions& sequence) {
  VISQ_ASSIGN(const RecordSelection selection, parse_records(options.records));
  if (selection.worst > 0 && !sequence.feed_back.empty()) {
    return usage_error("--records worst: with --feed-back no record stands alone");
  }
  VISQ_ASSIGN(const std::int64_t seed, parse_integer("--seed", options.seed, 0, std::numeric_limits<std::int64_t>::max()));
  std::unique_ptr<RecordSource> source;
  if (options.calls != nullptr) {
    source = stored_records(options.calls, options.path);
  } else if (options.path.empty()) {
    source = random_data(model, twin, static_cast<std::uint64_t>(seed), legacy);
    console.warn(fmt::format("no --data: one random record (seed {}), which says little about real inputs", seed));
  } else {
    VISQ_ASSIGN(source, open_source(options, model, twin, sequence, console));
  }
  VISQ_ASSIGN(const RecordRange range, clamp_records(selection, source->count(), source->description(), console));
  VISQ_ASSIGN(Records records, records_of(std::move(source), range, options, model, twin, console, sequence));
  if (!options.path.empty()) {
    auto ahead = read_ahead(std::move(records.source), records.range);
    records.source = std::make_unique<RemarkingSource>(std::move(ahead), model, twin, console);
  }
  if (selection.worst > 0) VISQ_TRY(keep_worst(records, selection.worst, model, twin, console));
  console.log(fmt::format("{}: records {}:{}", records.source->description(), records.range.first, records.range.last));
  return records;
}

void say_if_sequence(std::initializer_list<const Model*> models, const Console& console) {
  for (const Model* model : models) {
    if (!keeps_state(*model)) continue;
    console.warn(fmt::format("{} keeps state from record to record: they run in order, from a fresh state", model->path));
    return;
  }
}

bool has_quantization(const Model& model) {
  return std::any_of(model.subgraphs.begin(), model.subgraphs.end(), [](const Subgraph& subgraph) {
    return std::any_of(subgraph.tensors.begin(), subgraph.tensors.end(),
                       [](const TensorInfo& tensor) { return tensor.quantization.quantized() && tensor.dtype != DType::kFloat32; });
  });
}

}  // namespace visq::tool
