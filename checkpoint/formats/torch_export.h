// TorchExport: the weights of a torch.export archive (.pt2). No training checkpoint, yet it holds
// parameters.
#pragma once

#include "checkpoint/containers/zip.h"
#include "checkpoint/formats/document.h"

namespace samestep {

bool is_torch_export(const ZipArchive& archive);
/// One leaf a weight or constant, keys = {its name}. Throws Error{corrupt} with file and record.
Document read_torch_export(const ZipArchive& archive);

}  // namespace samestep
