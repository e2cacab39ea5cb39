#include "core/error.h"

namespace visq {

Failure::Failure(Error&& error) : error_(new Error(std::move(error))) {}

Failure::Failure(const Failure& other) : error_(other.error_ == nullptr ? nullptr : new Error(*other.error_)) {}

void Failure::drop() { delete error_; }

Error error_of(Reason reason, fmt::string_view text, fmt::format_args values) { return {reason, fmt::vformat(text, values)}; }

}  // namespace visq
