#include "checkpoint/formats/document_union.h"

#include <gmock/gmock.h>

namespace samestep {
namespace {

Document part(const std::string& file, std::vector<std::int64_t> storages) {
  Document document;
  for (const std::int64_t storage : storages) {
    Leaf leaf;
    leaf.source.file = file;
    leaf.layout.storage = storage;
    document.leaves.push_back(std::move(leaf));
  }
  document.notes = {"note of " + file};
  document.problems = {{Problem::Kind::damaged, file, "is damaged"}};
  document.extents = {{file, 0, 1, std::nullopt, file}};
  return document;
}

std::vector<std::int64_t> storages(const Document& document) {
  std::vector<std::int64_t> numbers;
  for (const Leaf& leaf : document.leaves) numbers.push_back(leaf.layout.storage);
  return numbers;
}

TEST(DocumentUnion, KeepsEverythingInOrder) {
  Document whole = part("a", {});
  whole.format = "folder";
  append_document(whole, part("b", {0}));
  EXPECT_EQ(whole.format, "folder");
  EXPECT_EQ(whole.leaves.size(), 1u);
  EXPECT_THAT(whole.notes, testing::ElementsAre("note of a", "note of b"));
  EXPECT_EQ(whole.problems.size(), 2u);
  EXPECT_EQ(whole.extents.size(), 2u);
}

TEST(DocumentUnion, StoragesOfDifferentFilesStayApart) {
  Document whole;
  append_document(whole, part("a", {0, 1, 0}));
  append_document(whole, part("b", {-1, 0, 0}));
  append_document(whole, part("c", {0}));
  EXPECT_THAT(storages(whole), testing::ElementsAre(0, 1, 0, -1, 2, 2, 3));
}

}  // namespace
}  // namespace samestep
