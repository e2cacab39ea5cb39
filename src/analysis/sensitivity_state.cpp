// The state of a sensitivity run as bytes: what was measured, for the same program on the same machine to go on with.
#include <cstring>
#include <type_traits>

#include "analysis/sensitivity_scores.h"

namespace visq::analysis {
namespace {

constexpr std::string_view kHead = "visq.sensitivity.state/1\n";

class Writer {
 public:
  template <class T>
  void add(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void add_text(std::string_view text) {
    add(static_cast<std::uint64_t>(text.size()));
    bytes_ += text;
  }
  void add_head(std::string_view head) { bytes_ += head; }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Every read says whether there was so much left.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  template <class T>
  bool get(T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (bytes_.size() < sizeof value) return false;
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_.remove_prefix(sizeof value);
    return true;
  }
  bool get_text(std::string& text) {
    std::uint64_t size = 0;
    if (!get(size) || bytes_.size() < size) return false;
    text = bytes_.substr(0, static_cast<std::size_t>(size));
    bytes_.remove_prefix(static_cast<std::size_t>(size));
    return true;
  }
  bool at_end() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
};

bool get_cell(Reader& reader, std::size_t outputs, TrialRecord& cell) {
  if (!reader.get(cell.steps)) return false;
  cell.outputs.resize(outputs);
  for (OutputRecord& output : cell.outputs) {
    std::uint8_t integer = 0;
    if (!reader.get(output.stats) || !reader.get(output.differing) || !reader.get(output.non_finite) || !reader.get(integer) ||
        !reader.get_text(output.not_compared)) {
      return false;
    }
    output.integer = integer != 0;
  }
  return true;
}

}  // namespace

std::string SensitivityScores::state() const {
  Writer writer;
  writer.add_head(kHead);
  for (std::uint64_t trial = 0; trial < cells_.size(); ++trial) {
    for (std::uint64_t r = 0; r < records(); ++r) {
      if (!done(trial, r)) continue;
      const TrialRecord& cell = cells_[trial][r];
      writer.add(trial);
      writer.add(r);
      writer.add(cell.steps);
      for (const OutputRecord& output : cell.outputs) {
        writer.add(output.stats);
        writer.add(output.differing);
        writer.add(output.non_finite);
        writer.add(static_cast<std::uint8_t>(output.integer ? 1 : 0));
        writer.add_text(output.not_compared);
      }
    }
  }
  return writer.take();
}

bool SensitivityScores::restore(std::string_view state) {
  if (!state.starts_with(kHead)) return false;
  Reader reader(state.substr(kHead.size()));
  auto cells = cells_;
  while (!reader.at_end()) {
    std::uint64_t trial = 0, record = 0;
    if (!reader.get(trial) || !reader.get(record) || trial >= cells.size() || record >= records()) return false;
    if (!get_cell(reader, outputs_, cells[trial][record])) return false;
  }
  cells_ = std::move(cells);
  return true;
}

}  // namespace visq::analysis
