#include "checkpoint/files/descriptor.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <utility>

namespace samestep {
namespace {

bool is_open(int number) { return ::fcntl(number, F_GETFD) >= 0; }

TEST(Descriptor, ClosesItselfOnce) {
  int number = -1;
  {
    const Descriptor file(::open("/dev/null", O_RDONLY));
    number = file.get();
    EXPECT_TRUE(is_open(number));
  }
  EXPECT_FALSE(is_open(number));
}

TEST(Descriptor, MovesAndReleases) {
  Descriptor first(::open("/dev/null", O_RDONLY));
  const int number = first.get();
  Descriptor second(std::move(first));
  EXPECT_FALSE(first);
  EXPECT_EQ(second.get(), number);
  Descriptor third;
  third = std::move(second);
  EXPECT_EQ(third.release(), number);
  EXPECT_FALSE(third);
  EXPECT_TRUE(is_open(number));
  third.reset(number);
  third.reset();
  EXPECT_FALSE(is_open(number));
}

}  // namespace
}  // namespace samestep
