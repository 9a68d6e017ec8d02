"""Files of at most 400 lines, functions of at most 60; others stand in long.txt with a reason."""

import ast

import pytest
from tidy.source_tree import ROOT, functions, ours, text

FILE_LINES_MAX, FUNCTION_LINES_MAX = 400, 60


def reasons() -> dict[str, str]:
    """Path, or path:function, to the reason why it may be long."""
    lines = (ROOT / "tests/tidy/long.txt").read_text().splitlines()
    entries = [line.split("|", 1) for line in lines if line.strip() and not line.startswith("#")]
    return {name.strip(): reason.strip() for name, reason in entries}


def python_functions(source: str) -> list[tuple[int, int, str]]:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, kinds)]
    return [(n.lineno, n.end_lineno - n.lineno + 1, n.name) for n in nodes]


def long_ones() -> list[tuple[str, str]]:
    """What is too long: its name in long.txt, and what to say about it."""
    found = []
    for path in ours(".h", ".cpp", ".cu", ".cuh", ".py"):
        source = text(path)
        count = source.count("\n")
        if count > FILE_LINES_MAX:
            found.append((path, f"{path}: {count} lines"))
        listed = python_functions(source) if path.endswith(".py") else functions(source)
        for line, length, head in listed:
            if length > FUNCTION_LINES_MAX:
                found.append((path, f"{path}:{line}: a function of {length} lines: {head[:80]}"))
    return found


SNIPPET = """\
namespace samestep {
// a { brace in a comment
const char* kText = "a { brace in a string";
constexpr int kTable[] = {
    1,
    2,
};
struct Point {
  int x() const {
    return x_;
  }
  int x_{0};
};
Reader::Reader(int a) : a_{a}, b_(2) {
  if (a) {
    go();
  }
}
}  // namespace samestep
"""


def test_the_scanner_finds_bodies():
    assert [(line, length) for line, length, _ in functions(SNIPPET)] == [(9, 3), (14, 1), (14, 5)]


@pytest.mark.parametrize("brace", ["{", "}"])
def test_the_scanner_is_not_fooled_by_characters(brace):
    source = f"int f() {{\n  char c = '{brace}';\n  int n = 1'000;\n  return c;\n}}\n"
    assert [(line, length) for line, length, _ in functions(source)] == [(1, 5)]


def test_no_file_or_function_is_too_long():
    excused = reasons()
    wrong = [message for name, message in long_ones() if name not in excused]
    assert not wrong, "\n".join(wrong)


def test_each_excuse_has_a_reason_and_is_needed():
    needed = {name for name, _ in long_ones()}
    wrong = [name for name, reason in reasons().items() if name not in needed or len(reason) < 20]
    assert not wrong, "\n".join(wrong)
