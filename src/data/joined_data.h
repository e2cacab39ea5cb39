// Data of several inputs, each at a place of its own: INPUT=PATH,INPUT=PATH.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "visq/data.h"
#include "visq/data/preparation.h"

namespace visq::data {

struct NamedPart {
  std::string input, path;
};

/// The parts of a path that is neither a file nor a folder and each of whose pieces between commas holds a '='; else none.
std::vector<NamedPart> named_parts(const std::string& path);

/// `description`: what messages call the whole. Errors: an input that the model has not, one that is left out or given twice; numbers of
/// records that differ.
Result<std::unique_ptr<RecordSource>> open_joined(const std::vector<NamedPart>& parts, const std::string& description, const Model& model,
                                                  const Preparation& preparation);

}  // namespace visq::data
