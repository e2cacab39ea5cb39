// What every run starts with: models, their data, the records to use.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "visq/data.h"
#include "visq/model.h"
#include "visq/request.h"
#include "visqerror/options/shared_options.h"

namespace visq::tool {

using SharedModel = std::shared_ptr<const Model>;

/// `signature`: as --signature gives it, see choose_signatures().
Result<SharedModel> load(const std::string& path, const std::string& signature, const Console& console);

/// Errors: kUsage where a command that needs two models was given one.
Status need_pair(const std::string& command, const std::string& quantized);

/// The two models of a command that needs a pair. Says so where their records are a sequence.
struct Pair {
  SharedModel reference, quantized;
};
/// Without a word about sequences.
Result<Pair> load_pair(const std::string& reference, const std::string& quantized, const std::string& signature, const Console& console);
/// The second model of the pair is null where there is no path.
Result<Pair> load_one_or_two(const std::string& model, const std::string& twin, const std::string& signature, const Console& console);
Result<Pair> open_pair(const std::string& reference, const std::string& quantized, const std::string& signature, const Console& console);

/// Data as the options ask for it. `twin` (may be null) is the quantized model of a pair; `legacy` draws random data as the original
/// tool does. Without --data: one random record, said aloud. Where maps could be paired in several ways, runs the first record to decide.
struct Records {
  std::unique_ptr<RecordSource> source;
  RecordRange range;
  std::vector<PairRule> pairs;  ///< of a pair of models: what the user and the first record say about which maps belong together
};
/// Inputs that `sequence` feeds back may be absent; where the data hold them, it says that they are not used.
Result<Records> open_records(const DataOptions& options, const Model& model, const Model* twin, bool legacy, const Console& console,
                             const SequenceOptions& sequence = {});
/// The same with a source of one's own and all of these records; the options say which maps belong together.
Result<Records> records_of(std::unique_ptr<RecordSource> source, RecordRange range, const DataOptions& options, const Model& model,
                           const Model* twin, const Console& console, const SequenceOptions& sequence);

/// What every run is asked for: these records, progress in these units, an end where the user interrupts it; trials keep to --memory.
void set_up(RunRequest& request, const Records& records, const std::string& unit, const Console& console);
void set_up(TrialRequest& request, const Records& records, const std::string& unit, const Console& console);

/// The worst `count` of some of the records, worst first, as badcase finds them; with the models' default modes.
Result<std::vector<std::int64_t>> worst_of(const Records& records, RecordRange searched, std::int64_t count, const Model& model,
                                           const Model& twin, const Console& console);

/// The modes that a user chose for a pair (--ref-mode, --mode); empty texts: the usual ones.
Status set_modes(PairRunRequest& request, const std::string& reference_mode, const std::string& mode, const Pair& pair);

/// Says so where the records are a sequence, because one of the models keeps state from record to record.
void say_if_sequence(std::initializer_list<const Model*> models, const Console& console);

/// True where a constant or an activation of any subgraph is quantized.
bool has_quantization(const Model& model);

}  // namespace visq::tool
