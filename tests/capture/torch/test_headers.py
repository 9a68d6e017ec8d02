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


def reached(header: Path) -> list[str]:
    """All files that a source with nothing but this include reads. It must preprocess by itself."""
    torch = Path(importlib.util.find_spec("torch").submodule_search_locations[0]) / "include"
    places = ["-I", ROOT, "-isystem", torch, "-isystem", torch / "torch/csrc/api/include"]
    command = ["g++", "-std=c++20", "-M", *map(str, places), "-x", "c++", str(header)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.replace("\\\n", " ").split()[1:]


@pytest.mark.parametrize("name", PUBLIC)
def test_a_header_stays_narrow(name):
    if shutil.which("g++") is None or importlib.util.find_spec("torch") is None:
        pytest.skip("needs g++ and PyTorch's headers")
    files = reached(ROOT / name)
    assert any(file.endswith("ATen/core/Tensor.h") for file in files)
    assert [file for file in files if any(wide in file for wide in WIDE)] == []
