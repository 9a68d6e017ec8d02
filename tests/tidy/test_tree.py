"""Tests mirror the tree; no machine is named in it; each layer says what it holds."""

import re
from pathlib import Path

import pytest
from tidy.source_tree import LAYERS, ROOT, ours, text, tracked

# Homes of people and machines. A system path such as /dev/null or /proc/self is no such thing.
MACHINE_PATH = re.compile(r"(?<![\w.}>*-])/(?:home|root|work|Users|mnt|tmp)/[A-Za-z]")


def elsewhere() -> dict[str, str]:
    """Source without a test of its own name: the file or suite that tests it (tested_by.txt)."""
    lines = (ROOT / "tests/tidy/tested_by.txt").read_text().splitlines()
    pairs = [line.split("|") for line in lines if line.strip() and not line.startswith("#")]
    return {source.strip(): test.strip() for source, test in pairs}


def without_own_test() -> list[str]:
    """Sources of a layer that have no tests/<layer>/**/<name>_test.cpp."""
    tests = {path for path in tracked() if path.startswith("tests/")}
    wrong = []
    for path in ours(".cpp", ".cu"):
        layer, name = path.split("/", 1)[0], Path(path).stem
        if layer not in LAYERS:
            continue
        own = [
            p
            for p in tests
            if p.startswith(f"tests/{layer}/") and Path(p).name == f"{name}_test.cpp"
        ]
        if not own:
            wrong.append(path)
    return wrong


def test_every_source_has_its_test():
    excused = elsewhere()
    wrong = [path for path in without_own_test() if path not in excused]
    assert not wrong, "\n".join(wrong)


def test_every_entry_of_tested_by_is_needed_and_names_a_test():
    missing = set(without_own_test())
    wrong = [s for s, t in elsewhere().items() if s not in missing or not (ROOT / t).exists()]
    assert not wrong, "\n".join(wrong)


def test_no_machine_paths():
    wrong = []
    for path in ours(
        ".h", ".cpp", ".py", ".sh", ".md", ".txt", ".cmake", ".json", ".toml", "Makefile"
    ):
        if path.startswith("tests/"):
            continue
        for number, line in enumerate(text(path).splitlines(), 1):
            if MACHINE_PATH.search(line):
                wrong.append(f"{path}:{number}: {line.strip()[:100]}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("cd /home/ada/project", True),
        ('path = "/tmp/run"', True),
        ("open /dev/null and /proc/self", False),
        ("build/tmp/thing", False),
    ],
)
def test_the_path_rule(line, found):
    assert bool(MACHINE_PATH.search(line)) is found


@pytest.mark.parametrize("layer", [*LAYERS, "tests"])
def test_each_layer_says_what_it_holds(layer):
    assert (ROOT / layer / "README.md").is_file()


def test_each_test_program_is_built():
    """A *_test.cpp that no CMakeLists.txt names would never run."""
    wrong = []
    for path in ours("_test.cpp"):
        folder = Path(path).parent
        lists = [ROOT / parent / "CMakeLists.txt" for parent in (folder, *folder.parents)]
        named = any(file.is_file() and Path(path).name in file.read_text() for file in lists)
        if not named:
            wrong.append(path)
    assert not wrong, "\n".join(wrong)
