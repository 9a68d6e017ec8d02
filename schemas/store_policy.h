// StorePolicy: how a capture keeps the bytes of fields. Names are pinned (plan.v1).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace samestep {

/// Whatever is asked for, a reader tells by the blob itself.
enum class StorePolicy : std::uint8_t {
  raw,     ///< as they are: the fastest to write, and mapped when read
  planes,  ///< each chunk as byte planes, compressed where that pays
};

constexpr std::string_view to_string(StorePolicy policy) noexcept {
  return policy == StorePolicy::raw ? "raw" : "planes";
}

/// Nothing for a name that is no policy.
constexpr std::optional<StorePolicy> store_policy_from(std::string_view name) noexcept {
  if (name == to_string(StorePolicy::raw)) return StorePolicy::raw;
  if (name == to_string(StorePolicy::planes)) return StorePolicy::planes;
  return std::nullopt;
}

}  // namespace samestep
