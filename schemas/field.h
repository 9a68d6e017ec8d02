// Field: a named leaf of durable state, as it is described in captures, inspections and reports.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/digest.h"
#include "schemas/dtype.h"
#include "schemas/field_path.h"
#include "schemas/role.h"
#include "schemas/value.h"

namespace samestep {

enum class FieldKind : std::uint8_t { tensor = 0, value = 1, opaque = 2 };

/// One step on the way from the root of a foreign document to a leaf. `kind` decides how `text` was
/// written there: a string key, an integer key or list index, an attribute of an object ({"attr":
/// ..}), another key ({"repr": ..}).
struct SourceKey {
  enum class Kind : std::uint8_t { string, integer, attribute, repr } kind = Kind::string;
  std::string text;
  bool operator==(const SourceKey&) const = default;
};

/// Where in a checkpoint a field lies.
struct Source {
  std::string file;             ///< relative to the checkpoint; empty for a live field
  std::vector<SourceKey> keys;  ///< as in the file
};

/// How the elements lie in memory: recorded, compared apart, never part of the digest.
struct Layout {
  std::vector<std::int64_t> strides;  ///< in elements; empty when contiguous or not a tensor
  std::int64_t storage = -1;          ///< equal numbers share storage; -1: not known
  std::int64_t storage_offset = 0;    ///< in elements
  std::string device;                 ///< "cpu", "cuda:0", ...; empty: not known
  std::optional<bool> requires_grad;
};

struct Field {
  FieldPath path;
  Role role = Role::other;
  FieldKind kind = FieldKind::value;
  Dtype dtype = Dtype::none;        ///< of a tensor
  std::vector<std::int64_t> shape;  ///< of a tensor
  std::optional<Digest> digest;     ///< of the canonical bytes; absent until somebody computed it
  std::uint64_t bytes = 0;          ///< canonical bytes
  std::optional<Value> value;  ///< a value field; also a tensor of one element, decoded, when known
  std::string class_name;      ///< of an opaque object, "module.Name"
  Layout layout;
  Source source;
  /// Facts of the live side, as text: "declared" ("state_dict", "buffer", "attribute", "frame"),
  /// "place" (index form of the path, e.g. "optimizer/state/3/exp_avg"), "owner" (class that holds
  /// it), ...
  std::map<std::string, std::string> traits;
};

std::string_view to_string(FieldKind kind) noexcept;
/// Throws Error{corrupt} for a name that is no kind.
FieldKind field_kind_from(std::string_view name);

}  // namespace samestep
