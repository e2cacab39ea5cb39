// Pairs of models with changed numbers and lists, through every command with options taken at random from what its --help tells of.
// VISQ_MUTANTS: how many (200); VISQ_MUTANTS_FROM: the first one's number (0); VISQ_MUTANTS_KEEP: a folder for what fails.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <sstream>

#include "attack/answer.h"
#include "fuzz/flatbuffer_mutator.h"
#include "support/models/operator_cases.h"
#include "support/models/operator_variants.h"
#include "support/runs/help_text.h"

namespace visq::testing {
namespace {

using Words = std::vector<std::string>;

std::uint32_t number_of(const char* variable, std::uint32_t otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr ? static_cast<std::uint32_t>(std::atoll(text)) : otherwise;
}

struct Option {
  std::string name;
  Words values;  ///< to choose from; empty: a flag
};

/// What stands behind an option whose value is free: a good one first, then others, some of which somebody mistypes.
Words free_values(const std::string& placeholder) {
  static const std::map<std::string, Words> known{
      {"N", {"1", "0", "2", "3", "-1", "1000000000", "99999999999999999999", "0x10", "1.5", ""}},
      {"GLOB", {"*", "t*", "[", "**", "?", "", "nobody"}},
      {"SIZE", {"100M", "1", "64K", "-1", "1e3", "M"}},
      {"TIME", {"3s", "10ms", "0", "-1s", "soon"}},
      {"CMD", {"true", "false", "echo 0.5", "echo nan", "no-such-command"}},
      {"COND", {"sqnr=10", "mse=1e-3", "cosine=", "=", "nothing=1", "sqnr=nan"}},
      {"A=B", {"*=*", "t0=t1", "a", "=", "t1=t1"}},
      {"OUTPUT=INPUT", {"*=*", "t1=t0", "t0", "="}},
      {"NAME", {"serving_default", "main", ""}}};
  const auto found = known.find(placeholder);
  return found != known.end() ? found->second : Words{"1", "0", "0.5", "-1", "nan", "inf", "1:2", "0:1", "sqnr", "text", ""};
}

/// All options of all commands with values to try, as completion tells of them.
std::map<std::string, std::vector<Option>> all_options() {
  const TemporaryFolder folder;
  write_text(folder / "completion", run_tool({"--completion", "bash"}).out);
  std::string script = "source \"$0\"\n";
  for (const std::string& command : command_names()) {
    for (const HelpOption& option : help_options(command)) {
      script += fmt::format("echo '{} {} {}' $(_visqerror_values {} {})\n", command, option.names.back(),
                            option.placeholder.empty() ? "-" : option.placeholder, command, option.names.front());
    }
  }
  std::map<std::string, std::vector<Option>> all;
  std::istringstream lines(run_process({"bash", "-f", "-c", script, folder / "completion"}).out);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string command, placeholder;
    Option option;
    words >> command >> option.name >> placeholder;
    for (std::string word; words >> word;) option.values.push_back(word);
    if (option.values == Words{"<text>"}) option.values = free_values(placeholder);
    if (option.values == Words{"<file>"}) option.values = {"labels.csv", "reference.tflite", "model.tflite", "out", "absent", "/dev/null"};
    if (option.values == Words{"<folder>"}) option.values = {"out", "out/below", "labels.csv"};
    if (option.name != "--help") all[command].push_back(option);
  }
  return all;
}

class Attack {
 public:
  explicit Attack(std::uint32_t number) : random_(number), number_(number) {}

  std::optional<int> run(const std::vector<CaseName>& cases, const std::map<std::string, std::vector<Option>>& options,
                         const TemporaryFolder& folder) {
    std::filesystem::remove_all(folder / "out");
    const CaseName& name = pick(cases);
    const std::string sound = load_case(name).model;
    write_text(folder / "reference.tflite", one_in(4) ? mutant(sound) : sound);
    write_text(folder / "model.tflite", one_in(4) ? sound : mutant(sound));
    auto command = options.begin();
    std::advance(command, below(options.size()));
    return answer(line(command->first, command->second), folder, fmt::format("mutant {} of {}", number_, name.key));
  }

 private:
  std::size_t below(std::size_t end) { return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_); }
  bool one_in(std::size_t count) { return below(count) == 0; }
  template <class Range>
  const typename Range::value_type& pick(const Range& range) {
    return range[below(range.size())];
  }

  /// Numbers changed, one of the lists of tensors, or both.
  std::string mutant(const std::string& sound) {
    std::string bytes = sound;
    if (one_in(8)) {
      const auto variants = operator_variants(sound);
      if (!variants.empty()) bytes = pick(variants).bytes;
    }
    for (std::size_t i = one_in(4) ? 3 : 1; i > 0; --i) {
      fuzz::mutate_flatbuffer({reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size()}, static_cast<std::uint32_t>(random_()));
    }
    return bytes;
  }

  Words line(const std::string& command, const std::vector<Option>& options) {
    static const std::map<std::string, Words> particular{{"inspect", {"model.tflite"}},
                                                         {"run", {"model.tflite", "-o", "maps.h5"}},
                                                         {"extract", {"reference.tflite", "model.tflite", "--nodes", "*", "-o", "out"}},
                                                         {"report", {"reference.tflite", "model.tflite", "-o", "out", "--quick"}},
                                                         {"diff", {"result.json", "result.json"}},
                                                         {"merge", {"result.json", "result.json"}},
                                                         {"dot", {"result.json"}},
                                                         {"ops", {}}};
    const auto found = particular.find(command);
    const Words arguments = found != particular.end() ? found->second : Words{"reference.tflite", "model.tflite"};
    Words words{command};
    words.insert(words.end(), arguments.begin(), arguments.end());
    for (std::size_t i = one_in(2) ? 0 : 1 + below(3); i > 0; --i) {
      const Option& option = pick(options);
      words.push_back(option.name);
      if (!option.values.empty()) words.push_back(one_in(4) ? pick(option.values) : option.values.front());
    }
    return words;
  }

  std::mt19937 random_;
  std::uint32_t number_;
};

void keep(const TemporaryFolder& folder, std::uint32_t number) {
  const char* const place = std::getenv("VISQ_MUTANTS_KEEP");
  if (place == nullptr) return;
  const std::filesystem::path kept = std::filesystem::path(place) / std::to_string(number);
  std::filesystem::create_directories(kept);
  std::filesystem::copy(folder.path(), kept, std::filesystem::copy_options::recursive | std::filesystem::copy_options::overwrite_existing);
}

TEST(Mutants, GetAnAnswerFromEveryCommand) {
  const auto cases = case_names();
  const auto options = all_options();
  ASSERT_GT(options.size(), 10U);
  const TemporaryFolder folder;
  write_text(folder / "labels.csv", "0\n1\n");
  const std::string digits = VISQ_SOURCE_DIR "/examples/digits/";
  ASSERT_EQ(run_tool({"compare", digits + "fp32.tflite", digits + "int8.tflite", "--json", folder / "result.json"}).exit_code, 0);
  const std::uint32_t first = number_of("VISQ_MUTANTS_FROM", 0), count = number_of("VISQ_MUTANTS", 200);
  std::map<int, std::uint32_t> codes;
  for (std::uint32_t number = first; number < first + count; ++number) {
    const auto code = Attack(number).run(cases, options, folder);
    if (!code) keep(folder, number);
    ++codes[code.value_or(-1)];
  }
  for (const auto& [code, times] : codes) RecordProperty(fmt::format("exit_{}", code), static_cast<int>(times));
  // An attack that never gets past the reading of options and models attacks nothing.
  EXPECT_GT(codes[0] + codes[1], count / 10);
}

}  // namespace
}  // namespace visq::testing
