"""Folders are layers: an include points to the own layer or down. Each package has one home."""

import re

import pytest
from tidy.source_tree import LAYERS, includes, ours

BELOW = {
    "schemas": set(),
    "checkpoint": {"schemas"},
    "capture": {"schemas", "checkpoint"},
    "resume_check": {"schemas", "checkpoint"},
    "tools": {"schemas", "checkpoint", "resume_check"},
    "python": {"schemas", "checkpoint", "capture", "resume_check"},
}

# Where the recorder and the judge meet: the records, read back, checked, and removed.
MEETING = {
    "capture/run_reader.h",
    "capture/plan_file.h",
    "capture/prune.h",
    "capture/record_check.h",
}
# A twin has recorder and judge in one process.
TWIN = "resume_check/torch/"

# Include prefix: the only places, beside tests/, that may have it.
HOMES = {
    "nlohmann/": ("schemas/json/",),
    "xxhash": ("checkpoint/hasher",),
    "openssl/": ("checkpoint/hasher",),
    "zstd": ("checkpoint/compressor",),
    "zlib.h": ("checkpoint/containers/inflate",),
    "boost/": ("checkpoint/files",),
    "CLI/": ("tools/",),
    "pugixml": ("tools/",),
    "fmt/": ("tools/",),
    "nanobind/": ("python/",),
    "Python.h": (),
    "cuda": ("capture/cuda/",),
    "torch/": ("capture/torch/", "resume_check/torch/"),
    "ATen/": ("capture/torch/", "resume_check/torch/"),
    "c10/": ("capture/torch/", "resume_check/torch/"),
    "gtest/": (),
    # A matcher for the tests of users, in a header that nothing else includes.
    "gmock/": ("resume_check/torch/resumes_exactly.h",),
    "valijson/": (),
    "benchmark/": (),
}

SOURCES = ours(".h", ".cpp", ".cu", ".cuh")


def layer_of(path: str) -> str:
    return path.split("/", 1)[0]


def wrong_direction(path: str, include: str) -> bool:
    """An include of another layer that is not below that of `path`."""
    layer, other = layer_of(path), layer_of(include)
    if other not in LAYERS or other == layer or layer not in BELOW:
        return False
    if path.startswith(TWIN) and include.startswith("capture/torch/"):
        return False
    return other not in BELOW[layer] and include not in MEETING


def away_from_home(path: str, include: str) -> bool:
    homes = [where for prefix, where in HOMES.items() if include.startswith(prefix)]
    # Tests and examples are trainers as much as anything.
    return bool(homes) and not path.startswith((*homes[0], "tests/", "examples/"))


def test_there_are_sources():
    assert len(SOURCES) > 20


@pytest.mark.parametrize(
    ("path", "include", "wrong"),
    [
        ("schemas/a.h", "checkpoint/b.h", True),
        ("checkpoint/a.h", "schemas/b.h", False),
        ("capture/a.h", "resume_check/b.h", True),
        ("resume_check/a.h", "capture/session.h", True),
        ("resume_check/a.h", "capture/run_reader.h", False),
        ("tools/a.cpp", "python/b.h", True),
        ("resume_check/a.h", "capture/torch/session.h", True),
        ("resume_check/torch/a.h", "capture/torch/session.h", False),
        ("capture/torch/a.h", "resume_check/torch/b.h", True),
    ],
)
def test_the_direction_rule(path, include, wrong):
    assert wrong_direction(path, include) is wrong


@pytest.mark.parametrize(
    ("path", "include", "wrong"),
    [
        ("schemas/field.h", "nlohmann/json.hpp", True),
        ("schemas/json/field.cpp", "nlohmann/json.hpp", False),
        ("checkpoint/store.cpp", "zstd.h", True),
        ("tests/schemas/x_test.cpp", "nlohmann/json.hpp", False),
    ],
)
def test_the_home_rule(path, include, wrong):
    assert away_from_home(path, include) is wrong


def test_includes_point_down():
    wrong = [f"{p}: {i}" for p in SOURCES for i in includes(p) if wrong_direction(p, i)]
    assert not wrong, "\n".join(wrong)


def test_packages_stay_at_home():
    wrong = [f"{p}: {i}" for p in SOURCES for i in includes(p) if away_from_home(p, i)]
    assert not wrong, "\n".join(wrong)


def test_no_header_includes_all_of_torch():
    wrong = [p for p in SOURCES if p.endswith((".h", ".cuh")) and "torch/torch.h" in includes(p)]
    assert not wrong, "\n".join(wrong)


def test_json_stays_out_of_headers():
    wrong = [
        f"{p}: {i}"
        for p in SOURCES
        for i in includes(p)
        if p.endswith(".h") and re.match(r"nlohmann/(?!json_fwd)", i) and "/json/" not in p
    ]
    assert not wrong, "\n".join(wrong)
