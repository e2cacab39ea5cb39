// What a user most likely meant with a name that no feature map has.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "visq/model.h"

namespace visq::analysis {

/// "; did you mean 'conv1/Relu'?" where a feature map of one of the models has nearly that name, else "".
std::string name_hint(const std::string& word, std::initializer_list<const Model*> models);

/// For --nodes and --ops that together fit nothing: of the first word that is neither a glob nor known.
std::string filter_hint(const std::vector<std::string>& nodes, const std::vector<std::string>& ops,
                        std::initializer_list<const Model*> models);

}  // namespace visq::analysis
