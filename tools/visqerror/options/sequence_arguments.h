// --feed-back, --state and --sequence-length: records that build on each other.
#pragma once

#include <string>
#include <vector>

#include "visq/model.h"
#include "visq/sequence.h"
#include "visqerror/options/options.h"
#include "visqerror/terminal/console.h"

namespace visq::tool {

struct SequenceArguments {
  std::vector<std::string> feed_back;
  std::string state, length;

  void add_to(Options& options);
};

/// --sequence-length alone, for commands to which models' own state matters. Adds it; parses it, and says where it changes nothing.
void add_sequence_length(Options& options, std::string& length);
Result<std::int64_t> parse_sequence_length(const std::string& length, const Model& model, const Model* twin, const Console& console);

/// Parses the options and reads the state. `twin`: the other model of a pair, or null. Says what the options change nothing about.
/// Errors: kUsage, and kBadInput for the file of the state.
Result<SequenceOptions> open_sequence(const SequenceArguments& arguments, const Model& model, const Model* twin, const Console& console);

}  // namespace visq::tool
