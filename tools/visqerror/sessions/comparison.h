// The run that `compare` and the original tool's flags share: two models in, warnings said, one result out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "visq/report.h"
#include "visqerror/options/options.h"
#include "visqerror/options/sequence_arguments.h"
#include "visqerror/sessions/scores.h"
#include "visqerror/sessions/session.h"
#include "visqerror/sessions/token_run.h"

namespace visq::tool {

/// A pair of models and how to compare them.
struct PairRequest : ScoreArguments {
  std::string reference, quantized;  ///< paths
  std::string signature;             ///< see choose_signatures()
  DataOptions data;
  SequenceArguments sequence;
  std::string map;                                     ///< --map: names of a device's maps
  std::shared_ptr<TokenRun> tokens;                    ///< in place of data: the run that this is a stage of
  bool legacy_random = false;                          ///< random data as the original tool draws it
  std::optional<Mode> reference_mode, quantized_mode;  ///< unset: the model's default
  CompareOptions options;                              ///< records, modes, progress and stop are filled in here
};

/// Fills in the modes of the options: those that the user chose, else the models' usual ones.
void set_modes(PairRequest& request, const Model& reference, const Model& quantized);

/// The data, or the tokens, whose sequences and task then stand in the request's options.
Result<Records> open_inputs(PairRequest& request, const Pair& models, const Console& console);

/// What labels or --eval say of both models into result.accuracy; nothing without either. Of request.options the
/// PairRunRequest matters.
Status add_accuracy(const PairRequest& request, const Labels& labels, const SharedModel& reference, const SharedModel& quantized,
                    RecordSource& data, CompareResult& result);

/// With --origin: confirms the shares of the outputs' error by runs.
Status add_shares(const SharedModel& reference, const SharedModel& quantized, RecordSource& data, const CompareOptions& options,
                  const Console& console, CompareResult& result);

/// Loads and compares; warns where nothing is quantized. A run that was interrupted returns a result with `interrupted` set.
Result<CompareResult> compare_pair(PairRequest request, const Console& console);
/// The same of models that are loaded already.
Result<CompareResult> compare_models(PairRequest request, const Pair& models, const Console& console);

/// Warns of doubtful pairs and of what could not be computed, for runs that print no summary.
void warn_of(const CompareResult& result, const Console& console);

/// Says which conditions do not hold, with --quiet once per condition. 1 if one does not, else 4 if a part was not computed (unless that is
/// accepted), else 0.
int conclude(const CompareResult& result, const std::vector<ConditionOutcome>& outcomes, bool allow_partial, const Console& console);

}  // namespace visq::tool
