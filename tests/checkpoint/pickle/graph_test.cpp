#include "checkpoint/pickle/graph.h"

#include <gtest/gtest.h>

#include <cmath>

namespace samestep::pickle {
namespace {

TEST(Graph, KeepsScalars) {
  Graph graph;
  EXPECT_EQ(graph.kind(graph.add_none()), Kind::none);
  EXPECT_TRUE(graph.boolean(graph.add_boolean(true)));
  EXPECT_EQ(graph.integer(graph.add_integer(INT64_MIN)), INT64_MIN);
  EXPECT_TRUE(std::signbit(graph.real(graph.add_real(-0.0))));
}

TEST(Graph, CopiesOutliveTheirSourceAndViewsCostNothing) {
  Graph graph;
  const std::string source = "view";
  const NodeId view = graph.add_view(Kind::text, source);
  std::vector<NodeId> copies;
  for (int i = 0; i < 1000; ++i) copies.push_back(graph.add_copy(Kind::text, std::to_string(i)));
  EXPECT_EQ(graph.text(view).data(), source.data());
  EXPECT_EQ(graph.text(copies[0]), "0");
  EXPECT_EQ(graph.text(copies[999]), "999");
}

TEST(Graph, TuplesAreFixedAndListsGrow) {
  Graph graph;
  const NodeId one = graph.add_integer(1), list = graph.add_container(Kind::list);
  const NodeId members[] = {one, list};
  const NodeId tuple = graph.add_tuple(Kind::tuple, members);
  graph.members(list).push_back(tuple);
  EXPECT_EQ(graph.children(tuple)[1], list);
  EXPECT_EQ(graph.children(list)[0], tuple);
  EXPECT_TRUE(graph.children(one).empty());
}

TEST(Graph, ObjectsKeepWhatWouldHaveBeenCalled) {
  Graph graph;
  const NodeId callee = graph.add_copy(Kind::global, "os.system");
  const NodeId args = graph.add_tuple(Kind::tuple, {});
  const NodeId id = graph.add_object(Object{callee, args, kNoNode, {}, {}, {}});
  graph.object(id).states.push_back(args);
  EXPECT_EQ(graph.text(graph.object(id).callee), "os.system");
  EXPECT_EQ(graph.object(id).states.size(), 1u);
}

}  // namespace
}  // namespace samestep::pickle
