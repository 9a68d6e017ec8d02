"""One byte of a checkpoint changed: one finding, which names the field or the record."""

import json
import shutil
import struct
import subprocess
import zipfile

import numpy
import pytest
import torch

STATE = {
    "model": {"layer.weight": torch.arange(15.0).reshape(5, 3), "layer.bias": torch.ones(5) / 3},
    "optimizer": {
        "state": {0: {"step": torch.tensor(3.0), "exp_avg": torch.arange(15.0) / 7}},
        "param_groups": [{"lr": 0.1, "params": [0]}],
    },
    "step": 3,
}
TENSORS = {
    "model/layer.weight": STATE["model"]["layer.weight"],
    "model/layer.bias": STATE["model"]["layer.bias"],
    "optimizer/state/0/exp_avg": STATE["optimizer"]["state"][0]["exp_avg"],
}


def verify(samestep, path):
    done = subprocess.run([samestep, "verify", "--json", path], capture_output=True, text=True)
    findings = json.loads(done.stdout)["findings"] if done.stdout else []
    return done.returncode, findings, done.stderr


def flipped(file, at: int, bit: int = 4) -> None:
    data = bytearray(file.read_bytes())
    data[at] ^= 1 << bit
    file.write_bytes(data)


def one_finding(samestep, path) -> str:
    code, findings, _ = verify(samestep, path)
    assert code == 1
    assert len(findings) == 1
    return json.dumps(findings[0])


def place(file, tensor: torch.Tensor) -> int:
    data = tensor.contiguous().numpy().tobytes()
    content = file.read_bytes()
    assert content.count(data) == 1
    return content.index(data) + len(data) // 2


@pytest.fixture
def saved(tmp_path):
    file = tmp_path / "state.pt"
    torch.save(STATE, file)
    return file


@pytest.mark.parametrize("field", TENSORS)
def test_each_tensor_of_an_archive(samestep, saved, field):
    flipped(saved, place(saved, TENSORS[field]))
    assert field in one_finding(samestep, saved)


def record_names(file) -> list[str]:
    with zipfile.ZipFile(file) as archive:
        return [item.filename for item in archive.infolist() if "/data/" not in item.filename]


def payload(file, name: str) -> int:
    with zipfile.ZipFile(file) as archive:
        header = archive.getinfo(name).header_offset
    lengths = struct.unpack_from("<HH", file.read_bytes(), header + 26)
    return header + 30 + sum(lengths)


def test_each_other_record_of_an_archive(samestep, saved):
    whole = saved.read_bytes()
    names = record_names(saved)
    assert "state/data.pkl" in names
    for name in names:
        flipped(saved, payload(saved, name), bit=0)
        code, findings, error = verify(samestep, saved)
        told = error + json.dumps(findings)
        assert code in (1, 2), name
        short = name.split("/")[-1].strip(".")  # "the byte order is ..."
        by_place = f"state.pt, byte {payload(saved, name)}"
        assert name in told or short in told.replace(" ", "") or by_place in told, told
        assert len(findings) == (1 if code == 1 else 0), told
        saved.write_bytes(whole)


# Place in a local header and in a directory entry.
HEADER_PARTS = {
    "signature": (0, 0),
    "method": (8, 10),
    "checksum": (14, 16),
    "stored size": (18, 20),
    "size": (22, 24),
    "name length": (26, 28),
    "name": (30, 46),
}


@pytest.mark.parametrize("part", HEADER_PARTS)
@pytest.mark.parametrize("where", ["local", "directory"])
def test_each_part_of_a_records_headers(samestep, saved, part, where):
    whole = saved.read_bytes()
    name = b"state/data/0"
    local, entry = whole.index(name) - 30, whole.rindex(name) - 46
    at = local + HEADER_PARTS[part][0] if where == "local" else entry + HEADER_PARTS[part][1]
    flipped(saved, at)
    code, findings, error = verify(samestep, saved)
    assert code in (1, 2)
    assert "state.pt" in error + json.dumps(findings)
    assert len(findings) <= 2


def test_arrays_of_numpy(samestep, tmp_path):
    file = tmp_path / "arrays.npz"
    arrays = {name: tensor.numpy() for name, tensor in TENSORS.items() if "/" in name}
    named = {name.split("/")[-1]: array for name, array in arrays.items()}
    numpy.savez(file, **named)
    whole = file.read_bytes()
    for name, array in named.items():
        flipped(file, whole.index(array.tobytes()) + 5)
        assert name in one_finding(samestep, file)
        file.write_bytes(whole)


def test_shards_of_a_distributed_checkpoint(samestep, tmp_path):
    import torch.distributed.checkpoint as dcp

    folder = tmp_path / "whole"
    dcp.save(STATE, checkpoint_id=str(folder))
    for field, tensor in TENSORS.items():
        damaged = tmp_path / "damaged"
        shutil.copytree(folder, damaged)
        shard = damaged / "__0_0.distcp"
        flipped(shard, place(shard, tensor))
        assert field.split("/")[-1] in one_finding(samestep, damaged)
        shutil.rmtree(damaged)


def test_formats_without_checksums_are_told_apart_by_diff(samestep, tmp_path):
    safetensors = pytest.importorskip("safetensors.torch")
    for suffix in ("safetensors", "pth"):
        whole, damaged = tmp_path / f"whole.{suffix}", tmp_path / f"damaged.{suffix}"
        if suffix == "pth":
            torch.save(STATE, whole, _use_new_zipfile_serialization=False)
        else:
            safetensors.save_file(STATE["model"], whole)
        shutil.copy(whole, damaged)
        flipped(damaged, place(damaged, TENSORS["model/layer.bias"]))
        done = subprocess.run(
            [samestep, "diff", "--json", whole, damaged], capture_output=True, text=True
        )
        assert done.returncode == 1
        findings = json.loads(done.stdout)["findings"]
        assert [finding["field"] for finding in findings] == ["model/layer.bias"]


def test_a_part_of_the_data_can_be_read(samestep, saved):
    part = [samestep, "verify", "--json", "--read-data-subset", "50%", saved]
    done = subprocess.run(part, capture_output=True, text=True)
    assert done.returncode == 0
    assert (
        json.loads(done.stdout)["coverage"] != json.loads(verify_text(samestep, saved))["coverage"]
    )


def verify_text(samestep, path) -> str:
    done = subprocess.run([samestep, "verify", "--json", path], capture_output=True, text=True)
    return done.stdout
