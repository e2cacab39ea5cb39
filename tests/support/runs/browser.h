// Opens a page from disk in a browser without a screen, and lets a script look at it.
#pragma once

#include <optional>
#include <string>

namespace visq::testing {

/// Whether there is a browser; tests skip without one.
bool have_browser();

/// axe-core, which looks for what keeps people out of a page (npm install -g axe-core); empty where it is not on this machine.
std::string axe_script();

/// Runs `script` (statements of JavaScript, which may `await`) once the page has drawn itself. Gives the lines that it passed to
/// `fault(text)`, and what the page itself did wrong (uncaught errors, console errors, breaches of its content policy); empty: nothing.
/// Nothing at all where the browser did not get as far as that.
std::optional<std::string> faults_of_page(const std::string& page, const std::string& script, const std::string& window_size = "1280,720");

}  // namespace visq::testing
