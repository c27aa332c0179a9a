"""What cannot be recorded becomes a gap, is warned about once, and ends nothing."""

from __future__ import annotations

import errno
import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch
from recorder.conftest import MakeRecorder
from recorder.reading import folder_of, read_edges, read_gaps, read_records
from torch import Tensor

from comgra_export import ComgraRecorder, ComgraRecordingWarning
from comgra_export.errors import RecordingGapError
from comgra_export.recorder import measurements
from comgra_export.recorder.statistics import Summary, summarize
from comgra_export.storage import open_recording
from comgra_export.storage.writer import RecordingWriter

B = 3
Body = Callable[[], object]


def one_step(recorder: ComgraRecorder, body: Body, step: int = 0) -> None:
    with recorder.batch(step, B), recorder.iteration():
        body()


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
    def fail_on_sevens(stack: Tensor, *arguments: Any) -> Summary:  # noqa: ANN401
        if (stack == 7).any():
            raise RuntimeError("out of memory")
        return summarize(stack, *arguments)

    monkeypatch.setattr(measurements, "summarize", fail_on_sevens)
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
        one_step(recorder, body)
    assert len(caught) == 1
    records = read_records(recorder)
    for group in ("forward", "gradients"):
        means = {name: record.statistics["mean"][0] for (of_group, name, _), record in records.items() if of_group == group}
        assert means == {f"t{value}": value for value in range(10) if value != 7}
    assert [(gap.group, gap.tensor) for gap in read_gaps(recorder)] == [("gradients", "t7"), ("forward", "t7")]


def full_disk(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_loses_the_step_and_not_the_run(make_recorder: MakeRecorder, monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = make_recorder(strict=False)
    x = torch.ones(B, 1)
    with monkeypatch.context() as patch:
        patch.setattr(RecordingWriter, "write_step", full_disk)
        with pytest.warns(ComgraRecordingWarning, match="No space left"):
            one_step(recorder, lambda: recorder.register_tensor("x", x))
        # One warning is enough: a second one would fail this test.
        one_step(recorder, lambda: recorder.register_tensor("x", x), step=1)
        one_step(recorder, lambda: recorder.register_tensor("x", x), step=2)
        assert not x.requires_grad
    one_step(recorder, lambda: recorder.register_tensor("x", x), step=3)
    recording = open_recording(folder_of(recorder))
    assert recording.steps == (3,)
    assert [gap.step for gap in recording.gaps] == [0, 1, 2]


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
    monkeypatch.setattr("comgra_export.recorder.steps.build_structure", full_disk)
    with pytest.warns(ComgraRecordingWarning, match="graph"):
        one_step(recorder, lambda: recorder.register_tensor("x", torch.ones(B, 1)))
    assert open_recording(folder_of(recorder)).step(0).structures == (None,)
    assert [gap.iteration for gap in read_gaps(recorder)] == [0]
    assert ("forward", "x", 0) in read_records(recorder)


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
