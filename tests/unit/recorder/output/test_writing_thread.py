"""Steps are written by a thread, in order, and the training does not wait for the disk."""

from __future__ import annotations

import threading
import warnings
from functools import partial
from pathlib import Path

import pytest

from comgra_export import ComgraRecordingWarning
from comgra_export.errors import RecordingGapError
from comgra_export.recorder.output import writing_thread
from comgra_export.storage import Blob, Gap, Note, open_recording
from support.recorder.finished_steps import arrays_of, finished_step, is_whole, make_output
from support.recorder.writing import GRACE, Gate, threads_of_ours, write, write_failing

pytestmark = pytest.mark.slow


def test_the_training_does_not_wait_for_the_disk(tmp_path: Path) -> None:
    output, gate = make_output(tmp_path), Gate()
    output.write_step(finished_step(0, gate.arrays_of(0)))
    output.write_step(finished_step(1))
    recording = open_recording(output.folder)
    assert (recording.steps, [missing.step for missing in recording.missing_steps]) == ((), [0, 1])
    assert not output.flush(timeout=0.01)
    gate.opened.set()
    assert output.flush()
    recording = open_recording(output.folder)
    assert (recording.steps, recording.missing_steps, recording.is_closed) == ((0, 1), (), False)
    output.close()
    assert open_recording(output.folder).is_closed
    assert not threads_of_ours()


def test_a_step_has_what_it_was_given(tmp_path: Path) -> None:
    output = make_output(tmp_path)
    for number in range(100):
        output.write_step(finished_step(number))
    output.close()
    recording = open_recording(output.folder)
    assert recording.steps == tuple(range(100))
    assert all(is_whole(recording, number) for number in recording.steps)
    assert [entry.step for entry in recording.journal if entry.event == "finished"] == list(range(100))
    times = [recording.step(number).time for number in recording.steps]
    assert times == [entry.time for entry in recording.journal if entry.event == "finished"]


def test_no_thread_runs_before_the_first_step(tmp_path: Path) -> None:
    output = make_output(tmp_path)
    output.add_note(Note("hello"))
    assert not threads_of_ours()
    output.close()


@pytest.mark.parametrize(("limit", "size"), [("MAX_STEPS_WAITING", 0), ("MAX_BYTES_WAITING", 1)])
def test_a_full_queue_holds_the_training_up_and_warns_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, size: int) -> None:
    monkeypatch.setattr(writing_thread, limit, 3)
    monkeypatch.setattr(writing_thread, "WORTH_A_WARNING_SECONDS", 0.01)
    output, gate = make_output(tmp_path), Gate()
    for number in range(3):
        output.write_step(finished_step(number, gate.arrays_of(number), size))
    threading.Timer(0.1, gate.opened.set).start()
    with pytest.warns(ComgraRecordingWarning, match="waits, because recorded steps come faster.*max_num_batch_size_to_record") as caught:
        write(output, *range(3, 30), size=size)
    assert len(caught) == 1
    assert output.seconds_waited > 0
    output.close()
    assert open_recording(output.folder).steps == tuple(range(30))
    # It waited only briefly, and nothing is missing.
    assert open_recording(output.folder).gaps == ()


def test_a_step_larger_than_the_queue_is_written_alone(tmp_path: Path) -> None:
    output, gate = make_output(tmp_path), Gate()
    output.write_step(finished_step(0, gate.arrays_of(0), 10 * writing_thread.MAX_BYTES_WAITING))
    threading.Timer(0.05, gate.opened.set).start()
    output.write_step(finished_step(1))
    assert gate.opened.is_set()
    assert 0 < output.seconds_waited < writing_thread.WORTH_A_WARNING_SECONDS
    output.close()
    assert open_recording(output.folder).steps == (0, 1)


def test_a_long_wait_is_noted_in_the_recording(tmp_path: Path) -> None:
    output = make_output(tmp_path)
    output.write_step(finished_step(0))
    output._thread.seconds_waited = 12.34
    output.close()
    (gap,) = open_recording(output.folder).gaps
    assert "waited 12.3 s" in gap.reason
    assert gap.step is None


@pytest.mark.parametrize("error", [ValueError("no such numbers"), SystemExit(3), MemoryError(), AssertionError()])
def test_a_step_that_fails_takes_no_other_with_it(tmp_path: Path, error: BaseException) -> None:
    output = make_output(tmp_path)
    with pytest.warns(ComgraRecordingWarning, match=type(error).__name__) as caught:
        write_failing(output, 5, {1, 3}, error)
    assert len(caught) == 1
    output.close()
    recording = open_recording(output.folder)
    assert recording.steps == (0, 2, 4)
    assert [missing.step for missing in recording.missing_steps] == [1, 3]
    assert all(type(error).__name__ in (missing.reason or "") for missing in recording.missing_steps)


def test_gaps_found_while_a_step_is_written_belong_to_it(tmp_path: Path) -> None:
    output = make_output(tmp_path)

    def arrays(number: int) -> list[tuple[str, Blob]]:
        output.gaps.report("numbers", Gap("its numbers were lost", number, 0, "forward", "y"))
        if number == 1:
            raise ValueError("too bad")
        return arrays_of(number)

    def write_all() -> None:
        for number in range(3):
            output.write_step(finished_step(number, partial(arrays, number)))
        output.close()

    with pytest.warns(ComgraRecordingWarning) as caught:
        write_all()
    assert len(caught) == 2
    recording = open_recording(output.folder)
    assert [[gap.tensor for gap in recording.step(number).gaps] for number in recording.steps] == [["y"], ["y"]]
    assert [(gap.step, gap.tensor, gap.whole_step) for gap in recording.gaps] == [(1, "y", False), (1, None, True)]


def test_gaps_that_the_training_finds_while_a_step_is_written_do_not_belong_to_it(tmp_path: Path) -> None:
    """Whether they still got into the step would depend on the progress of writing."""
    output, gate = make_output(tmp_path), Gate()
    output.write_step(finished_step(0, gate.arrays_of(0)))
    assert gate.is_reached.wait(GRACE)
    with pytest.warns(ComgraRecordingWarning, match="came up afterwards"):
        output.gaps.report("late", Gap("it came up afterwards", 0, None, None, "y"))
    gate.opened.set()
    output.close()
    recording = open_recording(output.folder)
    assert recording.step(0).gaps == ()
    assert [(gap.step, gap.tensor) for gap in recording.gaps] == [(0, "y")]


def test_strict_raises_at_the_next_call(tmp_path: Path) -> None:
    output = make_output(tmp_path, strict=True)
    with pytest.raises(RecordingGapError, match="no such numbers"):
        write_failing(output, 1, {0}, ValueError("no such numbers"))
    output.write_step(finished_step(1))
    output.close()
    assert open_recording(output.folder).steps == (1,)


def test_lines_from_two_threads_stay_whole(tmp_path: Path) -> None:
    output = make_output(tmp_path)

    def add_notes(name: str) -> None:
        for number in range(200):
            output.add_note(Note(f"{name} {number}" * 100))

    threads = [threading.Thread(target=add_notes, args=[name]) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    output.close()
    recording = open_recording(output.folder)
    assert len(recording.notes) == 600
    assert recording.problems == []


def test_a_warning_that_is_an_error_loses_nothing(tmp_path: Path) -> None:
    output = make_output(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ComgraRecordingWarning, match="no such numbers"):
            write_failing(output, 1, {0}, ValueError("no such numbers"))
        output.write_step(finished_step(1))
        output.close()
    recording = open_recording(output.folder)
    assert recording.steps == (1,)
    assert [gap.step for gap in recording.gaps] == [0]


def test_whoever_waits_for_an_abandoned_thread_waits_for_its_end() -> None:
    ending, may_end, ended, waited_for_end = threading.Event(), threading.Event(), threading.Event(), threading.Event()

    def end() -> None:
        ending.set()
        assert may_end.wait(GRACE)
        ended.set()

    def wait() -> None:
        writing_thread.wait_for_abandoned()
        if ended.is_set():
            waited_for_end.set()

    def nothing(*_: object) -> None:
        pass

    thread: writing_thread.WritingThread[int] = writing_thread.WritingThread(nothing, end, nothing, nothing, nothing)
    thread.put(1, 1)
    thread.abandon()
    assert ending.wait(GRACE)
    waiting = threading.Thread(target=wait)
    waiting.start()
    # If nothing waited for the thread, the call would be over by then.
    waiting.join(0.2)
    may_end.set()
    waiting.join(GRACE)
    assert waited_for_end.is_set()
