#include "checkpoint/formats/file_reader.h"

#include "checkpoint/formats/bundle.h"
#include "checkpoint/formats/file_format.h"
#include "checkpoint/formats/json_state.h"
#include "checkpoint/formats/python_file.h"
#include "checkpoint/formats/safetensors.h"
#include "schemas/error.h"

namespace samestep {

Document read_file(const FileSlice& file) {
  switch (file_format(file.bytes)) {
    case FileFormat::empty:
      throw Error(ErrorCode::corrupt, "is empty", file.file,
                  "the save was interrupted: restore it or save again");
    case FileFormat::safetensors:
      return read_safetensors(file).document;
    case FileFormat::json:
      return read_json_state(file);
    case FileFormat::bundle:
      return read_bundle_document(file);
    case FileFormat::tar:
      throw Error(ErrorCode::unsupported, "is a tar archive of torch.save before 0.4", file.file,
                  "load and save it again with a current torch");
    case FileFormat::python:
    case FileFormat::unknown:
      break;
  }
  return read_python_file(file);
}

}  // namespace samestep
