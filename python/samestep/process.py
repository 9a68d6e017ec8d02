"""Which process is this: may it train, and which rank is it?"""

import os
import sys


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


def rank() -> int:
    return int(os.environ.get("RANK", "0") or 0)


def world_size() -> int:
    return int(os.environ.get("WORLD_SIZE", "1") or 1)
