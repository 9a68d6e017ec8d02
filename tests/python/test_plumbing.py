"""Patches, guards, the import hook and the .pth line: the trainer notices none of them."""

import subprocess
import sys
import weakref
from pathlib import Path

import pytest

from samestep import guard, import_hook
from samestep.budget import Budget
from samestep.checkpoint_watch import CheckpointWatch
from samestep.patch import around
from samestep.registry import Registry
from samestep.saves import Saves

PTH = Path(__file__).resolve().parents[2] / "python/samestep.pth"


class Target:
    def call(self, number, *, more=0):
        """What it does."""
        if number < 0:
            raise ValueError("negative")
        return number + more


def test_around_calls_before_and_after_with_the_same_arguments():
    class Mine(Target):
        call = Target.call

    calls = []
    before = lambda args, keywords: calls.append(("before", args[1:], keywords)) or "token"
    after = lambda token, args, keywords, result: calls.append((token, args[1:], result))
    assert around(Mine, "call", before, after)
    assert Mine().call(1, more=2) == 3
    assert calls == [("before", (1,), {"more": 2}), ("token", (1,), 3)]
    assert Mine.call.__doc__ == "What it does."


def test_around_wraps_once_and_only_what_the_class_itself_has():
    class Mine(Target):
        pass

    assert not around(Mine, "call") and not around(Mine, "missing")
    Mine.call = Target.call
    assert around(Mine, "call") and not around(Mine, "call")


def test_an_exception_of_the_original_passes_through_after_our_part():
    class Mine(Target):
        call = Target.call

    results = []
    around(Mine, "call", after=lambda token, args, keywords, result: results.append(result))
    with pytest.raises(ValueError, match="negative"):
        Mine().call(-1)
    assert results == [None]


def test_an_error_of_ours_is_noted_and_never_raised():
    class Mine(Target):
        call = Target.call

    def broken(*args):
        raise RuntimeError("ours")

    guard.take_noted()
    around(Mine, "call", broken, broken)
    assert Mine().call(4) == 4
    noted = guard.take_noted()
    assert len(noted) == 1 and "RuntimeError: ours" in noted[0]
    assert guard.guarded(broken)() is None


def test_callbacks_run_after_an_import_and_leave_the_loader_as_it_was(tmp_path, monkeypatch):
    (tmp_path / "imported_module.py").write_text("value = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    seen = []
    import_hook.after_import(
        "imported_module", lambda: seen.append(sys.modules["imported_module"].value)
    )
    assert seen == []
    import imported_module

    assert seen == [1]
    assert "exec_module" not in vars(imported_module.__spec__.loader)
    import_hook.after_import("imported_module", lambda: seen.append(2))
    assert seen == [1, 2]


def test_registries_hold_nothing_alive():
    registry, first, second = Registry(), Target(), Target()
    for thing in (first, second, first):
        registry.add(thing)
    assert registry.alive() == [first, second]
    link = weakref.ref(first)
    del first, thing
    assert link() is None and registry.alive() == [second]


def test_saves_are_counted_by_thread_and_background_writers_until_they_finish():
    saves = Saves()
    assert saves.start() and not saves.start()
    assert not saves.running_elsewhere()
    saves.finish()
    assert saves.made == 0
    saves.finish()
    key = saves.start_background()
    assert saves.made == 1 and saves.running_elsewhere()
    saves.finish_background(key)
    assert saves.made == 2 and not saves.running_elsewhere()


def test_a_checkpoint_that_appears_or_is_replaced_is_a_change(tmp_path):
    watch = CheckpointWatch(str(tmp_path), "ck-*")
    watch.look()
    assert not watch.changed()
    (tmp_path / "other").write_text("1")
    assert not watch.changed()
    (tmp_path / "ck-1").write_text("1")
    assert watch.changed()
    watch.look()
    (tmp_path / "ck-1").write_text("12")
    assert watch.changed()
    assert not CheckpointWatch("", "").changed()


def test_the_budget_allows_a_little_at_once_and_a_share_later():
    budget = Budget()
    assert budget.left()
    with budget.spend():
        pass
    assert budget.left()
    budget._spent = 10.0
    assert not budget.left()


def test_the_pth_line_does_nothing_without_a_plan():
    line = PTH.read_text().strip()
    assert line.count("\n") == 0 and line.startswith("import ")
    code = f"{line}\nimport sys; print('samestep' in sys.modules)"
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "False", done.stderr
