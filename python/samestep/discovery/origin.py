"""Whose code is it: the trainer's own, a package's, or the standard library's?"""

import functools
import sys
import sysconfig

# Packages whose objects hold nothing durable beside what registries and probes find anyway.
_OPAQUE = {
    "torch", "numpy", "scipy", "pandas", "pyarrow", "tokenizers", "sympy", "triton", "tqdm",
    "matplotlib", "PIL", "rich", "wandb", "tensorboard", "huggingface_hub", "pydantic", "samestep",
}  # fmt: skip


def is_user_module(name: str) -> bool:
    """Of the trainer: `__main__`, and modules outside of site-packages and the standard library."""
    if name == "__main__":
        return True
    module = sys.modules.get(name)
    place = vars(module).get("__file__") if module is not None else None
    return isinstance(place, str) and not is_opaque_module(name) and _is_user_file(place)


@functools.cache
def _is_user_file(place: str) -> bool:
    paths = sysconfig.get_paths()
    packages = ("site-packages", "dist-packages", paths["stdlib"], paths["platstdlib"])
    return not any(part in place for part in packages)


@functools.cache
def is_opaque_module(name: str) -> bool:
    """Objects of these modules are not looked into."""
    root = name.partition(".")[0]
    return root in sys.stdlib_module_names or root in _OPAQUE


def is_user_class(kind: type) -> bool:
    return is_user_module(kind.__module__)
