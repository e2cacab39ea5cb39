// Whether a picture is sound XML.
#pragma once

#include <string>

namespace visq::testing {

/// What is wrong with an XML text; empty: every element is closed, and no character stands bare that may not.
std::string xml_fault(const std::string& text);

}  // namespace visq::testing
