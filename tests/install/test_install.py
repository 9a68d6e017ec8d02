"""An installed samestep is enough for another project: find_package, compile, link, run."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("SAMESTEP_BUILD", ROOT / "build/release"))
SAMPLE = ROOT / "tests/samples/handed/plain-loop-full/ckpt.pt"


def run(*command: object) -> str:
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    folder = tmp_path_factory.mktemp("prefix")
    run("cmake", "--install", BUILD, "--component", "development", "--prefix", folder)
    return folder


def test_the_libraries_serve_another_project(prefix, tmp_path):
    source = Path(__file__).with_name("consumer")
    run("cmake", "-G", "Ninja", "-S", source, "-B", tmp_path, f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", tmp_path)
    assert run(tmp_path / "consumer", SAMPLE) == "same 0\n"


def test_no_installed_header_names_the_source_tree(prefix):
    headers = [*prefix.rglob("*.h"), *prefix.rglob("*.cmake")]
    assert len(headers) > 20
    assert [str(h) for h in headers if str(ROOT) in h.read_text()] == []
