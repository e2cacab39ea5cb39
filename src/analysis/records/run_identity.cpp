#include "analysis/records/run_identity.h"

#include "core/file.h"

namespace visq {

ModelIdentity identity(const Model& model) { return {model.path, model.checksum, model.format, model.signature}; }

namespace analysis {

RunIdentity run_identity(const std::string& data, const RunRequest& request) { return {data, request.records, {}, false}; }

RunIdentity run_identity(const std::string& data, const SequenceRequest& request) {
  return {data, request.records, identity(request.sequence), false};
}

PairIdentity pair_identity(const Model& reference, const Model& quantized, RunIdentity run) {
  PairIdentity pair;
  static_cast<RunIdentity&>(pair) = std::move(run);
  pair.reference = identity(reference);
  pair.quantized = identity(quantized);
  return pair;
}

PairIdentity pair_identity(const Model& reference, const Model& quantized, const std::string& data, const PairRunRequest& request) {
  PairIdentity pair = pair_identity(reference, quantized, run_identity(data, request));
  pair.reference_mode = request.reference_mode;
  pair.quantized_mode = request.quantized_mode;
  return pair;
}

ModelIdentity file_identity(const std::string& path) {
  ModelIdentity out;
  out.path = path;
  if (const auto file = MappedFile::open(path)) out.sha256 = Checksum(*file, (*file)->bytes());
  return out;
}

void end_after(std::int64_t done, RunIdentity& run) {
  const std::int64_t end = run.records.first + done;
  run.interrupted = end < run.records.last;
  run.records.last = end;
}

}  // namespace analysis
}  // namespace visq
