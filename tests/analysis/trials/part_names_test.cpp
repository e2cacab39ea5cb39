// Names to parts: on the bundled example, whose names are known, and on a small pair whose names are awkward.
#include "analysis/trials/part_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/models/small_model.h"

namespace visq::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::SmallModel;

std::string example(const std::string& name) { return std::string(VISQ_SOURCE_DIR) + "/examples/digits/" + name; }

class DigitNames : public ::testing::Test {
 protected:
  DigitNames()
      : models_(PartialModels::create(std::make_shared<const Model>(load_model(example("fp32.tflite")).value()),
                                      std::make_shared<const Model>(load_model(example("int8.tflite")).value()))
                    .value()),
        names_(*models_) {}

  std::vector<std::string> found(const std::string& word) {
    std::vector<std::string> names;
    const auto entries = names_.find("--nodes", word).value();
    for (const auto& entry : entries) names.push_back(entry.name);
    return names;
  }

  std::unique_ptr<PartialModels> models_;
  PartNames names_;
};

TEST_F(DigitNames, AnOperatorsNameMeansItsInputsAndWeights) {
  const PartSet set = names_.one("--quantize", "residual_relu/Relu").value().parts;  // ADD: node 3 reads two maps and has no weights
  EXPECT_THAT(set.inputs, ElementsAre(std::pair(3, 0), std::pair(3, 1)));
  EXPECT_TRUE(set.weights.empty());
  EXPECT_TRUE(set.activations.empty());
  const auto entries = names_.find("--nodes", "residual_relu/Relu").value();
  ASSERT_EQ(entries.size(), 1U);
  ASSERT_EQ(entries[0].parts.size(), 2U);
  EXPECT_EQ(entries[0].parts[0].kind, PartKind::kNode);
  EXPECT_EQ(entries[0].parts[1].kind, PartKind::kActivation);
  EXPECT_EQ(entries[0].parts[1].place, 17);
}

TEST_F(DigitNames, AConstantsNameMeansTheWeightsOfItsReader) {
  const PartSet set = names_.one("--quantize", "features/convolution").value().parts;
  EXPECT_THAT(set.weights, ElementsAre(5));
  EXPECT_TRUE(set.inputs.empty());
}

TEST_F(DigitNames, AGraphInputIsAnActivation) { EXPECT_THAT(names_.one("--quantize", "image").value().parts.activations, ElementsAre(0)); }

TEST_F(DigitNames, SpecialNamesDivideEverything) {
  const PartSet all = models_->parts().all();
  const PartSet weights = names_.one("--quantize", "weight").value().parts,
                activations = names_.one("--quantize", "activation").value().parts;
  EXPECT_EQ(weights.weights, all.weights);
  EXPECT_TRUE(weights.activations.empty());
  EXPECT_EQ(activations.activations, all.activations);
  EXPECT_TRUE(activations.activations.contains(0)) << "the graph's input";
  EXPECT_TRUE(activations.weights.empty());
}

TEST_F(DigitNames, GlobsFindNamesInGraphOrder) {
  EXPECT_THAT(found("s*/Relu*"), ElementsAre("stem/Relu", "spatial/Relu6"));
  EXPECT_THAT(found("spatial/Relu?"), ElementsAre("spatial/Relu6"));
  EXPECT_THAT(names_.one("--quantize", "s*/Relu*").value().parts.weights, ElementsAre(0, 1));
}

TEST_F(DigitNames, ShortNamesMeanTheSame) {
  EXPECT_THAT(found("stem"), ElementsAre("stem/Relu"));
  EXPECT_THAT(found("s?em"), ElementsAre("stem/Relu"));
  EXPECT_EQ(names_.one("--quantize", "stem").value().parts.inputs, names_.one("--quantize", "stem/Relu").value().parts.inputs);
  EXPECT_THAT(names_.one("--quantize", "spatal").error().message, HasSubstr("did you mean 'spatial'?"));
}

TEST_F(DigitNames, GroupsAreUnions) {
  const PartGroup group = names_.group("--quantize", "image,stem/convolution,residual_relu/Relu,image").value();
  EXPECT_THAT(group.members, ElementsAre("image", "stem/convolution", "residual_relu/Relu"));
  const PartSet& set = group.parts;
  EXPECT_THAT(set.activations, ElementsAre(0));
  EXPECT_THAT(set.weights, ElementsAre(0));
  EXPECT_EQ(set.inputs.size(), 2U);
}

TEST_F(DigitNames, UnknownNamesAreAnsweredWithTheNearest) {
  const auto missing = names_.one("--quantize", "stem/Rellu");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().reason, Reason::kUsage);
  EXPECT_EQ(missing.error().message, "--quantize: no node, weight or activation 'stem/Rellu'; did you mean 'stem/Relu'?");
  EXPECT_FALSE(names_.group("--quantize", "image,").ok());
  EXPECT_THAT(names_.one("--quantize", "zzzzzzzz*").error().message, HasSubstr("names are like '"));
}

/// Two layers that share their weights; the twin has other names, among them one with commas and colons, and quantizes its float input.
class AwkwardNames : public ::testing::Test {
 protected:
  void SetUp() override {
    SmallModel f;
    const int x = f.map("x", {1, 2}), w = f.constant("w", {2, 2}, {1, 2, 3, 4}), h = f.map("h", {1, 2}), y = f.map("y", {1, 2}),
              z = f.map("z", {1, 2});
    f.op("FULLY_CONNECTED", {x, w, -1}, {h});
    f.op("FULLY_CONNECTED", {h, w, -1}, {y});
    f.op("TANH", {y}, {z});
    SmallModel q("small_q.tflite");
    const int qx = q.map("x", {1, 2}), qg = q.quantized_map("x_int8", {1, 2}, DType::kInt8, 0.1F, 0),
              qw = q.constant_int8("a,b:0=;c", {2, 2}, {32, 64, 96, 127}, {1.0F / 32}),
              qh = q.quantized_map("h;first", {1, 2}, DType::kInt8, 0.1F, 0), qy = q.quantized_map("y:0", {1, 2}, DType::kInt8, 0.1F, 0),
              qf = q.map("y_float", {1, 2}), qz = q.map("z", {1, 2});
    q.op("QUANTIZE", {qx}, {qg});
    q.op("FULLY_CONNECTED", {qg, qw, -1}, {qh});
    q.op("FULLY_CONNECTED", {qh, qw, -1}, {qy});
    q.op("DEQUANTIZE", {qy}, {qf});
    q.op("TANH", {qf}, {qz});
    models_ = PartialModels::create(f.finish({x}, {z}), q.finish({qx}, {qz})).value();
    names_ = std::make_unique<PartNames>(*models_);
  }

  std::unique_ptr<PartialModels> models_;
  std::unique_ptr<PartNames> names_;
};

TEST_F(AwkwardNames, NamesOfTheOtherModelAreUnderstood) {
  EXPECT_THAT(names_->one("--quantize", "y:0").value().parts.inputs, ElementsAre(std::pair(1, 0)));
  EXPECT_THAT(names_->one("--quantize", "x_int8").value().parts.activations, ElementsAre(0));
  const auto entries = names_->find("--quantize", "h;first").value();
  EXPECT_EQ(entries[0].parts[0].name, "h") << "parts bear the float model's names";
}

TEST_F(AwkwardNames, ANameWithCommasIsTriedWholeFirst) {
  EXPECT_THAT(names_->group("--quantize", "a,b:0=;c").value().parts.weights, ElementsAre(0, 1)) << "both readers of the shared constant";
  EXPECT_FALSE(names_->group("--quantize", "a,b:0=;d").ok());
}

TEST_F(AwkwardNames, WhatIsNotQuantizedIsSaidSo) {
  const auto z = names_->one("--quantize", "z");
  ASSERT_FALSE(z.ok());
  EXPECT_EQ(z.error().message, "--quantize: nothing of 'z' is quantized in small_q.tflite");
}

TEST_F(AwkwardNames, NoPartIsFoundTwiceThoughBothModelsNameIt) {
  std::vector<NamedPart> parts;
  const auto entries = names_->find("--nodes", "*").value();
  for (const auto& entry : entries) {
    for (const NamedPart& part : entry.parts) {
      EXPECT_EQ(std::count(parts.begin(), parts.end(), part), 0) << entry.name;
      parts.push_back(part);
    }
  }
  EXPECT_EQ(parts.size(), 7U);  // two nodes, three activations, the weights of two nodes
}

}  // namespace
}  // namespace visq::analysis
