// Sample: a checkpoint under tests/samples and what its sample.json says that it holds.
#pragma once

#include <string>
#include <vector>

#include "checkpoint/containers/file_slice.h"
#include "checkpoint/formats/document.h"
#include "schemas/json/node.h"

namespace samestep::test {

/// "handed/torch-dtypes": its folder.
std::string sample_folder(const std::string& name);
JsonNode sample_json(const std::string& name);
FileSlice sample_file(const std::string& name, const std::string& file);

/// What `document` (of `file`) has otherwise than sample.json says; empty when all is right. As
/// check_samples.py compares: keys, dtype, shape, SHA-256 of the bytes, values.
std::vector<std::string> wrong_leaves(const JsonNode& sample, const std::string& file,
                                      const Document& document);

}  // namespace samestep::test
