#include "checkpoint/formats/layouts/folder_layout.h"

#include "checkpoint/formats/dcp.h"
#include "checkpoint/formats/layouts/accelerate.h"
#include "checkpoint/formats/layouts/deepspeed.h"
#include "checkpoint/formats/layouts/hf_trainer.h"
#include "checkpoint/formats/layouts/megatron.h"

namespace samestep {

const std::vector<FolderLayout>& layouts() {
  static const std::vector<FolderLayout> kLayouts = {
      {is_hf_trainer, read_hf_trainer}, {is_megatron, read_megatron},
      {is_deepspeed, read_deepspeed},   {is_dcp, read_dcp_folder},
      {is_accelerate, read_accelerate},
  };
  return kLayouts;
}

}  // namespace samestep
