"""Recordings that several processes wrote one after another, or tried to write at the same time."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comgra_export.errors import MisuseError
from comgra_export.storage import (
    CurvePoint,
    Gap,
    Header,
    JournalEntry,
    ModuleEntry,
    ModuleRuns,
    Network,
    Note,
    OptimizerEntry,
    RecordingWriter,
    SentinelPoint,
    open_recording,
)
from comgra_export.storage.sessions import sort_steps
from support.breadth import examples
from support.storage.small_step import small_step

HEADER = Header("g", "t", started="2025-01-02T03:04:05Z")


def write_session(folder: Path, steps: Sequence[int], *, ended: bool = True, lost: Sequence[int] = ()) -> None:
    """Records steps as a process does. It does not write the `lost` steps, as if it had been killed."""
    writer = RecordingWriter(folder, HEADER, append=True)
    for step in steps:
        entry = writer.add_finished_step(step)
        if step not in lost:
            description, blobs = small_step(writer, step, session=entry.session, time=entry.time)
            writer.write_step(description, blobs)
    writer.close(ended=ended)


def test_a_resumed_run_takes_the_place_of_what_it_records_again(tmp_path: Path) -> None:
    write_session(tmp_path, [0, 10, 20, 30, 40])
    write_session(tmp_path, [25, 30, 50])
    recording = open_recording(tmp_path)
    assert recording.steps == (0, 10, 20, 25, 30, 50)
    assert recording.left_behind == (40,)
    assert [recording.step(step).session for step in recording.steps] == [0, 0, 0, 1, 1, 1]
    assert (recording.sessions, recording.is_closed, recording.missing_steps, recording.problems) == (2, True, (), [])


def test_a_run_that_goes_on_leaves_nothing_behind(tmp_path: Path) -> None:
    write_session(tmp_path, [0, 10])
    write_session(tmp_path, [20])
    write_session(tmp_path, [])
    recording = open_recording(tmp_path)
    assert (recording.steps, recording.left_behind, recording.sessions) == ((0, 10, 20), (), 3)


def test_a_step_that_was_to_be_replaced_and_was_not_is_missing(tmp_path: Path) -> None:
    write_session(tmp_path, [0, 10, 20])
    write_session(tmp_path, [10, 15], lost=[10, 15], ended=False)
    recording = open_recording(tmp_path)
    assert recording.steps == (0,)
    assert recording.left_behind == (10, 20)
    assert recording.missing_steps == ((10, None), (15, None))
    assert not recording.is_closed


def test_a_lost_step_is_missing_with_its_reason_if_there_is_one(tmp_path: Path) -> None:
    write_session(tmp_path, [0, 1, 2, 3], lost=[1, 2], ended=False)
    writer = RecordingWriter(tmp_path, HEADER, append=True)
    writer.add_gap(Gap("the disk was full", 1, whole_step=True))
    writer.add_gap(Gap("a note could not be written", 1))
    writer.add_gap(Gap("a note could not be written", 2))
    writer.add_gap(Gap("something else", 2, 0, "forward", "x"))
    writer.close()
    recording = open_recording(tmp_path)
    unknown = "It could not be written, and neither could the reason. The disk may have been full."
    assert recording.missing_steps == ((1, "the disk was full"), (2, unknown))
    assert recording.steps == (0, 3)


@examples(100)
@given(st.lists(st.tuples(st.integers(0, 3), st.booleans(), st.sampled_from([None, "x"])), max_size=8))
def test_only_what_is_said_of_the_whole_step_is_the_reason_why_it_is_missing(said: list[tuple[int, bool, str | None]]) -> None:
    gaps = [Gap(f"reason {number}", step, tensor=tensor, whole_step=whole) for number, (step, whole, tensor) in enumerate(said)]
    with TemporaryDirectory() as folder:
        write_session(Path(folder), [0, 1, 2, 3], lost=[0, 1, 2, 3], ended=False)
        writer = RecordingWriter(Path(folder), HEADER, append=True)
        for gap in gaps:
            writer.add_gap(gap)
        writer.close()
        missing = open_recording(Path(folder)).missing_steps
    for step, reason in missing:
        reasons = [gap.reason for gap in gaps if gap.step == step and gap.whole_step]
        assert reason == (reasons[-1] if reasons else None)
    assert [step for step, _ in missing] == [0, 1, 2, 3]


def test_a_recording_without_a_journal_is_read_as_before(tmp_path: Path) -> None:
    write_session(tmp_path, [0, 10])
    (tmp_path / "journal.jsonl").unlink()
    recording = open_recording(tmp_path)
    assert (recording.steps, recording.missing_steps, recording.is_closed, recording.sessions) == ((0, 10), (), True, 1)


def test_a_damaged_journal_costs_no_step_that_can_be_told(tmp_path: Path) -> None:
    """Steps say themselves which session wrote them."""
    write_session(tmp_path, [0, 10, 20, 30])
    write_session(tmp_path, [15, 20])
    journal = tmp_path / "journal.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    kept = [line for line in lines if not (b'"finished"' in line and (b'"step":20' in line or b'"step":30' in line))]
    journal.write_bytes(b"".join(kept))
    recording = open_recording(tmp_path)
    assert (recording.steps, recording.left_behind) == ((0, 10, 15, 20), (30,))


def reference(written: dict[float, int], finished: list[tuple[int, int]]) -> tuple[list[float], list[float], list[int]]:
    """The rule of the format page, step by step and without any cleverness."""
    begins: dict[int, int] = {}
    for session, step in finished:
        begins.setdefault(session, step)

    def counts(step: float, session: int) -> bool:
        return not any(later > session and begins[later] <= step for later in begins)

    steps = [step for step in sorted(written) if counts(step, written[step])]
    missing = {step for session, step in finished if counts(step, session) and step not in steps}
    return steps, [step for step in sorted(written) if step not in steps], sorted(missing)


@examples(300)
@given(st.lists(st.lists(st.tuples(st.integers(0, 12), st.booleans()), max_size=6, unique_by=lambda item: item[0]), max_size=4))
def test_any_course_of_sessions_is_sorted_by_the_rule(course: list[list[tuple[int, bool]]]) -> None:
    finished: list[tuple[int, int]] = []
    written: dict[float, int] = {}
    for session, steps in enumerate(course):
        for step, is_written in sorted(steps):
            finished.append((session, step))
            if is_written:
                written[step] = session
    journal = [JournalEntry("finished", session, step) for session, step in finished]
    sorted_steps = sort_steps(journal, list(written), written.__getitem__)
    assert tuple(map(list, sorted_steps)) == reference(written, finished)


def test_curves_go_back_with_the_run(tmp_path: Path) -> None:
    for times in ([0, 10, 20, 30], [15, 25]):
        writer = RecordingWriter(tmp_path, HEADER, append=True)
        for time in times:
            writer.add_curve_point(CurvePoint("loss", "train", "t", time, len(times)))
        writer.add_curve_point(CurvePoint("loss", "test", "t", 5 if len(times) == 4 else 7, 1))
        writer.close()
    points = open_recording(tmp_path).curve_points
    assert [(point.name, point.t, point.v) for point in points] == [
        ("train", 0, 4), ("train", 10, 4), ("test", 5, 1), ("train", 15, 2), ("train", 25, 2), ("test", 7, 1),
    ]  # fmt: skip


def test_time_goes_on_from_the_beginning_of_the_first_session(tmp_path: Path) -> None:
    write_session(tmp_path, [0])
    header = (tmp_path / "recording.json").read_bytes()
    writer = RecordingWriter(tmp_path, Header("g", "t", started="2031-01-01T00:00:00Z", writer="a newer one"), append=True)
    assert writer.header == HEADER
    writer.close()
    assert (tmp_path / "recording.json").read_bytes() == header
    times = [entry.time for entry in open_recording(tmp_path).journal]
    assert all(time is not None and time > 24 * 3600 for time in times)
    assert times == sorted(times, key=lambda time: time or 0)


def test_what_a_killed_process_left_half_written_is_cleared_away(tmp_path: Path) -> None:
    write_session(tmp_path, [0])
    writer = RecordingWriter(tmp_path, HEADER, append=True)
    writer.add_note(Note("first"))
    writer.close(ended=False)
    (tmp_path / "steps" / "000000000001.safetensors.tmp").write_text("half")
    (tmp_path / "layouts" / "0123456789abcdef.json.tmp").write_text("half")
    (tmp_path / "mine.tmp").write_text("not part of a recording")
    for name in ("notes.jsonl", "journal.jsonl"):
        with (tmp_path / name).open("ab") as stream:
            stream.write(b'{"text":"' + b"x" * 100_000)
    writer = RecordingWriter(tmp_path, HEADER, append=True)
    writer.add_note(Note("second"))
    writer.close()
    assert [file.name for file in tmp_path.rglob("*.tmp")] == ["mine.tmp"]
    recording = open_recording(tmp_path)
    assert [note.text for note in recording.notes] == ["first", "second"]
    assert [(entry.event, entry.session) for entry in recording.journal] == [
        ("opened", 0), ("finished", 0), ("closed", 0), ("opened", 1), ("opened", 2), ("closed", 2),
    ]  # fmt: skip
    assert recording.problems == []


@pytest.mark.parametrize("field", [{"group": "other"}, {"trial": "other"}, {"rank": 1, "world_size": 2}, {"world_size": 2}])
def test_another_run_is_not_appended_to(tmp_path: Path, field: dict[str, object]) -> None:
    write_session(tmp_path, [0])
    before = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    given = {"group": "g", "trial": "t", **field}
    with pytest.raises(MisuseError, match=f"has the {next(iter(field))}.*cannot be appended to"):
        RecordingWriter(tmp_path, Header(**given), append=True)  # type: ignore[arg-type]
    assert {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()} == before


def test_a_recording_that_is_being_written_is_left_alone(tmp_path: Path) -> None:
    writer = RecordingWriter(tmp_path, HEADER)
    for append in (True, False):
        with pytest.raises(MisuseError, match="A recorder of this process"):
            RecordingWriter(tmp_path, HEADER, append=append)
    writer.close()
    RecordingWriter(tmp_path, HEADER, append=True).close()


def test_a_process_that_dies_lets_the_next_one_write(tmp_path: Path) -> None:
    code = f"""
import os, sys
from pathlib import Path
from comgra_export.storage import Header, RecordingWriter
writer = RecordingWriter(Path({str(tmp_path)!r}), Header("g", "t"))
print("begun", flush=True)
sys.stdin.read()
"""
    process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdin is not None
    with process:
        assert process.stdout.readline() == "begun\n"
        with pytest.raises(MisuseError, match="Another process is writing"):
            RecordingWriter(tmp_path, HEADER, append=True)
        process.kill()
        process.wait()
        RecordingWriter(tmp_path, HEADER, append=True).close()
    assert not open_recording(tmp_path).problems


@pytest.mark.parametrize("left", ["", "steps", "steps/layouts"])
def test_a_process_that_died_while_it_began_is_no_obstacle(tmp_path: Path, left: str) -> None:
    (tmp_path / "writing.lock").write_text("")
    for name in filter(None, left.split("/")):
        (tmp_path / name).mkdir()
    RecordingWriter(tmp_path, HEADER, append=True).close()
    assert open_recording(tmp_path).steps == ()


def test_writing_after_the_end_is_another_session(tmp_path: Path) -> None:
    writer = RecordingWriter(tmp_path, HEADER)
    writer.add_note(Note("first"))
    writer.close()
    writer.add_note(Note("second"))
    assert writer.session == 1
    assert not open_recording(tmp_path).is_closed
    with pytest.raises(MisuseError, match="A recorder of this process"):
        RecordingWriter(tmp_path, HEADER, append=True)
    writer.close()
    recording = open_recording(tmp_path)
    assert [note.text for note in recording.notes] == ["first", "second"]
    assert recording.is_closed


NAMES = ("a", "b", "c")


def network(*names: str, optimizers: tuple[OptimizerEntry, ...] | None = None) -> Network:
    return Network(tuple(ModuleEntry(name, "Linear", -1) for name in names), (), optimizers)


@pytest.fixture
def facts(tmp_path: Path) -> Path:
    """A recording whose step 0 says that the third module ran, and has one learning rate."""
    writer = RecordingWriter(tmp_path, HEADER)
    writer.write_network(network(*NAMES, optimizers=(OptimizerEntry("SGD", "SGD", ()),)))
    description, blobs = small_step(writer, 0, module_runs=ModuleRuns((2,), (True,), (1,)), learning_rates=((),))
    writer.write_step(description, blobs)
    writer.close()
    return tmp_path


@pytest.mark.parametrize(
    ("second", "module"), [((), "c"), (("a",), "c"), (NAMES, "c"), ((*NAMES, "d"), "c"), (("b", "c"), None), (("a", "x", "c", "d"), None)]
)
def test_positions_in_the_network_keep_their_meaning(facts: Path, second: tuple[str, ...], module: str | None) -> None:
    writer = RecordingWriter(facts, HEADER, append=True)
    writer.write_network(network(*second))
    description, blobs = small_step(writer, 1, session=1, module_runs=ModuleRuns((0,), (True,), (1,)) if second else None)
    writer.write_step(description, blobs)
    writer.close()
    recording = open_recording(facts)
    names = [entry.name for entry in recording.network.modules]
    runs = recording.step(0).module_runs
    assert (None if runs is None else names[runs.modules[0]]) == module
    assert (recording.step(0).learning_rates is None) == (module is None)
    assert len(recording.problems) == (0 if module else 2)
    later = recording.step(1).module_runs
    assert later is None if not second else later is not None and names[later.modules[0]] == second[0]


@pytest.mark.parametrize(
    "wrong", [{"module_runs": ModuleRuns((3,), (True,), (1,))}, {"learning_rates": ((), ())}, {"learning_rates": ((1.0,),)}]
)
def test_facts_about_what_the_network_does_not_hold_are_left_out(facts: Path, wrong: dict[str, object]) -> None:
    writer = RecordingWriter(facts, HEADER, append=True)
    for step in (1, 2):
        writer.write_step(*small_step(writer, step, **wrong))
    writer.close()
    recording = open_recording(facts)
    (fact,) = wrong
    assert getattr(recording.step(1), fact) is None
    assert getattr(recording.step(2), fact) is None
    assert getattr(recording.step(0), fact) is not None
    assert recording.check_step(1)
    assert recording.problems == [f"g/t/rank-0/network.json does not hold what {fact} of some steps refers to, so it is left out there."]


SENTINEL = SentinelPoint(3, "t", (("forward", "x", 0), ("forward", "y", -1)), (1.0, 2.0), None)


def test_sentinels_name_their_tensors_once_per_session(tmp_path: Path) -> None:
    for _ in range(2):
        writer = RecordingWriter(tmp_path, HEADER, append=True)
        for _ in range(3):
            writer.add_sentinel_point(SENTINEL)
        writer.close()
    names = '{"tensors":[["forward","x",0],["forward","y",-1]]}'
    check = '{"step":3,"type":"t","largest":[1.0,2.0],"triggered":null}'
    assert (tmp_path / "sentinels.jsonl").read_text().splitlines() == [names, check, check, check] * 2
    assert open_recording(tmp_path).sentinel_points == (SENTINEL,) * 6


def test_largest_magnitudes_are_short_and_never_become_infinite(tmp_path: Path) -> None:
    numbers = (123456.0, 0.000123456, 3.4028234663852886e38, 1.7976931348623157e308, 5e-324, float("inf"), 0.0)
    writer = RecordingWriter(tmp_path, HEADER)
    writer.add_sentinel_point(SentinelPoint(0, "t", tuple(("forward", str(number), 0) for number in numbers), numbers))
    writer.close()
    line = json.loads((tmp_path / "sentinels.jsonl").read_text().splitlines()[1])
    assert line["largest"] == [123500.0, 0.0001235, 3.403e38, 1.7976931348623157e308, 5e-324, "Infinity", 0.0]


DAMAGED_SENTINELS = {
    "a point is no JSON": (2, b"{", 0),
    "a point is cut short": (1, b'{"step":3,"type":"t","largest":[1.0],"triggered":null}', 2),
    "a point has text": (1, b'{"step":3,"type":"t","largest":["x",1.0],"triggered":null}', 2),
    "the names are no JSON": (0, b'{"tensors', 0),
    "the names have a hole": (0, b'{"tensors":[["forward","x"]]}', 0),
    "the names are numbers": (0, b'{"tensors":[["forward",3,0]]}', 0),
    "an iteration is true": (0, b'{"tensors":[["forward","x",true]]}', 0),
}


@pytest.mark.parametrize(("line", "content", "left"), DAMAGED_SENTINELS.values(), ids=DAMAGED_SENTINELS.keys())
def test_a_damaged_sentinel_takes_only_what_it_explains(tmp_path: Path, line: int, content: bytes, left: int) -> None:
    """After a line that is not JSON, the meaning of the next lines is unknown: the line may have described it."""
    for _ in range(2):
        writer = RecordingWriter(tmp_path, HEADER, append=True)
        for _ in range(3):
            writer.add_sentinel_point(SENTINEL)
        writer.close()
    file = tmp_path / "sentinels.jsonl"
    lines = file.read_bytes().split(b"\n")
    lines[line] = content
    file.write_bytes(b"\n".join(lines))
    recording = open_recording(tmp_path)
    before_the_fault = max(0, line - 1) if left == 0 else 0
    assert recording.sentinel_points == (SENTINEL,) * (before_the_fault + left + 3)
    assert len(recording.problems) == 1
