// document_union: several files' documents as one.
#pragma once

#include "checkpoint/formats/document.h"

namespace samestep {

/// Appends what `part` holds to `whole`, whose format is kept. Storage numbers of `part` are moved
/// past those of `whole`, so that leaves of different files never seem to share memory.
void append_document(Document& whole, Document part);

}  // namespace samestep
