// Every sample checkpoint: the leaves of the real ones, the outcome of the hostile ones.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>

#include "checkpoint/checkpoint.h"
#include "checkpoint/hasher.h"
#include "checkpoint/verify.h"
#include "foreign.h"
#include "schemas/error.h"
#include "schemas/json/node.h"

namespace samestep {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The sample without its sample.json, in a folder of its own.
class Copy {
 public:
  explicit Copy(const fs::path& sample) {
    fs::copy(sample, path(), fs::copy_options::recursive | fs::copy_options::copy_symlinks);
    fs::permissions(path(), fs::perms::owner_all);
    fs::remove(path() / "sample.json");
  }
  ~Copy() {
    for (const auto& entry : fs::recursive_directory_iterator(path()))
      if (entry.is_directory() && !entry.is_symlink())
        fs::permissions(entry.path(), fs::perms::owner_all);
  }
  fs::path path() const { return scratch_ / "checkpoint"; }

 private:
  TemporaryFolder scratch_;
};

std::string key_of(const JsonNode& key) {
  if (key.is_string()) return key.as_string();
  if (key.is_integer()) return key.integer_text();
  const JsonNode inner = key.items()[0];
  return inner.key() + ":" + inner.as_string();
}

std::string key_of(const SourceKey& key) {
  switch (key.kind) {
    case SourceKey::Kind::attribute:
      return "attr:" + key.text;
    case SourceKey::Kind::repr:
      return "repr:" + key.text;
    default:
      return key.text;
  }
}

template <typename Keys>
std::string keys_of(const Keys& keys) {
  std::string text;
  for (const auto& key : keys) text += "|" + key_of(key);
  return text;
}

class Leaves {
 public:
  explicit Leaves(const Checkpoint& checkpoint) {
    for (const StateEntry& entry : checkpoint.tree.entries()) {
      const std::string keys = keys_of(entry.field.source.keys);
      by_place_.emplace(entry.field.source.file + keys, &entry);
      by_place_.emplace(keys, &entry);
    }
  }
  const StateEntry* find(const std::string& file, const std::string& keys) const {
    for (const std::string& place : {file + keys, keys})
      if (const auto found = by_place_.find(place); found != by_place_.end()) return found->second;
    return nullptr;
  }

 private:
  std::map<std::string, const StateEntry*> by_place_;
};

/// What is wrong with `entry` as the leaf that sample.json describes; empty when nothing is.
std::string compare(const JsonNode& leaf, const StateEntry& entry) {
  const std::string kind = leaf.at("kind").as_string();
  const Field& field = entry.field;
  if (kind == "tensor" || kind == "ndarray") {
    std::vector<std::int64_t> shape;
    for (const JsonNode& size : leaf.at("shape").elements()) shape.push_back(size.as_int());
    if (shape != field.shape) return "another shape";
    if (leaf.contains("sha256") && sha256_of(*entry.bytes) != leaf.at("sha256").as_string())
      return "other bytes";
    if (kind == "tensor" && dtype_from(leaf.at("dtype").as_string()) != field.dtype)
      return "another dtype";
  } else if (kind == "int") {
    const JsonNode value = leaf.at("value");  // text beyond 64 bits
    if (!field.value ||
        decimal(*field.value) != (value.is_string() ? value.as_string() : value.integer_text()))
      return "another integer";
  } else if (kind == "bool") {
    if (field.value != Value(leaf.at("value").as_bool())) return "another bool";
  } else if (kind == "str") {
    if (field.value != Value(leaf.at("value").as_string())) return "another str";
  } else if (kind == "float") {
    const std::uint64_t bits = std::stoull(leaf.at("hex").as_string(), nullptr, 16);
    const auto* real = field.value ? std::get_if<double>(&*field.value) : nullptr;
    if (!real || std::memcmp(real, &bits, sizeof bits) != 0) return "another float";
  }
  return {};
}

/// Attributes of an enumeration's member, which only importing its class could tell: the file
/// holds the class's name and the member's value alone.
bool is_of_an_enumeration(const std::string& keys) {
  for (const char* name : {"_value_", "_name_", "__objclass__", "_sort_order_"})
    if (keys.ends_with("|attr:" + std::string(name))) return true;
  return false;
}

class Handed : public testing::TestWithParam<std::string> {};

TEST_P(Handed, HoldsEveryLeaf) {
  const fs::path sample = foreign::sample("handed/" + GetParam());
  const JsonNode expected = JsonNode::parse(text_of(sample / "sample.json"), "sample.json");
  const Copy copy(sample);
  const Checkpoint checkpoint = open_checkpoint(copy.path());
  EXPECT_TRUE(looks_like_checkpoint(copy.path()));
  const Leaves leaves(checkpoint);
  int failures = 0, seen = 0;
  for (const JsonNode& leaf : expected.at("leaves").elements()) {
    const std::string kind = leaf.at("kind").as_string();
    if (kind.starts_with("empty_") || kind == "backref" || kind == "NoneType") continue;
    const std::string keys = keys_of(leaf.at("path").elements());
    if (is_of_an_enumeration(keys)) continue;
    const auto file = leaf.find("file");
    const StateEntry* entry = leaves.find(file ? file->as_string() : "", keys);
    const std::string wrong = entry ? compare(leaf, *entry) : "no such field";
    ++seen;
    if (!wrong.empty() && ++failures <= 5) ADD_FAILURE() << keys << " (" << kind << "): " << wrong;
  }
  EXPECT_EQ(failures, 0);
  EXPECT_GT(seen, 0);
  for (const Problem& problem : verify_checkpoint(checkpoint, {}))
    ADD_FAILURE() << problem.where << ": " << problem.message;
}

/// What `samestep inspect` and `samestep verify` would do: "error", "inert", "valid", or what
/// verify found.
std::string outcome_of(const fs::path& path, const JsonNode& expected) {
  try {
    const Checkpoint checkpoint = open_checkpoint(path);
    const auto& entries = checkpoint.tree.entries();
    const bool opaque = std::any_of(entries.begin(), entries.end(), [](const StateEntry& entry) {
      return entry.field.kind == FieldKind::opaque;
    });
    if (expected.at("verdict").as_string() == "inert") return opaque ? "inert" : "valid";
    const auto problems = verify_checkpoint(checkpoint, {});
    if (!problems.empty()) {
      for (const Problem& problem : problems)
        if (problem.kind == Problem::Kind::inconsistent) return "inconsistent";
      return problems[0].kind == Problem::Kind::damaged ? "damaged" : "incomplete";
    }
    return "valid";
  } catch (const Error& error) {
    EXPECT_FALSE(std::string(error.what()).empty());
    return "error";
  }
}

class Hostile : public testing::TestWithParam<std::string> {};

TEST_P(Hostile, IsWhatItIs) {
  const fs::path sample = foreign::sample("hostile/" + GetParam());
  const JsonNode expected = JsonNode::parse(text_of(sample / "sample.json"), "sample.json");
  const std::string verdict = expected.at("verdict").as_string();
  if (verdict == "pair") GTEST_SKIP() << "is for diff";
  if (expected.contains("generated_by"))
    GTEST_SKIP() << "is not kept, but generated by the sample script";
  const Copy copy(sample);
  const std::string outcome = outcome_of(copy.path(), expected);
  if (verdict == "inconsistent") {
    EXPECT_EQ(outcome, "inconsistent") << expected.at("should_say").as_string();
  } else if (verdict == "damaged" || verdict == "incomplete") {
    EXPECT_NE(outcome, "valid") << expected.at("should_say").as_string();
  } else if (const auto also = expected.find("also_acceptable"); !also || also->is_null()) {
    EXPECT_EQ(outcome == "incomplete" || outcome == "damaged" ? "valid" : outcome, verdict)
        << expected.at("should_say").as_string();
  }
  for (const auto& entry : fs::recursive_directory_iterator(copy.path()))
    EXPECT_NE(entry.path().filename(), "PWNED");
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); },
      '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Samples, Handed, testing::ValuesIn(foreign::samples("handed", "")),
                         test_name);
INSTANTIATE_TEST_SUITE_P(Samples, Hostile, testing::ValuesIn(foreign::samples("hostile", "")),
                         test_name);

}  // namespace
}  // namespace samestep
