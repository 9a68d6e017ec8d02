#include "checkpoint/formats/file_reader.h"

#include "checkpoint/formats/file_format.h"
#include "checkpoint/formats/json_state.h"
#include "checkpoint/formats/pickle_leaves.h"
#include "checkpoint/formats/safetensors.h"
#include "checkpoint/formats/torch_zip.h"
#include "schemas/error.h"

namespace samestep {

Document read_file(const FileSlice& file) {
  const FileFormat format = file_format(file.bytes);
  switch (format) {
    case FileFormat::zip:
      return read_torch_zip(file);
    case FileFormat::pickle:
      return read_bare_pickle(file);
    case FileFormat::safetensors:
      return read_safetensors(file).document;
    case FileFormat::json:
      return read_json_state(file);
    default:
      throw Error(ErrorCode::unsupported, std::string("is ") + describe(format), file.file,
                  "name a checkpoint that samestep reads");
  }
}

}  // namespace samestep
