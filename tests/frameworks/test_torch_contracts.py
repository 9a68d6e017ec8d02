"""Every optimizer and schedule of the installed torch: recognised, named, and not warned of."""

import pytest
import torch
from leaves import inspect, tensor_sha256, verify_code
from torch import optim
from torch.optim import lr_scheduler as schedules
from torch.optim.swa_utils import SWALR, AveragedModel

OPTIMIZERS = [
    (optim.SGD, {"lr": 0.1}),
    (optim.SGD, {"lr": 0.1, "momentum": 0.9}),
    (optim.Adam, {}),
    (optim.Adam, {"amsgrad": True}),
    (optim.Adam, {"lr": torch.tensor(0.01)}),
    (optim.AdamW, {"fused": True}),
    (optim.NAdam, {}),
    (optim.RAdam, {}),
    (optim.Adamax, {}),
    (optim.SparseAdam, {}),
    (optim.RMSprop, {}),
    (optim.RMSprop, {"momentum": 0.9, "centered": True}),
    (optim.Adagrad, {}),
    (optim.Adadelta, {}),
    (optim.ASGD, {}),
    (optim.Rprop, {}),
    (optim.Adafactor, {}),
    (optim.LBFGS, {}),
    (optim.Muon, {}),
]
SCHEDULES = {
    "LambdaLR": lambda o: schedules.LambdaLR(o, lambda epoch: 1 / (epoch + 1)),
    "MultiplicativeLR": lambda o: schedules.MultiplicativeLR(o, lambda epoch: 0.9),
    "StepLR": lambda o: schedules.StepLR(o, 2),
    "MultiStepLR": lambda o: schedules.MultiStepLR(o, [2, 3]),
    "ExponentialLR": lambda o: schedules.ExponentialLR(o, 0.9),
    "CosineAnnealingLR": lambda o: schedules.CosineAnnealingLR(o, 5),
    "CosineAnnealingWarmRestarts": lambda o: schedules.CosineAnnealingWarmRestarts(o, 3),
    "CyclicLR": lambda o: schedules.CyclicLR(o, 0.1, 0.2, cycle_momentum=False),
    "OneCycleLR": lambda o: schedules.OneCycleLR(o, 0.1, total_steps=20, cycle_momentum=False),
    "PolynomialLR": lambda o: schedules.PolynomialLR(o),
    "ConstantLR": lambda o: schedules.ConstantLR(o),
    "LinearLR": lambda o: schedules.LinearLR(o),
    "ReduceLROnPlateau": lambda o: schedules.ReduceLROnPlateau(o),
    "SequentialLR": lambda o: schedules.SequentialLR(
        o, [schedules.ConstantLR(o), schedules.ExponentialLR(o, 0.9)], milestones=[2]
    ),
    "ChainedScheduler": lambda o: schedules.ChainedScheduler(
        [schedules.ConstantLR(o), schedules.ExponentialLR(o, 0.9)], optimizer=o
    ),
    "SWALR": lambda o: SWALR(o, 0.05),
}
STEPS = 4


def test_the_lists_leave_nothing_of_torch_out():
    kinds = {kind for kind in vars(optim).values() if isinstance(kind, type)}
    optimizers = {kind for kind in kinds if issubclass(kind, optim.Optimizer)}
    assert {kind for kind, _ in OPTIMIZERS} == optimizers - {optim.Optimizer}
    assert set(SCHEDULES) >= set(schedules.__all__) - {"LRScheduler"}


def model_for(kind: type) -> torch.nn.Module:
    torch.manual_seed(1)
    if kind is optim.SparseAdam:
        return torch.nn.Embedding(5, 3, sparse=True)
    return torch.nn.Sequential(
        torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4), torch.nn.Linear(4, 2)
    )


def parameters_for(kind: type, model: torch.nn.Module) -> list[torch.nn.Parameter]:
    return [p for p in model.parameters() if kind is not optim.Muon or p.dim() == 2]


def saved(path, model, optimizer, schedule) -> None:
    average = AveragedModel(model)
    batch = torch.tensor([1, 2]) if isinstance(model, torch.nn.Embedding) else torch.randn(5, 3)

    def closure():
        optimizer.zero_grad()
        loss = model(batch).pow(2).sum()
        loss.backward()
        return loss

    for _ in range(STEPS):
        closure()
        optimizer.step(closure)
        plateau = isinstance(schedule, schedules.ReduceLROnPlateau)
        schedule.step(1.0) if plateau else schedule.step()
        average.update_parameters(model)
    state = {
        "net": model.state_dict(),
        "o": optimizer.state_dict(),
        "s": schedule.state_dict(),
        "avg": average.state_dict(),
        "step": STEPS,
        "rng": torch.get_rng_state(),
    }
    torch.save(state, path)


def check(samestep: str, path, optimizer: str, schedule: str) -> dict:
    report = inspect(samestep, path)
    assert report["warnings"] == []
    assert report["step"] == STEPS
    assert any(note.startswith(f"optimizer is {optimizer}") for note in report["notes"])
    assert any(note.startswith("lr_scheduler is ") and schedule in note for note in report["notes"])
    assert verify_code(samestep, path) == 0
    return report


@pytest.mark.parametrize(("kind", "options"), OPTIMIZERS, ids=lambda x: getattr(x, "__name__", ""))
def test_each_optimizer(samestep, tmp_path, kind, options):
    path = tmp_path / "checkpoint.pt"
    model = model_for(kind)
    optimizer = kind(parameters_for(kind, model), **options)
    saved(path, model, optimizer, schedules.StepLR(optimizer, 2))
    report = check(samestep, path, kind.__name__, "StepLR")
    states = {f["path"].split("/")[2] for f in report["fields"] if "optimizer/state/" in f["path"]}
    if kind is optim.LBFGS:
        assert states == {"0"}  # one state for all parameters
    elif states:
        trained = {id(p) for p in parameters_for(kind, model)}
        assert states == {name for name, p in model.named_parameters() if id(p) in trained}


@pytest.mark.parametrize("name", SCHEDULES)
def test_each_schedule(samestep, tmp_path, name):
    path = tmp_path / "checkpoint.pt"
    model = model_for(optim.AdamW)
    optimizer = optim.AdamW(model.parameters())
    saved(path, model, optimizer, SCHEDULES[name](optimizer))
    report = check(samestep, path, "AdamW", name)
    absent = {entry["what"] for entry in report["absent"]} - {
        "dataloader",
        "rng/numpy",
        "rng/python",
    }
    plain_function = name in ("LambdaLR", "MultiplicativeLR")
    assert absent == ({"lr_scheduler/lr_lambdas"} if plain_function else set())


def test_groups_split_by_decay_and_named_parameters(samestep, tmp_path):
    path = tmp_path / "checkpoint.pt"
    for named in (False, True):
        model = model_for(optim.AdamW)
        groups = [
            {"params": [p for p in model.parameters() if p.dim() > 1], "weight_decay": 0.1},
            {"params": [p for p in model.parameters() if p.dim() <= 1], "weight_decay": 0.0},
        ]
        optimizer = optim.AdamW(list(model.named_parameters()) if named else groups)
        saved(path, model, optimizer, schedules.StepLR(optimizer, 2))
        report = check(samestep, path, "AdamW", "StepLR")
        moments = {
            f["path"].split("/")[2]: f["digest"]["sha256"]
            for f in report["fields"]
            if f["path"].endswith("/exp_avg")
        }
        for name, parameter in model.named_parameters():
            assert moments[name] == tensor_sha256(optimizer.state[parameter]["exp_avg"])
