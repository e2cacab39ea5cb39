// Times per operator type: sums and means, and shares of the roofline against a closed form.
#include "analysis/compare/operator_clock.h"

#include <gtest/gtest.h>

namespace visq {
namespace {

TEST(RooflineShare, IsTheGreaterOfArithmeticAndTraffic) {
  const MachineSpeed machine{.macs_per_second = 100, .bytes_per_second = 10};
  OperatorCost cost{.op = "CONV_2D", .nodes = 1, .seconds = 4, .macs = 200, .bytes = 10};
  EXPECT_DOUBLE_EQ(roofline_share(cost, machine), 0.5);  // 2 s of arithmetic against 1 s of traffic, in 4 s
  cost.bytes = 30;
  EXPECT_DOUBLE_EQ(roofline_share(cost, machine), 0.75);  // 3 s of traffic
  cost.seconds = 0;
  EXPECT_EQ(roofline_share(cost, machine), 0) << "nothing was measured";
  cost.seconds = 4;
  EXPECT_EQ(roofline_share(cost, MachineSpeed()), 0);
}

TEST(OperatorClock, MeasuresTheMachine) {
  const analysis::OperatorClock clock;
  const RunCosts costs = clock.costs();
  EXPECT_GT(costs.machine.macs_per_second, 1e8);
  EXPECT_GT(costs.machine.bytes_per_second, 1e8);
  EXPECT_EQ(costs.records, 0);
  EXPECT_TRUE(costs.reference.empty());
}

}  // namespace
}  // namespace visq
