// Whether the data are of the kind that the quantized model was calibrated with.
#pragma once

#include "diagnosis/symptoms.h"
#include "diagnosis/what_if.h"
#include "visq/diagnose.h"

namespace visq::diagnosis {

/// An input whose values lie elsewhere than its range, as a clause; empty where all are well.
std::string foreign_input(const Symptoms& symptoms);

/// Adds the remarks "wrong data" and "channel order", where no other remark explains the pair. `data`: the records that were diagnosed.
/// Returns a clause about data that are odd, but do no harm between these two models; empty where there is none. Errors: those of the runs.
Result<std::string> add_data_remarks(const Symptoms& symptoms, const WhatIf& what_if, RecordSource& data, const DiagnoseOptions& options,
                                     DiagnoseResult& result);

/// "channel order": an input seems to hold pictures channel by channel where the model takes them pixel by pixel. One per such input.
std::vector<GlobalRemark> layout_remarks(const Symptoms& symptoms, const WhatIf& what_if);

}  // namespace visq::diagnosis
