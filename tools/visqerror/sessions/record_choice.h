// Which records a command takes where --records does not say: in one place for all of them.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "visq/diagnose.h"
#include "visqerror/sessions/session.h"

namespace visq::tool {

/// Where there are more than `most` records, keeps so many, spread evenly, and half as many of the worst, without which a fault that few
/// records show would stay unseen; of a sequence the first ones. Says so. Errors: those of the search for the worst.
Status keep_spread(Records& records, std::int64_t most, const Model& model, const Model& twin, const Console& console);

/// The same for commands that repair: up to `most_others` others, spread evenly, are put behind them, every second one to fit repairs to,
/// the rest to judge repairs by. None where there are hardly any, or of a sequence, of which the first records are kept. Says so.
Result<RepairRecords> keep_for_repairs(Records& records, std::int64_t most, std::int64_t most_others, const Model& model, const Model& twin,
                                       const Console& console);

/// As many records as two seconds have room for, for questions that take a run per node: one at first; once that is done, so many that are
/// spread evenly over the data, of a sequence the first ones. All that --records names where it does.
class TimedRecords {
 public:
  /// `records`: as open_records() gives them. Both outlive this.
  TimedRecords(const DataOptions& options, Records& records, const Pair& pair, const Console& console);

  /// After a run over the records: whether there was time for more. The records then are those to run over instead; they and the ones left
  /// out are named. Of the ranks of a job the first one's clock decides. Errors: that of another rank.
  Result<bool> grow();

 private:
  void say(std::int64_t count) const;

  Records& records_;
  const Pair& pair_;
  const Console& console_;
  RecordRange all_;
  bool open_ = false;  ///< more may be taken
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// The outputs' SQNR over all records that `options` names, in the mode and the sequences of `part`, a result of some of them that it
/// stands beside. `outputs`: their names in either model. Nothing where `used` is that many.
Result<WholeSqnr> whole_sqnr(const DataOptions& options, const Pair& pair, const PairIdentity& part,
                             const std::vector<std::string>& outputs, std::int64_t used, const Console& console);

/// How many of `all` records two seconds have room for, if one took `seconds`: all of them, or a power of two.
std::int64_t records_in_time(double seconds, std::int64_t all);

}  // namespace visq::tool
