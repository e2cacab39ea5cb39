// LiteRT-LM containers (.litertlm): a header that lists sections, among them TFLite models.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "visq/inspect.h"

namespace visq::loader {

bool is_litertlm(std::span<const std::byte> file);

/// Checked against the file: sections lie in it, behind the header, and do not overlap. Errors: kBadInput naming `path` and the section.
Result<std::vector<ContainerSection>> litertlm_sections(std::span<const std::byte> file, const std::string& path);

/// The model that `choice` names, by its section's number or kind ("prefill_decode"); an empty choice: the only one, else prefill_decode.
/// Errors: kBadInput with those that there are.
Result<std::span<const std::byte>> litertlm_model(std::span<const std::byte> file, const std::string& path, const std::string& choice);

}  // namespace visq::loader
