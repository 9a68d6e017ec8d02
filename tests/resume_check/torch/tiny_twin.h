// TinyTwin: the tiny trainer as a twin drives it, and what a test lets go wrong in it.
#pragma once

#include <ATen/ops/randint.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "capture/torch/bundle.h"
#include "resume_check/torch/twin.h"
#include "tests/capture/torch/tiny_trainer.h"

namespace samestep::libtorch {

struct TinyTwin;

/// Called where they are named, when they are set.
struct TinyFault {
  std::function<void(TinyTwin&)> when_built, before_step, before_save, after_restore;
  BundleOptions saved;           ///< of save() and restore()
  bool without_restore = false;  ///< restore() does nothing
  std::uint64_t seeds_from = 0;
};

struct TinyTwin {
  /// Each process of the legs has another seed.
  TinyTwin(const TinyFault& given, const OptimizerKind& kind)
      : fault(given),
        trainer(kind, given.seeds_from +
                          static_cast<std::uint64_t>(at::randint(1000, {1}).item<std::int64_t>())) {
    trainer.watch_all(own_session.probes());
    trainer.told = &own_session;
    call(fault.when_built);
  }

  void step() {
    call(fault.before_step);
    trainer.step();
  }
  void save(const std::string& path) {
    call(fault.before_save);
    std::filesystem::create_directories(path);
    libtorch::save(path + "/state.samestep", own_session, fault.saved);
  }
  void restore(const std::string& path) {
    if (!fault.without_restore)
      libtorch::restore(path + "/state.samestep", own_session, fault.saved);
    resumed = true;
    call(fault.after_restore);
  }
  Session& session() { return own_session; }

  void call(const std::function<void(TinyTwin&)>& it) {
    if (it) it(*this);
  }

  TinyFault fault;
  TinyTrainer trainer;
  bool resumed = false;
  Session own_session;
};

inline auto tiny(TinyFault fault = {}, OptimizerKind kind = adamw_kind()) {
  return [fault = std::move(fault), kind = std::move(kind)] {
    return std::make_unique<TinyTwin>(fault, kind);
  };
}

/// Findings of any grade, as "path fate".
inline std::vector<std::string> findings_in(const Twin& twin, bool also_warnings = true) {
  std::vector<std::string> found;
  for (const Finding& finding : twin.report.findings)
    if (also_warnings || finding.grade == Grade::confirmed)
      found.push_back(finding.field + " " +
                      std::string(finding.fate ? to_string(*finding.fate) : "-"));
  return found;
}
inline std::vector<std::string> confirmed_in(const Twin& twin) { return findings_in(twin, false); }

/// Partings, as "step phase name".
inline std::vector<std::string> partings_in(const Twin& twin) {
  std::vector<std::string> found;
  for (const Parting& parting : twin.partings)
    found.push_back(std::to_string(parting.where.step) + " " + parting.where.phase + " " +
                    parting.name);
  return found;
}

}  // namespace samestep::libtorch
