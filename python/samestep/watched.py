"""samestep.watch: a trainer says what it has; the same plan is obeyed as without it."""

from typing import Any

# By the name that the trainer gave. Strong references: who watches wants the object recorded.
watched: dict[str, Any] = {}


def watch(**parts: Any) -> None:
    """Names the parts of a training, e.g. watch(model=net, optimizer=adam, scheduler=warmup).

    `model`, `optimizer`, `lr_scheduler` (`scheduler`), `grad_scaler` (`scaler`), `ema` and
    `dataloader` (`loader`) become the components of these names; any other name is searched like
    a variable of the training loop. Without a plan nothing happens.
    """
    watched.update(parts)
