#include "resume_check/slices.h"

#include <array>
#include <cstring>
#include <span>
#include <unordered_map>

#include "checkpoint/crew.h"
#include "resume_check/cancel.h"
#include "resume_check/numbers.h"

namespace samestep {
namespace {

constexpr std::uint64_t kLargerBytesMax = 4ull << 30;
constexpr std::size_t kKeyBytes = 16;

struct Wanted {
  const StateEntry* entry;
  std::vector<std::byte> bytes;
  std::size_t key_at;  ///< where in `bytes` the first window that is not one byte repeated begins
};

using Key = std::pair<std::uint64_t, std::uint64_t>;

struct KeyHash {
  std::size_t operator()(const Key& key) const noexcept {
    return static_cast<std::size_t>((key.first ^ (key.second * 0x9E3779B97F4A7C15u)) *
                                    0xff51afd7ed558ccdu);
  }
};

Key key_at(const std::byte* at) {
  Key key;
  std::memcpy(&key.first, at, 8);
  std::memcpy(&key.second, at + 8, 8);
  return key;
}

/// A window whose two halves differ is rare enough to look up; zeros at the start of a tensor are
/// not.
std::size_t telling_window(const std::vector<std::byte>& bytes, std::size_t width) {
  for (std::size_t at = 0; at + kKeyBytes <= bytes.size(); at += width) {
    const Key key = key_at(bytes.data() + at);
    if (key.first != key.second) return at;
  }
  return 0;
}

using Index = std::unordered_multimap<Key, const Wanted*, KeyHash>;

/// Says of nearly all windows that no key is like them: one multiplication and one bit, of a table
/// that stays in the cache.
class Sieve {
 public:
  explicit Sieve(const Index& index) {
    for (const auto& [key, wanted] : index) bits_[place_of(key.first) / 64] |= bit_of(key.first);
  }
  bool lets_pass(const std::byte* at) const {
    std::uint64_t first = 0;
    std::memcpy(&first, at, sizeof first);
    return (bits_[place_of(first) / 64] & bit_of(first)) != 0;
  }

 private:
  static constexpr int kPlaceBits = 16;
  static std::uint64_t place_of(std::uint64_t first) {
    return first * 0x9E3779B97F4A7C15u >> (64 - kPlaceBits);
  }
  static std::uint64_t bit_of(std::uint64_t first) { return 1ull << place_of(first) % 64; }

  std::array<std::uint64_t, (1u << kPlaceBits) / 64> bits_{};
};

/// Says of a block of 4-byte elements that none is the first one of a key: of a few keys this costs
/// less than a look at each window.
class FirstElements {
 public:
  static constexpr std::size_t kBlock = 64, kKeysMax = 4;

  explicit FirstElements(const Index& index) : count_(index.size()) {
    if (!are_few()) return;
    std::size_t i = 0;
    for (const auto& [key, wanted] : index) firsts_[i++] = static_cast<std::uint32_t>(key.first);
  }
  bool are_few() const { return count_ <= kKeysMax; }
  bool are_in(const std::byte* at) const {
    std::array<std::uint32_t, kBlock> block;
    std::memcpy(block.data(), at, sizeof block);
    std::uint32_t any = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      for (const std::uint32_t element : block) any |= element == firsts_[i] ? 1 : 0;
    }
    return any != 0;
  }

 private:
  std::array<std::uint32_t, kKeysMax> firsts_{};
  std::size_t count_;
};

/// The first place in `larger` of each that lies in it.
std::map<const StateEntry*, Slice> scan(const StateEntry& larger, const Index& index,
                                        const Sieve& sieve) {
  std::map<const StateEntry*, Slice> found;
  std::vector<std::byte> read;
  auto bytes = larger.bytes->contiguous();
  if (bytes.size() != larger.field.bytes || bytes.size() > kLargerBytesMax) {
    read = read_all(larger, kLargerBytesMax);
    bytes = read;
  }
  const auto width = element_bytes(larger.field.dtype);
  const FirstElements firsts(index);
  const std::size_t block = FirstElements::kBlock * width;
  const bool by_blocks = width == 4 && firsts.are_few();
  for (std::size_t at = 0; at + kKeyBytes <= bytes.size(); at += width) {
    while (by_blocks && at % block == 0 && at + block <= bytes.size() &&
           !firsts.are_in(bytes.data() + at))
      at += block;
    if (at + kKeyBytes > bytes.size()) break;
    if (!sieve.lets_pass(bytes.data() + at)) continue;
    const auto [first, last] = index.equal_range(key_at(bytes.data() + at));
    for (auto it = first; it != last; ++it) {
      const Wanted& wanted = *it->second;
      if (wanted.entry->field.dtype != larger.field.dtype || wanted.key_at > at) continue;
      const auto begin = at - wanted.key_at;
      if (begin + wanted.bytes.size() > bytes.size() || found.contains(wanted.entry)) continue;
      if (std::memcmp(bytes.data() + begin, wanted.bytes.data(), wanted.bytes.size()) == 0) {
        found[wanted.entry] = {&larger, begin};
      }
    }
  }
  return found;
}

}  // namespace

std::map<const StateEntry*, Slice> find_slices(const std::vector<const StateEntry*>& wanted,
                                               const std::vector<const StateEntry*>& larger) {
  std::map<const StateEntry*, Slice> found;
  if (wanted.empty() || larger.empty()) return found;
  std::vector<Wanted> loaded;
  loaded.reserve(wanted.size());
  for (const auto* entry : wanted) {
    auto bytes = read_all(*entry, kLargerBytesMax);
    const auto width = element_bytes(entry->field.dtype);
    if (bytes.size() < kKeyBytes || width == 0) continue;
    const auto telling = telling_window(bytes, width);
    loaded.push_back({entry, std::move(bytes), telling});
  }
  Index index;
  for (const auto& one : loaded) index.emplace(key_at(one.bytes.data() + one.key_at), &one);
  const Sieve sieve(index);
  std::vector<std::map<const StateEntry*, Slice>> inside(larger.size());
  share_work(larger.size(), threads_to_use(), [&](std::size_t i) {
    throw_if_cancelled("alignment");
    if (element_bytes(larger[i]->field.dtype) > 0) inside[i] = scan(*larger[i], index, sieve);
  });
  for (const auto& places : inside) found.insert(places.begin(), places.end());
  return found;
}

}  // namespace samestep
