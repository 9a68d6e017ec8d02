"""Fields of a gradient scaler under the keys of its state dict, read without moving the scale."""

from collections.abc import Iterator
from typing import Any

from samestep.entry import Entry, is_number
from samestep.names import class_name

_OWN = {
    "_device", "_enabled", "_init_scale", "_scale", "_growth_factor", "_backoff_factor",
    "_growth_interval", "_init_growth_tracker", "_growth_tracker", "_per_optimizer_states",
}  # fmt: skip


def scaler_entries(component: str, scaler: Any) -> Iterator[Entry]:
    """Nothing of a disabled scaler: its state dict is empty."""
    own = vars(scaler)
    owner = class_name(type(scaler))
    if not own.get("_enabled"):
        return
    scale, tracker = own.get("_scale"), own.get("_growth_tracker")
    declared = {
        "scale": own["_init_scale"] if scale is None else scale.item(),
        "growth_factor": own["_growth_factor"],
        "backoff_factor": own["_backoff_factor"],
        "growth_interval": own["_growth_interval"],
        "_growth_tracker": own["_init_growth_tracker"] if tracker is None else tracker.item(),
    }
    for name, value in declared.items():
        traits = {"declared": "state_dict", "owner": owner}
        yield Entry((component, name), "scaler", value, traits)
    for name, value in list(own.items()):
        if name not in _OWN and is_number(value):
            traits = {"declared": "attribute", "owner": owner}
            yield Entry((component, name), "scaler", value, traits)
