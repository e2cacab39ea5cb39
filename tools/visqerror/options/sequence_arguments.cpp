#include "visqerror/options/sequence_arguments.h"

#include <algorithm>
#include <limits>

#include "core/as_size.h"
#include "core/error.h"
#include "visq/data.h"
#include "visq/run.h"
#include "visqerror/options/shared_options.h"

namespace visq::tool {
namespace {

/// The first record of a file with these inputs alone, in the model's order, or with all inputs. One array per position.
Result<std::vector<Array>> read_state(const std::string& path, const Model& model, const std::vector<int>& positions) {
  std::vector<int> others;
  for (int i = 0; i < static_cast<int>(model.main().inputs.size()); ++i) {
    if (std::find(positions.begin(), positions.end(), i) == positions.end()) others.push_back(i);
  }
  VISQ_ASSIGN(const PartialData data, open_data_without(path, model, others));
  VISQ_ASSIGN(const Record record, data.source->read(0));
  std::vector<Array> state;
  for (const int position : positions) state.push_back(record.inputs[as_size(position)]);
  return state;
}

constexpr const char* kSequences = "Sequences";

Result<std::int64_t> parse_length(const std::string& length) {
  if (length.empty()) return 0;
  return parse_integer("--sequence-length", length, 1, std::numeric_limits<std::int64_t>::max());
}

void say_if_useless(const Model& model, const Model* twin, const Console& console) {
  if (keeps_state(model) || (twin != nullptr && keeps_state(*twin))) return;
  console.warn("--sequence-length changes nothing: no model keeps state, and nothing is fed back");
}

}  // namespace

void add_sequence_length(Options& options, std::string& length) {
  options.value("--sequence-length", length, "N", "start afresh at every record whose index is a multiple of N; default: one sequence")
      .group(kSequences);
}

Result<std::int64_t> parse_sequence_length(const std::string& length, const Model& model, const Model* twin, const Console& console) {
  VISQ_ASSIGN(const std::int64_t value, parse_length(length));
  if (value > 0) say_if_useless(model, twin, console);
  return value;
}

void SequenceArguments::add_to(Options& options) {
  options
      .values("--feed-back", feed_back, "OUTPUT=INPUT",
              "the output of a record is the input of the next, in each model its own; the data may leave that input out; with a * on "
              "both sides all that fit, and kv_cache_* alone for inputs and outputs of the same names")
      .group(kSequences);
  options.value("--state", state, "FILE", "what fed-back inputs start with: test data of these inputs; default: zero").group(kSequences);
  add_sequence_length(options, length);
}

Result<SequenceOptions> open_sequence(const SequenceArguments& arguments, const Model& model, const Model* twin, const Console& console) {
  SequenceOptions options;
  for (const std::string& text : arguments.feed_back) {
    VISQ_ASSIGN(const auto links, feed_backs(model, twin, text));
    options.feed_back.insert(options.feed_back.end(), links.begin(), links.end());
  }
  VISQ_ASSIGN(const auto positions, fed_back_inputs(model, twin, options));
  if (!arguments.state.empty()) {
    if (positions.empty()) return usage_error("--state: is of no use without --feed-back");
    VISQ_ASSIGN(options.state, read_state(arguments.state, model, positions));
    options.state_file = arguments.state;
  }
  VISQ_ASSIGN(options.length, parse_length(arguments.length));
  if (options.length > 0 && positions.empty()) say_if_useless(model, twin, console);
  return options;
}

}  // namespace visq::tool
