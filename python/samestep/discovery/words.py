"""What a class is, by the words of its name."""

import enum
import functools
import re
from typing import Any

from samestep.discovery.attributes import is_a
from samestep.discovery.containers import member_text
from samestep.entry import Word

_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,31}")
_DIGITS_MAX = 5  # more are a date, or a name made at random
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_AVERAGES = ("averag", "avg", "ema", "swa", "teacher", "shadow", "polyak", "smooth")
_SCHEDULES = ("sched", "warm", "anneal", "decay")
_SCALES = {"scaler", "scale", "scaling"}
_OF_LOSSES = {"loss", "grad", "gradient", "amp", "dynamic", "native", "static", "fp", "half"}
_TRAINERS = {"trainer", "runner", "learner", "engine", "agent", "loop", "experiment", "solver"}
_LOADERS = ("sampler", "dataset", "data", "feed", "batch", "iterat", "stream", "shuffl", "buffer")


@functools.cache
def words_of(name: str) -> tuple[str, ...]:
    """("lr", "scheduler") of "LRScheduler" and of "lr_scheduler"; digits are left out."""
    return tuple(word.lower() for word in _WORD.findall(name))


def says_average(name: str) -> bool:
    """EMA, ModelEma, WeightAverager; no Schema."""
    return any(word.startswith(_AVERAGES) or word == "modelema" for word in words_of(name))


def says_trainer(name: str) -> bool:
    return bool(_TRAINERS & set(words_of(name)))


def says_schedule(name: str) -> bool:
    """WarmupLR, NoamDecay; no SSLRunner."""
    return any(word == "lr" or word.startswith(_SCHEDULES) for word in words_of(name))


def says_loss_scaler(name: str) -> bool:
    """LossScaler, NativeScalerWithGradNorm, Scaler; no RewardScaler."""
    words = set(words_of(name))
    return bool(words & _SCALES) and (len(words) == 1 or bool(words & _OF_LOSSES))


def says_loader(name: str) -> bool:
    """DataLoader, TokenStream, ReplayBuffer; no Metadata."""
    return any("loader" in word or word.startswith(_LOADERS) for word in words_of(name))


def word_in(thing: Any) -> Word | None:
    """What steers by its name: a member of an enum, a text that looks like an identifier."""
    if type(thing) is str:
        short = _IDENTIFIER.fullmatch(thing) and sum(map(str.isdigit, thing)) <= _DIGITS_MAX
        return Word(thing) if short else None
    return Word(member_text(thing)) if is_a(thing, enum.Enum) else None
