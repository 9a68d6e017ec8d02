"""Two ranks under torchrun: each is compared with itself, and findings say which one."""

import pytest

pytestmark = pytest.mark.slow

TWO_RANKS = """
    import os, sys, torch
    import torch.distributed as dist
    from torch import nn
    from torch.nn.parallel import DistributedDataParallel
    OUT, FAULT, RESUME = sys.argv[1], sys.argv[2], (sys.argv[3:] or [None])[0]
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(5)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5)))
    optimizer, step = torch.optim.AdamW(model.parameters(), lr=0.01), 0
    torch.manual_seed(rank if RESUME is None else 70 + rank)
    if RESUME is not None:
        state = torch.load(RESUME, weights_only=False)
        model.module.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        step = state["step"]
        mine = 0 if FAULT == "other-rank" else rank
        torch.set_rng_state(state["rng"][mine])
    while step < 5:
        optimizer.zero_grad()
        model(torch.randn(2, 4)).square().mean().backward()
        optimizer.step()
        step += 1
        if step == 3:
            streams = [None, None]
            dist.all_gather_object(streams, torch.get_rng_state())
            if rank == 0:
                state = {"model": model.module.state_dict(), "optimizer": optimizer.state_dict(),
                         "step": step, "rng": streams}
                torch.save(state, os.path.join(OUT, "checkpoint.pt"))
            dist.barrier()
    dist.destroy_process_group()
"""


def test_a_sound_training_of_two_ranks(trainers):
    audit = trainers.audit(trainers.script(TWO_RANKS), ranks=2, steps=1, args=("none",))
    audit.assert_same()
    coverage = audit.report["coverage"]
    assert (coverage["ranks_heard"], coverage["ranks_expected"]) == ([0, 1], 2)


def test_a_rank_that_restores_the_others_stream_is_named(trainers):
    audit = trainers.audit(trainers.script(TWO_RANKS), ranks=2, steps=1, args=("other-rank",))
    assert (audit.code, audit.verdict) == (1, "diverged"), audit.error
    confirmed = [f for f in audit.report["findings"] if f["grade"] == "confirmed"]
    assert ("rng/torch.cpu", 1) in {(f["field"], f["rank"]) for f in confirmed}
    assert {f["rank"] for f in confirmed} == {1}


SHARDED = """
    import os, sys, torch
    import torch.distributed as dist
    import torch.distributed.checkpoint as dcp
    from torch import nn
    from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard
    OUT, FAULT, RESUME = sys.argv[1], sys.argv[2], (sys.argv[3:] or [None])[0]
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(5 if RESUME is None else 6)
    model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), nn.Linear(8, 3))
    if FAULT == "flattened":
        model = FullyShardedDataParallel(model, device_id=torch.device("cpu"))
    else:
        fully_shard(model, mesh=init_device_mesh("cpu", (2,)))
    optimizer, step = torch.optim.AdamW(model.parameters(), lr=0.01), 0
    torch.manual_seed(rank if RESUME is None else 70 + rank)

    def state():
        weights, slots = get_state_dict(model, optimizer)
        return {"model": weights, "optimizer": slots}

    if RESUME is not None:
        loaded = state()
        if FAULT == "weights-only":
            del loaded["optimizer"]
        dcp.load(loaded, checkpoint_id=RESUME)
        if FAULT == "weights-only":
            model.load_state_dict(loaded["model"])
        else:
            set_state_dict(model, optimizer, model_state_dict=loaded["model"],
                           optim_state_dict=loaded["optimizer"])
        own = torch.load(os.path.join(RESUME, f"rank-{rank}.pt"), weights_only=False)
        step = own["step"]
        torch.set_rng_state(own["rng"])
    while step < 5:
        optimizer.zero_grad()
        model(torch.randn(2, 4)).square().mean().backward()
        optimizer.step()
        step += 1
        if step == 3 and RESUME is None:
            folder = os.path.join(OUT, "checkpoint")
            dcp.save(state(), checkpoint_id=folder)
            own = {"step": step, "rng": torch.get_rng_state()}
            torch.save(own, os.path.join(folder, f"rank-{rank}.pt"))
            dist.barrier()
    dist.destroy_process_group()
"""


@pytest.mark.parametrize("kind", ["none", "flattened"])
def test_a_sound_sharded_training_has_no_findings(trainers, kind):
    """Each rank holds a part of what the checkpoint keeps whole."""
    audit = trainers.audit(
        trainers.script(SHARDED), ranks=2, steps=1, args=(kind,), checkpoint="checkpoint"
    )
    audit.assert_same()
    assert [f["field"] for f in audit.report["findings"]] == []


def test_a_sharded_optimizer_that_was_not_loaded_is_right_in_the_file(trainers):
    audit = trainers.audit(
        trainers.script(SHARDED), ranks=2, steps=1, args=("weights-only",), checkpoint="checkpoint"
    )
    assert (audit.code, audit.verdict) == (1, "diverged"), audit.error
    fates = {f["field"]: f["fate"] for f in audit.report["findings"]}
    assert fates["optimizer/state/0.weight/exp_avg"] == "not_applied"
    assert "miswritten" not in fates.values()
