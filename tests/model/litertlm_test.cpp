// LiteRT-LM containers: headers made field by field, with models in them, sound and hostile.
#include <flatbuffers/flatbuffers.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "support/models/model_builder.h"
#include "visq/inspect.h"
#include "visq/model.h"

namespace visq {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using testing::load_error;

constexpr std::size_t kHeaderBytes = 4096;  // room for the header; sections come behind it
constexpr std::uint8_t kModel = 3, kTokenizer = 4, kString = 9;

struct Section {
  std::uint8_t type = 0;
  std::string model;
  std::uint64_t begin = 0, end = 0;
};

std::string model_bytes(const char* name) {
  return testing::build_model(
      "tflite", std::string("{version: 3, operator_codes: [{builtin_code: NEG}], buffers: [{}], subgraphs: [{name: '") + name +
                    "', inputs: [0], outputs: [1], tensors: [{name: 'x', shape: [1]}, {name: 'y', shape: [1]}], "
                    "operators: [{inputs: [0], outputs: [1]}]}]}");
}

using Table = flatbuffers::Offset<void>;

/// The field of slot `n` of a table.
constexpr flatbuffers::voffset_t slot(int n) { return static_cast<flatbuffers::voffset_t>(4 + 2 * n); }

Table section_table(flatbuffers::FlatBufferBuilder& builder, const Section& section) {
  const auto text = builder.CreateString("tf_lite_" + section.model), key = builder.CreateString("model_type");
  auto start = builder.StartTable();
  builder.AddOffset(slot(0), text);
  const Table value = builder.EndTable(start);
  start = builder.StartTable();
  builder.AddOffset(slot(0), key);
  builder.AddElement<std::uint8_t>(slot(1), kString, 0);
  builder.AddOffset(slot(2), value);
  const std::vector<Table> items{Table(builder.EndTable(start))};
  const auto list = builder.CreateVector(items);
  start = builder.StartTable();
  if (!section.model.empty()) builder.AddOffset(slot(0), list);
  builder.AddElement<std::uint64_t>(slot(1), section.begin, 0);
  builder.AddElement<std::uint64_t>(slot(2), section.end, 0);
  builder.AddElement<std::uint8_t>(slot(3), section.type, 0);
  return builder.EndTable(start);
}

/// A container whose header says this, with `content` behind the header's room.
std::string container(const std::vector<Section>& sections, const std::string& content = "", std::uint32_t version = 1) {
  flatbuffers::FlatBufferBuilder builder;
  std::vector<Table> tables;
  for (const Section& section : sections) tables.push_back(section_table(builder, section));
  const auto objects = builder.CreateVector(tables);
  auto start = builder.StartTable();
  builder.AddOffset(slot(0), objects);
  const Table metadata = builder.EndTable(start);
  start = builder.StartTable();
  builder.AddOffset(slot(1), metadata);
  builder.Finish(Table(builder.EndTable(start)));
  std::string file(kHeaderBytes, '\0');
  const std::uint64_t end = 32 + builder.GetSize();
  std::memcpy(file.data(), "LITERTLM", 8);
  std::memcpy(file.data() + 8, &version, sizeof version);
  std::memcpy(file.data() + 24, &end, sizeof end);
  std::memcpy(file.data() + 32, builder.GetBufferPointer(), builder.GetSize());
  return file + content;
}

std::uint64_t padded(std::string& content, const std::string& bytes) {
  content.resize((content.size() + 15) / 16 * 16);
  content += bytes;
  return kHeaderBytes + content.size();
}

/// A tokenizer, an embedder, and what decodes.
std::string three_sections() {
  std::string content = "tokens";
  const std::string embedder = model_bytes("embedder"), decoder = model_bytes("decoder");
  const std::uint64_t embedder_end = padded(content, embedder), decoder_end = padded(content, decoder);
  return container({{kTokenizer, "", kHeaderBytes, kHeaderBytes + 6},
                    {kModel, "embedder", embedder_end - embedder.size(), embedder_end},
                    {kModel, "prefill_decode", decoder_end - decoder.size(), decoder_end}},
                   content);
}

std::string main_name(const std::string& path) {
  const auto model = load_model(path);
  return model.ok() ? model->main().name : model.error().message;
}

TEST(LiteRtLm, TheModelThatDecodesIsTakenUnlessAnotherIsNamed) {
  const testing::TemporaryModel file(three_sections());
  EXPECT_EQ(main_name(file.path()), "decoder");
  EXPECT_EQ(main_name(file.path() + ":embedder"), "embedder");
  EXPECT_EQ(main_name(file.path() + ":tf_lite_embedder"), "embedder");
  EXPECT_EQ(main_name(file.path() + ":1"), "embedder");
  EXPECT_EQ(main_name(file.path() + ":2"), "decoder");
  EXPECT_THAT(main_name(file.path() + ":0"), EndsWith("none of its models '0'; its models are 1 'embedder', 2 'prefill_decode'"));
  EXPECT_THAT(main_name(file.path() + ":vision"), HasSubstr("none of its models 'vision'"));
}

TEST(LiteRtLm, SectionsAreListed) {
  const testing::TemporaryModel file(three_sections());
  const auto sections = container_sections(file.path() + ":1");
  ASSERT_TRUE(sections.ok()) << sections.error().message;
  ASSERT_EQ(sections->size(), 3U);
  EXPECT_EQ((*sections)[0].kind, "SP_Tokenizer");
  EXPECT_EQ((*sections)[0].end - (*sections)[0].begin, 6U);
  EXPECT_FALSE((*sections)[0].is_model);
  EXPECT_EQ((*sections)[2].kind, "TFLiteModel");
  EXPECT_EQ((*sections)[2].model, "prefill_decode");
  const testing::TemporaryModel plain(model_bytes("plain"));
  EXPECT_TRUE(container_sections(plain.path())->empty());
  EXPECT_THAT(main_name(plain.path() + ":1"), EndsWith("is no container that could hold '1'"));
}

TEST(LiteRtLm, TheOnlyModelNeedsNoName) {
  const std::string model = model_bytes("only");
  EXPECT_EQ(load_error(container({{kModel, "", kHeaderBytes, kHeaderBytes + model.size()}}, model)), "");
}

TEST(LiteRtLm, HostileContainersAreRefused) {
  const std::string model = model_bytes("m");
  const std::uint64_t first = kHeaderBytes, end = first + model.size();
  const auto error = [&](const std::vector<Section>& sections) { return load_error(container(sections, model)); };
  EXPECT_EQ(error({}), "m: it holds no TFLite model; FILE:NUMBER says which");
  EXPECT_EQ(error({{kModel, "", first, end + 1}}),
            "m: section 0 is bytes " + std::to_string(first) + " to " + std::to_string(end + 1) + " of " + std::to_string(end));
  EXPECT_THAT(error({{kModel, "", end, first}}), HasSubstr("m: section 0 is bytes "));
  EXPECT_THAT(error({{kModel, "", ~std::uint64_t{0} - 15, ~std::uint64_t{0}}}), HasSubstr("m: section 0 is bytes "));
  EXPECT_THAT(error({{kModel, "", 16, end}}), HasSubstr("section 0 begins at byte 16, inside what ends at "));
  EXPECT_THAT(error({{kModel, "", first, end}, {kTokenizer, "", first + 16, end}}),
              HasSubstr("section 1 begins at byte 4112, inside what ends at"));
  EXPECT_THAT(error({{kModel, "", first + 1, end}}), HasSubstr("section 0 begins at byte 4097, no multiple of 16"));
  EXPECT_THAT(error({{kModel, "a", first, first}, {kModel, "b", first, end}}),
              HasSubstr("its models are 0 'a', 1 'b'; FILE:NUMBER says which"));
  EXPECT_THAT(error({{200, "", first, end}}), HasSubstr("it holds no TFLite model"));
  EXPECT_THAT(load_error(container({{kModel, "", first, first}}, model)), HasSubstr("0 bytes, too short"));
}

TEST(LiteRtLm, DamagedHeadersAreRefused) {
  EXPECT_EQ(load_error("LITERTLM\1"), "m: is truncated: 9 bytes, too short for a LiteRT-LM header");
  EXPECT_EQ(load_error(container({}, "", 2)), "m: is a LiteRT-LM container of version 2, known is 1");
  for (const std::uint64_t end : {std::uint64_t{0}, std::uint64_t{31}, std::uint64_t{5000}, ~std::uint64_t{0}}) {
    std::string file = container({});
    std::memcpy(file.data() + 24, &end, sizeof end);
    EXPECT_EQ(load_error(file), "m: its LiteRT-LM header ends at byte " + std::to_string(end) + " of 4096");
  }
  std::string file = container({{kModel, "", 0, 0}});
  std::memset(file.data() + 32, 0x7f, 16);
  EXPECT_THAT(load_error(file), HasSubstr("header bytes are no valid LiteRT-LM header"));
}

}  // namespace
}  // namespace visq
