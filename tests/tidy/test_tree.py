"""Tests mirror the tree; no machine is named in it; each layer says what it holds."""

import re
from pathlib import Path

import pytest
from tidy.source_tree import LAYERS, ROOT, ours, text, tracked

# Homes of people and machines. A system path such as /dev/null or /proc/self is no such thing.
MACHINE_PATH = re.compile(r"(?<![\w.}>*-])/(?:home|root|work|Users|mnt|tmp)/[A-Za-z]")

# Sources that hold no logic of their own, each with the test that runs it.
RUN_BY = {"tools/main.cpp": "tests/cli", "python/module.cpp": "tests/python"}


def untested() -> list[str]:
    tests = {path for path in tracked() if path.startswith("tests/")}
    names = {Path(path).name for path in tests}
    wrong = []
    for path in ours(".cpp", ".cu"):
        layer = path.split("/", 1)[0]
        if layer not in LAYERS or path in RUN_BY:
            continue
        mirrored = f"tests/{path.removesuffix('.cpp').removesuffix('.cu')}_test.cpp"
        flat = f"{Path(path).stem}_test.cpp"
        python = f"test_{Path(path).stem}.py"
        same_layer = any(p.startswith(f"tests/{layer}/") and p.endswith(f"/{flat}") for p in tests)
        if mirrored not in tests and not same_layer and python not in names:
            wrong.append(path)
    return wrong


def test_every_source_has_its_test():
    wrong = untested()
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("path", RUN_BY)
def test_every_excuse_names_a_suite(path):
    assert (ROOT / RUN_BY[path]).is_dir()


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
