// One look at a model: every cause is asked, every remedy tried, and what remains is put in order of importance.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/suspicion.h"
#include "diagnosis/trials.h"

namespace visq::diagnosis {

struct Fault {
  Finding finding;
  std::string place;       ///< two faults of one place are one
  double worth = 0;        ///< what faults of one severity are ordered by: their gain, and what is won before the last squashing
  ModelEdit edit;          ///< what mends it; empty: nothing could be tried
  bool simulated = false;  ///< no device could run the mended model
};

struct Examination {
  std::unique_ptr<Subject> subject;
  std::unique_ptr<Symptoms> symptoms;
  std::unique_ptr<Trials> trials;
  std::vector<Fault> faults;  ///< most important first
};

/// `values` and `what_if`: of the reference, as first measured.
Result<Examination> examine(std::unique_ptr<Subject> subject, const std::map<int, MapValues>& values, const WhatIf& what_if,
                            const DiagnoseOptions& options);

/// By severity, then worth, then graph order.
bool more_important(const Fault& a, const Fault& b);

/// The causes in causes/.
std::vector<std::string_view> local_causes();

}  // namespace visq::diagnosis
