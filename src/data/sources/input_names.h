// Which name in a file is which input's.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "data/sources/input_spec.h"

namespace visq::data {

/// A name without what converters put around it, as_file_name(): "serving_default_x:0" and "x" are one.
std::string plain_name(std::string_view name);

/// The position in `names` of each input's name: what the signature calls it, the tensor's name, either as_file_name() or plain, or its
/// number; -1 where there is none. No name is given twice.
std::vector<int> match_names(const std::vector<InputSpec>& inputs, const std::vector<std::string>& names);

/// "'x', 'y'", for messages; "none".
std::string quoted_list(const std::vector<std::string>& names);
/// What messages call the inputs: their names in the signature, else the tensors'.
std::vector<std::string> names_of(const std::vector<InputSpec>& inputs);
/// "; give each input its own, as -d x=PATH,y=PATH", behind messages.
std::string own_places(const std::vector<InputSpec>& inputs);
/// "PLACE: holds arrays of one input, MODEL has 2", and what to do.
Error one_input_only(const std::string& place, const std::string& model, const std::vector<InputSpec>& inputs);

}  // namespace visq::data
