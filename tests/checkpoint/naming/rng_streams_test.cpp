#include "checkpoint/naming/rng_streams.h"

#include <gtest/gtest.h>

#include "tests/checkpoint/naming/sketch.h"

namespace samestep {
namespace {

using sketch::Key;
using sketch::Keys;
using sketch::Sketch;

// The stream of a state with these keys, in a list of two where the last key is a number.
RngStream stream_at(const Keys& keys, RngShape shape = RngShape::torch_cpu,
                    const char* file = "checkpoint.pt") {
  Sketch sketch(file);
  sketch.rng(keys);
  Keys sibling = keys;
  sibling.back() = Key("7");
  sketch.rng(sibling);
  const Document document = sketch.take();
  const KeyTree tree(document);
  const KeyNode* node = tree.files()[0].get();
  for (std::size_t i = 0; i < keys.size(); ++i) node = node->children[0].get();
  return rng_stream(*node, shape);
}

TEST(RngStreams, process_wide_streams_by_the_words_around_them) {
  EXPECT_EQ(stream_at({"rng", "torch"}).parts.front(), "torch.cpu");
  EXPECT_EQ(stream_at({"torch_manual_seed"}).parts.front(), "torch.cpu");
  EXPECT_EQ(stream_at({"cuda_rng_state"}).parts.front(), "torch.cuda.0");
  EXPECT_EQ(stream_at({"rng", "python"}, RngShape::python).parts.front(), "python");
  EXPECT_EQ(stream_at({"rng", "numpy"}, RngShape::numpy).parts.front(), "numpy");
  EXPECT_TRUE(stream_at({"rng"}).global);
}

TEST(RngStreams, generators_of_somebody_are_named_by_where_they_are) {
  for (const Keys& keys :
       {Keys{"loader_generator"}, Keys{"noise", "rng"}, Keys{"sampler", "torch"}}) {
    const RngStream stream = stream_at(keys);
    EXPECT_FALSE(stream.global);
    EXPECT_EQ(stream.parts.front().rfind("generator.", 0), 0u);
  }
  EXPECT_EQ(stream_at({"noise", "rng"}).parts.front(), "generator.noise.rng");
  EXPECT_EQ(stream_at({"rng", "numpy"}, RngShape::numpy_generator).parts.front(),
            "generator.rng.numpy");
}

TEST(RngStreams, a_list_of_cpu_states_is_one_a_rank_and_of_cuda_states_one_a_device) {
  EXPECT_EQ(stream_at({"rng", 1}).rank, 1);
  const RngStream cuda = stream_at({"cuda", 1}, RngShape::torch_cuda);
  EXPECT_EQ(cuda.parts.front(), "torch.cuda.1");
  EXPECT_EQ(cuda.rank, std::nullopt);
  EXPECT_EQ(stream_at({"rng", 1}, RngShape::torch_cpu, "mp_rank_00_model_states.pt").rank, 1);
  EXPECT_EQ(stream_at({"cpu"}, RngShape::torch_cpu, "rng_state_2.pth").rank, 2);
}

TEST(RngStreams, parts_of_a_state) {
  using Parts = std::vector<std::string>;
  EXPECT_EQ(stream_parts(RngShape::python, 2, {"2"}), Parts{"gauss_next"});
  EXPECT_EQ(stream_parts(RngShape::python, 1, {"1"}), Parts{});
  EXPECT_EQ(stream_parts(RngShape::numpy, 3, {"3"}), Parts{"has_gauss"});
  EXPECT_EQ(stream_parts(RngShape::numpy, 9, {"9"}), Parts{"9"});
  EXPECT_EQ(stream_parts(RngShape::numpy_dict, 1, {"state", "key"}), Parts{});
  EXPECT_EQ(stream_parts(RngShape::numpy_dict, 1, {"state", "pos"}), Parts{"pos"});
  EXPECT_EQ(stream_parts(RngShape::numpy_dict, 3, {"gauss"}), Parts{"cached_gaussian"});
  EXPECT_EQ(stream_parts(RngShape::numpy_generator, 1, {"state", "inc"}), (Parts{"state", "inc"}));
}

TEST(RngStreams, names_that_speak_of_randomness) {
  EXPECT_TRUE(speaks_of_randomness("random_states_0"));
  EXPECT_FALSE(speaks_of_randomness("model"));
}

}  // namespace
}  // namespace samestep
