// PickleLeaves: the tree of leaves that a pickle describes.
#pragma once

#include <string>
#include <vector>

#include "checkpoint/containers/file_slice.h"
#include "checkpoint/formats/document.h"
#include "checkpoint/formats/storage_source.h"
#include "checkpoint/pickle/machine.h"

namespace samestep {

inline constexpr std::size_t kLeafDepthMax = 1000;

/// Appends the leaves of `pickle`, in the order of the pickle, to `document`; their keys begin with
/// `prefix`, their file is `file.file`. `file` is what the pickle's graph views. `storages` may be
/// null (a pickle that stands alone). A value that is reached twice gives its leaves twice; one
/// that holds itself gives an opaque leaf "back reference". Bytes that are pickles themselves are
/// followed by their own leaves, under the same keys. Iterative. Throws Error{corrupt} for a tensor
/// that is not what torch writes, Error{limit} past kLeafDepthMax or when shared references
/// describe far more values than the pickle holds.
void append_pickle_leaves(const pickle::Pickle& pickle, const FileSlice& file,
                          StorageSource* storages, const std::vector<SourceKey>& prefix,
                          Document& document);

/// A document over one bare pickle, whose bytes are the whole of `file`. Throws as run_pickle and
/// append_pickle_leaves do.
Document read_bare_pickle(const FileSlice& file);

}  // namespace samestep
