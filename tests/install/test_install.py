"""An installed samestep is enough for another project: find_package, compile, link, run."""

import importlib.util
import os
import shutil
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


def test_a_trainer_on_libtorch_builds_against_the_torch_component(prefix, tmp_path):
    if not (BUILD / "capture/torch/libsamestep_torch.a").exists():
        pytest.skip("built without libtorch (SAMESTEP_TORCH)")
    run("cmake", "--install", BUILD, "--component", "torch", "--prefix", prefix)
    source = Path(__file__).with_name("torch_consumer")
    found = importlib.util.find_spec("torch").submodule_search_locations[0]
    options = [f"-DCMAKE_PREFIX_PATH={prefix}", f"-DSAMESTEP_LIBTORCH={found}"]
    run("cmake", "-G", "Ninja", "-S", source, "-B", tmp_path, *options)
    run("cmake", "--build", tmp_path)
    assert run(tmp_path / "consumer", tmp_path / "state.samestep") == "restored 7\n"


def test_the_example_builds_against_the_torch_component_and_passes_its_test(prefix, tmp_path):
    if not (BUILD / "resume_check/torch/libsamestep_resume_check_torch.a").exists():
        pytest.skip("built without libtorch (SAMESTEP_TORCH)")
    run("cmake", "--install", BUILD, "--component", "torch", "--prefix", prefix)
    found = importlib.util.find_spec("torch").submodule_search_locations[0]
    options = [f"-DCMAKE_PREFIX_PATH={prefix}", f"-DSAMESTEP_LIBTORCH={found}"]
    options += ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
    run("cmake", "-G", "Ninja", "-S", ROOT / "examples/byte_text", "-B", tmp_path, *options)
    run("cmake", "--build", tmp_path)
    run("ctest", "--test-dir", tmp_path, "--no-tests=error")


def test_pkg_config_names_what_is_installed(prefix):
    folder = next(prefix.rglob("samestep.pc")).parent
    environment = {**os.environ, "PKG_CONFIG_PATH": str(folder)}
    command = ["pkg-config", "--libs", "--cflags", f"--define-variable=prefix={prefix}", "samestep"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    libraries = [word[2:] for word in done.stdout.split() if word.startswith("-lsamestep")]
    assert len(libraries) == 4
    assert all(list(prefix.rglob(f"lib{name}.a")) for name in libraries)
