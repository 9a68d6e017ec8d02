#include "tools/cancel_signals.h"

#include <gtest/gtest.h>

#include "resume_check/cancel.h"

namespace samestep {
namespace {

TEST(CancelSignalsTest, EachSignalAsksToCancel) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    reset_cancel();
    const CancelSignals signals;
    EXPECT_FALSE(cancel_requested());
    ::raise(number);
    EXPECT_TRUE(cancel_requested()) << number;
  }
  reset_cancel();
}

TEST(CancelSignalsTest, WhatWasIgnoredStaysIgnored) {
  const auto before = ::signal(SIGHUP, SIG_IGN);
  reset_cancel();
  {
    const CancelSignals signals;
    ::raise(SIGHUP);
    EXPECT_FALSE(cancel_requested());
  }
  EXPECT_EQ(::signal(SIGHUP, before), SIG_IGN);
}

TEST(CancelSignalsTest, HandlersComeBack) {
  struct sigaction before {
  }, after{};
  ::sigaction(SIGINT, nullptr, &before);
  { const CancelSignals signals; }
  ::sigaction(SIGINT, nullptr, &after);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
}

}  // namespace
}  // namespace samestep
