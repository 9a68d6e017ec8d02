// PrivateMembers: pointers to members that a class of libtorch gives no access to. An explicit
// instantiation may name private members ([temp.spec.general] of C++20): the friend it defines
// hands them out. For members that no accessor, archive or derived class reaches; they are looked
// up at compile time, so a libtorch without them does not compile.
//
// The tag lies in this namespace.
//
//   struct SchedulerMembers { friend constexpr auto members_of(SchedulerMembers); };
//   template struct PrivateMembers<SchedulerMembers, &Scheduler::best, &Scheduler::last_epoch>;
//   const auto [best, last_epoch] = members_of(SchedulerMembers{});
#pragma once

#include <tuple>

namespace samestep::libtorch {

template <typename Tag, auto... Members>
struct PrivateMembers {
  friend constexpr auto members_of(Tag) { return std::tuple{Members...}; }
};

}  // namespace samestep::libtorch
