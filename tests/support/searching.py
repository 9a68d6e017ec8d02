"""What tests of the search share."""

from samestep.discovery import origin
from samestep.discovery.frames import Scope
from samestep.discovery.walk import Walk


def make_a_trainer(monkeypatch, file):
    """The modules of a test count as packages' or as nobody's; `file` is to be a trainer's."""
    real = origin.is_user_module
    mine = lambda name: name in (file, __name__) or real(name)
    for module in ("origin", "frames", "suspended", "walk"):
        monkeypatch.setattr(f"samestep.discovery.{module}.is_user_module", mine)
    for module in ("leaves", "walk"):
        kind_is_mine = lambda kind: mine(kind.__module__)
        monkeypatch.setattr(f"samestep.discovery.{module}.is_user_class", kind_is_mine)


def found_in(**variables):
    return Walk().run([Scope("main", variables, True)])


def leaves_in(**variables):
    return dict(found_in(**variables).scopes[0].leaves)


class Plain:
    def __init__(self, **things):
        self.__dict__.update(things)
