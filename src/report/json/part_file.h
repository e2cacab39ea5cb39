// Result files that merge joins: those of compare and badcase with --per-record.
#pragma once

#include <string>

#include "report/json/json_text.h"
#include "visq/merge.h"

namespace visq::report {

/// The member "sums" of a result.
Json json_sums(const RecordSums& sums, const std::vector<int>& metrics);

struct PartFile {
  bool badcase = false;
  ModelIdentity reference, quantized;
  Part part;
};

/// Errors: kBadInput naming the file: it is no such result, or was made without --per-record.
Result<PartFile> read_part_file(const std::string& path);

}  // namespace visq::report
