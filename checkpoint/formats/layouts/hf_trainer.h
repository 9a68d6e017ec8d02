// HF Trainer: `checkpoint-<step>/` of Hugging Face transformers 4 and 5.
#pragma once

#include <string>

#include "checkpoint/folder.h"
#include "checkpoint/formats/document.h"

namespace samestep {

/// True when `at` holds trainer_state.json.
bool is_hf_trainer(const Folder& folder, const std::string& at);

/// The union of its files, with what Trainer would miss on resume as problems: optimizer, scheduler
/// or random states that are absent although others of them are there (with none of them it is a
/// model-only checkpoint: a note). Where model.safetensors and pytorch_model.bin both lie there,
/// the first is read, as Trainer does.
Document read_hf_trainer(const Folder& folder, const std::string& at);

}  // namespace samestep
