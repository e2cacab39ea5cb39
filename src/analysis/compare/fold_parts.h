// What merge does with the sums of all parts, whatever command made them.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "visq/merge.h"

namespace visq::analysis {

/// unpack(bytes) of every record of every part, in their order, where it fits(output), goes to add(record, output).
/// Errors: kBadInput naming the part whose sums do not; those of add.
template <class Unpack, class Fits, class Add>
Status fold_parts(const std::vector<Part>& parts, const Unpack& unpack, const Fits& fits, const Add& add) {
  for (const Part& part : parts) {
    std::int64_t record = part.records.first;
    for (const std::string& bytes : part.sums.records) {
      auto output = unpack(bytes);
      if (!output.ok() || !fits(*output)) return bad_input("{}: the sums of record {} are not of these models", part.path, record);
      VISQ_TRY(add(record++, std::move(output).value()));
    }
  }
  return {};
}

/// What one run over the records of all parts would have been asked for; sequences aside, which were run already.
PairRunRequest request_of(const std::vector<Part>& parts);

/// What its result would be called by.
PairIdentity identity_of(const std::vector<Part>& parts, const Model& reference, const Model& quantized);

/// A part starts from a fresh state, where one run over all records goes on with what it kept: no difference only where a sequence begins.
/// Errors: kBadInput naming the part that begins elsewhere.
Status whole_sequences(const std::vector<Part>& parts, std::initializer_list<const Model*> models);

}  // namespace visq::analysis
