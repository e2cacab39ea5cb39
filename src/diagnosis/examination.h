// One look at a model: every cause is asked, every remedy tried, and what remains is put in order of importance.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/measured_pair.h"
#include "diagnosis/suspicion.h"
#include "diagnosis/trials.h"

namespace visq::diagnosis {

struct Fault {
  Finding finding;
  std::string place;      ///< two faults of one place are one
  double worth = 0;       ///< what faults of one severity are ordered by: their gain, and what is won before the last squashing
  ModelEdit edit;         ///< what repairs it best on a device; empty: nothing does
  double edit_worth = 0;  ///< the worth of that
  std::string edit_text;  ///< in words
  bool evident = false;   ///< see Suspicion: damage that no SQNR shows
  bool no_doubt = false;  ///< fatal or certain, see Suspicion: what it says of the file holds whether it does damage or not
};

struct Examination {
  std::unique_ptr<Subject> subject;
  std::unique_ptr<Symptoms> symptoms;
  std::unique_ptr<Trials> trials;
  std::vector<Fault> faults;  ///< most important first
};

/// `variant`: the quantized model of the pair, or one made from it by edits.
Result<Examination> examine(const MeasuredPair& pair, const std::shared_ptr<const Model>& variant, const DiagnoseOptions& options);

/// By severity, then worth, then graph order.
bool more_important(const Fault& a, const Fault& b);

/// The causes in causes/.
std::vector<std::string_view> local_causes();

}  // namespace visq::diagnosis
