"""The extension's digests see logical elements and exact values, and nothing else."""

import numpy as np
import pytest
import torch

from samestep import _core
from samestep.tensors import Unreadable, digest_of, digest_of_leaves, leaves_of, memory_of

BASE = torch.arange(24, dtype=torch.float32).reshape(2, 3, 4)


@pytest.mark.parametrize(
    "same",
    [
        BASE.clone(),
        BASE.permute(2, 0, 1).contiguous().permute(1, 2, 0),
        torch.zeros(2, 3, 8).index_copy_(2, torch.arange(0, 8, 2), BASE)[..., ::2],
        torch.nn.Parameter(BASE.clone()),
        BASE.numpy(),
        np.asfortranarray(BASE.numpy()),
    ],
    ids=["copy", "other strides", "every other element", "parameter", "array", "Fortran order"],
)
def test_layout_is_not_part_of_the_digest(same):
    assert digest_of(same) == digest_of(BASE)


@pytest.mark.parametrize(
    "other",
    [
        BASE.double(),
        BASE.reshape(6, 4),
        BASE.flip(0),
        torch.where(BASE == 0, torch.tensor(-0.0), BASE),
    ],
    ids=["dtype", "shape", "order", "sign of zero"],
)
def test_dtype_shape_order_and_bits_are(other):
    assert digest_of(other) != digest_of(BASE)


@pytest.mark.parametrize(
    "dtype",
    [torch.bool, torch.uint8, torch.int16, torch.float16, torch.bfloat16, torch.complex64,
     torch.float8_e4m3fn, torch.uint16],
)  # fmt: skip
def test_each_dtype_has_a_digest_of_its_own(dtype):
    zeros = torch.zeros(3, dtype=dtype)
    assert digest_of(zeros) == digest_of(zeros.clone()) != digest_of(torch.zeros(3))


def test_lazy_conjugation_is_resolved():
    numbers = torch.tensor([1 + 2j, 3 - 4j])
    assert digest_of(numbers.conj()) == digest_of(numbers.conj().resolve_conj())


def test_no_digest_of_what_is_not_in_memory():
    with pytest.raises(Unreadable):
        memory_of(torch.empty(2, device="meta"))
    with pytest.raises(Unreadable):
        memory_of(torch.eye(2).to_sparse())
    with pytest.raises(Unreadable):
        memory_of(np.array(["text"]))


@pytest.mark.parametrize(
    "value",
    [None, True, False, 0, 1, -1, 2**63, -(2**200), 0.0, -0.0, float("nan"), "", "ä", "\ud800", b"",
     b"\x00", [1, 2], [1.0, 2.0]],
)  # fmt: skip
def test_equal_values_have_equal_digests(value):
    assert _core.digest_value(value) == _core.digest_value(value)
    assert len(_core.digest_value(value)) == 32


def test_different_values_have_different_digests():
    values = [None, True, False, 0, 1, -1, 2**63, -(2**63) - 1, 0.0, -0.0, 1.0, "", "1", b"1", [1],
              [1.0], [1, 2]]  # fmt: skip
    assert len({_core.digest_value(value) for value in values}) == len(values)


@pytest.mark.parametrize("value", [[1, 2.0], [True], ["a"], {}, object()])
def test_no_digest_of_anything_else(value):
    with pytest.raises(TypeError):
        _core.digest_value(value)


def test_a_list_of_numbers_is_one_field_whether_list_or_tuple():
    assert _core.digest_value([1, 2]) == _core.digest_value((1, 2))


def test_an_unknown_dtype_is_refused():
    with pytest.raises(ValueError, match="float31"):
        _core.View.make(0, "float31", [1], [1])


def test_leaves_of_a_batch_are_found_in_order_with_their_places():
    batch = {"x": torch.zeros(1), "more": [np.ones(2), 3], "name": "a"}
    assert [path for path, _ in leaves_of(batch)] == ["/x", "/more/0", "/more/1", "/name"]


def test_a_lone_tensor_and_one_in_a_batch_share_their_digest():
    assert digest_of_leaves(leaves_of([BASE])) == digest_of(BASE)
    assert digest_of_leaves(leaves_of([BASE, 1])) != digest_of(BASE)
