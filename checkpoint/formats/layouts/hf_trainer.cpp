#include "checkpoint/formats/layouts/hf_trainer.h"

#include <algorithm>
#include <set>

#include "checkpoint/formats/document_union.h"
#include "checkpoint/formats/folder_reader.h"
#include "checkpoint/formats/json_state.h"
#include "checkpoint/formats/layouts/ranks.h"
#include "schemas/error.h"

namespace samestep {
namespace {

constexpr const char* kState = "trainer_state.json";

class Examiner {
 public:
  Examiner(const Folder& folder, const std::string& at, Document& document)
      : at_(at), document_(document) {
    for (const std::string& path : files_in(folder, at))
      names_.insert(std::string(file_name(path)));
    for (const std::string& name : folders_in(folder, at)) folders_.insert(name);
  }

  void examine() {
    const bool sharded = std::any_of(folders_.begin(), folders_.end(), [](const std::string& name) {
      return name.starts_with("global_step") || name.starts_with("optimizer_");
    });
    const bool optimizer =
        names_.contains("optimizer.pt") || names_.contains("optimizer.bin") || sharded;
    const bool scheduler = names_.contains("scheduler.pt");
    random_states();
    if (!optimizer && !scheduler && !random_) {
      document_.notes.emplace_back(
          "model only: no optimizer, scheduler or random state was saved (save_only_model)");
      return;
    }
    // DeepSpeed keeps the scheduler in its own folder.
    const bool deepspeed =
        std::any_of(folders_.begin(), folders_.end(),
                    [](const std::string& name) { return name.starts_with("global_step"); });
    if (!optimizer)
      missing("optimizer.pt",
              "Trainer then restores neither optimizer nor scheduler, without a word");
    if (!scheduler && !deepspeed)
      missing("scheduler.pt",
              "Trainer then restores neither scheduler nor optimizer, without a word");
    if (!random_)
      missing("rng_state.pth",
              "the resumed step draws other random numbers (dropout, augmentation)");
    if (!model()) missing("model.safetensors", "there are no weights");
  }

 private:
  void missing(const std::string& name, const std::string& why) {
    document_.problems.push_back(
        {Problem::Kind::incomplete, join_path(at_, name), "is missing: " + why});
  }

  void random_states() {
    std::set<int> ranks;
    for (const std::string& name : names_)
      if (const auto rank = number_in(name, "rng_state_", ".pth")) ranks.insert(*rank);
    random_ = !ranks.empty() || names_.contains("rng_state.pth");
    for (const int rank : missing_numbers(ranks))
      missing("rng_state_" + std::to_string(rank) + ".pth",
              "rank " + std::to_string(rank) + " draws other random numbers");
  }

  bool model() const {
    return std::any_of(names_.begin(), names_.end(),
                       [](const std::string& name) {
                         return name.ends_with(".safetensors") ||
                                name.ends_with(".safetensors.index.json") ||
                                (name.ends_with(".bin") && (name.starts_with("pytorch_model") ||
                                                            name.starts_with("adapter_model")));
                       }) ||
           std::any_of(folders_.begin(), folders_.end(), [](const std::string& name) {
             return name.starts_with("pytorch_model_fsdp") || name.starts_with("global_step");
           });
  }

  const std::string& at_;
  Document& document_;
  std::set<std::string> names_, folders_;
  bool random_ = false;
};

}  // namespace

bool is_hf_trainer(const Folder& folder, const std::string& at) {
  return folder.has(join_path(at, kState));
}

Document read_hf_trainer(const Folder& folder, const std::string& at) {
  std::vector<std::string> skipped = {join_path(at, kState)};
  Document document = read_json_state(folder.open(skipped[0]));
  const std::string unused = join_path(at, "pytorch_model.bin");
  if (folder.has(unused) && folder.has(join_path(at, "model.safetensors"))) {
    skipped.push_back(unused);
    document.notes.push_back(unused +
                             ": Trainer loads model.safetensors, which lies beside it; not read");
  }
  for (const std::string& name : folders_in(folder, at)) {  // the run's output folder
    if (!is_hf_trainer(folder, join_path(at, name))) continue;
    skipped.push_back(join_path(at, name));
    document.notes.push_back(printable(skipped.back()) + ": a checkpoint of its own, not read");
  }
  append_document(document, read_union(folder, at, skipped));
  document.format = "HF Trainer folder";
  Examiner(folder, at, document).examine();
  return document;
}

}  // namespace samestep
