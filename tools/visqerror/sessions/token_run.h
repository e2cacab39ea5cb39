// --tokens: sequences of tokens through a language model's signatures, the prompt through prefill, the rest through decode.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "visq/compare.h"
#include "visq/tokens.h"
#include "visqerror/options/options.h"
#include "visqerror/terminal/console.h"

namespace visq::tool {

struct TokenArguments {
  std::string path, prompt;

  void add_to(Options& options);
  /// As they stand on a command line.
  std::string words() const;
};

/// The records of one stage.
struct TokenRecords {
  std::unique_ptr<RecordSource> source;
  RecordRange range;
};

/// One run of sequences through the signatures of a pair, one stage after the other: what a stage's caches hold in the end is what those of
/// the next start with, in each model its own.
class TokenRun {
 public:
  /// Chooses the stages. `quantized` may be empty. `signature`: that one alone (see choose_signatures()). `records`: which sequences.
  /// Errors: kUsage, kBadInput where the models take no tokens.
  static Result<std::shared_ptr<TokenRun>> plan(const TokenArguments& arguments, const std::string& records, const std::string& reference,
                                                const std::string& quantized, const std::string& signature, const Console& console);

  /// In their order; one empty text for models without a choice.
  std::vector<std::string> signatures() const;

  /// The records of the stage of this signature, which `model` and `twin` (may be null) have chosen. Fills in the sequence and the task of
  /// the options; the sequence may hold links of the user's.
  Result<TokenRecords> begin(const std::string& signature, const Model& model, const Model* twin, CompareOptions& options);
  /// After a stage that has run to its end.
  void end() { finished_ = true; }
  /// After a comparison of a stage: gives the result the scores of the stages before, too.
  void end(CompareResult& result);

 private:
  struct Stage {
    std::string signature;
    TokenPart part;
  };
  Status plan_stages(const Model& model, const std::string& signature, const std::vector<std::string>& keys, const std::string& prompt,
                     const Console& console);
  Status hand_over(const Model& model, const std::vector<int>& linked, SequenceOptions& sequence);

  std::shared_ptr<const TokenSequences> sequences_;
  RecordRange chosen_;  ///< of the sequences
  std::vector<Stage> stages_;
  bool finished_ = false;                                                                            ///< the last stage that was begun
  std::shared_ptr<std::vector<FedBackState>> left_ = std::make_shared<std::vector<FedBackState>>();  ///< what the last stage has fed back
  std::vector<std::string> left_names_;                                                              ///< the inputs that this is for
  std::vector<TokenScore> scores_;
};

}  // namespace visq::tool
