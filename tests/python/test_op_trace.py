"""Operators of one step in real PyTorch processes, and what an audit with --ops says of them."""

import pytest

torch = pytest.importorskip("torch")

SAVES = """
    import os, sys, torch
    from torch import nn
    OUT, RESUME = sys.argv[1], (sys.argv[2:] or [None])[0]
    PATH = os.path.join(OUT, "checkpoint.pt")
    torch.manual_seed(0)
    first, second = nn.Linear(8, 16), nn.Linear(16, 1)
    model = nn.ModuleDict({"first": first, "second": second})
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    step = 0
    def save():
        torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(),
                    "step": step, "rng": torch.get_rng_state()}, PATH)
    if RESUME:
        state = torch.load(RESUME, weights_only=False)
        model.load_state_dict(state["model"]); optimizer.load_state_dict(state["optimizer"])
        step = state["step"]; torch.set_rng_state(state["rng"])
"""

LOOP = """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = first, second
        def forward(self, x):
            return second(middle(torch.relu(first(x))))
    net = Net()
    while step < 6:
        optimizer.zero_grad()
        loss = net(torch.randn(64, 8)).square().mean()
        loss.backward()
        optimizer.step()
        step += 1
        if step == 3:
            save()
"""

# Something that no checkpoint holds and no search finds: a stream of a library's own.
HIDDEN_NOISE = """
    state = torch.Generator().manual_seed(1 if RESUME is None else 2)
    def make():
        own = state
        @torch.library.custom_op("lab::noisy", mutates_args=())
        def noisy(x: torch.Tensor) -> torch.Tensor:
            return x + 1e-3 * torch.randn(x.shape, generator=own)
        noisy.register_autograd(lambda ctx, grad: grad)
        return noisy
    middle = make()
    del state
"""

# A long sum is cut among the threads: other partial sums, another rounding.
THREADS = """
    torch.set_num_threads(1 if RESUME is None else 2)
    wide = torch.randn(1_000_003, generator=torch.Generator().manual_seed(4))
    def middle(x):
        sums = [(wide * (x.mean() + k)).sum() for k in range(1, 5)]
        return x * (sum(sums) / 1e4)
"""


def operator(audit):
    """The report of the operator; the document is checked against the schema by the command's own
    tests."""
    assert audit.report, audit.error
    divergence = audit.report["divergence"]
    assert divergence is not None, audit.report["reason"]
    assert "operator" in divergence, audit.report["coverage"]["not_compared"]
    return divergence["operator"]


def why_not(audit):
    assert audit.report, audit.error
    return " ".join(
        entry["why"]
        for entry in audit.report["coverage"]["not_compared"]
        if entry["what"] == "operators"
    )


@pytest.mark.slow
def test_a_kernel_with_state_of_its_own_is_named(trainers):
    audit = trainers.audit(trainers.script(SAVES + HIDDEN_NOISE + LOOP), "--ops")
    found = operator(audit)
    assert (audit.code, found["name"], found["differs"]) == (1, "lab::noisy", "outputs")
    assert (found["phase"], found["argument"]) == ("forward", "output 0")
    assert found["where"]["step"] == 4
    assert found["where"]["phase"].startswith("op:")
    assert found["uninterrupted"]["shape"] == found["resumed"]["shape"] == [64, 16]
    assert found["uninterrupted"]["digest"] != found["resumed"]["digest"]
    assert found["same_before"] > 0


@pytest.mark.slow
def test_another_count_of_threads_is_told_beside_the_kernel(trainers):
    audit = trainers.audit(trainers.script(SAVES + THREADS + LOOP), "--ops")
    found = operator(audit)
    assert found["differs"] == "outputs"
    assert found["name"].startswith("aten::sum")
    assert any("1 threads in the uninterrupted leg, on 2" in text for text in found["evidence"])


@pytest.mark.slow
def test_inputs_that_differ_already_point_outside(trainers):
    lost = "    middle = nn.Identity()\n    if RESUME: torch.manual_seed(5)\n"
    audit = trainers.audit(trainers.script(SAVES + lost + LOOP), "--ops")
    found = operator(audit)
    assert found["name"] in ("aten::randn", "aten::t", "aten::addmm")
    assert found["differs"] in ("inputs", "outputs")


@pytest.mark.slow
def test_a_process_with_another_torch_is_audited_all_the_same(trainers):
    other = "    torch.__version__ = '2.4.1'\n"
    audit = trainers.audit(trainers.script(SAVES + other + HIDDEN_NOISE + LOOP), "--ops")
    assert audit.verdict == "diverged"
    assert "operator" not in audit.report["divergence"]
    assert "this process has 2.4.1" in why_not(audit)
    legs = [leg["name"] for leg in audit.report["legs"]]
    assert "operators.resumed" in legs and "operators.uninterrupted" not in legs


@pytest.mark.slow
def test_a_sound_trainer_has_nothing_to_trace(trainers):
    audit = trainers.audit(trainers.script(SAVES + "    middle = nn.Identity()\n" + LOOP), "--ops")
    audit.assert_same()
    assert "the compared steps are the same" in why_not(audit)


def operators(leg):
    return [op for event in leg.events("operators") for op in event["operators"]]


SHOWS = """
    import hashlib
    print(hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in net.parameters())
                         + torch.get_rng_state().numpy().tobytes()).hexdigest())
"""


def test_a_traced_run_ends_in_the_same_bytes(trainers):
    script = trainers.script(SAVES + "    middle = nn.Dropout(0.5)\n" + LOOP + SHOWS)
    bare = trainers.bare(script)
    traced = trainers.record(script, operators_at=3, at=2, steps=3, stop=False)
    assert traced.stdout == bare.stdout
    found = operators(traced)
    assert {"forward", "backward", "optimizer"} <= {op["phase"] for op in found}
    assert [op["n"] for op in found] == list(range(1, len(found) + 1))
    assert {"first", "second"} <= {op.get("module") for op in found if op["phase"] == "backward"}


def test_only_the_step_that_is_asked_for_is_traced(trainers):
    script = trainers.script(SAVES + "    middle = nn.Identity()\n" + LOOP)
    leg = trainers.record(script, operators_at=3, at=2, steps=2)
    names = [op["name"] for op in operators(leg)]
    assert names.count("aten::addmm") == 2


def test_where_the_tracer_was_not_built_the_reason_is_told(tmp_path):
    from samestep.op_trace import Unavailable, find_library

    with pytest.raises(Unavailable, match="was not built"):
        find_library(tmp_path, "2.13.0")
    (tmp_path / "op_trace.torch-2.9.1.so").touch()
    with pytest.raises(Unavailable, match="built for PyTorch 2.9.1, this process has 2.13.0"):
        find_library(tmp_path, "2.13.0")


def test_a_file_that_is_no_library_is_told(tmp_path):
    from samestep import op_trace

    version = torch.__version__.partition("+")[0]
    (tmp_path / f"op_trace.torch-{version}.so").write_text("no library")
    with pytest.raises(op_trace.Unavailable, match="cannot be loaded"):
        op_trace._load(tmp_path)
