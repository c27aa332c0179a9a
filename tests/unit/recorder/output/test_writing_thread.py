"""A separate thread writes steps. It loses nothing, hides no error and never blocks anyone forever."""

from __future__ import annotations

import errno
import gc
import os
import resource
import sys
import threading
import time
import warnings
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from comgra_export import ComgraRecordingWarning
from comgra_export.errors import RecordingGapError
from comgra_export.recorder.output import writing_thread
from comgra_export.recorder.output.recording_output import RecordingOutput
from comgra_export.storage import Blob, CurvePoint, Gap, Note, open_recording
from comgra_export.storage.writer import RecordingWriter
from support.places import TESTS
from support.processes import Ended, ReadyProcesses
from support.recorder.finished_steps import arrays_of, finished_step, is_whole, make_output

pytestmark = pytest.mark.slow


GRACE = 30
"""Seconds that a test waits for what should happen at once, before it fails."""


class Gate:
    """Arrays that become available only when the test releases them."""

    def __init__(self) -> None:
        self.is_reached = threading.Event()
        self.opened = threading.Event()

    def arrays_of(self, number: int) -> Callable[[], list[tuple[str, Blob]]]:
        def arrays() -> list[tuple[str, Blob]]:
            self.is_reached.set()
            assert self.opened.wait(GRACE)
            return arrays_of(number)

        return arrays


def raising(error: BaseException) -> Callable[[], list[tuple[str, Blob]]]:
    def arrays() -> list[tuple[str, Blob]]:
        raise error

    return arrays


def write_failing(output: RecordingOutput, steps: int, failing: set[int], error: BaseException) -> None:
    for number in range(steps):
        output.write_step(finished_step(number, raising(error) if number in failing else None))
    output.flush()


def threads_of_ours() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "comgra_export writing"]


def write(output: RecordingOutput, *numbers: int, then: Callable[[], object] | None = None, **arguments: Any) -> None:  # noqa: ANN401
    """Hands steps over, and waits until they are written."""
    for number in numbers:
        output.write_step(finished_step(number, **arguments))
    (then or output.flush)()


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + GRACE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


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


def full_disk(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device", "/home/somebody/private")


@pytest.mark.parametrize("method", ["write_layout", "write_step", "add_finished_step"])
def test_a_full_disk_is_a_gap_and_one_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str) -> None:
    output = make_output(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(RecordingWriter, method, full_disk)
        with pytest.warns(ComgraRecordingWarning, match="No space left") as caught:
            write(output, 0, 1, 2)
    assert len(caught) == 1
    output.write_step(finished_step(3))
    output.close()
    recording = open_recording(output.folder)
    assert recording.steps == (3,)
    assert [gap.step for gap in recording.gaps] == [0, 1, 2]
    # What is recorded is made to be shared.
    assert "private" not in (output.folder / "gaps.jsonl").read_text()


def test_gaps_that_find_no_room_are_kept_until_there_is_some(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    output = make_output(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(RecordingWriter, "write_step", full_disk)
        patch.setattr(RecordingWriter, "add_gap", full_disk)
        with pytest.warns(ComgraRecordingWarning):
            write(output, 0, 1, 2)
    output.close()
    assert [gap.step for gap in open_recording(output.folder).gaps] == [0, 1, 2]


@contextmanager
def limit(kind: int, value: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(kind)
    resource.setrlimit(kind, (value, hard))
    try:
        yield
    finally:
        resource.setrlimit(kind, (soft, hard))


def test_a_file_that_may_not_grow(tmp_path: Path) -> None:
    """The system refuses to write more than the limit, as it does on a full disk. It sends a signal too, which Python ignores."""
    output = make_output(tmp_path)
    output.write_step(finished_step(0))
    output.flush()
    length = (output.folder / "journal.jsonl").stat().st_size

    def add_point() -> None:
        output.add_curve_point(CurvePoint("g", "n" * 1000, "t", 2, 1.0), 2)

    with limit(resource.RLIMIT_FSIZE, length + 10), pytest.warns(ComgraRecordingWarning) as caught:
        write(output, 1, 2, then=add_point)
    assert len(caught) == 1
    output.write_step(finished_step(3))
    output.close()
    recording = open_recording(output.folder)
    assert recording.steps == (0, 3)
    assert all(is_whole(recording, number) for number in recording.steps)
    assert {gap.step for gap in recording.gaps} == {1, 2}
    assert not list(output.folder.rglob("*.tmp"))


def test_no_more_open_files(tmp_path: Path) -> None:
    output = make_output(tmp_path)
    output.write_step(finished_step(0))
    output.flush()
    lowest_free = os.dup(0)
    os.close(lowest_free)
    with limit(resource.RLIMIT_NOFILE, lowest_free), pytest.warns(ComgraRecordingWarning, match="Too many open files") as caught:
        write(output, 1, 2)
    assert len(caught) == 1
    output.write_step(finished_step(3))
    output.close()
    recording = open_recording(output.folder)
    assert recording.steps == (0, 3)
    assert [missing.step for missing in recording.missing_steps] == [1, 2]
    assert all("Too many open files" in (missing.reason or "") for missing in recording.missing_steps)


@pytest.mark.parametrize("closes", [True, False])
def test_a_missing_step_whose_reason_could_not_be_written_does_not_blame_its_process(
    closes: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = make_output(tmp_path)

    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(output._writer, "add_gap", fail)
    with pytest.warns(ComgraRecordingWarning):
        write_failing(output, 2 if closes else 3, {1}, ValueError("no such numbers"))
    if closes:
        output.close()
    (missing,) = open_recording(output.folder).missing_steps
    assert missing.step == 1
    assert "neither could the reason" in (missing.reason or "")


READ_ONLY = """
import os, sys, warnings
from pathlib import Path
sys.path[:0] = [{tests!r}]
from support.recorder.finished_steps import finished_step, make_output
from comgra_export.storage import Note
root = Path(sys.argv[1])
output = make_output(root)
output.write_step(finished_step(0))
output.flush()
for folder in (output.folder, *(part for part in output.folder.iterdir() if part.is_dir())):
    folder.chmod(0o500)
if os.getuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for number in (1, 2):
        output.write_step(finished_step(number))
        output.add_note(Note("lost"))
    output.close()
print(len({{str(warning.message) for warning in caught}}), *(warning.message for warning in caught), sep="\\n")
"""


@pytest.fixture
def run_script(processes: ReadyProcesses, tmp_path: Path) -> Callable[..., Ended]:
    """Runs one of the scripts below as a user's script runs: its warnings are printed."""
    return lambda script, *arguments: processes.run(script.format(tests=str(TESTS)), tmp_path, *arguments, warnings_are_errors=False)


def test_a_folder_that_becomes_read_only(tmp_path: Path, run_script: Callable[..., Ended]) -> None:
    tmp_path.chmod(0o755)
    done = run_script(READ_ONLY, tmp_path / "root")
    assert done.returncode == 0, done.stderr
    # One for notes, one for steps.
    assert done.stdout.startswith("2\n")
    assert done.stdout.count("Permission denied") == 2
    for folder in (tmp_path / "root").rglob("*"):
        if folder.is_dir():
            folder.chmod(0o700)
    recording = open_recording(tmp_path / "root" / "g" / "t" / "rank-0")
    assert recording.steps == (0,)
    assert [missing.step for missing in recording.missing_steps] == [1, 2]
    assert recording.is_closed


def test_a_thread_that_cannot_be_started_is_done_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    attempts = []

    def no_thread(thread: threading.Thread) -> None:
        attempts.append(thread)
        raise RuntimeError("can't start new thread")

    output = make_output(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", no_thread)
        with pytest.warns(ComgraRecordingWarning, match="can't start new thread") as caught:
            write(output, 0, 1, 2)
    assert (len(caught), len(attempts)) == (1, 1)
    output.write_step(finished_step(3))
    output.close()
    recording = open_recording(output.folder)
    assert (recording.steps, recording.gaps) == ((0, 1, 2, 3), ())


def write_three(output: RecordingOutput) -> None:
    output.write_step(finished_step(3))


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("asked", [write_three, RecordingOutput.flush, RecordingOutput.close])
def test_a_thread_that_has_died_is_done_without(tmp_path: Path, asked: Callable[[RecordingOutput], object]) -> None:
    """An uncaught error ends the thread, and the current step is lost."""
    output, gate = make_output(tmp_path), Gate()
    output.write_step(finished_step(0, gate.arrays_of(0)))
    assert gate.is_reached.wait(GRACE)
    (thread,) = threads_of_ours()
    for number in (1, 2):
        output.write_step(finished_step(number))
    take = output._thread._take

    def take_and_die(thread: threading.Thread) -> bool:
        take(thread)
        sys.exit()

    output._thread._take = take_and_die  # type: ignore[method-assign]
    gate.opened.set()
    thread.join(GRACE)
    assert not thread.is_alive()
    with pytest.warns(ComgraRecordingWarning, match="has died") as caught:
        asked(output)
    if asked is not write_three:
        write_three(output)
    output.close()
    assert len(caught) == 1
    assert not threads_of_ours()
    recording = open_recording(output.folder)
    assert recording.steps == (0, 2, 3)
    assert [(missing.step, "has died" in (missing.reason or "")) for missing in recording.missing_steps] == [(1, True)]


def test_the_recorder_may_be_forgotten(tmp_path: Path) -> None:
    """The thread keeps neither it nor anything of a step alive, and closes the files once it is gone."""

    class Tensor:
        pass

    output = make_output(tmp_path)

    def numbers(_: Tensor) -> list[tuple[str, Blob]]:
        return arrays_of(0)

    tensor = Tensor()
    output.write_step(finished_step(0, partial(numbers, tensor)))
    output.flush()
    of_tensor = weakref.ref(tensor)
    del tensor
    wait_until(lambda: of_tensor() is None)
    folder, of_output = output.folder, weakref.ref(output)
    gate = Gate()
    output.write_step(finished_step(1, gate.arrays_of(1)))
    del output
    gc.collect()
    assert of_output() is None
    gate.opened.set()
    wait_until(lambda: not threads_of_ours())
    recording = open_recording(folder)
    assert (recording.steps, recording.is_closed) == ((0, 1), False)
    make_output(tmp_path, "append").close()


def test_a_recording_that_cannot_be_closed_properly_is_closed_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    output = make_output(tmp_path)
    output.write_step(finished_step(0))
    output.flush()
    with monkeypatch.context() as patch:
        patch.setattr(RecordingWriter, "_add_to_journal", full_disk)
        with pytest.warns(ComgraRecordingWarning, match="could not be closed.*No space left"):
            output.close()
    assert not open_recording(output.folder).is_closed
    make_output(tmp_path, "append").close()
    assert open_recording(output.folder).is_closed


def test_writing_may_go_on_after_the_end(tmp_path: Path) -> None:
    output = make_output(tmp_path)
    output.write_step(finished_step(0))
    output.close()
    output.close()
    output.write_step(finished_step(1))
    output.close()
    recording = open_recording(output.folder)
    assert (recording.steps, recording.sessions, recording.is_closed, recording.left_behind) == ((0, 1), 2, True, ())


EXIT = """
import sys, time
from pathlib import Path
sys.path[:0] = [{tests!r}]
from support.recorder.finished_steps import arrays_of, finished_step, make_output
def slow(number):
    time.sleep(0.02)
    if number == 7:
        raise ValueError("no such numbers")
    return arrays_of(number)
output = make_output(Path(sys.argv[1]))
for number in range(20):
    output.write_step(finished_step(number, lambda number=number: slow(number)))
if sys.argv[2] == "exception":
    raise KeyError("the training fails")
if sys.argv[2] == "exit":
    sys.exit(5)
"""


@pytest.mark.parametrize(("how", "code"), [("end", 0), ("exception", 1), ("exit", 5)])
def test_the_end_of_the_interpreter_waits_for_what_is_to_be_written(
    tmp_path: Path, run_script: Callable[..., Ended], how: str, code: int
) -> None:
    done = run_script(EXIT, tmp_path, how)
    assert done.returncode == code
    assert done.stderr.count("no such numbers") == 1
    recording = open_recording(tmp_path / "g" / "t" / "rank-0")
    assert recording.steps == tuple(number for number in range(20) if number != 7)
    assert [(missing.step, "no such numbers" in (missing.reason or "")) for missing in recording.missing_steps] == [(7, True)]
    assert not recording.is_closed


CHILD = """
import multiprocessing, sys, time
from pathlib import Path
sys.path[:0] = [{tests!r}]
from support.recorder.finished_steps import arrays_of, finished_step, make_output
def slow(number):
    time.sleep(0.02)
    return arrays_of(number)
def train(folder):
    output = make_output(folder)
    for number in range(20):
        output.write_step(finished_step(number, lambda number=number: slow(number)))
process = multiprocessing.get_context("fork").Process(target=train, args=[Path(sys.argv[1])])
process.start()
process.join()
sys.exit(process.exitcode)
"""


def test_the_end_of_a_process_of_multiprocessing_waits_for_it_too(tmp_path: Path, run_script: Callable[..., Ended]) -> None:
    done = run_script(CHILD, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    recording = open_recording(tmp_path / "g" / "t" / "rank-0")
    assert (recording.steps, recording.missing_steps) == (tuple(range(20)), ())


FORK = """
import os, sys, time, warnings
from pathlib import Path
sys.path[:0] = [{tests!r}]
from support.recorder.finished_steps import arrays_of, finished_step, make_output
from comgra_export.storage import CurvePoint, Gap, Note
warnings.simplefilter("ignore", DeprecationWarning)
def slow(number):
    time.sleep(0.01)
    return arrays_of(number)
output = make_output(Path(sys.argv[1]))
for number in range(10):
    output.write_step(finished_step(number, lambda number=number: slow(number)))
    child = os.fork()
    if child == 0:
        output.write_step(finished_step(1000 + number))
        output.add_note(Note("from a child"))
        output.add_curve_point(CurvePoint("g", "n", "t", 0, 1), 0)
        output.gaps.report("child", Gap("from a child"))
        assert output.flush()
        output.close()
        if number % 2:
            del output
            sys.exit(0)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
# This child outlives its parent, and must not keep the recording from the next one.
if os.fork() == 0:
    os.close(1)
    os.close(2)
    time.sleep(60)
    os._exit(0)
output.add_note(Note("from the parent"))
print("done", flush=True)
os._exit(0)
"""


def test_a_forked_child_neither_writes_nor_hangs_nor_holds_the_lock(tmp_path: Path, run_script: Callable[..., Ended]) -> None:
    done = run_script(FORK, tmp_path)
    assert (done.returncode, done.stdout, done.stderr.count("Not recorded: from a child")) == (0, "done\n", 10)
    # Once in each child, which makes several calls.
    assert done.stderr.count("Nothing is recorded in this process") == 10
    recording = open_recording(tmp_path / "g" / "t" / "rank-0")
    assert {*recording.steps, *(missing.step for missing in recording.missing_steps)} == set(range(10))
    assert [note.text for note in recording.notes] == ["from the parent"]
    assert (recording.gaps, recording.curve_points, recording.is_closed, recording.problems) == ((), (), False, [])
    make_output(tmp_path, "append").close()


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
