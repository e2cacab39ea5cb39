#include "report/words/identity_text.h"

#include <fmt/core.h>

#include <filesystem>

#include "report/words/text.h"

namespace visq::report {
namespace {

std::string text_with_mode(const ModelIdentity& model, Mode mode, bool with_mode) {
  return with_mode ? fmt::format("{} ({})", model_text(model), name(mode)) : model_text(model);
}

std::string bare_name(const std::string& path) { return printable(std::filesystem::path(path).filename().string()); }

}  // namespace

std::string records_text(const RunIdentity& run) { return plural(run.records.last - run.records.first, "record"); }

std::string whole_sqnr_text(const WholeSqnr& whole, std::size_t i) {
  if (i >= whole.outputs.size()) return "";
  return fmt::format(", {} dB over all {}", brief(whole.outputs[i]), plural(whole.records, "record"));
}

std::string judgement_text(const Judgement& judgement) {
  const std::string records = plural(judgement.records, "record");
  if (judgement.unseen == 0) return records + ", which repairs are fitted to as well";
  return fmt::format("{}, {} of which no repair is fitted to", records, judgement.unseen);
}

std::string model_text(const ModelIdentity& model) {
  return printable(model.path) + (model.signature.empty() ? "" : fmt::format(", signature '{}'", printable(model.signature)));
}

std::string data_text(const RunIdentity& run) { return fmt::format("{}, {}", printable(run.data), records_text(run)); }

std::string models_text(const PairIdentity& pair, bool modes) {
  return text_with_mode(pair.reference, pair.reference_mode, modes) + " and " + text_with_mode(pair.quantized, pair.quantized_mode, modes);
}

std::string pair_head(const PairIdentity& pair, bool modes) { return fmt::format("{}\n{}\n\n", models_text(pair, modes), data_text(pair)); }

std::string pair_caption(const PairIdentity& pair) {
  return fmt::format("{} and {}, {} of {}", bare_name(pair.reference.path), bare_name(pair.quantized.path), records_text(pair),
                     bare_name(pair.data));
}

}  // namespace visq::report
