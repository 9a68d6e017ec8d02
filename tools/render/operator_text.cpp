#include "tools/render/operator_text.h"

#include "schemas/count_text.h"
#include "schemas/error.h"
#include "tools/render/finding_text.h"

namespace samestep {
namespace {

std::string what_differs(const OperatorReport& op) {
  if (op.differs == "outputs") return "its inputs are equal, its outputs are not";
  return op.differs == "inputs" ? "its inputs already differ" : "only one of the legs ran it";
}

std::string place(const OperatorReport& op) {
  std::string text =
      op.phase == "between" ? "outside of forward, backward and optimizer" : printable(op.phase);
  if (!op.module.empty()) text += ", module " + printable(op.module);
  if (!op.inside.empty()) text += ", called by " + printable(op.inside);
  return text;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> operator_rows(const OperatorReport& op) {
  std::vector<std::pair<std::string, std::string>> rows;
  rows.emplace_back("operator", printable(op.where.text() + ": " + op.name));
  rows.emplace_back("", what_differs(op));
  rows.emplace_back("in", place(op));
  if (!op.argument.empty()) {
    rows.emplace_back("differs", printable(op.argument));
    rows.emplace_back("uninterrupted", side_text(op.uninterrupted));
    rows.emplace_back("resumed", side_text(op.resumed));
  }
  rows.emplace_back("before it", count_text(op.same_before, "operator") + " the same");
  for (const std::string& sentence : op.evidence)
    rows.emplace_back("evidence", printable(sentence, 1000));
  return rows;
}

}  // namespace samestep
