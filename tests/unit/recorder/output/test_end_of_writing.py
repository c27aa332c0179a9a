"""The end of a recording, of the interpreter and of a forked process waits for what is to be written."""

from __future__ import annotations

import gc
import sys
import threading
import time
import weakref
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from comgra_export import ComgraRecordingWarning
from comgra_export.recorder.output.recording_output import RecordingOutput
from comgra_export.storage import Blob, open_recording
from comgra_export.storage.writer import RecordingWriter
from support.processes import Ended
from support.recorder.finished_steps import arrays_of, finished_step, make_output
from support.recorder.writing import GRACE, Gate, full_disk, threads_of_ours

pytestmark = pytest.mark.slow


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + GRACE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


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
