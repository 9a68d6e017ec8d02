"""Fields of an average: its weights, and what the object that keeps it counts."""

from collections.abc import Iterator

from torch.optim.swa_utils import AveragedModel

from samestep.discovery.attributes import is_a
from samestep.discovery.averages import Average
from samestep.entry import Entry
from samestep.names import class_name
from samestep.probes.model import model_entries
from samestep.probes.plain import holder_entries


def average_entries(component: str, average: Average) -> Iterator[Entry]:
    module = average.module
    if module is not None:
        for entry in model_entries(component, module):
            name = entry.path[1]
            if entry.traits["declared"] == "attribute" and _says_little(name, entry):
                continue
            if is_a(module, AveragedModel):
                entry.path = (component, name.removeprefix("module."))
            entry.role = "average"
            yield entry
    holder = average.holder
    if holder is not None:
        owner = class_name(type(holder.thing)) if holder.thing is not None else ""
        yield from holder_entries((component,), holder, "average", owner)


def _says_little(name: str, entry: Entry) -> bool:
    """Flags and constants of a copy that is only read."""
    flag = name.rpartition(".")[2] == "training"
    return flag or entry.traits["owner"].startswith("torch.")
