"""Our headers cost a trainer little: none reaches torch/torch.h, torch/nn or torch/optim."""

import importlib.util
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PUBLIC = [
    *(f"capture/torch/{name}.h" for name in ("bundle", "observer", "probes", "session")),
    *(f"capture/torch/{name}.h" for name in ("tensor_cell", "tensor_digest")),
    *(f"resume_check/torch/{name}.h" for name in ("twin", "twin_text", "resumes_exactly")),
]
WIDE = ("torch/torch.h", "torch/all.h", "torch/nn/", "torch/optim/", "torch/data/")


def compiler(*words: object, source: str | None = None) -> str:
    """Output of the compiler; `source` is its standard input."""
    if shutil.which("g++") is None or importlib.util.find_spec("torch") is None:
        pytest.skip("needs g++ and PyTorch's headers")
    torch = Path(importlib.util.find_spec("torch").submodule_search_locations[0]) / "include"
    places = ["-I", ROOT, "-isystem", torch, "-isystem", torch / "torch/csrc/api/include"]
    command = ["g++", "-std=c++20", *map(str, [*places, "-x", "c++", *words])]
    done = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def reached(header: Path) -> list[str]:
    """All files that a source with nothing but this include reads. It must preprocess by itself."""
    return compiler("-M", header).replace("\\\n", " ").split()[1:]


@pytest.mark.parametrize("name", PUBLIC)
def test_a_header_stays_narrow(name):
    files = reached(ROOT / name)
    assert any(file.endswith("ATen/core/Tensor.h") for file in files)
    assert [file for file in files if any(wide in file for wide in WIDE)] == []


# What a trainer watches needs the headers of what it is, and no more.
SOURCE = """
#include <torch/nn/module.h>
#include <torch/optim/optimizer.h>

#include "capture/torch/bundle.h"
#include "resume_check/torch/resumes_exactly.h"

void train(samestep::libtorch::Session& session, torch::nn::Module& module,
           torch::optim::Optimizer& optimizer, at::Tensor& centre, int& cursor) {
  session.watch("model", module);
  session.watch("optimizer", optimizer);
  session.watch("centre", &centre);
  session.watch("cursor", &cursor);
  auto step = session.step({centre});
  step.loss(centre).backward();
  step.before_optimizer_step();
  samestep::libtorch::save("state.samestep", session);
}
"""


@pytest.mark.slow
def test_a_trainer_compiles_without_all_of_torch():
    compiler("-fsyntax-only", "-", source=SOURCE)
    reached = compiler("-M", "-", source=SOURCE)
    assert "torch/torch.h" not in reached
    assert "torch/all.h" not in reached
