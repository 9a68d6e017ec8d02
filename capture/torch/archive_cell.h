// ArchiveCell: fields of an object that libtorch's archives can save and load, without a file.
#pragma once

#include <functional>
#include <memory>

#include "capture/cell.h"

namespace torch::serialize {
class OutputArchive;
class InputArchive;
}  // namespace torch::serialize

namespace samestep::libtorch {

/// How an object writes itself into an archive and reads itself from one.
struct Archived {
  std::function<void(::torch::serialize::OutputArchive&)> save;
  std::function<void(::torch::serialize::InputArchive&)> load;
};

/// Each entry of the archive is a field, by its key; lists by index, archives inside it by their
/// keys. Writing makes the archive that the object would save, with the new values in it, and
/// loads that.
std::unique_ptr<Cell> archive_cell(Archived archived);

/// Of anything with the two overloads of serialize() (optimizer state and options).
template <typename T>
std::unique_ptr<Cell> archive_cell_of(T& thing) {
  return archive_cell(
      {[&thing](::torch::serialize::OutputArchive& archive) {
         std::as_const(thing).serialize(archive);
       },
       [&thing](::torch::serialize::InputArchive& archive) { thing.serialize(archive); }});
}
/// Of anything with save() and load() (samplers).
template <typename T>
std::unique_ptr<Cell> saved_cell_of(T& thing) {
  return archive_cell(
      {[&thing](::torch::serialize::OutputArchive& archive) { std::as_const(thing).save(archive); },
       [&thing](::torch::serialize::InputArchive& archive) { thing.load(archive); }});
}

}  // namespace samestep::libtorch
