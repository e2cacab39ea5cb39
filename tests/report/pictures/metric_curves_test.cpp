// Pictures of accumulate and partial: sound whatever nodes are called, names apart from each other, axes that fit the metric.
#include "report/pictures/metric_curves.h"

#include <gmock/gmock.h>

#include <cmath>
#include <regex>

#include "support/results/xml_fault.h"
#include "visq/report/accumulate.h"
#include "visq/report/partial.h"

namespace visq::report {
namespace {

using testing::xml_fault;

MetricValue finite(double value) { return {MetricValue::State::kFinite, value, -1}; }

AccumulateResult many_nodes(std::size_t nodes, const std::string& name) {
  AccumulateResult result;
  result.metrics = {metric_named("cosine"), metric_named("mse"), metric_named("sqnr")};
  AccumulateCurve curve;
  curve.label = "a&b<c>";
  curve.members = {name, "\x1b[31m"};
  for (std::size_t i = 0; i < nodes; ++i) {
    result.nodes.push_back({{}, {}});
    result.nodes.back().reference.name = name + std::to_string(i);
    AccumulatedError error;
    error.metrics = {finite(1 - 1e-4 * static_cast<double>(i)),
                     finite(std::pow(10, -static_cast<double>(i % 9))),
                     {MetricValue::State::kInfinite, 0, -1}};
    if (i % 5 == 0) error.metrics = std::vector<MetricValue>(3);
    curve.nodes.push_back(error);
  }
  curve.output = curve.nodes.back();
  result.curves = {curve, curve};
  return result;
}

TEST(MetricCurves, PicturesAreSoundXml) {
  for (const std::size_t nodes : {1U, 2U, 40U, 3000U}) {
    EXPECT_EQ(xml_fault(accumulate_svg(many_nodes(nodes, "n<&>\"\xff;'"))), "") << nodes;
  }
  PartialResult partial;
  partial.metrics = {metric_named("cosine"), metric_named("mse"), metric_named("sqnr")};
  partial.none.metrics = std::vector<MetricValue>(3);
  EXPECT_EQ(xml_fault(partial_svg(partial)), "");
  partial.none.integer_outputs = true;
  partial.steps.resize(3);
  for (PartialStep& step : partial.steps) step.alone = step.kept_float = partial.none;
  EXPECT_EQ(xml_fault(partial_svg(partial)), "");
  EXPECT_EQ(partial_svg(partial).find("nan"), std::string::npos);
}

/// Places of the upright texts, from left to right.
std::vector<double> name_places(const std::string& svg) {
  std::vector<double> places;
  const std::regex upright("<text x=\"([0-9.]+)\" y=\"[0-9.]+\" font-size=\"11\" fill=\"#333333\" text-anchor=\"end\" transform");
  for (std::sregex_iterator at(svg.begin(), svg.end(), upright), end; at != end; ++at) places.push_back(std::stod((*at)[1]));
  return places;
}

TEST(MetricCurves, NamesDoNotOverlapAndTheLastIsThere) {
  for (const std::size_t nodes : {2U, 30U, 74U, 75U, 500U, 3000U}) {
    const std::string svg = accumulate_svg(many_nodes(nodes, "node"));
    const auto places = name_places(svg);
    ASSERT_GE(places.size(), std::min<std::size_t>(nodes, 20)) << nodes;
    for (std::size_t i = 1; i < places.size(); ++i) EXPECT_GE(places[i] - places[i - 1], 11.0) << nodes << " at " << i;
    EXPECT_NE(svg.find(">node" + std::to_string(nodes - 1) + "</text>"), std::string::npos) << nodes;
  }
}

TEST(MetricCurves, LowerIsBetterOverDecadesIsLogarithmic) {
  Svg svg(100, 100);
  Plot plot(svg, 0, 0, 100, 100);
  fit_values(plot, "mse", Direction::kLowerIsBetter, std::vector{1e-6, 1e-2});
  EXPECT_NEAR(plot.y(1e-4) - plot.y(1e-2), plot.y(1e-6) - plot.y(1e-4), 1e-9);
  fit_values(plot, "mse", Direction::kLowerIsBetter, std::vector{1.0, 2.0});
  EXPECT_NEAR(plot.y(0.0), 100, 1e-9) << "no error is the bottom";
  fit_values(plot, "cosine", Direction::kHigherIsBetter, std::vector{0.9, 0.95});
  EXPECT_GT(plot.y(1.0), 0) << "1 is in sight";
  EXPECT_LT(plot.y(1.0), 10);
}

TEST(MetricCurves, CosinesNextToOneStayApartFromIt) {
  const Metric cosine = metric_named("cosine");
  EXPECT_EQ(metric_text(cosine, finite(1)), "1");
  EXPECT_EQ(metric_text(cosine, finite(1 - 1e-9)), "1-1.0e-09");
  EXPECT_EQ(metric_text(cosine, finite(0.99912345)), "0.999123");
  EXPECT_EQ(metric_text(metric_named("sqnr"), {MetricValue::State::kInfinite, 0, -1}), "inf");
  EXPECT_EQ(metric_text(cosine, {}), "-");
  EXPECT_EQ(tick_text(1 - 2e-5, 1e-5), "1-2e-05");
  EXPECT_EQ(tick_text(1, 1e-5), "1");
  EXPECT_EQ(tick_text(2e-5, 1e-5), "2e-05");
}

TEST(MetricCurves, StepsNeededAreCountedFromNone) {
  PartialResult result;
  result.pick_threshold = 0.99;
  result.none.metrics = {finite(0.5)};
  result.steps.resize(2);
  result.steps[0].kept_float.metrics = {finite(0.9)};
  result.steps[1].kept_float.metrics = {finite(0.98)};
  EXPECT_EQ(steps_needed(result), std::nullopt);
  result.steps[1].kept_float.metrics = {finite(0.995)};
  EXPECT_EQ(steps_needed(result), 2U);
  result.none.metrics = {finite(0.999)};
  EXPECT_EQ(steps_needed(result), 0U);
}

}  // namespace
}  // namespace visq::report
