"""What hooks of PyTorch make of parameters."""

import pytest
import torch
from torch import nn

from samestep.probes.model import model_entries


@pytest.mark.parametrize("make", ["spectral_norm", "weight_norm", "prune"])
def test_weights_that_a_hook_makes_of_parameters_are_no_state(make):
    from torch.nn.utils import prune

    module = nn.Linear(3, 2)
    if make == "prune":
        prune.random_unstructured(module, "weight", amount=0.5)
    else:
        getattr(torch.nn.utils, make)(module)
    module(torch.ones(1, 3)).sum().backward()
    names = {entry.path[1] for entry in model_entries("model", module)}
    stored = {"weight_orig", "weight_u", "weight_v", "weight_g", "weight_mask"} & set(
        module.state_dict()
    )
    assert "weight" in vars(module) and "weight" not in names and stored <= names
