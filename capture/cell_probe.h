// CellProbe: the probe of one object whose fields lie in a cell.
#pragma once

#include <memory>

#include "capture/cell.h"
#include "capture/probe.h"

namespace samestep {

/// Owns every path that begins with the parts of `place`.
class CellProbe final : public Probe {
 public:
  CellProbe(FieldPlace place, std::unique_ptr<Cell> cell);

  bool owns(const FieldPath& path) const override;
  std::vector<StateEntry> read() const override;
  std::optional<std::string> refusal(const StateEntry& entry) const override;
  bool can_erase(const FieldPath& path) const override;
  void apply(const Change& change) override;

 private:
  std::vector<std::string> rest_of(const FieldPath& path) const;

  FieldPlace place_;
  std::unique_ptr<Cell> cell_;
};

/// True when `parts` begin with `prefix`.
bool begins_with(const std::vector<std::string>& parts, const std::vector<std::string>& prefix);

/// The place of something that a trainer watches under `name`: "cursor" is loop/cursor; a name that
/// begins with a component ("grad_scaler/scale", "dataloader/epoch") keeps it.
FieldPlace watched_place(const std::string& name);

}  // namespace samestep
