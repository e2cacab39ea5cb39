// "Did you mean …": the word a user most likely wanted.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace visq {

/// "; did you mean 'mse'?" where a candidate is near, "; one of: mse, mae" where none is but there are few, else "".
std::string suggestion(std::string_view word, std::span<const std::string_view> candidates);

/// Number of insertions, deletions, substitutions and swaps of neighbours from one word to the other.
int edit_distance(std::string_view a, std::string_view b);

}  // namespace visq
