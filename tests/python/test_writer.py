"""What probes yield becomes fields of a record, singly or in groups, with nothing lost."""

import json

import numpy as np
import pytest
import torch

from samestep import guard
from samestep._core import Session
from samestep.entry import Entry, Group, singly
from samestep.tensors import Released, digest_of
from samestep.writer import Writer


@pytest.fixture
def record(tmp_path):
    """Fields of a full record, by path."""

    def write(*given):
        plan = {
            "schema": "plan.v1", "leg": "uninterrupted", "run": str(tmp_path / "run"), "start": 0,
            "at": 0, "steps": 1, "trace": False, "log_begins": False, "final_only": False,
            "out": "", "checkpoint": "", "copy_to": "", "stop": False, "stepping": [],
            "background": False,
        }  # fmt: skip
        (tmp_path / "run").mkdir()
        (tmp_path / "plan.json").write_text(json.dumps(plan))
        session = Session.open(str(tmp_path / "plan.json"), 0, 1)
        session.begin_record(0, "begin", "full")
        Writer(session).write(given)
        session.commit_record()
        session.close()
        manifest = tmp_path / "run/.samestep/captures/0/rank-0.json"
        return {field["path"]: field for field in json.loads(manifest.read_text())["fields"]}

    return write


base = torch.arange(24.0).reshape(4, 6)
VALUES = {
    "plain": base,
    "transposed": base.t(),
    "offset": base[1:, 2:4],
    "empty": torch.zeros(0, 3),
    "scalar": torch.tensor(2, dtype=torch.int8),
    "half": base.to(torch.bfloat16),
    "conjugate": torch.complex(base, base).conj(),
    "negative": torch.complex(base, base).conj().imag,
    "parameter": torch.nn.Parameter(base.clone()),
    "array": np.arange(6).reshape(2, 3).T,
    "whole": 3,
    "large": 2**70,
    "real": 0.5,
    "flag": True,
    "none": None,
    "text": "a\ud800",
    "numbers": [1, 2, 3],
}


@pytest.mark.parametrize("name", VALUES)
def test_a_value_is_written_as_it_is(record, name):
    value = VALUES[name]
    found = record(Entry(("loop", name), "other", value, {"declared": "frame"}))[f"loop/{name}"]
    assert found["digest"] == digest_of(value)
    assert found["traits"] == {"declared": "frame"}
    if isinstance(value, torch.Tensor):
        assert found["shape"] == list(value.shape)
        assert found["layout"].get("storage_offset", 0) == value.storage_offset()
        assert found["layout"]["requires_grad"] == value.requires_grad


def test_a_group_is_its_entries(record):
    step = torch.tensor(1.0)
    group = Group(
        ("optimizer", "state", "a~b"),
        "moment",
        {"step": step, "exp/avg": base, "of numpy": VALUES["array"]},
        {"declared": "state_dict", "owner": "A"},
        roles={"step": "step_counter"},
        place="optimizer/state/0",
    )
    prefixed = Group(("model", "layer/0."), "other", {"eps": 0.5, "p": 1}, {}, is_prefix=True)
    found = record(group, prefixed)
    assert list(found) == [
        "model/layer~10.eps",
        "model/layer~10.p",
        "optimizer/state/a~0b/exp~1avg",
        "optimizer/state/a~0b/of numpy",
        "optimizer/state/a~0b/step",
    ]
    for entry in singly([group, prefixed]):
        field = found[entry.text()]
        told = (entry.role, entry.traits, digest_of(entry.value))
        assert (field["role"], field.get("traits", {}), field["digest"]) == told
    assert found["optimizer/state/a~0b/exp~1avg"]["traits"]["place"] == "optimizer/state/0/exp~1avg"


def test_a_path_that_is_taken_gets_a_number(record):
    group = Group(("loop",), "other", {"a": 1}, {})
    assert list(record(group, Entry(("loop", "a"), "other", 2), group)) == [
        "loop/a",
        "loop/a#2",
        "loop/a#3",
    ]


@pytest.mark.parametrize(
    "entry",
    [
        Entry(("loop", "\ud800"), "other", 1),
        Entry(("loop", "a"), "other", object()),
        Entry(("loop", "a"), "other", torch.zeros(2, device="meta")),
        Entry(("loop", "a"), "other", torch.eye(2).to_sparse()),
    ],
    ids=["path", "object", "meta", "sparse"],
)
def test_what_cannot_be_read_is_noted_and_the_rest_is_written(record, entry):
    guard.take_noted()
    assert list(record(entry, Entry(("loop", "b"), "other", 1))) == ["loop/b"]
    (noted,) = guard.take_noted()
    assert "field loop/" in noted


@pytest.mark.parametrize("left", [0, 32])
def test_a_tensor_whose_memory_was_freed_is_none_and_nobody_reads_it(record, left):
    """FSDP frees the storage of what it has gathered, and modules go on holding views of it."""
    guard.take_noted()
    owner = torch.arange(1 << 20, dtype=torch.float32)
    views = {"rows": owner.view(1024, 1024)[512:], "column": owner.view(1024, 1024)[:, 3]}
    there = {"first": owner[:8]} if left else {}
    owner.untyped_storage().resize_(left)
    found = record(
        Group(("model", ""), "parameter", views | there, {}, is_prefix=True),
        Entry(("loop", "rows"), "other", views["rows"]),
        Entry(("loop", "b"), "other", 1),
    )
    assert list(found) == ["loop/b", *(f"model/{name}" for name in there)]
    assert guard.take_noted() == []
    with pytest.raises(Released):
        digest_of(views["column"])
