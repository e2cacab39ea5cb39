#include "data/numpy/npz.h"

#include <algorithm>
#include <set>

#include "core/as_size.h"
#include "core/error.h"
#include "data/numpy/stacked.h"
#include "data/sources/input_names.h"
#include "model/printable.h"

namespace visq::data {
namespace {

std::vector<std::string> names_of_arrays(const std::vector<NpzArray>& arrays) {
  std::vector<std::string> names;
  for (const NpzArray& array : arrays) names.push_back(array.name);
  return names;
}

/// An array with its header read.
Result<StackedInput> open_array(const std::string& path, const NpzArray& array, InputSpec spec) {
  const std::string place = npz_place(path, array);
  VISQ_ASSIGN(auto stream, open_zip_entry(path, array.entry, place));
  VISQ_ASSIGN(NpyHeader header, read_npy_header(*stream, static_cast<std::int64_t>(array.entry.size), place));
  return StackedInput{std::move(spec), std::move(header), std::move(stream), place};
}

/// "'x_train' [60000, 28, 28], 'x_test' [10000, 28, 28]"
std::string described(const std::string& path, const std::vector<NpzArray>& arrays) {
  std::string text;
  for (const NpzArray& array : arrays) {
    const auto opened = open_array(path, array, {});
    text += fmt::format("{}'{}' {}", text.empty() ? "" : ", ", printable(array.name), opened.ok() ? to_string(opened->header.shape) : "?");
  }
  return text;
}

/// The only array that the only input could be fed with.
Result<std::vector<int>> only_fitting(const std::string& path, const std::vector<NpzArray>& arrays, const InputSpec& input) {
  std::vector<int> fitting;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const auto opened = open_array(path, arrays[i], input);
    if (!opened.ok() && arrays.size() == 1) return opened.error();
    if (opened.ok() && (arrays.size() == 1 || check_stacked(input, opened->header, "").ok())) fitting.push_back(static_cast<int>(i));
  }
  if (fitting.size() == 1) return fitting;
  const std::string shape = input.has_rank ? to_string(Shape(input.dims)) : "any shape";
  return bad_input("{}: {} of its arrays fit {} ({}), and none has its name: {}; name one, as in {}:{}", path,
                   fitting.empty() ? "none" : "several", input.label, shape, described(path, arrays), path,
                   printable(arrays[as_size(fitting.empty() ? 0 : fitting.front())].name));
}

/// The array of each input, and what is to be said about how it was found.
Result<std::vector<int>> choose(const std::string& path, const std::vector<NpzArray>& arrays, const std::vector<InputSpec>& inputs,
                                std::vector<std::string>& notes) {
  auto chosen = match_names(inputs, names_of_arrays(arrays));
  if (std::find(chosen.begin(), chosen.end(), -1) == chosen.end()) return chosen;
  if (inputs.size() == 1) {
    VISQ_ASSIGN(chosen, only_fitting(path, arrays, inputs.front()));
    if (arrays.size() > 1) {
      notes.push_back(fmt::format("{}: '{}' is taken: of {} arrays the only one that fits {}", path,
                                  printable(arrays[as_size(chosen.front())].name), arrays.size(), inputs.front().label));
    }
    return chosen;
  }
  if (arrays.size() != inputs.size() || std::any_of(chosen.begin(), chosen.end(), [](int place) { return place >= 0; })) {
    return bad_input("{}: arrays and inputs do not match: arrays {}; inputs {}{}", path, quoted_list(names_of_arrays(arrays)),
                     quoted_list(names_of(inputs)), own_places(inputs));
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) chosen[i] = static_cast<int>(i);
  notes.push_back(fmt::format("{}: no array bears an input's name, so they are taken in their order: {} for {}", path,
                              quoted_list(names_of_arrays(arrays)), quoted_list(names_of(inputs))));
  return chosen;
}

}  // namespace

std::string npz_place(const std::string& path, const NpzArray& array) { return fmt::format("{}: '{}'", path, printable(array.name)); }

Result<std::vector<NpzArray>> list_npz(const std::string& path) {
  VISQ_ASSIGN(std::vector<ZipEntry> entries, list_zip(path));
  std::vector<NpzArray> arrays;
  std::set<std::string> names;
  for (ZipEntry& entry : entries) {
    constexpr std::string_view kEnding = ".npy";
    if (!entry.name.ends_with(kEnding)) continue;
    std::string name = entry.name.substr(0, entry.name.size() - kEnding.size());
    if (!names.insert(name).second) return bad_input("{}: two arrays are called '{}'", path, printable(name));
    arrays.push_back({std::move(name), std::move(entry)});
  }
  if (arrays.empty()) return bad_input("{}: holds no arrays (entries that end in .npy); numpy.savez writes such files", path);
  return arrays;
}

Result<std::unique_ptr<RecordSource>> open_npz(const std::string& path, const Model& model, const std::string& dataset) {
  VISQ_ASSIGN(std::vector<NpzArray> arrays, list_npz(path));
  const auto inputs = input_specs(model);
  if (!dataset.empty()) {
    const auto named = std::find_if(arrays.begin(), arrays.end(), [&](const NpzArray& array) { return array.name == dataset; });
    if (named == arrays.end()) {
      return bad_input("{}: there is no array '{}', only {}", path, printable(dataset), quoted_list(names_of_arrays(arrays)));
    }
    if (inputs.size() != 1) return one_input_only(npz_place(path, *named), model.path, inputs);
    arrays = {*named};
  }
  std::vector<std::string> notes;
  VISQ_ASSIGN(const std::vector<int> chosen, choose(path, arrays, inputs, notes));
  std::vector<StackedInput> stacked;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    VISQ_ASSIGN(stacked.emplace_back(), open_array(path, arrays[as_size(chosen[i])], inputs[i]));
  }
  return stacked_source(dataset.empty() ? path : path + ":" + dataset, std::move(stacked), std::move(notes));
}

}  // namespace visq::data
