// The pair with what the reference computes on the records: measured once, used for every variant of the quantized model.
#pragma once

#include <map>
#include <memory>

#include "diagnosis/subject.h"
#include "diagnosis/symptoms.h"
#include "diagnosis/what_if.h"
#include "visq/data.h"
#include "visq/diagnose.h"

namespace visq::diagnosis {

class MeasuredPair {
 public:
  /// Errors: kBadInput where models and data do not fit together.
  static Result<std::unique_ptr<MeasuredPair>> create(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized,
                                                      RecordSource& data, const DiagnoseOptions& options);

  const Subject& subject() const { return *subject_; }
  /// The reference's values of every map that has a quantized counterpart or is read by a layer with paired weights, by tensor of the
  /// reference.
  const std::map<int, MapValues>& values() const { return values_; }
  /// What output_shares() says, once it was asked for.
  const std::map<int, double>& shares() const { return shares_; }
  void set_shares(std::map<int, double> shares) { shares_ = std::move(shares); }
  const WhatIf& what_if() const { return what_if_; }
  const Judgement& judgement() const { return judgement_; }
  /// Inputs whose values are, in most records, in other units than those that the quantized model was calibrated with.
  const std::vector<InputMismatch>& foreign_inputs() const { return foreign_inputs_; }

 private:
  /// What a record is for.
  struct Use {
    bool shows = true;  ///< causes look at it
    bool fits = true;   ///< ranges are fitted to it
    bool judges = true;
    bool afresh = false;  ///< a sequence begins
  };
  class Measurement;
  MeasuredPair(std::unique_ptr<Subject> subject, bool in_order);
  Use looked_at(std::int64_t position, std::int64_t count) const;
  Status measure(RecordSource& data, const DiagnoseOptions& options);

  std::unique_ptr<Subject> subject_;
  std::map<int, MapValues> values_;
  std::map<int, double> shares_;
  WhatIf what_if_;
  bool in_order_ = false;  ///< records build on each other
  Judgement judgement_;
  std::vector<InputMismatch> foreign_inputs_;
};

}  // namespace visq::diagnosis
