#include "schemas/fate.h"

#include <string>

#include "schemas/error.h"
#include "schemas/names.h"

namespace samestep {
namespace {

constexpr Names<Fate, 11> kFates{{"kept", "rederived", "missing", "overwritten", "not_applied",
                                  "lost_after_save", "dropped", "miswritten", "healed", "extra",
                                  "unwatched"}};

constexpr Names<Fate, 11> kSentences{{
    "saved, restored, and equal",
    "not in the checkpoint, yet equal in the resumed run",
    "never captured in the checkpoint, and different in the resumed run",
    "right in the checkpoint and right after load; another value at the first step",
    "right in the checkpoint, and the load never put it into the live object",
    "right in the checkpoint, another value at the first resumed step",
    "in the checkpoint, and the resumed run has nowhere to put it",
    "the checkpoint holds another value than the live state had",
    "the checkpoint holds another value, and the resumed run has the right one",
    "only in the resumed run",
    "in the checkpoint, and no probe saw it live",
}};

}  // namespace

std::string_view to_string(Fate fate) noexcept { return kFates.of(fate); }

Fate fate_from(std::string_view name) {
  if (const auto fate = kFates.find(name)) return *fate;
  throw Error(ErrorCode::corrupt, "no fate has this name", std::string(name));
}

std::string_view describe(Fate fate) noexcept { return kSentences.of(fate); }

}  // namespace samestep
