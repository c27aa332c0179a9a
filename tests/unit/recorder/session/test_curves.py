"""Notes and the kept points of curves, against values by hand."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from comgra_export import ComgraRecorder, ComgraRecordingWarning
from comgra_export.errors import MisuseError
from comgra_export.recorder.numbers.transfer import Transfer
from comgra_export.recorder.output import curve_thinning
from comgra_export.recorder.output.curve_thinning import CurveThinning
from comgra_export.storage import open_recording
from support.recorder.fixtures import MakeRecorder
from support.recorder.reading import folder_of, read_gaps

EARLY = [(index / 300, 0.0) for index in range(300)]


def kept(points: list[tuple[float, float]]) -> list[float]:
    thinning = CurveThinning()
    curve = "group", "type", "name"
    times = [(thinning.time_of(*curve, time), value) for time, value in points]
    return [time for time, value in times if time is not None and thinning.keeps(*curve, time, value)]


def kept_later(points: list[tuple[float, float]]) -> list[float]:
    """Which points are kept once the curve has as many as are kept in any case."""
    return kept([*EARLY, *points])[len(EARLY) :]


def test_a_steady_curve_keeps_hundreds_of_points_and_then_ever_fewer() -> None:
    times = kept([(time, 1.0) for time in range(2000)])
    assert times[:300] == list(range(300))
    # Due after a kept point is the first power of 1.01 behind it.
    for before, after in itertools.pairwise(times[299:]):
        assert after == math.ceil(1.01 ** (math.floor(math.log(before, 1.01)) + 1))
    assert 300 + 150 < len(times) < 300 + 200


def test_few_points_far_apart_are_all_kept() -> None:
    assert len(kept([(index**2, 1.0) for index in range(21)])) == 21


def test_a_curve_that_goes_on_late_catches_up() -> None:
    # The powers of 1.01 around 1000 are 997.7, 1007.7 and 1017.8.
    assert kept_later([(1000, 1.0), (1007, 1.0), (1008, 1.0), (1017, 1.0), (1018, 1.0)]) == [1000, 1008, 1018]


@pytest.mark.parametrize(
    ("value", "is_kept"), [(1.5, False), (1.51, True), (-0.5, False), (-0.51, True), (math.inf, True), (math.nan, True)]
)
def test_outliers_are_kept(value: float, is_kept: bool) -> None:
    # The six values kept last lie between 0 and 1, so an outlier lies above 1.5 or below -0.5. The two before them do not count.
    before = [(1000 * 1.2**index, float(index % 2) if index > 1 else 50.0) for index in range(8)]
    assert len(kept_later(before)) == 8
    time = before[-1][0] + 1
    assert (kept_later([*before, (time, value)])[-1] == time) == is_kept


def test_only_the_first_of_many_nans_is_an_outlier() -> None:
    assert kept_later([(1000, 1.0), (1001, math.nan), (1002, math.nan), (1003, math.nan)]) == [1000, 1001]


def test_several_points_of_one_time_are_all_kept() -> None:
    assert kept([(3, 1.0), (3, 2.0), (3, 3.0), (4, 4.0)]) == [3, 3.000001, 3.000002, 4]
    # Behind an evaluation, and where a millionth is too little to be seen.
    assert kept([(136.000002, 1.0), (136.000002, 2.0)]) == [136.000002, 136.000003]
    first, second = kept([(1e15, 1.0), (1e15, 2.0)])
    assert first < second


def test_no_time_is_refused() -> None:
    times = kept([(-2, 1.0), (math.nan, 2.0), (5, 3.0), (1, 4.0), (-math.inf, 5.0), (math.inf, 6.0), (6, 7.0)])
    assert times == [-2, -1.999999, 5, 5.000001, 5.000002, 5.000003, 6]
    assert kept([(math.nan, 1.0), (math.inf, 2.0)]) == [0, 0.000001]


def test_a_loss_for_each_micro_batch_and_a_point_before_the_first_step(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder()
    recorder.record_kpi_in_graph("run", "begun", 7, record_even_if_recording_is_inactive=True)
    for step in range(2):
        with recorder.batch(step, 1, "train"):
            for part in range(3):
                with recorder.iteration():
                    recorder.record_kpi_in_graph("loss", "micro-batch", 10 * step + part)
    with pytest.warns(ComgraRecordingWarning, match="'micro-batch' has the timepoint 0.0, which does not come after"):
        recorder.record_kpi_in_graph("loss", "micro-batch", 99, timepoint=0)
    recorder.finalize()
    points = [(point.name, point.type, point.t, point.v) for point in open_recording(folder_of(recorder)).curve_points]
    assert points == [
        ("begun", "main_execution_type", 0, 7),
        *(("micro-batch", "train", step + part / 1e6, 10 * step + part) for step in range(2) for part in range(3)),
        ("micro-batch", "train", 1.000003, 99),
    ]


def test_curves_in_a_recording(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder()
    for step in range(3):
        with recorder.batch(step, 1, "train" if step < 2 else "test", override__recording_is_active=step != 1), recorder.iteration():
            recorder.record_kpi_in_graph("loss", "total", torch.tensor([0.5 + step], requires_grad=True))
            recorder.record_kpi_in_graph("loss", "always", step, record_even_if_recording_is_inactive=True)
            recorder.record_kpi_in_graph("time", "total", math.inf, timepoint=step / 4)
    points = [(point.group, point.name, point.type, point.t, point.v) for point in open_recording(folder_of(recorder)).curve_points]
    assert points == [
        ("loss", "total", "train", 0, 0.5),
        ("loss", "always", "train", 0, 0),
        ("time", "total", "train", 0, math.inf),
        ("loss", "always", "train", 1, 1),
        ("loss", "total", "test", 2, 2.5),
        ("loss", "always", "test", 2, 2),
        ("time", "total", "test", 0.5, math.inf),
    ]


def test_a_point_may_belong_to_another_type_than_its_step(recorder: ComgraRecorder) -> None:
    with recorder.batch(0, 1, "validate"), recorder.iteration():
        pass
    recorder.record_kpi_in_graph("loss", "mean", 2.0, type_of_execution="train")
    recorder.record_kpi_in_graph("loss", "mean", 3.0)
    with pytest.raises(MisuseError, match="Use only letters"):
        recorder.record_kpi_in_graph("loss", "mean", 3.0, type_of_execution="a b")
    recorder.finalize()
    assert recorder.folder is not None
    points = open_recording(recorder.folder).curve_points
    assert [(point.type, point.t, point.v) for point in points] == [("train", 0, 2.0), ("validate", 0, 3.0)]


def test_a_curve_may_get_its_point_after_the_step(recorder: ComgraRecorder) -> None:
    with recorder.batch(0, 1), recorder.iteration():
        pass
    recorder.record_kpi_in_graph("loss", "kept", 1.0)
    with recorder.batch(1, 1, override__recording_is_active=False), recorder.iteration():
        pass
    recorder.record_kpi_in_graph("loss", "not kept", 1.0)
    assert [point.name for point in open_recording(folder_of(recorder)).curve_points] == ["kept"]


def test_notes_know_their_step(recorder: ComgraRecorder) -> None:
    recorder.add_note("before")
    with recorder.batch(7, 1, override__recording_is_active=False), recorder.iteration():
        recorder.add_note({"a": 1})
    recorder.add_note("line\nbreak")
    recorder.finalize()
    recorder.add_note("after the end")
    notes = [(note.text, note.step) for note in open_recording(folder_of(recorder)).notes]
    assert notes == [("before", None), ("{'a': 1}", 7), ("line\nbreak", 7), ("after the end", 7)]


def test_a_step_that_is_run_again_may_meet_its_points_again(recorder: ComgraRecorder) -> None:
    for attempt in range(3):
        recorder.start_batch(5, 1)
        recorder.record_kpi_in_graph("loss", "total", attempt)
        recorder.record_kpi_in_graph("loss", "by time", attempt, timepoint=0.25)
        if attempt < 2:
            recorder.abandon_batch()
    recorder.record_kpi_in_graph("loss", "by time", 9.0, timepoint=0.5)
    recorder.record_kpi_in_graph("loss", "by time", 8.0, timepoint=0.5)
    points = [(point.name, point.t, point.v) for point in open_recording(folder_of(recorder)).curve_points]
    assert points == [("total", 5, 0), ("by time", 0.25, 0), ("by time", 0.5, 9), ("by time", 0.500001, 8)]


class Device:
    """A fake device that notes when code waits for it. Its tensors have no values; their copies hold the values set here.

    Attributes:
        values: What the next tensors will be found to hold.
        events: What has happened, in order: `read`, and what tests add.
        is_gone: Whether everything that is asked of it fails.
    """

    def __init__(self) -> None:
        self.values: list[float] = []
        self.events: list[str] = []
        self.is_gone = False

    def tensor(self, value: float) -> Tensor:
        self.values.append(value)
        return torch.ones((), device="meta", requires_grad=True) * 2

    def copy(self, _: torch.device, together: Tensor) -> Tensor:
        self.check()
        return torch.full(together.shape, self.values.pop(0), dtype=together.dtype)

    def wait(self, transfer: Transfer, original: Callable[[Transfer], list[Tensor]]) -> list[Tensor]:
        if transfer._copies:
            self.events.append("read")
            self.check()
        return original(transfer)

    def check(self) -> None:
        if self.is_gone:
            raise RuntimeError("the device is gone")


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> Device:
    device, original = Device(), Transfer.wait
    monkeypatch.setattr(Transfer, "_copy", staticmethod(device.copy))
    monkeypatch.setattr(Transfer, "wait", lambda transfer: device.wait(transfer, original))
    return device


def points_of(recorder: ComgraRecorder) -> list[tuple[str, str, float, float]]:
    return [(point.name, point.type, point.t, point.v) for point in open_recording(folder_of(recorder)).curve_points]


@pytest.mark.parametrize("is_due", [True, False])
def test_a_value_on_a_device_is_read_when_the_step_is_over(recorder: ComgraRecorder, device: Device, is_due: bool) -> None:
    given: dict[str, float | Tensor] = {
        "before": 0.5,
        "on device": device.tensor(1.5),
        "after": 2.5,
        "on device too": device.tensor(math.inf),
    }
    with recorder.batch(3, 1, override__recording_is_active=is_due):
        with recorder.iteration():
            for name, value in given.items():
                recorder.record_kpi_in_graph("loss", name, value, record_even_if_recording_is_inactive=True)
        device.events.append("the step ends")
    assert device.events == ["the step ends", "read", "read"]
    points = [(name, time, value) for name, _, time, value in points_of(recorder)]
    assert points == [("before", 3, 0.5), ("on device", 3, 1.5), ("after", 3, 2.5), ("on device too", 3, math.inf)]


def test_a_value_on_a_device_is_read_at_once_outside_of_a_step(recorder: ComgraRecorder, device: Device) -> None:
    with recorder.batch(0, 1), recorder.iteration():
        pass
    recorder.record_kpi_in_graph("loss", "total", device.tensor(0.5))
    assert points_of(recorder) == [("total", "main_execution_type", 0, 0.5)]


@pytest.mark.parametrize("end", ["left out", "dropped"])
def test_a_point_after_a_step_without_a_type_is_refused_for_that_reason(recorder: ComgraRecorder, end: str) -> None:
    with recorder.batch(0, 1), recorder.iteration():
        pass
    recorder.start_batch(1, 1, None)
    if end == "left out":
        recorder.decide_recording_of_batch(None)
        recorder.finish_batch()
    else:
        recorder.abandon_batch()
    with pytest.raises(MisuseError) as raised:
        recorder.record_kpi_in_graph("loss", "total", 0.5, record_even_if_recording_is_inactive=True)
    assert str(raised.value) == (
        "record_kpi_in_graph: between steps, 'total' belongs to the last step, but its type of execution was never given. "
        "Call record_kpi_in_graph within a step, or give decide_recording_of_batch a type for every step."
    )
    with recorder.batch(2, 1), recorder.iteration():
        pass
    recorder.record_kpi_in_graph("loss", "total", 0.5)
    assert points_of(recorder) == [("total", "main_execution_type", 2, 0.5)]


def test_a_value_on_a_device_waits_for_the_type_too(recorder: ComgraRecorder, device: Device) -> None:
    with recorder.batch(0, 1, None), recorder.iteration():
        recorder.record_kpi_in_graph("loss", "before", device.tensor(0.5))
        recorder.decide_recording_of_batch("a")
        recorder.record_kpi_in_graph("loss", "after", 1.5)
        device.events.append("the step ends")
    with recorder.batch(1, 1, None), recorder.iteration():
        recorder.record_kpi_in_graph("loss", "of no type", device.tensor(2.5), record_even_if_recording_is_inactive=True)
        recorder.decide_recording_of_batch(None)
    with recorder.batch(2, 1, None), recorder.iteration():
        recorder.decide_recording_of_batch("a")
    assert device.events == ["the step ends", "read"]
    assert points_of(recorder) == [("before", "a", 0, 0.5), ("after", "a", 0, 1.5)]


def test_a_value_on_a_device_stays_when_its_step_is_dropped(recorder: ComgraRecorder, device: Device) -> None:
    for attempt in range(2):
        recorder.start_batch(5, 1)
        recorder.record_kpi_in_graph("loss", "total", device.tensor(attempt))
        recorder.abandon_batch()
    assert points_of(recorder) == [("total", "main_execution_type", 5, 0)]


def test_a_curve_from_a_device_is_thinned_like_any_other(recorder: ComgraRecorder, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(curve_thinning, "_KEPT_AT_FIRST", 8)
    for step in range(40):
        value = 100.0 if step == 33 else float(step % 2)
        with recorder.batch(1000 + step, 1, override__recording_is_active=False), recorder.iteration():
            recorder.record_kpi_in_graph("loss", "here", value, record_even_if_recording_is_inactive=True)
            recorder.record_kpi_in_graph("loss", "there", device.tensor(value), record_even_if_recording_is_inactive=True)
    points = points_of(recorder)
    here, there = [[point[2:] for point in points if point[0] == name] for name in ("here", "there")]
    assert there == here
    assert (1033, 100.0) in there
    assert len(there) < 30


def test_wrong_calls_with_a_device_raise_at_once(recorder: ComgraRecorder, device: Device) -> None:
    recorder.start_batch(0, 1)
    with pytest.raises(MisuseError, match=r"'odd'.*\[4, 2\].*one element"):
        recorder.record_kpi_in_graph("loss", "odd", torch.zeros(4, 2, device="meta"))
    with pytest.raises(MisuseError, match=r"'odd'.*complex"):
        recorder.record_kpi_in_graph("loss", "odd", torch.zeros(1, dtype=torch.complex64, device="meta"))


@pytest.mark.parametrize("is_gone_at", ["call", "end"])
def test_a_device_that_fails_costs_only_its_points(make_recorder: MakeRecorder, device: Device, is_gone_at: str) -> None:
    recorder = make_recorder(strict=False)

    def one_step(step: int) -> None:
        with recorder.batch(step, 1), recorder.iteration():
            recorder.record_kpi_in_graph("loss", "first", device.tensor(0.5))
            device.is_gone = is_gone_at == "call"
            recorder.record_kpi_in_graph("loss", "lost", device.tensor(1.5))
            device.is_gone = is_gone_at == "end"
            recorder.record_kpi_in_graph("loss", "kept", 2.5)

    with pytest.warns(ComgraRecordingWarning, match=r"curve '.*the device is gone") as caught:
        one_step(0)
    assert len(caught) == 1
    kept = [name for name, *_ in points_of(recorder)]
    assert kept == (["first", "kept"] if is_gone_at == "call" else ["kept"])
    assert {gap.step for gap in read_gaps(recorder)} == {0}
