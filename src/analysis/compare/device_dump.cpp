// A device's maps in the names, shapes and grids of its model.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "analysis/compare/device_layout.h"
#include "analysis/compare/device_names.h"
#include "analysis/compare/dump_tensors.h"
#include "core/as_size.h"
#include "core/error.h"
#include "model/printable.h"
#include "visq/device/compare_device.h"

namespace visq {
namespace {

using analysis::DeviceLayout;

/// How numbers of the device become real values: as they are, or (q - zero_point) * scale.
struct Grid {
  bool codes = false;
  double scale = 1, zero_point = 0;
  double real(double number) const { return codes ? (number - zero_point) * scale : number; }
};

/// A map of the device and how it is one of the model's.
struct Joined {
  DumpTensor device, reference;
  bool guessed = false;  ///< which is which: the values must confirm it
  bool in_full = false;  ///< unless all maps are there, each in its place
  DeviceLayout layout;
  Grid grid;
};

double mean_difference(const std::vector<double>& device, const Grid& grid, const std::vector<double>& wanted) {
  double sum = 0;
  for (std::size_t i = 0; i < device.size(); ++i) sum += std::fabs(grid.real(device[i]) - wanted[i]);
  return sum;
}

class DeviceDump final : public DumpReader {
 public:
  DeviceDump(DumpReader& device, std::string path, std::string model, std::vector<Joined> joined, std::int64_t stacked)
      : device_(device), path_(std::move(path)), model_(std::move(model)), joined_(std::move(joined)), stacked_(stacked) {
    for (std::int64_t i = 0; i < stacked_; ++i) records_.push_back(i);
    if (stacked_ == 0) records_ = device_.records();
  }

  const std::string& model() const override { return model_; }
  std::optional<Mode> mode() const override { return Mode::kInteger; }
  const std::vector<std::int64_t>& records() const override { return records_; }

  Result<std::vector<DumpTensor>> tensors(std::int64_t) override {
    std::vector<DumpTensor> list;
    for (const Joined& each : joined_) {
      list.push_back(each.reference);
      list.back().dtype = DType::kFloat32;
    }
    return list;
  }

  Result<Array> read(std::int64_t record, const DumpTensor& tensor) override {
    const auto found =
        std::find_if(joined_.begin(), joined_.end(), [&](const Joined& each) { return each.reference.index == tensor.index; });
    VISQ_ASSIGN(const std::vector<double> values, numbers(*found, record));
    Array array = make_array(DType::kFloat32, tensor.shape);
    const auto out = array.values<float>();
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<float>(found->grid.real(values[i]));
    return array;
  }

  /// The device's numbers in the order of the model's map.
  Result<std::vector<double>> numbers(const Joined& joined, std::int64_t record) {
    const std::int64_t stored = stacked_ > 0 ? device_.records().front() : record;
    VISQ_ASSIGN(const auto listed, device_.tensors(stored));
    const auto now = std::find_if(listed.begin(), listed.end(), [&](const DumpTensor& each) {
      return each.index == joined.device.index && each.name == joined.device.name;
    });
    const std::string place = fmt::format("{}: record {}, '{}'", path_, record, printable(analysis::name_of(joined.device)));
    if (now == listed.end()) return bad_input("{}: missing in this record", place);
    if (now->shape != joined.device.shape) {
      return bad_input("{}: shape {}, but {} in the first record", place, to_string(now->shape), to_string(joined.device.shape));
    }
    VISQ_ASSIGN(const Array array, device_.read(stored, *now));
    std::vector<double> all = analysis::reals_of(array, Quantization{});  // codes, as they are
    if (stacked_ > 0) {
      const auto size = all.size() / as_size(stacked_);
      all = {all.begin() + static_cast<std::ptrdiff_t>(as_size(record) * size),
             all.begin() + static_cast<std::ptrdiff_t>((as_size(record) + 1) * size)};
    }
    return analysis::in_model_order(all, joined.layout, joined.reference.shape);
  }

  std::vector<Joined>& joined() { return joined_; }

 private:
  DumpReader& device_;
  std::string path_, model_;
  std::vector<Joined> joined_;
  std::int64_t stacked_;  ///< records that stand in one, along the first axis; 0: they do not
  std::vector<std::int64_t> records_;
};

/// Chooses how the numbers are to be taken, and says so where it is not plain.
void choose_grid(Joined& joined, const std::vector<double>& device, const std::vector<double>& wanted, std::vector<std::string>& remarks) {
  const DumpTensor &told = joined.device, &model = joined.reference;
  const std::string name = printable(analysis::name_of(joined.reference));
  const auto grid_of = [](const DumpTensor& tensor) {
    return Grid{true, static_cast<double>(tensor.scale[0]), static_cast<double>(tensor.zero_point[0])};
  };
  if (told.scale.size() == 1 && is_integer(told.dtype)) {
    joined.grid = grid_of(told);
    const bool other = model.scale.size() == 1 && (told.scale[0] != model.scale[0] || told.zero_point[0] != model.zero_point[0]);
    if (other) {
      remarks.push_back(fmt::format("{}: the dump says scale {} and zero point {}, the model {} and {}", name, told.scale[0],
                                    told.zero_point[0], model.scale[0], model.zero_point[0]));
    }
    return;
  }
  if (model.scale.size() != 1) return;
  const Grid own = grid_of(model);
  if (is_integer(told.dtype)) {
    const Grid lifted{true, own.scale, own.zero_point + 128};
    const bool unsigned_codes = model.dtype == DType::kInt8 && !device.empty() && *std::min_element(device.begin(), device.end()) >= 0;
    const bool less = unsigned_codes && mean_difference(device, lifted, wanted) < mean_difference(device, own, wanted);
    joined.grid = less ? lifted : own;
    if (less) remarks.push_back(fmt::format("{}: codes of uint8 for the model's int8: taken less 128", name));
    return;
  }
  const bool whole = std::all_of(device.begin(), device.end(), [](double number) { return std::trunc(number) == number; });
  if (!whole || mean_difference(device, own, wanted) >= mean_difference(device, Grid{}, wanted)) return;
  joined.grid = own;
  remarks.push_back(fmt::format("{}: whole numbers, taken as codes of the model's grid", name));
}

/// What a map and the model's came to in the first record that both dumps have.
struct Sample {
  Shape stored;                    ///< the device's axes, of one record
  std::vector<DeviceLayout> ways;  ///< each with its correlation
  std::vector<double> wanted;
};

Result<Sample> sample(DeviceDump& dump, Joined& joined, std::int64_t record, DumpReader& reference, std::int64_t stacked) {
  Sample result;
  if (stacked > 0 && (joined.device.shape.rank() == 0 || joined.device.shape[0] != stacked)) {
    return bad_input("'{}' {}: its first axis does not count {} records, as those of the other maps do",
                     printable(analysis::name_of(joined.device)), to_string(joined.device.shape), stacked);
  }
  result.stored = analysis::shape_of_record(joined.device.shape, stacked);
  VISQ_ASSIGN(const Array wanted, reference.read(record, joined.reference));
  result.wanted = analysis::reals_of(wanted, joined.reference);
  for (DeviceLayout way : analysis::possible_layouts(result.stored, joined.reference.shape)) {
    joined.layout = way;
    VISQ_ASSIGN(const auto numbers, dump.numbers(joined, record));
    way.correlation = analysis::correlation(numbers, result.wanted);
    result.ways.push_back(way);
  }
  if (result.ways.empty()) {
    return bad_input("'{}' {} cannot be '{}' {}: another number of elements, padded or not", printable(analysis::name_of(joined.device)),
                     to_string(result.stored), printable(analysis::name_of(joined.reference)), to_string(joined.reference.shape));
  }
  return result;
}

/// How the maps lie whose values leave no doubt, each counted.
using Habits = std::map<DeviceLayout::Order, int>;

void learn(const Sample& sample, Habits& habits) {
  const DeviceLayout& best = analysis::likest(sample.ways);
  if (sample.ways.size() > 1 && analysis::is_sure(best)) ++habits[best.order];
}

/// Decides on layout and grid, and says so where they are not plain.
Status decide(DeviceDump& dump, Joined& joined, const Sample& sample, const Habits& habits, std::int64_t record,
              std::vector<std::string>& remarks) {
  const std::string name = printable(analysis::name_of(joined.reference)), device = printable(analysis::name_of(joined.device));
  joined.layout = analysis::likest(sample.ways);
  if (joined.guessed && !joined.in_full && !analysis::is_sure(joined.layout)) {
    return bad_input("'{}' is not '{}', which comes next and has its size: their values differ", device, name);
  }
  if (joined.guessed && analysis::is_sure(joined.layout)) {
    remarks.push_back(fmt::format("{}: '{}' is taken for it by its place in the order, its size and its values (correlation {:.3f})", name,
                                  device, *joined.layout.correlation));
  } else if (joined.guessed) {
    remarks.push_back(
        fmt::format("{}: '{}' is taken for it by its place in the order and its size, as all maps are; its values differ", name, device));
  }
  // Values that are wrong do not tell how they lie; axes do, and else what the other maps are like.
  if (!analysis::is_sure(joined.layout) && sample.stored.rank() < 2 && !habits.empty()) {
    const auto most = std::ranges::max_element(habits, {}, [](const auto& habit) { return habit.second; });
    const auto alike = std::ranges::find_if(sample.ways, [&](const DeviceLayout& way) { return way.order == most->first; });
    if (alike != sample.ways.end()) joined.layout = *alike;
  }
  const std::string how = analysis::description(joined.layout, sample.stored, joined.reference.shape);
  if (!how.empty()) remarks.push_back(fmt::format("{}: {}", name, how));
  VISQ_ASSIGN(const auto numbers, dump.numbers(joined, record));
  choose_grid(joined, numbers, sample.wanted, remarks);
  return {};
}

/// Understands all maps; those that cannot be the model's are dropped, which is said.
void understand(DeviceDump& dump, std::int64_t record, DumpReader& reference, std::int64_t stacked, std::vector<std::string>& remarks) {
  std::vector<Joined>& joined = dump.joined();
  std::vector<std::optional<Sample>> samples;
  Habits habits;
  for (Joined& each : joined) {
    auto found = sample(dump, each, record, reference, stacked);
    if (!found.ok()) remarks.push_back(found.error().message);
    samples.push_back(found.ok() ? std::optional(std::move(found).value()) : std::nullopt);
    if (samples.back()) learn(*samples.back(), habits);
  }
  std::vector<Joined> understood;
  for (std::size_t i = 0; i < joined.size(); ++i) {
    if (!samples[i]) continue;
    const Status decided = decide(dump, joined[i], *samples[i], habits, record, remarks);
    if (!decided) {
      remarks.push_back(decided.error().message);
    } else {
      understood.push_back(joined[i]);
    }
  }
  joined = std::move(understood);
}

}  // namespace

Result<std::unique_ptr<DumpReader>> device_dump(DumpReader& device, const std::string& path, DumpReader& reference, const Model& model,
                                                const DeviceDumpOptions& options, std::vector<std::string>& remarks) {
  VISQ_ASSIGN(const auto found, device.tensors(device.records().front()));
  VISQ_ASSIGN(const auto wanted, reference.tensors(reference.records().front()));
  VISQ_ASSIGN(auto pairs, analysis::pair_by_name(found, wanted, model, options.names, path, device.records().size() == 1, remarks));
  const std::int64_t stacked = device.records().size() == 1 ? analysis::stacked_records(pairs) : 0;
  if (stacked > 0) remarks.push_back(fmt::format("{}: the first axis of each map counts {} records", path, stacked));
  std::vector<Joined> joined;
  for (const analysis::NamedPair& pair : pairs) joined.push_back({pair.device, pair.reference, pair.guessed, pair.in_full, {}, {}});
  auto dump = std::make_unique<DeviceDump>(device, path, reference.model(), std::move(joined), stacked);
  std::vector<std::int64_t> common;
  std::ranges::set_intersection(dump->records(), reference.records(), std::back_inserter(common));
  if (common.empty()) return bad_input("{}: has none of the records that the model was run on", path);
  understand(*dump, common.front(), reference, stacked, remarks);
  if (dump->joined().empty()) {
    return bad_input("{}: no map has a name and a shape of the model's; --map FILE tells which is which{}", path,
                     remarks.empty() ? "" : " (" + remarks.back() + ")");
  }
  return std::unique_ptr<DumpReader>(std::move(dump));
}

}  // namespace visq
