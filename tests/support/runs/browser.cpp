#include "support/runs/browser.h"

#include <cstdlib>
#include <filesystem>

#include "support/runs/process.h"

namespace visq::testing {
namespace {

/// Runs before the page's own script.
constexpr const char* kWatch = R"js(<head><script>
  const faults = [];
  const fault = (text) => faults.push(text);
  window.alert = (text) => fault("alert: " + text);
  const expect = (holds, text) => { if (!holds) fault(text); };
  addEventListener("error", (event) => fault("error: " + event.message));
  addEventListener("unhandledrejection", (event) => fault("rejected: " + event.reason));
  document.addEventListener("securitypolicyviolation", (event) => fault("policy: " + event.blockedURI));
  for (const level of ["error", "warn"]) console[level] = (...words) => fault("console: " + words.join(" "));
</script>)js";

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.rfind(what);
  return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

}  // namespace

std::string axe_script() {
  const ProcessResult where = run_process({"sh", "-c", "npm root -g 2> /dev/null || true"});
  const std::string path = where.out.substr(0, where.out.find('\n')) + "/axe-core/axe.min.js";
  return std::filesystem::exists(path) ? read_text(path) : "";
}

bool have_browser() { return std::system("command -v chromium > /dev/null 2>&1") == 0; }

std::optional<std::string> faults_of_page(const std::string& page, const std::string& script, const std::string& window_size) {
  const TemporaryFolder folder;
  // Promises are waited for on a clock that runs ahead; without them the clock is the machine's, by which times are measured.
  const bool waits = script.find("await ") != std::string::npos;
  const std::string look = std::string("<script>addEventListener('load', ") + (waits ? "async " : "") + "() => { try {" + script +
                           "} catch (error) { fault('script: ' + error.stack); }\n"
                           "document.body.textContent = '[[' + faults.join('\\n') + ']]'; });</script></body>";
  write_text(folder / "page.html", replaced(replaced(page, "</body>", look), "<head>", kWatch));
  const ProcessResult run =
      run_process({"timeout", "100", "chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                   "--user-data-dir=" + folder / "profile", "--window-size=" + window_size,
                   waits ? "--virtual-time-budget=60000" : "--no-first-run", "--dump-dom", "file://" + folder / "page.html"});
  const std::size_t begin = run.out.find("[["), end = run.out.rfind("]]");
  if (begin == std::string::npos || end == std::string::npos) return std::nullopt;
  return run.out.substr(begin + 2, end - begin - 2);
}

}  // namespace visq::testing
