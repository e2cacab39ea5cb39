#include "visqerror/options/time_limit.h"

#include "visqerror/terminal/interrupt.h"

namespace visq::tool {
namespace {

/// How often the watch looks: signals cannot wake it.
constexpr std::chrono::milliseconds kGlance{20};
/// Longer than anybody waits, and short enough for the clock.
constexpr double kForever = 1e8;

}  // namespace

TimeLimit::TimeLimit(double seconds)
    : end_(std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                                  std::chrono::duration<double>(seconds < kForever ? seconds : kForever))) {
  watch_ = std::jthread([this](const std::stop_token& done) {
    while (!done.stop_requested() && !stop_) {
      if (over() || interrupted()) stop_ = true;
      std::this_thread::sleep_for(kGlance);
    }
  });
}

}  // namespace visq::tool
