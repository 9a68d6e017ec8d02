#include "schemas/field.h"

#include "schemas/error.h"
#include "schemas/names.h"

namespace samestep {
namespace {

constexpr Names<FieldKind, 3> kKinds{{"tensor", "value", "opaque"}};

}  // namespace

std::string_view to_string(FieldKind kind) noexcept { return kKinds.of(kind); }

FieldKind field_kind_from(std::string_view name) {
  if (const auto kind = kKinds.find(name)) return *kind;
  throw Error(ErrorCode::corrupt, "no kind of field has this name", std::string(name));
}

}  // namespace samestep
