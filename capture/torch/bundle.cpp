#include "capture/torch/bundle.h"

#include <algorithm>

#include "checkpoint/containers/mapped_file.h"
#include "checkpoint/formats/bundle.h"

namespace samestep::libtorch {
namespace {

bool lies_below(const std::string& path, const std::string& prefix) {
  return path == prefix || (path.starts_with(prefix) && path[prefix.size()] == '/');
}

ProbeSet::Scope scope_of(const BundleOptions& options) {
  return [options](const FieldPath& path) {
    if (!options.with_gradients && path.component_kind() == "gradients") return false;
    return std::ranges::none_of(options.leave_out, [&](const std::string& left_out) {
      return lies_below(path.text(), left_out);
    });
  };
}

}  // namespace

void save(const std::string& path, const Probes& probes, const BundleOptions& options) {
  write_bundle(path, {}, probes.set().read(scope_of(options)));
}

void save(const std::string& path, const Session& session, const BundleOptions& options) {
  save(path, session.probes(), options);
}

void restore(const std::string& path, Probes& probes, const BundleOptions& options) {
  const Bundle bundle = read_bundle(map_file(path, path));
  probes.set().restore(bundle.tree, path, scope_of(options));
}

void restore(const std::string& path, Session& session, const BundleOptions& options) {
  restore(path, session.probes(), options);
  session.restored(path);
}

}  // namespace samestep::libtorch
