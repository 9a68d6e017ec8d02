"""Digests of many tensors in one call, and fingerprints of parts of one."""

import itertools

import pytest
import torch

from samestep import _core
from samestep.tensors import memory_of


def view(tensor):
    return memory_of(tensor).view


def fingerprint(tensor, *placed):
    return _core.fingerprint_view(view(tensor), *placed)


def test_a_batch_gives_what_each_view_gives():
    tensors = [torch.arange(n, dtype=torch.float32) for n in (0, 1, 5, 20_000, 700_000)]
    tensors += [torch.randn(300, 500).t(), torch.randn(8).bfloat16(), torch.tensor(True)]
    memories = [memory_of(tensor) for tensor in tensors]
    views = [memory.view for memory in memories]
    assert _core.digest_views(views) == [_core.digest_view(each) for each in views]
    assert _core.digest_views([]) == []


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int8])
def test_fingerprints_of_shards_add_up(dtype):
    whole = (torch.arange(7 * 9) * 3).reshape(7, 9).to(dtype)
    for rows, columns in itertools.product(range(1, 7), range(1, 9)):
        parts = [
            fingerprint(whole[a:b, c:d], [a, c], list(whole.shape))
            for a, b in ((0, rows), (rows, 7))
            for c, d in ((0, columns), (columns, 9))
        ]
        assert _core.sum_of_fingerprints(parts) == fingerprint(whole)


def test_a_shard_elsewhere_has_another_fingerprint():
    whole = torch.zeros(4, 4)
    upper = fingerprint(whole[:2], [0, 0], [4, 4])
    lower = fingerprint(whole[2:], [2, 0], [4, 4])
    assert upper != lower
    assert _core.sum_of_fingerprints([upper, upper]) != fingerprint(whole)


def test_offsets_and_whole_go_together():
    with pytest.raises(ValueError, match="go together"):
        fingerprint(torch.zeros(3), [0])
    with pytest.raises(RuntimeError, match="does not lie"):
        fingerprint(torch.zeros(3), [2], [4])
