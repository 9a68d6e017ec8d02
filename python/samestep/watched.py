"""samestep.watch: a trainer says what it has; the same plan is obeyed as without it."""

import os
from typing import Any

# By the name that the trainer gave. Strong references: who watches wants the object recorded.
watched: dict[str, Any] = {}


def watch(**parts: Any) -> None:
    """Names the parts of a training, e.g. `watch(model=net, optimizer=adam, cursor=stream)`.

    For state that a search from the training loop cannot reach (an object that only compiled code
    holds, a number inside of a C extension) or that ought to have a name of its own.

    - `model`, `optimizer` (one, or a list), `lr_scheduler` or `scheduler`, `grad_scaler` or
      `scaler`, `ema`, and `dataloader` or `loader` become the components of these names. A part
      that is no PyTorch object of its kind is recorded as under any other name.
    - Under any other name `n` the fields are `extra/n/...`:
      - an object with `state_dict()`: what that returns;
      - a function without arguments, or a pair of such a getter and a setter: what the getter
        returns;
      - a number, a text, a tensor, an array, or a dict, list or tuple of such: the value itself.
        A plain number is as it was when it was given, so give it anew when it has changed;
      - any other object: its attributes.

    `state_dict()` and getters are called when a step begins, on the thread that trains. They must
    change nothing and draw no random number. One that raises is noted in the report, and training
    goes on.

    Call it as soon as the parts exist, before or after they are restored, as often as wanted: a
    name given again replaces what it named. The parts are kept alive from then on. Where nothing
    is recorded (no SAMESTEP_PLAN) nothing happens and nothing is kept.
    """
    if os.environ.get("SAMESTEP_PLAN"):
        watched.update(parts)
