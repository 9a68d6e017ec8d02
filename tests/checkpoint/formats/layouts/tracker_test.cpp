#include "checkpoint/formats/layouts/tracker.h"

#include <gmock/gmock.h>

#include "../../foreign.h"
#include "schemas/error.h"

namespace samestep {
namespace {

std::string tracked(const std::string& text) {
  const TemporaryFolder scratch;
  scratch.write("latest", text);
  return tracked_name(Folder(scratch.path()), "latest");
}

TEST(Tracker, ReadsTheName) {
  EXPECT_EQ(tracked("global_step5"), "global_step5");
  EXPECT_EQ(tracked(" 5\n"), "5");
  EXPECT_EQ(tracked("..a"), "..a");
}

TEST(Tracker, RefusesWhatLeaves) {
  for (const std::string& text :
       {std::string(""), std::string(" \n"), std::string(".."), std::string("."),
        std::string("../x"), std::string("/etc"), std::string("a/b"), std::string("a\0b", 3),
        std::string("a\nb"), std::string(300, 'a')})
    EXPECT_THROW(tracked(text), Error) << testing::PrintToString(text);
}

}  // namespace
}  // namespace samestep
