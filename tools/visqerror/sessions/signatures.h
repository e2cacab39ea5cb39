// Which of a model's signatures is run: the one that the user named, the only one, or all of them in turn.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "visq/model.h"
#include "visq/status.h"
#include "visqerror/options/options.h"
#include "visqerror/terminal/console.h"

namespace visq::tool {

/// Adds --signature.
void add_signature(Options& options, std::string& target);

/// The option as it stands on a command line, a space before it; "" where there is none.
std::string signature_words(const std::string& signature);

/// Chooses the signature of a model (`twin`: the second one of a pair, may be null) that `text` names, "A" or "A=B" where the models' names
/// differ. Without a text: the only one; of several the first that both have, saying which are left out. Errors: kBadInput, kUsage.
Status choose_signatures(const std::string& text, Model& model, Model* twin, const Console& console);

/// The signatures that a command goes through: what the user named, or all that both models have (`quantized` may be empty); says which are
/// left out. One entry, empty, where there is nothing to choose.
Result<std::vector<std::string>> signatures_in_turn(const std::string& text, const std::string& reference, const std::string& quantized,
                                                    const Console& console);

/// "out/page.html" of signature "decode" as a file of its own: "out/page.decode.html". "" and "-" stay.
std::string file_of_signature(const std::string& path, const std::string& signature);
/// "out" as "out/decode"; "" stays.
std::string folder_of_signature(const std::string& path, const std::string& signature);

/// Runs a command for each signature, with a line above each but where standard output is for machines. A signature that cannot be run
/// is told on stderr; the exit code is the worst of all, or that error where none could be run.
Result<int> run_in_turn(const std::vector<std::string>& signatures, bool headings,
                        const std::function<Result<int>(const std::string& signature)>& run);

}  // namespace visq::tool
