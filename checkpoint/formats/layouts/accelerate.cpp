#include "checkpoint/formats/layouts/accelerate.h"

#include <algorithm>
#include <set>

#include "checkpoint/formats/folder_reader.h"
#include "checkpoint/formats/layouts/ranks.h"

namespace samestep {
namespace {

/// Numbers of the files `<before><number><after>` directly in `at`.
std::set<int> row(const Folder& folder, const std::string& at, std::string_view before,
                  std::string_view after) {
  std::set<int> numbers;
  for (const std::string& path : files_in(folder, at))
    if (const auto number = number_in(file_name(path), before, after)) numbers.insert(*number);
  return numbers;
}

bool has(const Folder& folder, const std::string& at, const char* name) {
  return folder.has(join_path(at, name));
}

}  // namespace

bool is_accelerate(const Folder& folder, const std::string& at) {
  if (!row(folder, at, "random_states_", ".pkl").empty()) return true;
  const bool optimizer = has(folder, at, "optimizer.bin");
  const bool beside = has(folder, at, "scheduler.bin") || has(folder, at, "sampler.bin") ||
                      has(folder, at, "dl_state_dict.bin") ||
                      !row(folder, at, "custom_checkpoint_", ".pkl").empty();
  const bool model = has(folder, at, "model.safetensors") || has(folder, at, "pytorch_model.bin");
  return (optimizer && (beside || model)) || (model && beside);
}

Document read_accelerate(const Folder& folder, const std::string& at) {
  Document document = read_union(folder, at);
  document.format = "accelerate folder";
  const auto missing = [&](const std::string& name, const std::string& why) {
    document.problems.push_back(
        {Problem::Kind::incomplete, join_path(at, name), "is missing: " + why});
  };
  for (const int rank : missing_numbers(row(folder, at, "random_states_", ".pkl"), 1))
    missing("random_states_" + std::to_string(rank) + ".pkl",
            "rank " + std::to_string(rank) + " draws other random numbers after the resume");
  for (const int number : missing_numbers(row(folder, at, "custom_checkpoint_", ".pkl")))
    missing("custom_checkpoint_" + std::to_string(number) + ".pkl",
            "an object that was registered for checkpointing");
  for (const auto& [first, before, after] :
       {std::tuple{"optimizer.bin", "optimizer_", ".bin"},
        std::tuple{"scheduler.bin", "scheduler_", ".bin"},
        std::tuple{"dl_state_dict.bin", "dl_state_dict_", ".bin"}}) {
    std::set<int> numbers = row(folder, at, before, after);
    if (numbers.empty()) continue;
    if (has(folder, at, first)) numbers.insert(0);
    for (const int number : missing_numbers(numbers))
      missing(number == 0 ? first : before + std::to_string(number) + after,
              "later ones of its kind are there");
  }
  return document;
}

}  // namespace samestep
