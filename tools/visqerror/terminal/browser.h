// Shows a file in the user's browser.
#pragma once

#include <string>

namespace visq::tool {

/// Starts the first program of $BROWSER that there is (several are separated by colons, "%s" stands for the file), else xdg-open, and does
/// not wait for it. False where there is none.
bool open_in_browser(const std::string& path);

}  // namespace visq::tool
