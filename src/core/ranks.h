// Processes that share the work of one run: one, as a rule, or the ranks of an MPI job.
//
// All ranks run the same command on the same files and take the same decisions, since each gets what every other one computed. Only the
// first one prints and writes.
#pragma once

#include <string>
#include <vector>

#include "visq/status.h"

namespace visq {

/// How bytes get from rank to rank.
class RankTransport {
 public:
  virtual ~RankTransport() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Every rank's bytes, by rank. All ranks call it, equally often.
  virtual std::vector<std::string> gather(const std::string& own) = 0;
};

class Ranks {
 public:
  /// `transport` may be null: one process. It must outlive this.
  explicit Ranks(RankTransport* transport = nullptr) : transport_(transport) {}

  int rank() const { return transport_ == nullptr ? 0 : transport_->rank(); }
  int size() const { return transport_ == nullptr ? 1 : transport_->size(); }
  bool several() const { return size() > 1; }
  /// A launcher of jobs started this process, be it the only one.
  bool launched() const { return transport_ != nullptr; }
  /// The rank that prints and writes.
  bool first() const { return rank() == 0; }

  /// Every rank's bytes, by rank. Errors: that of a rank that has ended its run early.
  Result<std::vector<std::string>> exchange(const std::string& own);

  /// Ends the run of this rank with an exit code, and why, where it failed. Returns the code that all ranks end with, and in `message` the
  /// failure of another rank that the first one has not told of yet.
  int finish(int code, std::string& message);

  /// What this rank would have said about its failure, had it been the first.
  void note_failure(const std::string& message) { failure_ = message; }

 private:
  RankTransport* transport_;
  bool over_ = false;  ///< a rank has ended its run: nobody waits for anybody any more
  std::string failure_;
};

/// Those of this process.
Ranks& ranks();
/// To be called before any work.
void set_ranks(const Ranks& ranks);

}  // namespace visq
