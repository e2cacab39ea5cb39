// Tries remedies: the model is repaired in memory and run again, on a few records first; those that promise something are judged on records
// that they were not fitted to.
#pragma once

#include <optional>
#include <vector>

#include "diagnosis/suspicion.h"
#include "diagnosis/what_if.h"

namespace visq::diagnosis {

/// What the best remedy of a suspicion won.
struct TrialResult {
  const Remedy* remedy = nullptr;  ///< null: none could be tried
  bool dismissed = false;          ///< the repair of another cause wins as much
  double gain = 0;                 ///< dB
  Decisions decisions;             ///< of the model so repaired
  double worth = 0;                ///< what trials are ranked by: see trials.cpp
  Mode mode = Mode::kInteger;
  const Remedy* feasible = nullptr;  ///< the best one that a device can run; null: none wins anything
  double feasible_worth = 0;
};

class Trials {
 public:
  /// Runs the model as it is, in integer mode where its kernels allow. Errors: those of a run in fake quantization.
  static Result<Trials> create(const Subject& subject, const WhatIf& what_if, const DiagnoseOptions& options);

  Mode mode() const { return integer_ ? Mode::kInteger : Mode::kFakeQuant; }
  /// Of the model as it is, over the records that judge.
  const OutputErrors& before(Sample sample = Sample::kJudged) const { return before(mode(), sample); }
  const OutputErrors& before(Mode mode, Sample sample = Sample::kJudged) const {
    return mode == Mode::kInteger ? integer_->of(sample) : fake_quant_.of(sample);
  }

  /// One result per suspicion; judged on some records.
  std::vector<TrialResult> run(const std::vector<Suspicion>& suspicions) const;
  /// Judges results on all the records that judge. Those without a remedy stay as they are.
  void judge(std::vector<TrialResult*> results) const;
  /// Takes the gains of results that are worth a warning from all the records that there are.
  void promise(std::vector<TrialResult*> results) const;
  /// The model with these changes. Errors: those of the run.
  Result<OutputErrors> after(const ModelEdit& edit, Sample sample = Sample::kJudged) const;

 private:
  struct Trial {
    std::size_t suspicion = 0;
    const Remedy* remedy = nullptr;  ///< null: a rival's
    const ModelEdit* edit = nullptr;
    double gain = 0, worth = 0;
    Decisions decisions = {};
    bool done = false;
  };
  Trials(const Subject& subject, const WhatIf& what_if, const DiagnoseOptions& options)
      : subject_(subject), what_if_(what_if), options_(options) {}
  Mode mode_of(const Trial& trial) const { return trial.remedy != nullptr && trial.remedy->simulated ? Mode::kFakeQuant : mode(); }
  void dismiss_rivalled(const std::vector<Trial>& trials, std::vector<TrialResult>& results) const;
  void try_all(std::vector<Trial>& trials, Sample sample) const;
  static bool is_better(const Trial& trial, const TrialResult& best);
  void try_one(Trial& trial, Sample sample) const;
  Result<OutputErrors> errors_of(const Trial& trial, Sample sample) const;

  const Subject& subject_;
  const WhatIf& what_if_;
  const DiagnoseOptions& options_;
  std::optional<WhatIf::Samples> integer_;
  WhatIf::Samples fake_quant_;
};

}  // namespace visq::diagnosis
