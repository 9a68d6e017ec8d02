// save and restore: a C++ trainer's state in one file, so that it resumes bit for bit.
#pragma once

#include <string>
#include <vector>

#include "capture/torch/session.h"

namespace samestep::libtorch {

/// What restore() does where versions, threads or flags of libtorch are not those of the save: the
/// state is the same, and the steps after it may not be.
enum class OnOtherContract : unsigned char {
  warn,    ///< one line on standard error that names each
  refuse,  ///< Error{unsupported}, and nothing is changed
  ignore,
};

struct BundleOptions {
  /// Components ("model", "optimizer.1") and fields that the trainer keeps in archives of its own.
  /// The same for save() and restore(). Empty: the bundle holds everything that is watched.
  std::vector<std::string> leave_out;
  /// Gradients are state only inside an accumulation window: when a checkpoint is taken there.
  bool with_gradients = false;
  OnOtherContract on_other_contract = OnOtherContract::warn;
};

/// Writes what is watched to `path` (checkpoint/formats/bundle.h): whole or not at all. Each rank
/// its own file. Draws no random number. Throws Error{not_found, failed} for the file,
/// Error{unsupported} for what cannot be read.
void save(const std::string& path, const Probes& probes, const BundleOptions& options = {});
void save(const std::string& path, const Session& session, const BundleOptions& options = {});

/// Makes the live state that of the bundle. Everything is judged before anything is written: a
/// field that is missing on either side, or has another shape, dtype or sharing, is refused with
/// all others in one Error{corrupt}, as are bytes that are not what their digests say. Call it when
/// the trainer is built (schedules and samplers too) and before its first step; tells the session
/// that it was restored. Throws Error{not_found, unreadable} as well.
void restore(const std::string& path, Probes& probes, const BundleOptions& options = {});
void restore(const std::string& path, Session& session, const BundleOptions& options = {});

}  // namespace samestep::libtorch
