// SKIP_GRAM: the n-grams of a sentence, with up to max_skip_size words left out between two of their words.
#include <cstddef>

#include "core/as_size.h"
#include "kernels/op.h"
#include "visq/limits.h"

namespace visq::kernels::ops_skip_gram {
namespace {

constexpr int kInput = 0;

struct Options {
  std::int64_t size = 0, skip = 0;
  bool shorter = false;  ///< n-grams of fewer words too
};

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// White space at the very beginning counts as part of the first word, which then is no word unless it is the only one: so LiteRT has it.
std::vector<std::string_view> split_words(std::string_view sentence) {
  std::vector<std::string_view> words;
  std::size_t start = 0;
  for (std::size_t i = 1; i < sentence.size(); ++i) {
    if (!is_space(sentence[i])) continue;
    if (i > start && !is_space(sentence[start])) words.push_back(sentence.substr(start, i - start));
    start = i + 1;
  }
  if (start < sentence.size()) words.push_back(sentence.substr(start));
  return words;
}

/// Collects n-grams as strings, up to a size that no honest sentence reaches (there are exponentially many).
class Grams {
 public:
  /// False where there would be too much of them.
  bool add(const std::vector<std::string_view>& words, const std::vector<std::int64_t>& chosen) {
    constexpr std::size_t kMostBytes = std::size_t{1} << 28;
    std::string text;
    for (const std::int64_t word : chosen) {
      if (!text.empty()) text += ' ';
      text += words[as_size(word)];
    }
    bytes_ += text.size() + sizeof(std::string);
    texts_.push_back(std::move(text));
    return bytes_ <= kMostBytes && (limits().memory == 0 || bytes_ <= limits().memory);
  }
  std::vector<std::string> take() { return std::move(texts_); }

 private:
  std::vector<std::string> texts_;
  std::size_t bytes_ = 0;
};

/// All n-grams that begin with word `first`: each before those that it is the beginning of are left, longest first.
bool add_grams_from(std::int64_t first, const std::vector<std::string_view>& words, const Options& options, Grams& grams) {
  const auto count = static_cast<std::int64_t>(words.size());
  std::vector<std::int64_t> chosen{first};
  std::int64_t next = first + 1;
  while (!chosen.empty()) {
    const std::int64_t missing = options.size - static_cast<std::int64_t>(chosen.size());
    const std::int64_t needed = options.shorter ? 1 : missing;  // words from `next` on, lest the way end before it is long enough
    if (missing > 0 && next - chosen.back() - 1 <= options.skip && count - next >= needed) {
      chosen.push_back(next++);
      continue;
    }
    if ((missing == 0 || options.shorter) && !grams.add(words, chosen)) return false;
    next = chosen.back() + 1;
    chosen.pop_back();
  }
  return true;
}

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.require_known(kInput));
  const auto& sentences = *context.input(kInput).strings;
  if (sentences.empty()) return context.fail("there is no sentence");
  const Options options{context.attributes().integer("ngram_size"), context.attributes().integer("max_skip_size"),
                        context.attributes().flag("include_all_ngrams")};
  const auto words = split_words(sentences[0]);
  const auto count = static_cast<std::int64_t>(words.size());
  Grams grams;
  for (std::int64_t first = 0; options.size >= 1 && options.size <= count && first < count; ++first) {
    if (!options.shorter && count - first < options.size) break;
    if (!add_grams_from(first, words, options, grams)) return context.fail("a sentence of {} words has too many n-grams", count);
  }
  auto texts = grams.take();
  VISQ_TRY(context.set_output(0, DType::kString, {static_cast<std::int64_t>(texts.size())}));
  return make_kernel([texts = std::move(texts)](EvalContext& eval) -> Status {
    *eval.output(0).strings = texts;
    return {};
  });
}

constexpr OpDef kDefinitions[] = {{.name = "SKIP_GRAM", .prepare = prepare, .types = {DType::kString}}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_skip_gram
