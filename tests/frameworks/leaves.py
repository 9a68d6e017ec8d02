"""What a framework itself loads, as leaves that `samestep inspect --digest sha256` is held to."""

import hashlib
import json
import math
import subprocess
from pathlib import Path

import numpy
import torch


def tensor_sha256(tensor: torch.Tensor) -> str:
    flat = tensor.detach().cpu().resolve_conj().resolve_neg().contiguous().reshape(-1)
    return hashlib.sha256(flat.view(torch.uint8).numpy().tobytes()).hexdigest()


def walk(value, keys=()):
    """(keys, leaf) of nested dicts, lists and tuples; numbers in long lists are left out."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from walk(item, (*keys, key))
    elif isinstance(value, (list, tuple)):
        if len(value) <= 64:
            for index, item in enumerate(value):
                yield from walk(item, (*keys, index))
    else:
        yield keys, value


def inspect(samestep: str, path: Path) -> dict:
    done = subprocess.run(
        [samestep, "inspect", "--json", "--digest", "sha256", path], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def verify_code(samestep: str, path: Path) -> int:
    return subprocess.run([samestep, "verify", path], capture_output=True).returncode


def diff_code(samestep: str, source: Path, target: Path) -> int:
    return subprocess.run([samestep, "diff", source, target], capture_output=True).returncode


def fields_by_keys(report: dict, file: str | None = None) -> dict:
    return {
        tuple(str(key) for key in field["source"]["keys"]): field
        for field in report["fields"]
        if file is None or field["source"]["file"] == file
    }


def same_number(value, expected) -> bool:
    return float(value) == float(expected) or (
        math.isnan(float(value)) and math.isnan(float(expected))
    )


def wrong_leaves(report: dict, loaded, file: str | None = None) -> list[str]:
    """What `report` says otherwise than `loaded`, which the framework read from `file`."""
    fields = fields_by_keys(report, file)
    wrong, compared = [], 0
    for keys, leaf in walk(loaded):
        if leaf is None or not isinstance(
            leaf, (bool, int, float, str, torch.Tensor, numpy.ndarray)
        ):
            continue
        field = fields.get(tuple(str(key) for key in keys))
        compared += 1
        if field is None:
            wrong.append(f"{keys}: no field")
        elif isinstance(leaf, torch.Tensor):
            got = (field["dtype"], field["shape"], field["digest"]["sha256"])
            if got != (
                str(leaf.dtype).removeprefix("torch."),
                list(leaf.shape),
                tensor_sha256(leaf),
            ):
                wrong.append(f"{keys}: {got}")
        elif isinstance(leaf, numpy.ndarray):
            if (
                field["digest"]["sha256"]
                != hashlib.sha256(numpy.ascontiguousarray(leaf).tobytes()).hexdigest()
            ):
                wrong.append(f"{keys}: other bytes")
        elif isinstance(leaf, (bool, str)):
            if field["value"] != leaf:
                wrong.append(f"{keys}: {field['value']!r}, not {leaf!r}")
        elif not same_number(field["value"], leaf):
            wrong.append(f"{keys}: {field['value']!r}, not {leaf!r}")
    return wrong if compared else ["nothing was compared"]


def flip_bit(file: Path, needle: bytes) -> None:
    """Flips one bit in the first place where `needle` lies in `file`."""
    data = bytearray(file.read_bytes())
    at = data.index(needle)
    data[at + len(needle) // 2] ^= 0x10
    file.write_bytes(data)
