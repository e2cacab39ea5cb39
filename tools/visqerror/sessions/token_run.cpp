#include "visqerror/sessions/token_run.h"

#include <algorithm>
#include <limits>

#include "core/as_size.h"
#include "core/error.h"
#include "model/printable.h"
#include "report/words/text.h"
#include "visqerror/options/values.h"
#include "visqerror/sessions/signatures.h"

namespace visq::tool {
namespace {

constexpr std::string_view kPrefill = "prefill", kDecode = "decode";

/// What the signature, or else the tensor, is called.
std::string name_of(const Model& model, int tensor) {
  const std::string_view alias = signature_name(model, tensor);
  return alias.empty() ? model.main().tensors[as_size(tensor)].name : std::string(alias);
}

int output_named(const Model& model, std::string_view name) {
  const auto& outputs = model.main().outputs;
  const auto found = std::ranges::find_if(outputs, [&](int tensor) { return name_of(model, tensor) == name; });
  return found == outputs.end() ? -1 : *found;
}

std::string input_name(const Model& model, int position) { return name_of(model, model.main().inputs[as_size(position)]); }

/// What the model takes beside tokens comes from its outputs of the same names, unless the user has said otherwise.
Status link_caches(const Model& model, const Model* twin, const TokenInputs& inputs, SequenceOptions& sequence) {
  VISQ_ASSIGN(const auto linked, fed_back_inputs(model, twin, sequence));
  for (const int position : inputs.others) {
    if (std::ranges::find(linked, position) != linked.end()) continue;
    const std::string name = input_name(model, position);
    if (output_named(model, name) < 0) {
      return usage_error("{}: --tokens: nothing says what input '{}' takes: no output is called so; --feed-back OUTPUT={} names one",
                         model.path, printable(name), printable(name));
    }
    sequence.feed_back.push_back({name, name});
  }
  return {};
}

/// The output called "logits", else the only one that feeds nothing; -1: there is none.
int logits_of(const Model& model, const SequenceOptions& sequence) {
  if (const int named = output_named(model, "logits"); named >= 0) return named;
  std::vector<int> left;
  for (const int tensor : model.main().outputs) {
    const std::string name = name_of(model, tensor);
    const auto feeds = [&](const FeedBack& link) {
      return link.output == name || link.output == model.main().tensors[as_size(tensor)].name;
    };
    if (std::ranges::none_of(sequence.feed_back, feeds)) left.push_back(tensor);
  }
  return left.size() == 1 ? left.front() : -1;
}

/// How many tokens a call of the signature takes.
Result<std::int64_t> rows_of(const Model& model, const std::string& signature, const Console& console) {
  Model chosen = model;
  VISQ_TRY(choose_signatures(signature, chosen, nullptr, console));
  VISQ_ASSIGN(const TokenInputs inputs, token_inputs(chosen));
  return inputs.rows;
}

std::int64_t whole_calls(std::int64_t tokens, std::int64_t rows) { return tokens / rows * rows; }

/// A way to take in a prompt.
struct Prefill {
  std::string signature;
  std::int64_t rows = 0;
};

Result<std::vector<Prefill>> prefills(const Model& model, const std::vector<std::string>& keys, const Console& console) {
  std::vector<Prefill> found;
  for (const std::string& key : keys) {
    if (!key.starts_with(kPrefill)) continue;
    VISQ_ASSIGN(const std::int64_t rows, rows_of(model, key, console));
    found.push_back({key, rows});
  }
  std::ranges::stable_sort(found, {}, &Prefill::rows);
  return found;
}

}  // namespace

void TokenArguments::add_to(Options& options) {
  const std::string group = "Language models";
  options
      .value("--tokens", path, "FILE",
             "sequences of tokens, a .npy of integers [tokens] or [sequences, tokens], instead of --data: the prompt goes through the "
             "signature prefill, the rest "
             "token by token through decode, which starts with the caches that prefill leaves; --records then counts sequences")
      .group(group);
  options.value("--prompt", prompt, "N", "how many of the tokens are the prompt, in whole calls of prefill; default: about half")
      .group(group);
}

std::string TokenArguments::words() const {
  return "--tokens " + report::shell_word(path) + (prompt.empty() ? "" : " --prompt " + report::shell_word(prompt));
}

Status TokenRun::plan_stages(const Model& model, const std::string& signature, const std::vector<std::string>& keys,
                             const std::string& prompt, const Console& console) {
  const std::int64_t length = sequences_->length;
  std::int64_t wanted = length / 2;
  if (!prompt.empty()) {
    VISQ_ASSIGN(wanted, parse_integer("--prompt", prompt, 0, length));
  }
  const bool staged = keys.size() > 1;
  if (staged && std::ranges::find(keys, kDecode) == keys.end()) {
    return usage_error("{}: --tokens: none of the signatures {} is called 'decode'; --signature says which to run", model.path,
                       signature_list(model));
  }
  std::int64_t done = 0;
  VISQ_ASSIGN(const auto ways, staged ? prefills(model, keys, console) : std::vector<Prefill>());
  if (!ways.empty() && wanted > 0) {
    const auto larger = std::ranges::find_if(ways, [&](const Prefill& way) { return way.rows > wanted; });
    const Prefill& way = larger == ways.begin() ? ways.front() : *(larger - 1);
    const std::int64_t least = prompt.empty() && way.rows < length ? way.rows : 0;
    done = std::max(whole_calls(wanted, way.rows), least);
    if (done > 0) stages_.push_back({way.signature, {0, done}});
    if (done == 0)
      console.warn(
          fmt::format("{}: fewer than the {} tokens of '{}': decode takes all", sequences_->path, way.rows, printable(way.signature)));
  }
  const std::string last = staged ? std::string(kDecode) : keys.front();
  VISQ_ASSIGN(const std::int64_t rows, rows_of(model, last.empty() ? signature : last, console));
  const std::int64_t rest = whole_calls(length - done, rows);
  if (rest == 0 && stages_.empty()) {
    return bad_input("{}: has {} tokens a sequence, but a call of {} takes {}", sequences_->path, length, model.path, rows);
  }
  if (rest < length - done) {
    console.warn(
        fmt::format("{}: the last {} tokens of {} are no whole call, and left out", sequences_->path, length - done - rest, length));
  }
  if (rest > 0) stages_.push_back({last, {done, done + rest}});
  return {};
}

Result<std::shared_ptr<TokenRun>> TokenRun::plan(const TokenArguments& arguments, const std::string& records, const std::string& reference,
                                                 const std::string& quantized, const std::string& signature, const Console& console) {
  auto run = std::make_shared<TokenRun>();
  VISQ_ASSIGN(TokenSequences sequences, load_tokens(arguments.path));
  run->sequences_ = std::make_shared<const TokenSequences>(std::move(sequences));
  VISQ_ASSIGN(const RecordSelection selection, parse_records(records));
  if (selection.worst > 0) return usage_error("--records worst: with --tokens no record stands alone");
  VISQ_ASSIGN(run->chosen_, clamp_records(selection, run->sequences_->count, arguments.path, console));
  VISQ_ASSIGN(const Model model, load_model(reference));
  VISQ_ASSIGN(const auto keys, signatures_in_turn(signature, reference, quantized, console));
  VISQ_TRY(run->plan_stages(model, signature, keys, arguments.prompt, console));
  for (const std::string& key : keys) {
    const bool runs = std::ranges::find(run->stages_, key, &Stage::signature) != run->stages_.end();
    if (!runs) console.warn(fmt::format("{}: the signature '{}' is not run", reference, printable(key)));
  }
  return run;
}

std::vector<std::string> TokenRun::signatures() const {
  std::vector<std::string> all;
  for (const Stage& stage : stages_) all.push_back(stage.signature);
  return all;
}

/// What the stage before has left goes to the inputs of the same names.
Status TokenRun::hand_over(const Model& model, const std::vector<int>& linked, SequenceOptions& sequence) {
  std::vector<std::string> names;
  for (const int position : linked) names.push_back(input_name(model, position));
  if (!left_->empty()) {
    std::vector<std::size_t> places;
    for (const std::string& name : names) {
      const auto found = std::ranges::find(left_names_, name);
      if (found == left_names_.end())
        return bad_input("{}: --tokens: the prompt's signature leaves nothing for '{}'", model.path, printable(name));
      places.push_back(as_size(found - left_names_.begin()));
    }
    auto starts = std::make_shared<std::vector<FedBackState>>(left_->size());
    for (std::size_t i = 0; i < left_->size(); ++i) {
      FedBackState& from = (*left_)[i];
      if (from.model.empty()) continue;  // not among the sequences that run
      for (const std::size_t place : places) {
        (*starts)[i].model.push_back(std::move(from.model[place]));
        if (!from.twin.empty()) (*starts)[i].twin.push_back(std::move(from.twin[place]));
      }
    }
    sequence.starts = std::move(starts);
  }
  left_names_ = std::move(names);
  left_->clear();
  left_->resize(as_size(sequences_->count));
  sequence.ended = [left = left_](std::int64_t number, FedBackState&& state) { (*left)[as_size(number)] = std::move(state); };
  return {};
}

Result<TokenRecords> TokenRun::begin(const std::string& signature, const Model& model, const Model* twin, CompareOptions& options) {
  const auto stage = std::ranges::find(stages_, signature, &Stage::signature);
  if (stage == stages_.end()) return internal_error("--tokens: '{}' is no signature of this run", signature);
  if (stage != stages_.begin() && !finished_) return bad_input("{}: --tokens: the signature before has left no caches", model.path);
  finished_ = false;
  VISQ_ASSIGN(const TokenInputs inputs, token_inputs(model));
  if (inputs.mask >= 0 && stage->part.last > inputs.length) {
    return bad_input("{}: has {} tokens a sequence, but the mask of {} has {} positions", sequences_->path, stage->part.last, model.path,
                     inputs.length);
  }
  SequenceOptions& sequence = options.sequence;
  VISQ_TRY(link_caches(model, twin, inputs, sequence));
  VISQ_ASSIGN(const auto linked, fed_back_inputs(model, twin, sequence));
  const std::int64_t calls = (stage->part.last - stage->part.first) / inputs.rows;
  if (!linked.empty()) {
    sequence.length = calls;
    VISQ_TRY(hand_over(model, linked, sequence));
  }
  options.tokens = std::make_shared<const TokenTask>(TokenTask{sequences_, stage->part, inputs.rows, logits_of(model, sequence)});
  return TokenRecords{token_data(sequences_, model, inputs, stage->part), {chosen_.first * calls, chosen_.last * calls}};
}

void TokenRun::end(CompareResult& result) {
  finished_ = !result.interrupted;
  if (!result.tokens) return;
  auto& own = result.tokens->tokens;
  scores_.insert(scores_.end(), own.begin(), own.end());
  own = scores_;
}

}  // namespace visq::tool
