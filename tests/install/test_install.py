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


def libtorch() -> str:
    return importlib.util.find_spec("torch").submodule_search_locations[0]


def with_component(prefix, component, library):
    """The installed folder, with that component as well."""
    if not (BUILD / library).exists():
        pytest.skip(f"built without {component}: there is no {library}")
    run("cmake", "--install", BUILD, "--component", component, "--prefix", prefix)
    return prefix


def configured(source, folder, prefix):
    """Output of configuring the project, whatever came of it."""
    words = ["cmake", "-G", "Ninja", "-S", source, "-B", folder, f"-DCMAKE_PREFIX_PATH={prefix}"]
    words += [f"-DSAMESTEP_LIBTORCH={libtorch()}"]
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, check=False)
    return done.returncode, " ".join(done.stderr.split())


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


@pytest.mark.parametrize("component", ["torch", "cuda"])
def test_a_component_that_is_not_installed_is_named(component, tmp_path):
    run("cmake", "--install", BUILD, "--component", "development", "--prefix", tmp_path / "bare")
    source = Path(__file__).with_name(f"{component}_consumer")
    code, said = configured(source, tmp_path / "build", tmp_path / "bare")
    assert code != 0
    assert f"the component {component} is not installed" in said


def test_a_trainer_on_libtorch_builds_against_the_torch_component(prefix, tmp_path):
    with_component(prefix, "torch", "capture/torch/libsamestep_torch.a")
    source = Path(__file__).with_name("torch_consumer")
    assert configured(source, tmp_path, prefix)[0] == 0
    run("cmake", "--build", tmp_path)
    assert run(tmp_path / "consumer", tmp_path / "state.samestep") == "restored 7\n"


def test_a_trainer_on_libtorch_builds_with_pkg_config_alone(prefix, tmp_path):
    with_component(prefix, "torch", "capture/torch/libsamestep_torch.a")
    words = pkg_config(prefix, "samestep-torch")
    source = Path(__file__).with_name("torch_consumer") / "main.cpp"
    run("g++", source, "-o", tmp_path / "consumer", *words)
    assert run(tmp_path / "consumer", tmp_path / "state.samestep") == "restored 7\n"


def test_digests_on_the_device_build_against_the_cuda_component(prefix, tmp_path):
    with_component(prefix, "cuda", "capture/cuda/libsamestep_capture_cuda.a")
    assert configured(Path(__file__).with_name("cuda_consumer"), tmp_path, prefix)[0] == 0
    run("cmake", "--build", tmp_path)
    assert run(tmp_path / "consumer") in ("a device\n", "no device\n")


def test_the_example_builds_against_the_torch_component_and_passes_its_test(prefix, tmp_path):
    with_component(prefix, "torch", "resume_check/torch/libsamestep_resume_check_torch.a")
    options = [f"-DCMAKE_PREFIX_PATH={prefix}", f"-DSAMESTEP_LIBTORCH={libtorch()}"]
    options += ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
    run("cmake", "-G", "Ninja", "-S", ROOT / "examples/byte_text", "-B", tmp_path, *options)
    run("cmake", "--build", tmp_path)
    run("ctest", "--test-dir", tmp_path, "--no-tests=error")


def pkg_config(prefix, package):
    """What a compiler is told to build and link with the installed package."""
    folder = next(prefix.rglob(f"{package}.pc")).parent
    environment = {**os.environ, "PKG_CONFIG_PATH": str(folder)}
    command = ["pkg-config", "--libs", "--cflags", f"--define-variable=prefix={prefix}", package]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_pkg_config_names_what_is_installed(prefix):
    words = pkg_config(prefix, "samestep")
    libraries = [word[2:] for word in words if word.startswith("-lsamestep")]
    assert len(libraries) == 4
    assert all(list(prefix.rglob(f"lib{name}.a")) for name in libraries)
