"""Completed steps of trainings with one or several optimizers."""

import pytest

from samestep.clock import Clock


class Optimizer:
    """Stands for an optimizer: only its identity counts."""


def clock_of(count, stepping=None):
    clock, optimizers = Clock(), [Optimizer() for _ in range(count)]
    clock.stepping_count = stepping
    for optimizer in optimizers:
        clock.add(optimizer)
    return clock, optimizers


@pytest.mark.parametrize(
    ("count", "steps", "completed"),
    [
        (1, "0", [1]),
        (1, "000", [1, 2, 3]),
        (2, "0101", [0, 1, 1, 2]),
        (2, "1010", [0, 1, 1, 2]),
        (2, "00", [0, 2]),
        (2, "000", [0, 2, 3]),
        (2, "00001", [0, 2, 3, 4, 4]),
        (3, "012012", [0, 0, 1, 1, 1, 2]),
        (2, "001001001", [0, 2, 2, 2, 2, 3, 3, 3, 4]),
    ],
)
def test_completed_is_what_all_stepping_optimizers_have_done(count, steps, completed):
    clock, optimizers = clock_of(count)
    seen = []
    for step in steps:
        clock.step(optimizers[int(step)])
        seen.append(clock.completed)
    assert seen == completed


@pytest.mark.parametrize(
    ("steps", "late", "uneven"),
    [
        ("010101", False, False),
        ("0001", True, False),
        ("0001010101", True, False),  # unfrozen later, then in step
        ("00010", True, False),
        ("000100", True, True),
        ("001001", True, True),
    ],
)
def test_an_optimizer_that_joins_late_and_falls_behind_is_told(steps, late, uneven):
    clock, optimizers = clock_of(2)
    for step in steps:
        clock.step(optimizers[int(step)])
    assert (clock.joined_late, clock.is_uneven) == (late, uneven)


def test_the_plan_may_tell_how_many_step():
    clock, (first, second) = clock_of(2, stepping=1)
    assert clock.step(first) and clock.completed == 1
    clock, (first, second) = clock_of(2, stepping=2)
    assert not clock.step(first) and not clock.step(first)
    assert clock.step(second) and clock.completed == 1


def test_an_optimizer_made_later_counts_from_then_on():
    clock, (first,) = clock_of(1)
    for _ in range(10):
        clock.step(first)
    late = Optimizer()
    clock.add(late)
    assert not clock.step(first)
    assert clock.step(late) and clock.completed == 11


def test_an_optimizer_that_is_gone_no_longer_counts():
    clock, optimizers = clock_of(2)
    clock.step(optimizers[0])
    optimizers.pop()
    assert clock.step(optimizers[0]) and clock.completed == 2
    assert clock.stepped() == optimizers
