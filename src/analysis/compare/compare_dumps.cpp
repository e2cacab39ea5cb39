// Compares feature maps that were computed elsewhere: two dumps of `run`, or of a device.
#include <algorithm>
#include <iterator>
#include <map>

#include "analysis/compare/dump_tensors.h"
#include "analysis/facts/node_filter.h"
#include "analysis/records/comparison_sum.h"
#include "analysis/records/run_identity.h"
#include "core/as_size.h"
#include "core/error.h"
#include "data/sources/folder.h"
#include "model/printable.h"
#include "visq/compare.h"

namespace visq {
namespace {

using analysis::ComparisonSum;
using analysis::declaration;
using analysis::identity_of;
using analysis::tensor_of;

class DumpComparison {
 public:
  DumpComparison(DumpReader& reference, DumpReader& quantized, const CompareOptions& options, const NamedMaps& names)
      : r_(reference), q_(quantized), options_(options), names_(names) {
    result_.metrics = analysis::chosen_metrics(options.metrics);
  }

  Result<CompareResult> run(const std::string& reference_path, const std::string& quantized_path) {
    result_.reference = analysis::file_identity(reference_path);
    result_.quantized = analysis::file_identity(quantized_path);
    std::vector<std::int64_t> records;
    std::ranges::set_intersection(r_.records(), q_.records(), std::back_inserter(records));
    if (records.empty()) return bad_input("{} and {} have no record in common", reference_path, quantized_path);
    VISQ_TRY(pair_tensors(records.front(), reference_path, quantized_path));
    if (sums_.empty() && !options_.nodes.empty()) {
      return usage_error("no tensor of both {} and {} fits --nodes", reference_path, quantized_path);
    }
    if (sums_.empty()) return bad_input("{} and {} have no tensor in common", reference_path, quantized_path);
    std::int64_t done = 0;
    for (const std::int64_t record : records) {
      if (options_.stop != nullptr && options_.stop->load()) break;
      VISQ_TRY(compare_record(record));
      ++done;
      if (options_.progress) options_.progress(done, static_cast<std::int64_t>(records.size()));
    }
    result_.interrupted = done < static_cast<std::int64_t>(records.size());
    return finish(records);
  }

 private:
  Status pair_tensors(std::int64_t record, const std::string& reference_path, const std::string& quantized_path) {
    VISQ_ASSIGN(r_tensors_, r_.tensors(record));
    VISQ_ASSIGN(q_tensors_, q_.tensors(record));
    by_index_ = !r_.model().empty() && r_.model() == q_.model();
    VISQ_ASSIGN(const auto told, told_partners(reference_path, quantized_path));
    analysis::NodeFilter filter(options_.nodes, {});
    for (const DumpTensor& tensor : r_tensors_) filter.learn_name(tensor.name);
    std::vector<bool> taken(q_tensors_.size(), false);
    for (const auto& [r, q] : told) taken[q] = true;
    for (std::size_t i = 0; i < r_tensors_.size(); ++i) {
      const auto named = told.find(i);
      const std::size_t partner = named != told.end() ? named->second : likely_partner(r_tensors_[i], taken);
      if (partner == q_tensors_.size()) {
        result_.match.unpaired.push_back({true, identity_of(r_tensors_[i]), "no tensor of that name in the other dump"});
        continue;
      }
      taken[partner] = true;
      if (filter.passes({r_tensors_[i].name, q_tensors_[partner].name}, "")) {
        join(i, partner, named != told.end() ? PairedBy::kUser : by_index_ ? PairedBy::kStructure : PairedBy::kName);
      }
    }
    for (std::size_t i = 0; i < q_tensors_.size(); ++i) {
      if (!taken[i]) result_.match.unpaired.push_back({false, identity_of(q_tensors_[i]), "no tensor of that name in the other dump"});
    }
    return {};
  }

  /// What the user says: places of tensors, the reference's and its partner's.
  Result<std::map<std::size_t, std::size_t>> told_partners(const std::string& reference_path, const std::string& quantized_path) const {
    std::map<std::size_t, std::size_t> partners;
    for (const auto& [q_name, r_name] : names_) {
      const std::size_t r = called(r_tensors_, r_name), q = called(q_tensors_, q_name);
      if (q == q_tensors_.size()) return usage_error("--map: {} holds no map '{}'", quantized_path, printable(q_name));
      if (r == r_tensors_.size()) return usage_error("--map: {} holds no map '{}'", reference_path, printable(r_name));
      partners[r] = q;
    }
    return partners;
  }

  /// Where the tensor stands that goes by this name or index; behind the last where there is none.
  static std::size_t called(const std::vector<DumpTensor>& tensors, const std::string& name) {
    const auto found = std::ranges::find_if(tensors, [&](const DumpTensor& tensor) {
      return analysis::name_of(tensor) == name || (tensor.index >= 0 && std::to_string(tensor.index) == name);
    });
    return as_size(found - tensors.begin());
  }

  /// By name, or by index where both dumps are of one model.
  std::size_t likely_partner(const DumpTensor& tensor, const std::vector<bool>& taken) const {
    for (std::size_t i = 0; i < q_tensors_.size(); ++i) {
      if (!taken[i] && same(tensor, q_tensors_[i])) return i;
    }
    return q_tensors_.size();
  }

  void join(std::size_t r, std::size_t q, PairedBy by) {
    MatchReport& match = result_.match;
    ++(by == PairedBy::kUser ? match.by_user : by == PairedBy::kStructure ? match.by_structure : match.by_name);
    pairs_.emplace_back(r, q);
    sums_.emplace_back(identity_of(r_tensors_[r]), identity_of(q_tensors_[q]), by, result_.metrics);
  }

  bool same(const DumpTensor& r, const DumpTensor& q) const {
    if (by_index_ || (r.name.empty() && q.name.empty())) return r.index == q.index;
    return !r.name.empty() && data::as_file_name(r.name) == data::as_file_name(q.name);
  }

  Status compare_record(std::int64_t record) {
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      std::vector<analysis::MapRecord> runs(1);
      VISQ_ASSIGN(runs[0], compare_pair(record, r_tensors_[pairs_[i].first], q_tensors_[pairs_[i].second]));
      sums_[i].add(record, std::move(runs), options_.per_record);
    }
    return {};
  }

  /// A tensor as this record has it: its shape may differ from the first record's.
  static const DumpTensor* find(const std::vector<DumpTensor>& tensors, const DumpTensor& wanted) {
    const auto found = std::find_if(tensors.begin(), tensors.end(),
                                    [&](const DumpTensor& tensor) { return tensor.index == wanted.index && tensor.name == wanted.name; });
    return found == tensors.end() ? nullptr : &*found;
  }

  Result<analysis::MapRecord> compare_pair(std::int64_t record, const DumpTensor& r, const DumpTensor& q) {
    VISQ_TRY(list(record));
    const DumpTensor* const f_tensor = find(r_now_, r);
    const DumpTensor* const q_tensor = find(q_now_, q);
    if (f_tensor == nullptr || q_tensor == nullptr) {
      analysis::MapRecord missing;
      missing.not_compared = "not in both dumps";
      return missing;
    }
    VISQ_ASSIGN(Array f, r_.read(record, *f_tensor));
    VISQ_ASSIGN(Array g, q_.read(record, *q_tensor));
    const TensorInfo f_info = declaration(*f_tensor);
    const TensorInfo q_info = declaration(*q_tensor);
    return analysis::compare_tensors(tensor_of(f, f_info), tensor_of(g, q_info), 0, {.per_channel = options_.per_channel}, scratch_);
  }

  Status list(std::int64_t record) {
    if (listed_ == record) return {};
    VISQ_ASSIGN(r_now_, r_.tensors(record));
    VISQ_ASSIGN(q_now_, q_.tensors(record));
    listed_ = record;
    return {};
  }

  CompareResult finish(const std::vector<std::int64_t>& records) {
    result_.data = "dumps";
    result_.records = {records.front(), records.back() + 1};
    result_.reference_mode = r_.mode().value_or(Mode::kFp32);
    result_.quantized_mode = q_.mode().value_or(Mode::kFakeQuant);
    for (const ComparisonSum& sum : sums_) {
      result_.maps.push_back(sum.finish());
      const auto odd = sum.anomalies(options_.max_scale);
      result_.anomalies.insert(result_.anomalies.end(), odd.begin(), odd.end());
    }
    warn_of_records(r_, true);
    warn_of_records(q_, false);
    return std::move(result_);
  }

  void warn_of_records(const DumpReader& reader, bool in_reference) {
    const auto& other = in_reference ? q_.records() : r_.records();
    std::vector<std::int64_t> extra;
    std::ranges::set_difference(reader.records(), other, std::back_inserter(extra));
    if (extra.empty()) return;
    const ModelIdentity& dump = in_reference ? result_.reference : result_.quantized;
    result_.match.warnings.push_back(
        fmt::format("{}: {} of its records, the first {}, are not in the other dump", dump.path, extra.size(), extra.front()));
  }

  DumpReader& r_;
  DumpReader& q_;
  const CompareOptions& options_;
  const NamedMaps& names_;
  bool by_index_ = false;
  std::vector<DumpTensor> r_tensors_, q_tensors_, r_now_, q_now_;
  std::int64_t listed_ = -1;
  std::vector<std::pair<std::size_t, std::size_t>> pairs_;
  std::vector<ComparisonSum> sums_;
  analysis::MapScratch scratch_;
  CompareResult result_;
};

}  // namespace

Result<CompareResult> compare_dumps(DumpReader& reference, const std::string& reference_path, DumpReader& quantized,
                                    const std::string& quantized_path, const CompareOptions& options, const NamedMaps& names) {
  return DumpComparison(reference, quantized, options, names).run(reference_path, quantized_path);
}

}  // namespace visq
