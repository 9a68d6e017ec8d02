#include "checkpoint/formats/document_union.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace samestep {
namespace {

template <typename T>
void move_all(std::vector<T>& target, std::vector<T>& source) {
  target.insert(target.end(), std::make_move_iterator(source.begin()),
                std::make_move_iterator(source.end()));
}

}  // namespace

void append_document(Document& whole, Document part) {
  std::int64_t used = -1;
  for (const Leaf& leaf : whole.leaves) used = std::max(used, leaf.layout.storage);
  for (Leaf& leaf : part.leaves)
    if (leaf.layout.storage >= 0) leaf.layout.storage += used + 1;
  move_all(whole.leaves, part.leaves);
  move_all(whole.notes, part.notes);
  move_all(whole.problems, part.problems);
  move_all(whole.extents, part.extents);
}

}  // namespace samestep
