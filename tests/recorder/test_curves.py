"""Notes, and the points of curves that are kept, by hand."""

from __future__ import annotations

import math

import pytest
import torch
from recorder.conftest import MakeRecorder
from recorder.reading import folder_of

from comgra_export import ComgraRecorder
from comgra_export.errors import MisuseError
from comgra_export.recorder.curves import CurveThinning
from comgra_export.storage import open_recording


def kept(points: list[tuple[float, float]]) -> list[float]:
    thinning = CurveThinning()
    return [time for time, value in points if thinning.keeps("group", "type", "name", time, value)]


def test_a_steady_curve_is_thinned_more_and_more() -> None:
    # Due after a kept point is the first power of 1.1 behind it, such as 13.11 behind 12, 14.42 behind 14, and 15.86 behind 15.
    times = kept([(time, 1.0) for time in range(60)])
    assert times == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 16, 18, 20, 22, 24, 26, 29, 31, 35, 38, 42, 46, 50, 55]


def test_a_curve_that_begins_late_catches_up() -> None:
    # The powers of 1.1 around 1000 are 955.6, 1051.2 and 1156.3.
    assert kept([(1000, 1.0), (1051, 1.0), (1052, 1.0), (1156, 1.0), (1157, 1.0)]) == [1000, 1052, 1157]


@pytest.mark.parametrize(
    ("value", "is_kept"), [(1.5, False), (1.51, True), (-0.5, False), (-0.51, True), (math.inf, True), (math.nan, True)]
)
def test_outliers_are_kept(value: float, is_kept: bool) -> None:
    # The six values kept last lie between 0 and 1, so an outlier lies above 1.5 or below -0.5. The two before them do not count.
    before = [(1000 * 1.2**index, float(index % 2) if index > 1 else 50.0) for index in range(8)]
    assert len(kept(before)) == 8
    time = before[-1][0] + 1
    assert (kept([*before, (time, value)])[-1] == time) == is_kept


def test_a_history_that_is_too_short_has_no_outliers() -> None:
    assert kept([(1000, 0.0), (1001, 99.0)]) == [1000]


def test_only_the_first_of_many_nans_is_an_outlier() -> None:
    assert kept([(1000, 1.0), (1001, math.nan), (1002, math.nan), (1003, math.nan)]) == [1000, 1001]


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
    with pytest.raises(MisuseError, match=r"0.5 in record_kpi_in_graph after 0.5"):
        recorder.record_kpi_in_graph("loss", "by time", 9.0, timepoint=0.5)
    points = [(point.name, point.t, point.v) for point in open_recording(folder_of(recorder)).curve_points]
    assert points == [("total", 5, 0), ("by time", 0.25, 0)]
