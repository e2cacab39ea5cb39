#include "visqerror/sessions/signatures.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "core/error.h"
#include "core/joined.h"
#include "model/printable.h"
#include "report/words/text.h"
#include "visqerror/outputs/output_files.h"
#include "visqerror/terminal/exit_code.h"

namespace visq::tool {
namespace {

bool has(const Model& model, const std::string& key) {
  return std::any_of(model.signatures.begin(), model.signatures.end(), [&](const Signature& each) { return each.key == key; });
}

/// More than one computation to choose from: names for the same subgraph are no choice.
bool has_choice(const Model& model) {
  std::set<int> subgraphs;
  for (const Signature& signature : model.signatures) subgraphs.insert(signature.subgraph);
  return subgraphs.size() > 1;
}

/// The keys that both models have, in the order of the first; a model of one computation goes with any.
std::vector<std::string> common_keys(const Model& model, const Model* twin) {
  std::vector<std::string> keys;
  for (const Signature& signature : model.signatures) {
    if (twin == nullptr || has(*twin, signature.key)) keys.push_back(signature.key);
  }
  return keys;
}

/// The signature of a model that has one computation; where that is subgraph 0, there is nothing to choose.
Status choose_only(Model& model) {
  const bool elsewhere = !model.signatures.empty() && model.signatures.front().subgraph != 0;
  return elsewhere ? choose_signature(model, model.signatures.front().key) : Status();
}

struct Named {
  std::string reference, quantized;
};

/// "A=B" is the pair A and B unless it is a key itself.
Named split(const std::string& text, const Model& model) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || has(model, text)) return {text, text};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

Status choose_named(const std::string& text, Model& model, Model* twin) {
  const Named named = split(text, model);
  VISQ_TRY(choose_signature(model, named.reference));
  if (twin == nullptr) return {};
  if (!has(*twin, named.quantized) && !has_choice(*twin)) return choose_only(*twin);
  return choose_signature(*twin, named.quantized);
}

/// Says which signatures of a model have no counterpart in its twin.
void tell_left_out(const Model& model, const Model& twin, const Console& console) {
  std::vector<std::string> alone;
  for (const Signature& signature : model.signatures) {
    if (!has(twin, signature.key)) alone.push_back("'" + printable(signature.key) + "'");
  }
  if (alone.empty()) return;
  const bool one = alone.size() == 1;
  console.warn(fmt::format("{}: the signature{} {} {} not compared: {} has none of {}", model.path, one ? "" : "s", joined(alone, ", "),
                           one ? "is" : "are", twin.path, one ? "that name" : "these names"));
}

Error nothing_in_common(const Model& model, const Model& twin) {
  return usage_error("{} has the signatures {}, {} has {}: none of the same name; --signature A=B says which belong together", model.path,
                     signature_list(model), twin.path, signature_list(twin));
}

/// A signature's key as part of a file name.
std::string as_file_name(const std::string& signature) {
  std::string name = printable(signature);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '/' || c == '\\' || c == ':' || c == ' '; }, '_');
  return name.empty() || name.front() == '.' ? "_" + name : name;
}

}  // namespace

void add_signature(Options& options, std::string& target) {
  options.value("--signature", target, "NAME", "the signature to run, of models that have several; A=B where the two models' names differ");
}

std::string signature_words(const std::string& signature) {
  return signature.empty() ? "" : " --signature " + report::shell_word(signature);
}

Status choose_signatures(const std::string& text, Model& model, Model* twin, const Console& console) {
  if (!text.empty()) return choose_named(text, model, twin);
  const bool choice = has_choice(model), twin_choice = twin != nullptr && has_choice(*twin);
  if (!choice && !twin_choice) {
    VISQ_TRY(choose_only(model));
    return twin != nullptr ? choose_only(*twin) : Status();
  }
  const auto keys = common_keys(model, twin);
  if (keys.empty() && choice && twin_choice) return nothing_in_common(model, *twin);
  if (keys.empty()) {
    return usage_error("{} has the signatures {}: --signature says which to run", choice ? model.path : twin->path,
                       signature_list(choice ? model : *twin));
  }
  VISQ_TRY(choose_named(keys.front(), model, twin));
  console.warn(
      fmt::format("{}: signature '{}' of {}; --signature NAME runs another", model.path, printable(keys.front()), signature_list(model)));
  return {};
}

Result<std::vector<std::string>> signatures_in_turn(const std::string& text, const std::string& reference, const std::string& quantized,
                                                    const Console& console) {
  if (!text.empty()) return std::vector<std::string>{text};
  VISQ_ASSIGN(const Model model, load_model(reference));
  std::optional<Model> twin;
  if (!quantized.empty()) {
    VISQ_ASSIGN(twin, load_model(quantized));
  }
  const bool several = has_choice(model) && (!twin || has_choice(*twin));
  auto keys = several ? common_keys(model, twin ? &*twin : nullptr) : std::vector<std::string>();
  if (several && keys.empty()) return nothing_in_common(model, *twin);
  if (several && twin) {
    tell_left_out(model, *twin, console);
    tell_left_out(*twin, model, console);
  }
  if (keys.empty()) keys.emplace_back();
  return keys;
}

std::string file_of_signature(const std::string& path, const std::string& signature) {
  if (path.empty() || path == "-") return path;
  const std::filesystem::path file(path);
  const std::string name = file.stem().string() + "." + as_file_name(signature) + file.extension().string();
  return (file.parent_path() / name).string();
}

std::string folder_of_signature(const std::string& path, const std::string& signature) {
  return path.empty() ? path : (std::filesystem::path(path) / as_file_name(signature)).string();
}

Result<int> run_in_turn(const std::vector<std::string>& signatures, bool headings,
                        const std::function<Result<int>(const std::string& signature)>& run) {
  if (signatures.size() == 1) return run(signatures.front());
  std::optional<Error> first;
  int worst = kDone;
  std::size_t failed = 0;
  for (const std::string& signature : signatures) {
    if (headings)
      VISQ_TRY(write_stdout(fmt::format("{}Signature {}\n", &signature == &signatures.front() ? "" : "\n", printable(signature))));
    const Result<int> code = run(signature);
    if (code.ok()) {
      worst = std::max(worst, *code);
      if (*code > 128) return code;  // interrupted
      continue;
    }
    ++failed;
    if (!first) first = code.error();
    print_error(fmt::format("signature '{}' was left out: {}", printable(signature), code.error().message));
  }
  if (failed == signatures.size()) return *first;
  return failed > 0 && worst == kDone ? static_cast<int>(kIncomplete) : worst;
}

}  // namespace visq::tool
