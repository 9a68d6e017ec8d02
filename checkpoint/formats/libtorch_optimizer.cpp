#include "checkpoint/formats/libtorch_optimizer.h"

#include <charconv>
#include <map>
#include <optional>
#include <string_view>

namespace samestep {
namespace {

constexpr std::string_view kGroups = "param_groups", kGroupPrefix = "param_groups/",
                           kParamPrefix = "params/";

using Keys = std::vector<SourceKey>;

/// The number behind `prefix` ("params/12").
std::optional<std::uint64_t> number_after(const SourceKey& key, std::string_view prefix) {
  if (key.kind != SourceKey::Kind::string || !key.text.starts_with(prefix)) return std::nullopt;
  const char* begin = key.text.data() + prefix.size();
  const char* end = key.text.data() + key.text.size();
  std::uint64_t number = 0;
  const auto [stop, error] = std::from_chars(begin, end, number);
  return error == std::errc() && stop == end && begin != end ? std::optional(number) : std::nullopt;
}

/// A leaf below `<archive>/param_groups/param_groups/<group>`: where that part of its keys begins.
struct InGroup {
  std::size_t at = 0;
  std::uint64_t group = 0;
};

std::optional<InGroup> find_group(const Keys& keys) {
  for (std::size_t i = 0; i + 2 < keys.size(); ++i) {
    if (keys[i].text != kGroups) continue;
    if (const auto group = number_after(keys[i + 1], kGroupPrefix)) return InGroup{i, *group};
  }
  return std::nullopt;
}

std::string text_of(const Keys& keys, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i)
    text += std::to_string(keys[i].text.size()) + ":" + keys[i].text;
  return text;
}

SourceKey index(std::uint64_t number) { return {SourceKey::Kind::integer, std::to_string(number)}; }

struct Archive {
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::string>
      addresses;                                 // (group, place) -> address
  std::map<std::string, std::uint64_t> numbers;  // address -> number over all groups
};

/// Archives by the keys that lead to them.
std::map<std::string, Archive> find_archives(const Document& document) {
  std::map<std::string, Archive> archives;
  for (const Leaf& leaf : document.leaves) {
    const Keys& keys = leaf.source.keys;
    const auto group = find_group(keys);
    if (!group || group->at + 3 != keys.size()) continue;
    const auto place = number_after(keys.back(), kParamPrefix);
    const auto* address = std::get_if<std::string>(&leaf.value);
    if (place && address != nullptr)
      archives[text_of(keys, group->at)].addresses[{group->group, *place}] = *address;
  }
  for (auto& [prefix, archive] : archives) {
    for (const auto& [place, address] : archive.addresses)
      archive.numbers.emplace(address, archive.numbers.size());
  }
  return archives;
}

/// <archive>/param_groups/param_groups/<g>/options/<name> and .../params/<i>.
Keys stable_group_keys(const Keys& keys, const InGroup& group) {
  Keys stable(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(group.at + 1));
  stable.push_back(index(group.group));
  std::size_t next = group.at + 2;
  if (const auto place = number_after(keys[next], kParamPrefix)) {
    stable.push_back({SourceKey::Kind::string, "params"});
    stable.push_back(index(*place));
    ++next;
  } else if (keys[next].text == "options") {
    ++next;
  }
  stable.insert(stable.end(), keys.begin() + static_cast<std::ptrdiff_t>(next), keys.end());
  return stable;
}

/// <archive>/state/<address>/<slot>.
Keys stable_state_keys(const Keys& keys, const std::map<std::string, Archive>& archives) {
  for (std::size_t i = 0; i + 1 < keys.size(); ++i) {
    if (keys[i].text != "state") continue;
    const auto archive = archives.find(text_of(keys, i));
    if (archive == archives.end()) continue;
    const auto number = archive->second.numbers.find(keys[i + 1].text);
    if (number == archive->second.numbers.end()) continue;
    Keys stable = keys;
    stable[i + 1] = index(number->second);
    return stable;
  }
  return {};
}

}  // namespace

void join_addresses(Document& document) {
  const auto archives = find_archives(document);
  if (archives.empty()) return;
  for (Leaf& leaf : document.leaves) {
    const Keys& keys = leaf.source.keys;
    const auto group = find_group(keys);
    const bool known = group && archives.contains(text_of(keys, group->at));
    leaf.stable_keys = known ? stable_group_keys(keys, *group) : stable_state_keys(keys, archives);
  }
}

}  // namespace samestep
