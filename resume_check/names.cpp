#include "resume_check/names.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace samestep {
namespace {

struct Spelling {
  std::string_view kind, word;
};

/// What people call a component of a kind in a checkpoint of their own.
constexpr std::array kSpellings{
    Spelling{"model", "model"},
    Spelling{"model", "net"},
    Spelling{"model", "network"},
    Spelling{"model", "weights"},
    Spelling{"optimizer", "optim"},
    Spelling{"optimizer", "optimizer"},
    Spelling{"optimizer", "opt"},
    Spelling{"lr_scheduler", "sched"},
    Spelling{"lr_scheduler", "lr"},
    Spelling{"lr_scheduler", "schedule"},
    Spelling{"lr_scheduler", "scheduler"},
    Spelling{"lr_scheduler", "lrscheduler"},
    Spelling{"grad_scaler", "scaler"},
    Spelling{"grad_scaler", "gradscaler"},
    Spelling{"grad_scaler", "amp"},
    Spelling{"rng", "rng"},
    Spelling{"rng", "random"},
    Spelling{"rng", "generator"},
    Spelling{"rng", "seed"},
    Spelling{"dataloader", "loader"},
    Spelling{"dataloader", "data"},
    Spelling{"dataloader", "sampler"},
    Spelling{"dataloader", "dataloader"},
    Spelling{"ema", "ema"},
    Spelling{"ema", "average"},
    Spelling{"ema", "averaged"},
    Spelling{"ema", "shadow"},
    Spelling{"ema", "teacher"},
    Spelling{"ema", "swa"},
    Spelling{"gradients", "grad"},
    Spelling{"gradients", "grads"},
    Spelling{"gradients", "gradients"},
    Spelling{"loop", "progress"},
    Spelling{"loop", "loop"},
    Spelling{"loop", "trainer"},
    Spelling{"loop", "state"},
};

std::vector<std::string> split_words(const std::string& part) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : part) {
    if (std::isalnum(static_cast<unsigned char>(c))) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

bool spells(std::string_view kind, const std::string& part) {
  const auto whole = plain_name(part);
  const auto words = split_words(part);
  return std::any_of(kSpellings.begin(), kSpellings.end(), [&](const Spelling& spelling) {
    return spelling.kind == kind &&
           (spelling.word == whole ||
            std::find(words.begin(), words.end(), spelling.word) != words.end());
  });
}

}  // namespace

std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte)) plain += static_cast<char>(std::tolower(byte));
    if (byte >= 0x80) plain += c;
  }
  return plain;
}

std::vector<std::string> name_words(const FieldPath& path) {
  std::vector<std::string> words;
  for (const auto& part : path.parts()) {
    std::string piece;
    for (const char c : part.substr(0, part.rfind('#'))) {
      if (c != '.') {
        piece += c;
      } else {
        words.push_back(plain_name(piece));
        piece.clear();
      }
    }
    words.push_back(plain_name(piece));
  }
  std::erase(words, "");
  return words;
}

std::string place_in_file(const Field& field) {
  const auto& keys = field.source.keys;
  for (std::size_t i = 0; i + 2 < keys.size(); ++i) {
    if (keys[i].kind != SourceKey::Kind::string || keys[i].text != "state") continue;
    if (keys[i + 1].kind != SourceKey::Kind::integer) continue;
    std::vector<std::string> parts{field.path.component(), "state", keys[i + 1].text};
    for (std::size_t j = i + 2; j < keys.size(); ++j) parts.push_back(keys[j].text);
    return FieldPath::of(parts).text();
  }
  return {};
}

std::size_t common_suffix(const std::vector<std::string>& source,
                          const std::vector<std::string>& target) {
  std::size_t count = 0;
  while (count < source.size() && count < target.size() &&
         source[source.size() - 1 - count] == target[target.size() - 1 - count]) {
    ++count;
  }
  return count;
}

bool component_agrees(const FieldPath& live, const FieldPath& filed) {
  const auto kind = live.component_kind(), other = filed.component_kind();
  const auto tells_nothing = [](std::string_view name) {
    return name == "extra" || name == "loop";
  };
  if (kind == other || (tells_nothing(kind) && tells_nothing(other))) return true;
  if (other != "extra" && other != "loop") return false;
  const auto parts = filed.parts();
  return std::any_of(parts.begin() + 1, parts.end(),
                     [&](const std::string& part) { return spells(kind, part); });
}

}  // namespace samestep
