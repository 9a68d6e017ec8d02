"""Tensors of a device in captures in the background. No device is needed: a stand-in for torch.cuda
keeps a list of what was asked of it, and the memory is the host's."""

import contextlib
import ctypes
import json

import pytest
import torch

from samestep import device, tensors
from samestep._core import Session
from samestep.batches import Batches
from samestep.entry import Entry
from samestep.lent import Changed, Lent
from samestep.tensors import Released, digest_of, memory_of
from samestep.writer import Writer


class Accelerator:
    """Streams and events that only take note of the order."""

    def __init__(self):
        self.asked = []
        accelerator = self

        class Stream:
            def __init__(self, device=None):
                self.name = "side"

            def wait_event(self, event):
                accelerator.asked.append(("wait", event.of))

        class Event:
            of = None

            def record(self, stream):
                self.of = stream.name
                accelerator.asked.append(("record", stream.name))

            def synchronize(self):
                accelerator.asked.append(("synchronize", self.of))

        self.Stream, self.Event = Stream, Event
        self.trainer = Stream()
        self.trainer.name = "trainer"

    def current_stream(self, device=None):
        return self.trainer

    @contextlib.contextmanager
    def stream(self, stream):
        yield


class Remote(torch.Tensor):
    """Not read where it lies, as a tensor of a device."""

    __slots__ = ("_local_tensor",)

    @staticmethod
    def of(tensor):
        made = tensor.detach().as_subclass(Remote)
        made._local_tensor = tensor
        return made


@pytest.fixture
def accelerator(monkeypatch):
    found = Accelerator()
    monkeypatch.setattr(device, "module_of", lambda tensor: found)
    return found


def pieces_of(tensor, accelerator):
    lane = device.Lane(accelerator, tensor.device)
    found = []
    for address, count in device.Reader(tensor, lane).pieces():
        assert count > 0
        found.append(ctypes.string_at(address, count))
    return found


def canonical(tensor):
    plain = tensor.detach().resolve_conj().resolve_neg().contiguous().view(-1)
    return plain.view(torch.uint8).numpy().tobytes()


SHAPES = {
    "scalar": lambda t: t[0],
    "row": lambda t: t,
    "empty": lambda t: t[:0],
    "matrix": lambda t: t.view(10, 30),
    "transposed": lambda t: t.view(10, 30).t(),
    "sliced": lambda t: t.view(10, 30)[1:9:2, 3:20:3],
    "expanded": lambda t: t[:7].expand(5, 7),
    "channels_last": lambda t: t.view(2, 3, 5, 10).to(memory_format=torch.channels_last),
    "wide": lambda t: t.view(2, 150).t().t()[:, ::2],
    "no_rows": lambda t: t.view(10, 30)[:, :0].t(),
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64, torch.bool,
                                   torch.complex64, torch.float8_e4m3fn, torch.uint8])  # fmt: skip
def test_pieces_are_the_canonical_bytes(dtype, shape, accelerator, monkeypatch):
    monkeypatch.setattr(device, "PIECE_BYTES", 64)
    tensor = shape((torch.arange(300) % 100).to(dtype))
    pieces = pieces_of(tensor, accelerator)
    assert b"".join(pieces) == canonical(tensor)
    row = tensor.nbytes // tensor.shape[0] if tensor.dim() > 1 and tensor.shape[0] else 0
    assert all(len(piece) <= max(64, row) for piece in pieces)


def test_lazy_bits_of_a_tensor_are_applied(accelerator):
    numbers = torch.randn(8, dtype=torch.complex64)
    for tensor in (numbers.conj(), numbers.conj().imag):
        assert b"".join(pieces_of(tensor, accelerator)) == canonical(tensor)


def test_one_piece_is_on_its_way_while_another_is_read(accelerator, monkeypatch):
    monkeypatch.setattr(device, "PIECE_BYTES", 64)
    lane = device.Lane(accelerator, "cpu")
    lane.follow()
    assert accelerator.asked == [("record", "trainer"), ("wait", "trainer")]
    accelerator.asked.clear()
    pieces = device.Reader(torch.arange(64.0), lane).pieces()
    next(pieces)
    assert accelerator.asked == [("record", "side")] * 2 + [("synchronize", "side")]
    assert len(list(pieces)) == 3
    assert accelerator.asked.count(("synchronize", "side")) == 4


class Capture:
    """One record, from its begin to its end."""

    def __init__(self, session, folder):
        self.session, self.folder = session, folder

    def begin(self, lent, *entries):
        self.session.begin_record(0, "begin", "full")
        writer = Writer(self.session, lent)
        writer.write(entries)
        writer.lend()
        self.session.start_record()

    def end(self, lent):
        self.session.barrier()
        lent.settle_all()
        self.session.commit_record()
        self.session.collect_record(True)

    def fields(self):
        (manifest,) = self.folder.glob(".samestep/captures/*/rank-0.json")
        return {field["path"]: field for field in json.loads(manifest.read_text())["fields"]}


@pytest.fixture
def capture(tmp_path):
    plan = {
        "schema": "plan.v1", "leg": "uninterrupted", "run": str(tmp_path / "run"), "start": 0,
        "at": 0, "steps": 1, "trace": False, "log_begins": False, "final_only": False, "out": "",
        "checkpoint": "", "copy_to": "", "stop": False, "stepping": [], "background": True,
    }  # fmt: skip
    (tmp_path / "run").mkdir()
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    session = Session.open(str(tmp_path / "plan.json"), 0, 1)
    yield Capture(session, tmp_path / "run")
    session.close()


def entries():
    torch.manual_seed(0)
    weight = torch.nn.Parameter(torch.randn(300, 400).t())
    moment, mean, step = torch.randn(400, 300), torch.randn(40), torch.tensor(3.0)
    state = ("optimizer", "state", "w")
    return [
        Entry(("model", "w"), "parameter", Remote.of(weight)),
        Entry((*state, "exp_avg"), "moment", Remote.of(moment), {"owner": "AdamW"}),
        Entry((*state, "step"), "step_counter", Remote.of(step)),
        Entry(("model", "mean"), "buffer", Remote.of(mean)),
        Entry(("model", "host"), "parameter", torch.randn(200, 200)),
    ]


def test_a_capture_holds_what_was_there_at_the_begin(accelerator, capture):
    state = entries()
    expected = {entry.text(): digest_of(entry.value) for entry in state}
    lent = Lent()
    capture.begin(lent, *state)
    assert accelerator.asked[:2] == [("record", "trainer"), ("wait", "trainer")]
    assert sorted(lent.loans.paths) == sorted(entry.text() for entry in state)
    mean, step = state[3].value._local_tensor, state[2].value._local_tensor
    mean.zero_()
    step.add_(1)  # the forward
    capture.end(lent)
    for entry in state:
        if entry.text() != "model/host":
            entry.value._local_tensor.detach().add_(1)  # the optimizer
    fields = capture.fields()
    assert {path: field["digest"] for path, field in fields.items()} == expected
    weight = fields["model/w"]
    assert weight["shape"] == [400, 300] and weight["layout"]["strides"] == [1, 400]
    assert weight["layout"]["requires_grad"] and weight["dtype"] == "float32"
    assert fields["optimizer/state/w/exp_avg"]["traits"]["owner"] == "AdamW"


def test_only_the_writing_thread_and_the_barrier_wait_for_the_device(accelerator, capture):
    state = entries()
    lent = Lent()
    capture.session.begin_record(0, "begin", "full")
    writer = Writer(capture.session, lent)
    writer.write(state)
    writer.lend()
    assert ("synchronize", "side") not in accelerator.asked
    capture.session.start_record()
    capture.end(lent)
    # The one number of the step is read once more for its text, where it was not copied first.
    assert accelerator.asked.count(("synchronize", "side")) in (4, 5)


def test_a_change_before_the_barrier_is_named(accelerator, capture):
    state = entries()
    lent = Lent()
    capture.begin(lent, *state)
    state[0].value._local_tensor.detach().add_(1)
    capture.session.barrier()
    with pytest.raises(Changed, match="model/w"):
        lent.settle_all()
    capture.session.abandon_record()
    lent.clear()
    # The next capture takes a copy at once.
    expected = digest_of(state[0].value)
    capture.begin(lent, *state)
    state[0].value._local_tensor.detach().add_(1)
    capture.end(lent)
    assert capture.fields()["model/w"]["digest"] == expected


def test_copies_on_the_device_are_bounded(accelerator, capture, monkeypatch):
    monkeypatch.setattr(device, "COPIED_BYTES_MAX", 1000)
    means = [torch.randn(200) for _ in range(3)]
    state = [Entry(("model", f"m{i}"), "buffer", Remote.of(m)) for i, m in enumerate(means)]
    expected = [digest_of(mean) for mean in means]
    lent = Lent()
    capture.begin(lent, *state)
    assert lent.loans.paths == ["model/m0"]  # the others were read at once
    for mean in means:
        mean.zero_()
    capture.end(lent)
    fields = capture.fields()
    assert [fields[f"model/m{i}"]["digest"] for i in range(3)] == expected


def test_what_the_device_has_no_room_for_is_read_at_once(accelerator, capture, monkeypatch):
    def full(tensor):
        raise torch.OutOfMemoryError("the device is full")

    mean = torch.randn(200)
    expected = digest_of(mean)
    lent = Lent()
    with monkeypatch.context() as patch:
        patch.setattr(torch.Tensor, "clone", full)
        capture.begin(lent, Entry(("model", "mean"), "buffer", Remote.of(mean)))
    assert lent.loans.paths == []
    mean.zero_()
    capture.end(lent)
    assert capture.fields()["model/mean"]["digest"] == expected


@pytest.mark.parametrize("shape", [(1 << 20,), (1 << 10, 1 << 10)])
def test_the_barrier_reads_what_the_thread_has_not(shape, accelerator, capture, monkeypatch):
    """Both ask for the interpreter while the trainer's thread waits."""
    monkeypatch.setattr(device, "PIECE_BYTES", 4096)
    tensors = [torch.randn(shape) for _ in range(8)]
    expected = [digest_of(tensor) for tensor in tensors]
    lent = Lent()
    state = [Entry(("model", f"w{i}"), "parameter", Remote.of(t)) for i, t in enumerate(tensors)]
    capture.begin(lent, *state)
    capture.end(lent)
    for tensor in tensors:
        tensor.zero_()
    fields = capture.fields()
    assert [fields[f"model/w{i}"]["digest"] for i in range(8)] == expected


def test_an_error_of_the_device_is_told_at_the_barrier_and_no_capture_left(accelerator, capture):
    def broken(self):
        raise RuntimeError("an illegal memory access was encountered")

    accelerator.Event.synchronize = broken
    lent = Lent()
    capture.begin(lent, *entries())
    with pytest.raises(RuntimeError, match="illegal memory access"):
        capture.end(lent)
    capture.session.abandon_record()
    assert list(capture.folder.glob(".samestep/captures/*/rank-0.json")) == []


@pytest.mark.parametrize("pieces", [[], [8], [4, 8]])
def test_another_count_of_bytes_is_an_error(pieces, accelerator, capture, monkeypatch):
    memory = torch.zeros(100_000)
    give = lambda self: iter([(memory.data_ptr(), count) for count in pieces])
    monkeypatch.setattr(device.Reader, "pieces", give)
    lent = Lent()
    tensor = torch.zeros(2)
    capture.begin(lent, Entry(("model", "mean"), "buffer", Remote.of(tensor)))
    if pieces == [8]:
        capture.end(lent)
        assert capture.fields()["model/mean"]["digest"] == digest_of(tensor)
        return
    with pytest.raises(RuntimeError, match="bytes came than the tensor has"):
        capture.end(lent)
    capture.session.abandon_record()


def test_a_tensor_whose_storage_was_freed_is_never_read():
    tensor = torch.zeros(4)
    tensor.untyped_storage().resize_(0)

    class OfDevice:
        """Its copy to the host would read freed memory."""

        is_cpu = is_meta = is_nested = is_quantized = False
        layout = torch.strided

        def __getattr__(self, name):
            assert name != "detach", "it was about to be copied"
            return getattr(tensor, name)

    with pytest.raises(Released):
        tensors._memory_of_plain(OfDevice())
    with pytest.raises(Released):
        memory_of(tensor)


def test_where_a_batch_lies_is_told_without_reading_it(monkeypatch):
    inputs = torch.zeros(4)
    batches = Batches()
    batches.seen({"x": inputs})
    monkeypatch.setattr(tensors, "memory_of", lambda thing: pytest.fail("it was read"))
    assert batches.consumed_by([inputs.view(2, 2)]) is not None
    assert tensors.storage_of(inputs[2:]) == inputs.data_ptr()
    assert tensors.storage_of(inputs.numpy()[2:]) == inputs.data_ptr()
    with pytest.raises(tensors.Unreadable):
        tensors.storage_of(torch.zeros(1, device="meta"))
    with pytest.raises(tensors.Unreadable):
        tensors.storage_of(torch.zeros(2, 2).to_sparse())


def test_a_host_tensor_has_no_streams():
    assert device.module_of(torch.zeros(1)) is None
    assert device.module_of(torch.zeros(1, device="meta")) is None


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
def test_a_device_is_read_beside_the_step(capture):
    weight = torch.randn(4096, 4096, device="cuda")
    mean = torch.randn(512, device="cuda")
    expected = [digest_of(weight), digest_of(mean)]
    lent = Lent()
    capture.begin(
        lent,
        Entry(("model", "w"), "parameter", weight),
        Entry(("model", "mean"), "buffer", mean),
    )
    mean.zero_()
    capture.end(lent)
    weight.zero_()
    fields = capture.fields()
    assert [fields[f"model/{name}"]["digest"] for name in ("w", "mean")] == expected
