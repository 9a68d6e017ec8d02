#include "capture/torch/archive_cell.h"

#include <torch/serialize/input-archive.h>
#include <torch/serialize/output-archive.h>

#include <set>
#include <utility>

#include "capture/torch/private_member.h"
#include "capture/torch/tensor_cell.h"

namespace samestep::libtorch {
namespace {

using ::torch::jit::Module;
using ::torch::serialize::InputArchive;
using ::torch::serialize::OutputArchive;

}  // namespace

struct OutputMembers {
  friend constexpr auto members_of(OutputMembers);
};
struct InputMembers {
  friend constexpr auto members_of(InputMembers);
};
// The archives' own contents: without them every look would be a file written and parsed.
template struct PrivateMembers<OutputMembers, &OutputArchive::module_>;
template struct PrivateMembers<InputMembers, &InputArchive::module_>;

namespace {

/// One entry of an archive, edited in place; `Element` copies go back into their list.
class IValueCell final : public Cell {
 public:
  explicit IValueCell(c10::IValue& value) : value_(value) {}

  void read(const FieldPlace& place, std::vector<StateEntry>& fields) const override {
    if (value_.isTensor()) {
      if (value_.toTensor().defined()) fields.push_back(tensor_entry(place, value_.toTensor()));
    } else if (const auto plain = plain_value()) {
      fields.push_back(value_entry(place, *plain));
    } else {
      const auto parts = elements();
      for (std::size_t i = 0; i < parts.size(); ++i) {
        c10::IValue part = parts[i];
        IValueCell(part).read(place.below(std::to_string(i)), fields);
      }
    }
  }

  std::optional<std::string> refusal(Rest rest, const StateEntry& entry) const override {
    if (!rest.empty()) {
      const auto parts = elements();
      const auto index = index_of(rest[0]);
      if (!index || *index >= parts.size()) return "is no element of the list that is here";
      c10::IValue part = parts[*index];
      return IValueCell(part).refusal(rest.subspan(1), entry);
    }
    if (value_.isTensor()) return any_tensor_refusal(entry);
    const auto plain = plain_value();
    if (!plain) return "is one field there and a list here";
    const bool same = entry.field.value && (entry.field.value->index() == plain->index() ||
                                            std::holds_alternative<None>(*plain) ||
                                            std::holds_alternative<None>(*entry.field.value));
    if (!same) return "is of another kind there";
    return std::nullopt;
  }

  void write(Rest rest, const StateEntry& entry) override {
    if (!rest.empty()) {
      auto parts = elements();
      IValueCell(parts[*index_of(rest[0])]).write(rest.subspan(1), entry);
      rebuild(std::move(parts));
    } else if (value_.isTensor()) {
      value_ = tensor_from(entry);
    } else {
      value_ = from_plain(*entry.field.value);
    }
  }

  bool can_erase(Rest) const override { return false; }
  void erase(Rest) override {}

 private:
  // Not written in place but loaded, a tensor may have another length: the object judges it.
  static std::optional<std::string> any_tensor_refusal(const StateEntry& entry) {
    if (entry.field.kind == FieldKind::tensor && entry.bytes) return std::nullopt;
    return "is no tensor there";
  }

  std::optional<Value> plain_value() const {
    if (value_.isNone()) return None{};
    if (value_.isBool()) return value_.toBool();
    if (value_.isInt()) return std::int64_t{value_.toInt()};
    if (value_.isDouble()) return value_.toDouble();
    if (value_.isString()) return value_.toStringRef();
    return std::nullopt;
  }

  static c10::IValue from_plain(const Value& value) {
    if (const auto* flag = std::get_if<bool>(&value)) return *flag;
    if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
    if (const auto* number = std::get_if<double>(&value)) return *number;
    if (const auto* text = std::get_if<std::string>(&value)) return *text;
    return {};
  }

  std::vector<c10::IValue> elements() const {
    if (value_.isTuple()) {
      const auto tuple = value_.toTuple();
      return tuple->elements().vec();
    }
    if (value_.isList()) return value_.toList().vec();
    return {};
  }

  void rebuild(std::vector<c10::IValue> parts) {
    if (value_.isTuple()) {
      value_ = c10::ivalue::Tuple::create(std::move(parts));
      return;
    }
    c10::List<c10::IValue> list = value_.toList().copy();
    for (std::size_t i = 0; i < parts.size(); ++i) list.set(i, parts[i]);
    value_ = list;
  }

  c10::IValue& value_;
};

class ArchiveCell final : public Cell {
 public:
  explicit ArchiveCell(Archived archived) : archived_(std::move(archived)) {}

  void read(const FieldPlace& place, std::vector<StateEntry>& fields) const override {
    read_module(saved(), place, fields);
  }

  std::optional<std::string> refusal(Rest rest, const StateEntry& entry) const override {
    Module module = saved();
    std::optional<std::string> why = "there is no such field here";
    with_entry(module, rest, [&](c10::IValue& value, Rest below) {
      why = IValueCell(value).refusal(below, entry);
      return false;
    });
    return why;
  }

  void write(Rest rest, const StateEntry& entry) override {
    Module module = saved();
    with_entry(module, rest, [&](c10::IValue& value, Rest below) {
      IValueCell(value).write(below, entry);
      return true;
    });
    const auto [held] = members_of(InputMembers{});
    InputArchive archive;
    archive.*held = module;
    archived_.load(archive);
  }

  bool can_erase(Rest) const override { return false; }
  void erase(Rest) override {}

 private:
  Module saved() const {
    OutputArchive archive;
    archived_.save(archive);
    const auto [held] = members_of(OutputMembers{});
    return archive.*held;
  }

  static void read_module(const Module& module, const FieldPlace& place,
                          std::vector<StateEntry>& fields) {
    for (const auto& attribute : module.named_attributes(/*recurse=*/false)) {
      c10::IValue value = attribute.value;
      if (value.isModule())
        read_module(value.toModule(), place.below(attribute.name), fields);
      else if (attribute.name != "training")
        IValueCell(value).read(place.below(attribute.name), fields);
    }
  }

  /// Passes the entry that `rest` leads to, and what of `rest` lies below it; sets it again when
  /// `use` says so.
  template <typename Use>
  static void with_entry(Module& module, Rest rest, const Use& use) {
    if (rest.empty() || !module.hasattr(rest[0])) return;
    c10::IValue value = module.attr(rest[0]);
    if (value.isModule()) {
      Module inner = value.toModule();
      return with_entry(inner, rest.subspan(1), use);
    }
    if (use(value, rest.subspan(1))) module.setattr(rest[0], value);
  }

  Archived archived_;
};

}  // namespace

std::unique_ptr<Cell> archive_cell(Archived archived) {
  return std::make_unique<ArchiveCell>(std::move(archived));
}

}  // namespace samestep::libtorch
