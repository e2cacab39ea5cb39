// The result of diagnose as text and as JSON.
#pragma once

#include <cstddef>
#include <string>

#include "visq/diagnose.h"
#include "visq/report.h"

namespace visq::report {

struct DiagnoseTextOptions {
  std::size_t columns = 0;  ///< width of the terminal, to wrap at; 0: a file
  bool color = false;
};

/// Outputs, remarks, and the findings in order of importance.
std::string diagnose_text(const DiagnoseResult& result, const DiagnoseTextOptions& options);

/// The document of schema/diagnose.schema.json.
std::string diagnose_json(const DiagnoseResult& result);

/// Degradation graphs: MSE, cosine and SQNR of every layer with the threshold, degraded layers circled and their names red. Files
/// quant_loss_{mse,cs,sqnr}_repr.svg, and _val.svg where there are losses on validation data; names only where there are no losses.
std::vector<OutputFile> degradation_graphs(const DiagnoseResult& result, const DiagnoseOptions& options, bool validation);

}  // namespace visq::report
