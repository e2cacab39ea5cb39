// Operators that look things up: BUCKETIZE, SPARSE_TO_DENSE, HASHTABLE_LOOKUP, EMBEDDING_LOOKUP_SPARSE, LSH_PROJECTION, SKIP_GRAM.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/runs/light_runner.h"

namespace visq {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::LightRunner;

TEST(Bucketize, CountsTheBoundariesThatAreNotAbove) {
  const auto run = [](std::vector<double> boundaries) {
    return LightRunner("BUCKETIZE")
        .output(DType::kInt32)
        .input<float>({5}, {-9, 0, 1.5F, 2, 9})
        .attribute("boundaries", std::move(boundaries));
  };
  EXPECT_THAT(run({0, 2, 2}).first<std::int32_t>().second, ElementsAre(0, 1, 1, 3, 3));
  EXPECT_THAT(run({}).first<std::int32_t>().second, ElementsAre(0, 0, 0, 0, 0));
  EXPECT_THAT(run({2, 1}).message(), HasSubstr("the boundaries do not rise"));
}

TEST(SparseToDense, SetsSingleElements) {
  const auto run = [](Shape indices, std::vector<std::int32_t> places, std::vector<float> values) {
    const Shape shape = values.size() == 1 ? Shape{} : Shape{static_cast<std::int64_t>(values.size())};
    return LightRunner("SPARSE_TO_DENSE")
        .input<std::int32_t>(std::move(indices), places)
        .ints({2, 3})
        .input<float>(shape, values)
        .input<float>({}, {-1});
  };
  EXPECT_THAT(run({2, 2}, {0, 1, 1, 2}, {5, 6}).first().second, ElementsAre(-1, 5, -1, -1, -1, 6));
  EXPECT_THAT(run({2, 2}, {0, 1, 1, 2}, {5}).first().second, ElementsAre(-1, 5, -1, -1, -1, 5));
  EXPECT_EQ(run({1, 2}, {2, 0}, {5}).message(),
            "m.tflite: subgraph 0, node 0 SPARSE_TO_DENSE: index 2 is out of range for axis 0 of size 2");
  EXPECT_THAT(run({2}, {0, 1}, {5, 6}).message(), HasSubstr("indices of shape [2] do not fit an output of rank 2"));
  EXPECT_THAT(run({2, 2}, {0, 1, 1, 2}, {5, 6, 7}).message(), HasSubstr("values of shape [3] for 2 indices"));
}

TEST(HashtableLookup, FindsRowsByKey) {
  const auto run = [](std::vector<float> values, Shape shape) {
    return LightRunner("HASHTABLE_LOOKUP")
        .output(DType::kFloat32)
        .output(DType::kUInt8)
        .input<std::int32_t>({3}, {7, 4, -2})
        .input<std::int32_t>({2}, {-2, 7})
        .input<float>(std::move(shape), values);
  };
  const auto outputs = run({1, 2, 3, 4}, {2, 2}).run();
  ASSERT_TRUE(outputs.ok());
  const auto rows = outputs.value()[0].values<float>();
  const auto hits = outputs.value()[1].values<std::uint8_t>();
  EXPECT_THAT(std::vector(rows.begin(), rows.end()), ElementsAre(3, 4, 0, 0, 1, 2));
  EXPECT_THAT(std::vector(hits.begin(), hits.end()), ElementsAre(1, 0, 1));
  EXPECT_THAT(run({1, 2, 3}, {3}).message(), HasSubstr("2 keys for values of shape [3]"));
}

TEST(HashtableLookup, MissedStringsAreEmpty) {
  const auto outputs = LightRunner("HASHTABLE_LOOKUP")
                           .output(DType::kString)
                           .output(DType::kUInt8)
                           .input<std::int32_t>({2}, {5, 6})
                           .input<std::int32_t>({1}, {5})
                           .strings({1}, {"five"})
                           .run();
  ASSERT_TRUE(outputs.ok());
  EXPECT_THAT(outputs.value()[0].strings, ElementsAre("five", ""));
}

LightRunner combined(std::string combiner, std::vector<std::int32_t> ids, std::vector<std::int32_t> buckets) {
  const auto size = static_cast<std::int64_t>(ids.size());
  std::vector<std::int32_t> indices;
  for (const std::int32_t bucket : buckets) indices.insert(indices.end(), {bucket, 0});
  return LightRunner("EMBEDDING_LOOKUP_SPARSE")
      .input<std::int32_t>({size}, ids)
      .input<std::int32_t>({size, 2}, indices)
      .ints({3, 9})
      .input<float>({size}, std::vector<float>{2, 4, 3})
      .input<float>({2, 2}, {1, 10, 100, 1000})
      .attribute("combiner", std::move(combiner));
}

TEST(EmbeddingLookupSparse, CombinesWeightedRows) {
  EXPECT_THAT(combined("SUM", {0, 1, 1}, {0, 0, 2}).first().second, ElementsAre(402, 4020, 0, 0, 300, 3000));
  EXPECT_THAT(combined("MEAN", {0, 1, 1}, {0, 0, 2}).first().second, ElementsAre(67, 670, 0, 0, 100, 1000));
  const float root = std::sqrt(20.0F);
  EXPECT_THAT(combined("SQRTN", {0, 1, 1}, {0, 0, 2}).first().second, ElementsAre(402 / root, 4020 / root, 0, 0, 100, 1000));
  EXPECT_THAT(combined("SUM", {0, 2, 1}, {0, 0, 2}).message(), HasSubstr("id 2 is out of range for 2 rows"));
  EXPECT_THAT(combined("SUM", {0, 1, 1}, {0, 0, 3}).message(), HasSubstr("index 3 is out of range for axis 0 of size 3"));
  EXPECT_THAT(combined("MEDIAN", {0, 1, 1}, {0, 0, 2}).message(), HasSubstr("combiner 'MEDIAN'"));
}

/// Two rows of `width` bytes under sixteen hash functions, as LiteRT 2.3 projects them.
TEST(LshProjection, GivesLiteRtsBits) {
  constexpr std::pair<std::int64_t, std::int32_t> kSignatures[] = {{1, 59070},  {3, 33903},   {5, 58359},  {12, 47689},
                                                                   {20, 1199},  {28, 50056},  {44, 32533}, {60, 46336},
                                                                   {61, 14261}, {124, 42618}, {200, 48986}};
  std::vector<float> seeds;
  for (int i = 0; i < 16; ++i) seeds.push_back(0.5F * static_cast<float>(i));
  for (const auto& [width, signature] : kSignatures) {
    std::vector<std::int8_t> rows;
    for (std::int64_t i = 0; i < 2 * width; ++i) rows.push_back(static_cast<std::int8_t>(i * 37 % 251 - 125));
    const auto run = [&](std::string type) {
      return LightRunner("LSH_PROJECTION")
          .output(DType::kInt32)
          .input<float>({1, 16}, seeds)
          .input<std::int8_t>({2, width}, rows)
          .attribute("type", std::move(type))
          .first<std::int32_t>()
          .second;
    };
    EXPECT_THAT(run("SPARSE"), ElementsAre(signature)) << "width " << width;
    std::int32_t joined = 0;
    for (const std::int32_t bit : run("DENSE")) joined = joined * 2 + bit;
    EXPECT_EQ(joined, signature);
  }
}

TEST(LshProjection, RefusesBadShapes) {
  const auto run = [](Shape seeds, std::string type) {
    const std::vector<float> values(static_cast<std::size_t>(seeds.elements()));
    return LightRunner("LSH_PROJECTION")
        .output(DType::kInt32)
        .input<float>(seeds, values)
        .input<float>({1}, {1})
        .attribute("type", std::move(type))
        .message();
  };
  EXPECT_THAT(run({1, 33}, "DENSE"), HasSubstr("33 bits per hash function, expected 1 to 32"));
  EXPECT_THAT(run({1, 3}, "UNKNOWN"), HasSubstr("projection type 'UNKNOWN'"));
}

std::vector<std::string> grams(std::string sentence, std::int64_t size, std::int64_t skip, bool all) {
  const auto outputs = LightRunner("SKIP_GRAM")
                           .output(DType::kString)
                           .strings({1}, {std::move(sentence)})
                           .attribute("ngram_size", size)
                           .attribute("max_skip_size", skip)
                           .attribute("include_all_ngrams", all)
                           .run();
  EXPECT_TRUE(outputs.ok());
  return outputs.ok() ? outputs.value()[0].strings : std::vector<std::string>();
}

TEST(SkipGram, JoinsWordsWithGaps) {
  EXPECT_THAT(grams("a b c d", 2, 0, false), ElementsAre("a b", "b c", "c d"));
  EXPECT_THAT(grams("a b c d", 2, 1, false), ElementsAre("a b", "a c", "b c", "b d", "c d"));
  EXPECT_THAT(grams("a b c", 2, 1, true), ElementsAre("a b", "a c", "a", "b c", "b", "c"));
  EXPECT_THAT(grams("one\ttwo  three ", 3, 0, false), ElementsAre("one two three"));
  EXPECT_THAT(grams("a b", 3, 0, true), IsEmpty());
  EXPECT_THAT(grams("a b", 0, 0, true), IsEmpty());
}

TEST(SkipGram, RefusesExplodingSentences) {
  std::string sentence;
  for (int i = 0; i < 200; ++i) sentence += "word ";
  EXPECT_THAT(LightRunner("SKIP_GRAM")
                  .output(DType::kString)
                  .strings({1}, {sentence})
                  .attribute("ngram_size", std::int64_t{100})
                  .attribute("max_skip_size", std::int64_t{50})
                  .message(),
              HasSubstr("a sentence of 200 words has too many n-grams"));
}

}  // namespace
}  // namespace visq
