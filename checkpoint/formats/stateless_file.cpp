#include "checkpoint/formats/stateless_file.h"

#include <algorithm>
#include <array>

#include "checkpoint/folder.h"

namespace samestep {
namespace {

struct Rule {
  std::string_view end;
  const char* why;
};

constexpr std::array kEnds = {
    Rule{".py", "code"},
    Rule{".sh", "code"},
    Rule{".cpp", "code"},
    Rule{".cu", "code"},
    Rule{".md", "a text"},
    Rule{".txt", "a text"},
    Rule{".rst", "a text"},
    Rule{".html", "a text"},
    Rule{".csv", "a table"},
    Rule{".tsv", "a table"},
    Rule{".parquet", "data"},
    Rule{".arrow", "data"},
    Rule{".log", "a log"},
    Rule{".out", "a log"},
    Rule{".err", "a log"},
    Rule{".jsonl", "a log"},
    Rule{".yaml", "a configuration"},
    Rule{".yml", "a configuration"},
    Rule{".toml", "a configuration"},
    Rule{".ini", "a configuration"},
    Rule{".cfg", "a configuration"},
    Rule{".jinja", "a configuration"},
    Rule{".png", "a picture"},
    Rule{".jpg", "a picture"},
    Rule{".svg", "a picture"},
    Rule{".pdf", "a picture"},
    Rule{".model", "a tokenizer"},
    Rule{".lock", "a lock"},
    Rule{".part", "unfinished"},
    Rule{".tmp", "unfinished"},
};

/// Written beside a model by Hugging Face libraries; the same at every step.
constexpr std::array<std::string_view, 14> kConfigurations = {"config.json",
                                                              "generation_config.json",
                                                              "tokenizer.json",
                                                              "tokenizer_config.json",
                                                              "vocab.json",
                                                              "added_tokens.json",
                                                              "special_tokens_map.json",
                                                              "preprocessor_config.json",
                                                              "processor_config.json",
                                                              "adapter_config.json",
                                                              "chat_template.json",
                                                              "quantization_config.json",
                                                              "model_index.json",
                                                              "video_preprocessor_config.json"};

constexpr std::array<std::string_view, 13> kClaims = {
    ".pt",  ".pth", ".bin", ".ckpt", ".pkl",    ".pickle", ".safetensors",
    ".npz", ".npy", ".pt2", ".tar",  ".distcp", ".p"};

}  // namespace

const char* stateless_reason(std::string_view path) noexcept {
  const std::string_view name = file_name(path);
  if (std::find(kConfigurations.begin(), kConfigurations.end(), name) != kConfigurations.end())
    return "a configuration";
  if (name.ends_with(".index.json")) return "an index";
  if (name.find("tfevents") != std::string_view::npos) return "a log";
  for (const Rule& rule : kEnds)
    if (name.ends_with(rule.end)) return rule.why;
  return nullptr;
}

bool claims_state(std::string_view path) noexcept {
  const std::string_view name = file_name(path);
  return std::any_of(kClaims.begin(), kClaims.end(),
                     [&](std::string_view end) { return name.ends_with(end); });
}

}  // namespace samestep
