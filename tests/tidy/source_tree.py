"""The tracked files, and C++ text without comments and strings: what all the tidy tests read."""

import re
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LAYERS = ("schemas", "checkpoint", "capture", "resume_check", "tools", "python")
# Copies of real trainers and of foreign files: they are judged, not written here.
FOREIGN = ("tests/samples/", "tests/cases/")


@cache
def tracked() -> tuple[str, ...]:
    """Paths of all files that git knows or that wait to be added, relative to the root."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listing = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return tuple(sorted(path for path in listing.splitlines() if (ROOT / path).is_file()))


def ours(*suffixes: str) -> list[str]:
    """Our own tracked files with one of these suffixes."""
    return [p for p in tracked() if p.endswith(suffixes) and not p.startswith(FOREIGN)]


def text(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8", errors="replace")


def includes(path: str) -> list[str]:
    return re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', text(path), re.MULTILINE)


TOKENS = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"([^()\\\s]{0,16})\(.*?\)\1"|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'|^[ \t]*#(?:\\\n|[^\n])*",
    re.DOTALL | re.MULTILINE,
)


def code_only(source: str) -> str:
    """C++ with comments, strings and preprocessor lines blanked; every line stays where it is."""
    return TOKENS.sub(lambda match: "\n" * match.group().count("\n"), source)


def functions(source: str) -> list[tuple[int, int, str]]:
    """Function bodies at namespace or class level: first line, number of lines, head."""
    found, stack, head_start = [], [], 0
    code = code_only(source)
    for match in re.finditer(r"[{};]", code):
        at, mark = match.start(), match.group()
        if mark == "{":
            head = code[head_start:at].strip()
            stack.append((kind_of(head, stack), at, head))
        elif mark == "}" and stack:
            kind, opened, head = stack.pop()
            if kind == "function":
                first = code.count("\n", 0, opened) + 1
                found.append((first, code.count("\n", opened, at) + 1, " ".join(head.split())))
        head_start = at + 1
    return found


def kind_of(head: str, stack: list[tuple[str, int, str]]) -> str:
    """What a brace opens: a scope (namespace, class), a function, or something else."""
    if any(kind != "scope" for kind, _, _ in stack):
        return "inner"
    if re.search(r"\b(namespace|class|struct|enum|union|extern)\b[^()]*$", head):
        return "scope"
    # An empty head follows a member initialiser in braces: the constructor's body.
    return "function" if not head or ")" in head and not head.endswith("=") else "variable"
