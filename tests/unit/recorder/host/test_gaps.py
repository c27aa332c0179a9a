"""Tensors that cannot be recorded become gaps with one warning, and nothing ends."""

from __future__ import annotations

import errno
import gc
import math
import threading
import warnings
import weakref
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from comgra_export import ComgraRecorder, ComgraRecordingWarning
from comgra_export.errors import RecordingGapError
from comgra_export.recorder.numbers import compute, kernels
from comgra_export.recorder.numbers.parts import Summary
from comgra_export.storage import open_recording
from comgra_export.storage.files.lock import WritingLock
from comgra_export.storage.writer import RecordingWriter
from support.recorder.fixtures import MakeRecorder
from support.recorder.reading import folder_of, read_edges, read_gaps, read_records

B = 3
Body = Callable[[], object]


def one_step(recorder: ComgraRecorder, body: Body, step: int = 0) -> None:
    with recorder.batch(step, B), recorder.iteration():
        body()


def write_one_step(recorder: ComgraRecorder, body: Body) -> None:
    """Waits until it is written, or has failed to be."""
    one_step(recorder, body)
    recorder.flush()


EXOTIC: dict[str, tuple[Callable[[], Tensor], str]] = {
    "complex": (lambda: torch.zeros(B, 2, dtype=torch.complex64), "complex64"),
    "sparse": (lambda: torch.eye(B).to_sparse(), "sparse"),
    "meta": (lambda: torch.zeros(B, 2, device="meta"), "meta"),
    "nested": (lambda: torch.nested.nested_tensor([torch.zeros(2), torch.zeros(1), torch.zeros(3)], layout=torch.jagged), "nested"),
    "strange float": (lambda: torch.zeros(B, 2).to(torch.float8_e5m2fnuz), "float8_e5m2fnuz"),
}


@pytest.mark.parametrize("name", EXOTIC)
def test_an_exotic_tensor_is_a_gap(make_recorder: MakeRecorder, name: str) -> None:
    make, reason = EXOTIC[name]
    recorder = make_recorder(strict=False)

    def body() -> None:
        recorder.register_tensor(name, make())
        recorder.register_tensor("another", make())
        recorder.register_tensor("usual", torch.ones(B, 1))
        recorder.record_current_gradients("gradients")

    with pytest.warns(ComgraRecordingWarning, match=f"{name}.*{reason}") as caught:
        one_step(recorder, body)
    assert len(caught) == 1
    assert {record for _, record, _ in read_records(recorder)} == {"usual"}
    assert [(gap.step, gap.iteration, gap.tensor) for gap in read_gaps(recorder)] == [(0, 0, name), (0, 0, "another")]
    assert all(reason in gap.reason for gap in read_gaps(recorder))


def test_strict_turns_gaps_into_errors(recorder: ComgraRecorder) -> None:
    with pytest.raises(RecordingGapError, match=r"'x'.*complex64"):
        one_step(recorder, lambda: recorder.register_tensor("x", torch.zeros(B, 2, dtype=torch.complex64)))
    assert open_recording(folder_of(recorder)).steps == ()


def test_an_exotic_tensor_keeps_its_place_in_the_graph(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(strict=False)
    x = torch.ones(B, 2)

    def body() -> None:
        recorder.register_tensor("x", x)
        spectrum = torch.fft.fft(x)
        recorder.register_tensor("spectrum", spectrum)
        recorder.register_tensor("power", spectrum.abs())

    with pytest.warns(ComgraRecordingWarning):
        one_step(recorder, body)
    assert read_edges(recorder) == {("x", "spectrum"), ("spectrum", "power")}


def test_a_tensor_inside_of_vmap_is_a_gap(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(strict=False)

    def double(row: Tensor) -> Tensor:
        recorder.register_tensor("row", row, index_of_batch_dimension=None)
        return row * 2

    def body() -> None:
        assert torch.vmap(double)(torch.ones(B, 2)).tolist() == [[2, 2]] * B
        recorder.register_tensor("usual", torch.ones(B, 2))

    with pytest.warns(ComgraRecordingWarning, match="vmap"):
        one_step(recorder, body)
    assert {record for _, record, _ in read_records(recorder)} == {"usual"}


def test_numbers_that_fail_take_no_others_with_them(make_recorder: MakeRecorder, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = compute._summary_of_stack

    def fail_on_sevens(stack: Tensor, *arguments: Any) -> Summary:  # noqa: ANN401
        if (stack == 7).any():
            raise RuntimeError("out of memory")
        return usual(stack, *arguments)

    def fail(*_: object) -> None:
        raise RuntimeError("out of memory")

    monkeypatch.setattr(kernels, "summarize_column_groups", fail)
    monkeypatch.setattr(compute, "_summary_of_stack", fail_on_sevens)
    recorder = make_recorder(strict=False)

    def body() -> None:
        total = torch.zeros(B, 1)
        for value in range(10):
            tensor = torch.full((B, 1), float(value), requires_grad=True)
            recorder.register_tensor(f"t{value}", tensor)
            total = total + tensor * value
        total.sum().backward()
        recorder.record_current_gradients("gradients")

    with pytest.warns(ComgraRecordingWarning, match=r"'t7'.*out of memory") as caught:
        write_one_step(recorder, body)
    assert len(caught) == 1
    records = read_records(recorder)
    for group in ("forward", "gradients"):
        means = {name: record.statistics["mean"][0] for (of_group, name, _), record in records.items() if of_group == group}
        assert means == {f"t{value}": value for value in range(10) if value != 7}
    assert {(gap.group, gap.tensor) for gap in read_gaps(recorder)} == {("gradients", "t7"), ("forward", "t7")}


def full_disk(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_loses_the_step_and_not_the_run(make_recorder: MakeRecorder, monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = make_recorder(strict=False)
    x = torch.ones(B, 1)
    with monkeypatch.context() as patch:
        patch.setattr(RecordingWriter, "write_step", full_disk)
        with pytest.warns(ComgraRecordingWarning, match="No space left"):
            write_one_step(recorder, lambda: recorder.register_tensor("x", x))
        # One warning is enough: a second one would fail this test.
        one_step(recorder, lambda: recorder.register_tensor("x", x), step=1)
        one_step(recorder, lambda: recorder.register_tensor("x", x), step=2)
        recorder.flush()
        assert not x.requires_grad
    one_step(recorder, lambda: recorder.register_tensor("x", x), step=3)
    recording = open_recording(folder_of(recorder))
    assert recording.steps == (3,)
    assert [(gap.step, gap.whole_step) for gap in recording.gaps] == [(0, True), (1, True), (2, True)]


def test_notes_and_curves_survive_a_full_disk(make_recorder: MakeRecorder, monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = make_recorder(strict=False)
    for method in ("add_note", "add_curve_point", "add_gap", "write_network", "close"):
        monkeypatch.setattr(RecordingWriter, method, full_disk)
    with pytest.warns(ComgraRecordingWarning, match="No space left"):
        recorder.track_module("net", torch.nn.Linear(1, 1))
    recorder.add_note("lost")
    one_step(recorder, lambda: recorder.record_kpi_in_graph("group", "name", 1.0))
    recorder.finalize()
    assert open_recording(folder_of(recorder)).steps == (0,)


def test_an_error_of_our_own_in_the_graph_is_a_gap(make_recorder: MakeRecorder, monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = make_recorder(strict=False)
    monkeypatch.setattr("comgra_export.recorder.tracing.registered_tensors.build_structure", full_disk)
    with pytest.warns(ComgraRecordingWarning, match="graph"):
        one_step(recorder, lambda: recorder.register_tensor("x", torch.ones(B, 1)))
    assert open_recording(folder_of(recorder)).step(0).structures == (None,)
    assert [gap.iteration for gap in read_gaps(recorder)] == [0]
    assert ("forward", "x", 0) in read_records(recorder)


def test_a_step_that_cannot_be_finished_is_a_gap_outside_of_it(make_recorder: MakeRecorder, monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = make_recorder(strict=False)
    monkeypatch.setattr("comgra_export.recorder.step.arriving_numbers.Transfer", full_disk)
    with pytest.warns(ComgraRecordingWarning, match="could not be finished"):
        one_step(recorder, lambda: recorder.register_tensor("x", torch.ones(B, 1)))
    recording = open_recording(folder_of(recorder))
    assert recording.steps == ()
    assert [("No space left" in gap.reason, gap.step, gap.whole_step) for gap in recording.gaps] == [(True, 0, True)]


class Stubborn(Tensor):
    """A gradient that cannot be added to."""

    def __add__(self, other: object) -> Tensor:
        raise RuntimeError("stubborn")


def test_a_gradient_hook_that_fails_does_not_reach_the_backward_pass(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(strict=False)

    def body() -> None:
        h = torch.ones(B, 1, requires_grad=True) * 1
        recorder.register_tensor("h", h)
        for _ in range(2):
            h.backward(torch.ones(B, 1).as_subclass(Stubborn), retain_graph=True)
        recorder.record_current_gradients("gradients")

    with pytest.warns(ComgraRecordingWarning, match=r"'h'.*stubborn"):
        one_step(recorder, body)
    assert [(gap.group, gap.tensor) for gap in read_gaps(recorder)] == [("gradients", "h")]


def test_warnings_are_given_once_per_recorder(make_recorder: MakeRecorder) -> None:
    for _ in range(2):
        recorder = make_recorder(strict=False)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for step in range(3):
                with recorder.batch(step, B), recorder.iteration():
                    recorder.register_tensor("x", torch.zeros(B, dtype=torch.complex64))
        assert len(caught) == 1
        assert len(read_gaps(recorder)) == 3


def test_a_strict_gap_at_the_start_of_a_step_leaves_no_step(recorder: ComgraRecorder) -> None:
    network = torch.nn.Linear(1, 1)
    recorder.track_module("net", network)
    network.bias = torch.nn.Parameter(torch.zeros(1, dtype=torch.complex64))
    for _ in range(2):
        with pytest.raises(RecordingGapError, match=r"net.bias.*complex64"):
            one_step(recorder, lambda: None)
    assert "between steps" in repr(recorder)


def test_nan_everywhere_is_recorded_as_nan(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(strict=True)
    network = torch.nn.Linear(2, 1)
    for parameter in network.parameters():
        torch.nn.init.constant_(parameter, math.nan)
    recorder.track_module("net", network)
    optimizer = torch.optim.SGD(network.parameters(), lr=math.nan)
    recorder.track_optimizers(optimizer)

    def body() -> None:
        x = torch.full((B, 2), math.nan)
        recorder.register_tensor("x", x, is_input=True)
        loss = network(x).mean()
        recorder.register_tensor("loss", loss, is_loss=True)
        recorder.record_kpi_in_graph("loss", "train", loss)
        loss.backward()
        recorder.record_current_gradients("gradients")
        optimizer.step()

    one_step(recorder, body)
    records = read_records(recorder)
    for key in (("forward", "x", 0), ("forward", "loss", 0), ("forward", "net.weight", -1), ("gradients", "net.weight", -1)):
        record = records[key]
        assert record.counts[0] > 0
        assert all(math.isnan(number) for statistic in record.statistics.values() for number in statistic)
        assert all(math.isnan(number) for number in record.extrema)
        assert all(map(math.isnan, record.values.tolist()))
    recorder.finalize()
    recording = open_recording(folder_of(recorder))
    assert math.isnan(recording.curve_points[0].v)
    assert (recording.steps, recording.gaps, recording.problems, recording.missing_steps) == ((0,), (), [], ())


class Untouchable(Tensor):
    """A tensor that raises whenever something is asked of it, as a lazy one does whose server is gone."""

    @classmethod
    def __torch_function__(cls, *_: object, **__: object) -> object:
        raise RuntimeError("the server is gone")


def test_a_tensor_that_raises_on_access_is_a_gap(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(strict=False)
    good = torch.ones(B, 1)

    def body() -> None:
        recorder.register_tensor("bad", torch.ones(B, 2).as_subclass(Untouchable), 0)
        recorder.register_tensor("good", good)
        recorder.record_current_gradients("gradients")

    with pytest.warns(ComgraRecordingWarning, match="the server is gone"):
        one_step(recorder, body)
    assert {name for _, name, _ in read_records(recorder)} == {"good"}
    assert "bad" in {gap.tensor for gap in read_gaps(recorder)}
    assert all("the server is gone" in gap.reason for gap in read_gaps(recorder))


def test_a_recorder_that_is_dropped_leaves_nothing_open(make_recorder: MakeRecorder) -> None:
    """Everything is written, the lock is free, and neither the recorder nor the network is kept."""
    network = torch.nn.Linear(1, 1)
    recorder = ComgraRecorder(make_recorder().folder.parents[2], trial_id="dropped")  # type: ignore[union-attr]
    recorder.track_module("net", network)
    for step in range(3):
        with recorder.batch(step, B, override__recording_is_active=True), recorder.iteration():
            recorder.register_tensor("y", network(torch.ones(B, 1)))
    folder = folder_of(recorder)
    of_recorder, of_network = weakref.ref(recorder), weakref.ref(network)
    del recorder, network
    gc.collect()
    assert of_recorder() is None
    assert of_network() is None
    for thread in threading.enumerate():
        if thread.name == "comgra_export writing":
            thread.join(30)
    recording = open_recording(folder)
    assert (recording.steps, recording.is_closed) == ((0, 1, 2), False)
    WritingLock(folder / "writing.lock").release()
