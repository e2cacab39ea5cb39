// EMBEDDING_ROWS: a table with a few rows far larger than the others (a begin-of-sequence token), on one scale for all.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "diagnosis/in_float.h"
#include "diagnosis/suspicion.h"
#include "diagnosis/value_evidence.h"
#include "kernels/op.h"
#include "model/slots.h"

namespace visq::diagnosis::cause_embedding_rows {
namespace {

/// The largest row over the median one: noticeable, certain.
constexpr double kNoticeable = 4, kCertain = 8;

struct Rows {
  double largest = 0, median = 0;
  std::size_t row = 0, count = 0;
};

Rows rows_of(const ConstantValues& table, std::size_t width) {
  std::vector<double> reaches(table.reference.size() / width, 0);
  for (std::size_t i = 0; i < reaches.size() * width; ++i) {
    reaches[i / width] = std::max(reaches[i / width], std::fabs(static_cast<double>(table.reference[i])));
  }
  Rows rows;
  rows.count = reaches.size();
  rows.row = static_cast<std::size_t>(std::max_element(reaches.begin(), reaches.end()) - reaches.begin());
  rows.largest = reaches[rows.row];
  std::nth_element(reaches.begin(), reaches.begin() + static_cast<std::ptrdiff_t>(reaches.size() / 2), reaches.end());
  rows.median = reaches[reaches.size() / 2];
  return rows;
}

void suspect_table(const Symptoms& symptoms, const ConstantValues& table, Suspicions& suspicions) {
  const Subject& subject = symptoms.subject();
  const Operator& op = subject.q().op(table.where.node);
  const TensorInfo& tensor = subject.q().tensor(table.where.tensor);
  if (kernels::kind_of(op) != kernels::OpKind::kGather || tensor.shape.rank() != 2 || tensor.shape[1] < 1) return;
  const Rows rows = rows_of(table, as_size(tensor.shape[1]));
  if (rows.count < 2 || rows.median <= 0 || rows.largest < kNoticeable * rows.median || tensor.quantization.per_channel()) return;
  Suspicion& suspicion = suspicions.about_constant(table.where);
  const auto step = static_cast<double>(tensor.quantization.scale[0]);
  suspicion.text = fmt::format(
      "one scale for all {} rows of its table, of which row {} reaches {:.4g}, {:.1f} times the median one, which has {:.1f} steps",
      rows.count, rows.row, rows.largest, rows.largest / rows.median, rows.median / step);
  suspicion.evidence = {{"rows", static_cast<double>(rows.count)},
                        {"row", static_cast<double>(rows.row)},
                        {"largest_over_median", rows.largest / rows.median},
                        {"threshold", kNoticeable},
                        {"steps_of_median", rows.median / step}};
  suspicion.values = evidence_of(subject, table);
  suspicion.strong = rows.largest >= kCertain * rows.median;
  ModelEdit edit;
  store_in_float(table.where, table.reference, edit);
  for (const int tied : subject.tied(output_of(op, 0))) {
    if (symptoms.map(tied) != nullptr) keep_map_in_float(subject, tied, edit);
  }
  suspicion.remedies.push_back({fmt::format("keep the table and what it gives in float; or take row {} out of the table (add it behind), "
                                            "or bring it down to the others' size",
                                            rows.row),
                                fmt::format("dtype {} = float32", in_quotes(subject.names().name(table.where.tensor))), std::move(edit),
                                true});
}

void suspect(const Symptoms& symptoms, const DiagnoseOptions&, Suspicions& suspicions) {
  for (const ConstantValues& constant : symptoms.constants()) {
    if (!constant.where.bias) suspect_table(symptoms, constant, suspicions);
  }
}

constexpr CauseDef kCause{"EMBEDDING_ROWS", 25, suspect};

}  // namespace

std::span<const CauseDef> definitions() { return {&kCause, 1}; }

}  // namespace visq::diagnosis::cause_embedding_rows
