"""Each kind of value, by each way in which torch and pickle write it, against what they load."""

import functools
import io
import pickle
import warnings

import pytest
import state_zoo
import torch
import torch.utils.serialization
from leaves import diff_code, inspect, verify_code
from told_leaves import untold

settings = torch.utils.serialization.config.save


def zipped(value, path, protocol=2):
    torch.save(value, path, pickle_protocol=protocol)


def legacy(value, path, protocol=2):
    torch.save(value, path, pickle_protocol=protocol, _use_new_zipfile_serialization=False)


def streamed(value, path):
    buffer = io.BytesIO()
    torch.save(value, buffer)
    path.write_bytes(buffer.getvalue())


def without_checksums(value, path):
    settings.compute_crc32 = False
    try:
        torch.save(value, path)
    finally:
        settings.compute_crc32 = True


def aligned(value, path):
    settings.storage_alignment = 4096
    try:
        torch.save(value, path)
    finally:
        settings.storage_alignment = 64


def pickled(value, path, protocol):
    path.write_bytes(pickle.dumps(value, protocol))


def torch_load(path):
    return torch.load(path, weights_only=False)


def pickle_load(path):
    return pickle.loads(path.read_bytes())


def partials(function, protocols):
    return {
        f"{function.__name__}-{protocol}": functools.partial(function, protocol=protocol)
        for protocol in protocols
    }


WRITERS = {
    **partials(zipped, [2, 3, 4, 5]),
    **partials(legacy, [2, 4, 5]),
    "streamed": streamed,
    "without-checksums": without_checksums,
    "aligned": aligned,
    **partials(pickled, range(6)),
}


def writable(values: dict, write, load, path) -> dict:
    """Those that the writer can write and its own loader can read back."""
    kept = {}
    for name, value in values.items():
        try:
            write(value, path)
            load(path)
        except Exception:  # each class of value has its own way to refuse
            continue
        kept[name] = value
    return kept


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("kind", state_zoo.KINDS, ids=lambda kind: kind.__name__)
def test_values(samestep, tmp_path, kind, writer):
    write = WRITERS[writer]
    load = pickle_load if writer.startswith("pickled") else torch_load
    path = tmp_path / ("state.pkl" if writer.startswith("pickled") else "state.pt")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        values = kind()
        kept = writable(values, write, load, path)
        assert len(kept) * 3 > len(values)
        write(kept, path)
        loaded = load(path)
    report = inspect(samestep, path)
    assert untold(report, loaded) == []
    assert report["warnings"] == []
    assert verify_code(samestep, path) == 0
    assert diff_code(samestep, path, path) == 0


def test_a_dtype_that_is_not_known_keeps_its_bytes(samestep, tmp_path):
    path = tmp_path / "state.pt"
    torch.save({"odd": torch.arange(3, dtype=torch.int16).view(torch.bits16), "step": 3}, path)
    report = inspect(samestep, path)
    fields = {str(field["source"]["keys"]): field for field in report["fields"]}
    assert fields["['odd']"]["class"] == "torch.bits16"
    assert fields["['odd', {'attr': 'storage'}, {'attr': '_untyped_storage'}]"]["bytes"] == 6
    assert report["step"] == 3
