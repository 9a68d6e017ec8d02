#include "capture/torch/bundle.h"

#include <algorithm>
#include <iostream>
#include <map>

#include "capture/torch/torch_contract.h"
#include "checkpoint/containers/mapped_file.h"
#include "checkpoint/formats/bundle.h"
#include "schemas/error.h"

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

BundleHead head_of(const Probes& probes, ProcessRank process) {
  BundleHead head;
  head.boundary.rank = process.rank;
  head.world_size = process.world_size;
  head.contract = library_contract(process.world_size, probes.optimizers());
  return head;
}

std::string text_of(ProcessRank process) {
  return "rank " + std::to_string(process.rank) + " of " + std::to_string(process.world_size);
}

/// Clauses that both have and that differ: "torch.num_threads was 4 and is 1".
std::vector<std::string> changes_between(const Contract& saved, const Contract& now,
                                         const std::string& suffix, bool with_suffix) {
  std::map<std::string, std::string> before;
  for (const Clause& clause : saved.clauses) before[clause.name] = clause.value;
  std::vector<std::string> changes;
  for (const auto& [name, value] : now.clauses) {
    const auto found = before.find(name);
    if (found == before.end() || found->second == value || name.ends_with(suffix) != with_suffix)
      continue;
    changes.push_back(name);
    changes.back().append(" was ").append(found->second).append(" and is ").append(value);
  }
  return changes;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

constexpr const char* kClass = ".class";

/// Its own rank, and optimizers of the same classes.
void refuse_another(const Bundle& bundle, BundleHead now, const std::string& path,
                    const BundleOptions& options) {
  const ProcessRank there{bundle.head.boundary.rank, bundle.head.world_size},
      here{now.boundary.rank, now.world_size};
  if (there.rank != here.rank || there.world_size != here.world_size)
    throw Error(ErrorCode::usage,
                "is of " + text_of(there) + ", and this process is " + text_of(here), path,
                "give each rank the bundle that it saved, and resume with as many ranks");
  // What lies in archives of the trainer's own is not this bundle's to judge.
  std::erase_if(now.contract.clauses, [&](const Clause& clause) {
    return std::ranges::any_of(options.leave_out, [&](const std::string& left_out) {
      return clause.name == left_out + kClass;
    });
  });
  const auto classes = changes_between(bundle.head.contract, now.contract, kClass, true);
  if (!classes.empty())
    throw Error(ErrorCode::usage, joined(classes), path,
                "nothing was changed; build the trainer as it was when this was saved");
}

void judge_contract(const Bundle& bundle, const BundleHead& now, const std::string& path,
                    OnOtherContract choice) {
  const auto changes = changes_between(bundle.head.contract, now.contract, kClass, false);
  if (changes.empty() || choice == OnOtherContract::ignore) return;
  const std::string what = joined(changes) + ": steps after the restore may differ in single bits";
  if (choice == OnOtherContract::refuse)
    throw Error(ErrorCode::unsupported, what, path,
                "nothing was changed; set what differs as it was, or let restore() warn");
  std::cerr << "samestep: " << path << ": " << what << std::endl;
}

void save_as(const std::string& path, const Probes& probes, ProcessRank process,
             const BundleOptions& options) {
  write_bundle(path, head_of(probes, process), probes.set().read(scope_of(options)));
}

void restore_as(const std::string& path, Probes& probes, ProcessRank process,
                const BundleOptions& options) {
  const Bundle bundle = read_bundle(map_file(path, path));
  // A bundle without a contract says nothing of its process.
  if (!bundle.head.contract.clauses.empty()) {
    const BundleHead now = head_of(probes, process);
    refuse_another(bundle, now, path, options);
    judge_contract(bundle, now, path, options.on_other_contract);
  }
  probes.set().restore(bundle.tree, path, scope_of(options));
}

}  // namespace

void save(const std::string& path, const Probes& probes, const BundleOptions& options) {
  save_as(path, probes, process_rank(), options);
}

void save(const std::string& path, const Session& session, const BundleOptions& options) {
  save_as(path, session.probes(), session.rank(), options);
}

void restore(const std::string& path, Probes& probes, const BundleOptions& options) {
  restore_as(path, probes, process_rank(), options);
}

void restore(const std::string& path, Session& session, const BundleOptions& options) {
  session.before_optimizer_step();  // a capture may still be reading what is changed here
  restore_as(path, session.probes(), session.rank(), options);
  session.restored(path);
}

}  // namespace samestep::libtorch
