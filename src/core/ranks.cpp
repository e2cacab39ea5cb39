#include "core/ranks.h"

#include "core/error.h"
#include "core/packing.h"

namespace visq {
namespace {

/// What ranks send each other: a piece of work, or that one has ended its run, how, and why.
enum class Kind : std::uint8_t { kWork, kEnd };

std::string end_message(int code, const std::string& failure) {
  PackWriter writer;
  writer.add(Kind::kEnd);
  writer.add(code);
  writer.add_text(failure);
  return writer.take();
}

struct End {
  int rank = -1, code = 0;  ///< rank -1: none
  std::string failure;
};

/// The first rank that ended with a failure, else the first that ended.
End find_end(const std::vector<std::string>& messages) {
  End found;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    PackReader reader(messages[i]);
    Kind kind{};
    End end{static_cast<int>(i), 0, ""};
    if (!reader.get(kind) || kind != Kind::kEnd || !reader.get(end.code) || !reader.get_text(end.failure)) continue;
    if (found.rank < 0 || (found.code == 0 && end.code != 0)) found = end;
  }
  return found;
}

Reason reason_of(int code) {
  return code == 2 ? Reason::kUsage : code == 3 ? Reason::kBadInput : code == 4 ? Reason::kUnsupported : Reason::kInternal;
}

Ranks& instance() {
  static Ranks ranks;
  return ranks;
}

}  // namespace

Result<std::vector<std::string>> Ranks::exchange(const std::string& own) {
  if (!several()) return std::vector<std::string>{own};
  if (over_) return internal_error("a rank has ended its run");
  std::string message(1, static_cast<char>(Kind::kWork));
  std::vector<std::string> messages = transport_->gather(message + own);
  if (const End end = find_end(messages); end.rank >= 0) {
    over_ = true;
    return Error{reason_of(end.code), fmt::format("rank {}: {}", end.rank, end.failure.empty() ? "ended its run early" : end.failure)};
  }
  for (std::string& each : messages) each.erase(0, 1);
  return messages;
}

int Ranks::finish(int code, std::string& message) {
  if (!several() || over_) return code;
  over_ = true;
  const std::vector<std::string> messages = transport_->gather(end_message(code, failure_));
  const End end = find_end(messages);
  const End first = find_end({messages.front()});
  if (end.rank > 0 && end.code != 0 && first.code == 0) {
    message = fmt::format("rank {}: {}", end.rank, end.failure);
    return end.code;
  }
  return first.rank < 0 ? code : first.code;
}

Ranks& ranks() { return instance(); }
void set_ranks(const Ranks& ranks) { instance() = ranks; }

}  // namespace visq
