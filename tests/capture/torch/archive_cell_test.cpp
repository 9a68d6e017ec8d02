#include "capture/torch/archive_cell.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/serialize/archive.h>

namespace samestep::libtorch {
namespace {

using ::testing::ElementsAre;

/// What a trainer's own class may write: numbers, a tensor, a list, an archive inside.
struct Keeper {
  std::int64_t count = 3;
  double mean = 0.5;
  at::Tensor table = at::arange(4, at::kFloat);
  std::vector<std::int64_t> order{4, 1};

  void save(::torch::serialize::OutputArchive& archive) const {
    archive.write("count", c10::IValue(count));
    archive.write("mean", c10::IValue(mean));
    archive.write("table", table);
    ::torch::serialize::OutputArchive inner;
    inner.write("order", c10::IValue(order));
    archive.write("inner", inner);
  }
  void load(::torch::serialize::InputArchive& archive) {
    c10::IValue value;
    archive.read("count", value);
    count = value.toInt();
    archive.read("mean", value);
    mean = value.toDouble();
    archive.read("table", table);
    ::torch::serialize::InputArchive inner;
    archive.read("inner", inner);
    inner.read("order", value);
    order = value.toIntVector();
  }
};

std::vector<StateEntry> fields_of(Keeper& keeper) {
  std::vector<StateEntry> fields;
  saved_cell_of(keeper)->read({{"loop", "keeper"}, Role::other, {}}, fields);
  return fields;
}

TEST(ArchiveCells, HaveAFieldForEachEntry) {
  Keeper keeper;
  std::vector<std::string> paths;
  for (const StateEntry& entry : fields_of(keeper)) paths.push_back(entry.field.path.text());
  EXPECT_THAT(paths, ElementsAre("loop/keeper/count", "loop/keeper/mean", "loop/keeper/table",
                                 "loop/keeper/inner/order/0", "loop/keeper/inner/order/1"));
}

TEST(ArchiveCells, LoadWhatIsWrittenIntoThem) {
  Keeper source, target;
  source.count = 9;
  source.table = at::arange(4, at::kFloat) * 2;
  source.order = {7, 8};
  target.mean = 0.25;
  const auto cell = saved_cell_of(target);
  for (const StateEntry& entry : fields_of(source)) {
    const auto parts = entry.field.path.parts();
    const Cell::Rest rest = Cell::Rest(parts).subspan(2);
    EXPECT_EQ(cell->refusal(rest, entry), std::nullopt) << entry.field.path.text();
    cell->write(rest, entry);
  }
  EXPECT_EQ(target.count, 9);
  EXPECT_EQ(target.mean, 0.5);
  EXPECT_TRUE(at::equal(target.table, source.table));
  EXPECT_EQ(target.order, source.order);
}

TEST(ArchiveCells, RefuseAnotherKindAndWhatIsNotThere) {
  Keeper keeper;
  const auto cell = saved_cell_of(keeper);
  const auto refusal = [&](std::vector<std::string> rest, Value value) {
    return cell->refusal(rest, value_entry({{"x"}, Role::other, {}}, std::move(value)));
  };
  EXPECT_EQ(refusal({"count"}, std::int64_t{1}), std::nullopt);
  EXPECT_EQ(refusal({"count"}, 1.0), "is of another kind there");
  EXPECT_EQ(refusal({"table"}, 1.0), "is no tensor there");
  EXPECT_EQ(refusal({"inner", "order", "2"}, std::int64_t{1}),
            "is no element of the list that is here");
  EXPECT_EQ(refusal({"other"}, 1.0), "there is no such field here");
  EXPECT_FALSE(cell->can_erase({}));
}

}  // namespace
}  // namespace samestep::libtorch
