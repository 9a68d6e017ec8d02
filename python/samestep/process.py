"""Which process is this: may it train, and which rank is it?"""

import os
import sys
from typing import Any


def may_train() -> bool:
    """False for the helper processes of multiprocessing, which never train.

    Spawned children may be ranks of a training or workers of a loader: they stay candidates, and a
    session is opened only once one of them makes a training forward.
    """
    words = " ".join(sys.orig_argv[1:4])
    return not any(
        helper in words
        for helper in ("multiprocessing.resource_tracker", "multiprocessing.forkserver")
    )


def is_loader_worker() -> bool:
    """Inside a worker process of a torch DataLoader."""
    worker = sys.modules.get("torch.utils.data._utils.worker")
    return worker is not None and getattr(worker, "_worker_info", None) is not None


def _process_group() -> Any:
    """torch.distributed, where a process group is there to ask."""
    distributed = sys.modules.get("torch.distributed")
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        return None
    return distributed


def rank() -> int:
    """As the process group says, which may have been told otherwise; else as the launcher says."""
    group = _process_group()
    return int(group.get_rank() if group else os.environ.get("RANK", "0") or 0)


def world_size() -> int:
    group = _process_group()
    return int(group.get_world_size() if group else os.environ.get("WORLD_SIZE", "1") or 1)
