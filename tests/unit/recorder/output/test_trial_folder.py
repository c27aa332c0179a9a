"""The folder of a recording, and what happens if it already holds a recording."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

import comgra_export
from comgra_export import ComgraRecorder
from comgra_export.errors import MisuseError
from comgra_export.storage import open_recording
from support.places import TESTS
from support.processes import ReadyProcesses

pytestmark = pytest.mark.slow


def record_steps(root: Path, steps: int, first: int = 0, **arguments: Any) -> Path:  # noqa: ANN401
    with ComgraRecorder(root, strict=True, **arguments) as recorder:
        for step in range(first, first + steps):
            with recorder.batch(step, 1, override__recording_is_active=True), recorder.iteration():
                pass
        recorder.add_note(f"{steps} steps")
    assert recorder.folder is not None
    return recorder.folder


def test_a_path_is_enough(tmp_path: Path) -> None:
    folder = record_steps(tmp_path / "not" / "there yet", 1)
    assert folder == tmp_path / "not" / "there yet" / "default" / "trial" / "rank-0"
    header = open_recording(folder).header
    assert (header.group, header.trial, header.rank, header.world_size) == ("default", "trial", 0, 1)
    assert header.writer == f"comgra_export {comgra_export.__version__}"
    assert header.started.endswith("Z")


def test_a_relative_path_stays_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    recorder = ComgraRecorder("runs")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    with recorder.batch(0, 1), recorder.iteration():
        pass
    recorder.finalize()
    assert open_recording(tmp_path / "runs" / "default" / "trial" / "rank-0").steps == (0,)


def test_names_with_slashes_are_shown_as_they_are(tmp_path: Path) -> None:
    root, group, trial = tmp_path / "root", "mnist/mlp", "lr=1/2"
    for name in (trial, "lr=1/2-2"):
        with ComgraRecorder(root, group, trial, every=1, existing_trial="rename") as recorder:
            assert recorder.trial_id == name
            with recorder.batch(0, 1), recorder.iteration():
                recorder.register_tensor("x", torch.ones(1, 2))
    folder = root / "mnist%2Fmlp" / "lr=1%2F2" / "rank-0"
    assert recorder.trial_path == root / "mnist%2Fmlp" / "lr=1%2F2-2"
    assert sorted(path.relative_to(root).as_posix() for path in root.glob("*/*")) == ["mnist%2Fmlp/lr=1%2F2", "mnist%2Fmlp/lr=1%2F2-2"]
    header = open_recording(folder).header
    assert (header.group, header.trial) == (group, trial)
    both = ["mnist/mlp/lr=1/2", "mnist/mlp/lr=1/2-2"]
    assert list(comgra_export.read(root).trials) == both
    comgra_export.export(root, tmp_path / "page.html")
    assert list(comgra_export.read(tmp_path / "page.html").trials) == both
    with pytest.raises(MisuseError, match="begin with a dot"):
        ComgraRecorder(root, "../up")
    with ComgraRecorder(root, "off/", "a/b", comgra_is_active=False) as recorder:
        assert recorder.trial_path == root / "off%2F" / "a%2Fb"
    assert [path.name for path in tmp_path.iterdir() if path.name != "page.html"] == ["root"]


def test_an_existing_recording_is_not_touched(tmp_path: Path) -> None:
    folder = record_steps(tmp_path, 2)
    with pytest.raises(MisuseError, match=r"already.*rename.*replace"):
        ComgraRecorder(tmp_path)
    assert open_recording(folder).steps == (0, 1)


def test_replacing_leaves_nothing_of_the_old_one(tmp_path: Path) -> None:
    folder = record_steps(tmp_path, 3)
    (folder / "steps" / "000000000009.json.tmp").write_text("half")
    assert record_steps(tmp_path, 1, existing_trial="replace") == folder
    recording = open_recording(folder)
    assert (recording.steps, [note.text for note in recording.notes]) == ((0,), ["1 steps"])
    assert not list(folder.rglob("*.tmp"))


@pytest.mark.parametrize(
    "foreign", ["thesis.txt", "steps/thesis.txt", "steps/000000000000.json.txt", "extra/data.bin", "layouts/more/x.json"]
)
def test_replacing_refuses_what_is_not_part_of_a_recording(tmp_path: Path, foreign: str) -> None:
    folder = record_steps(tmp_path, 2)
    (folder / foreign).parent.mkdir(exist_ok=True)
    (folder / foreign).write_text("precious")
    before = sorted(folder.rglob("*"))
    with pytest.raises(MisuseError, match=foreign.split("/")[0]):
        ComgraRecorder(tmp_path, existing_trial="replace")
    assert sorted(folder.rglob("*")) == before


def test_replacing_does_not_follow_links(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "000000000000.json").write_text("precious")
    folder = record_steps(tmp_path / "root", 0)
    (folder / "steps").rmdir()
    (folder / "steps").symlink_to(precious, target_is_directory=True)
    with pytest.raises(MisuseError, match="steps"):
        ComgraRecorder(tmp_path / "root", existing_trial="replace")
    assert (precious / "000000000000.json").read_text() == "precious"
    (folder / "steps").unlink()
    (folder / "steps").mkdir()
    (folder / "steps" / "000000000000.json").symlink_to(precious / "000000000000.json")
    with pytest.raises(MisuseError, match="000000000000"):
        ComgraRecorder(tmp_path / "root", existing_trial="replace")
    other = tmp_path / "root" / "default" / "linked"
    other.mkdir()
    (other / "rank-0").symlink_to(precious, target_is_directory=True)
    with pytest.raises(MisuseError, match="not a folder"):
        ComgraRecorder(tmp_path / "root", trial_id="linked", existing_trial="replace")


def test_renaming_takes_the_next_free_number(tmp_path: Path) -> None:
    record_steps(tmp_path, 1)
    names = [record_steps(tmp_path, 1, existing_trial="rename").parent.name for _ in range(3)]
    assert names == ["trial-2", "trial-3", "trial-4"]
    assert open_recording(tmp_path / "default" / "trial-3" / "rank-0").header.trial == "trial-3"


def test_an_empty_folder_is_free(tmp_path: Path) -> None:
    (tmp_path / "default" / "trial" / "rank-0").mkdir(parents=True)
    assert open_recording(record_steps(tmp_path, 1)).steps == (0,)


def test_every_process_of_a_distributed_run_has_its_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORLD_SIZE", "2")
    for rank in ("0", "1"):
        monkeypatch.setenv("RANK", rank)
        record_steps(tmp_path, 1)
    headers = [open_recording(tmp_path / "default" / "trial" / f"rank-{rank}").header for rank in range(2)]
    assert [(header.rank, header.world_size) for header in headers] == [(0, 2), (1, 2)]
    assert record_steps(tmp_path, 1, trial_id="larger", rank=3, world_size=4).name == "rank-3"
    monkeypatch.setenv("RANK", "first")
    with pytest.raises(MisuseError, match="RANK"):
        ComgraRecorder(tmp_path, trial_id="another")


def test_a_path_that_cannot_be_written_to(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(MisuseError, match=r"file.*comgra_root_path"):
        ComgraRecorder(tmp_path / "file")


@pytest.mark.parametrize("name", ["a\0b", "a\ud800"])
def test_a_path_that_no_folder_can_have(name: str, tmp_path: Path) -> None:
    with pytest.raises(MisuseError, match="has a character that file names cannot have"):
        ComgraRecorder(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_the_representation_says_what_is_going_on(tmp_path: Path) -> None:
    recorder = ComgraRecorder(tmp_path, group="g", trial_id="t", every=5)
    assert "0 steps recorded, between steps" in repr(recorder)
    with recorder.batch(3, 1), recorder.iteration():
        assert "in step 3, recording it" in repr(recorder)
    with recorder.batch(4, 1), recorder.iteration():
        assert "in step 4, which is not recorded" in repr(recorder)
    assert "1 steps recorded" in repr(recorder)
    assert str(tmp_path) in repr(recorder)
    recorder.finalize()
    recorder.finalize()


def ranks_of(root: Path) -> list[tuple[str, int, int]]:
    headers = [open_recording(file.parent).header for file in sorted(root.rglob("recording.json"))]
    return [(header.trial, header.rank, header.world_size) for header in headers]


def record_ranks(root: Path, world_size: int, **arguments: Any) -> None:  # noqa: ANN401
    for rank in range(world_size):
        record_steps(root, 0, rank=rank, world_size=world_size, **arguments)


@pytest.mark.parametrize(("first", "second"), [(1, 2), (2, 1), (2, 2)])
def test_renaming_keeps_the_ranks_of_a_run_together(tmp_path: Path, first: int, second: int) -> None:
    record_ranks(tmp_path, first)
    record_ranks(tmp_path, second, existing_trial="rename")
    expected = [("trial", rank, first) for rank in range(first)] + [("trial-2", rank, second) for rank in range(second)]
    assert sorted(ranks_of(tmp_path)) == expected


@pytest.mark.parametrize(("first", "second"), [(1, 2), (3, 1), (2, 2), (12, 2)])
def test_replacing_leaves_no_rank_of_the_run_before(tmp_path: Path, first: int, second: int) -> None:
    record_ranks(tmp_path, first)
    record_ranks(tmp_path, second, existing_trial="replace")
    assert ranks_of(tmp_path) == [("trial", rank, second) for rank in range(second)]
    assert {folder.name for folder in (tmp_path / "default" / "trial").iterdir()} == {f"rank-{rank}" for rank in range(second)}


def test_a_rank_does_not_join_a_run_of_another_size(tmp_path: Path) -> None:
    record_ranks(tmp_path, 1)
    with pytest.raises(MisuseError, match="rank-0 already"):
        record_steps(tmp_path, 0, rank=1, world_size=2)
    damaged = tmp_path / "default" / "damaged" / "rank-0"
    damaged.mkdir(parents=True)
    (damaged / "recording.json").write_text("{")
    with pytest.raises(MisuseError, match="rank-0 already"):
        record_steps(tmp_path, 0, trial_id="damaged", rank=1, world_size=2)


def test_appending_goes_on_with_the_run(tmp_path: Path) -> None:
    folder = record_steps(tmp_path, 3, existing_trial="append")
    assert record_steps(tmp_path, 2, existing_trial="append", first=2) == folder
    recording = open_recording(folder)
    assert (recording.steps, recording.left_behind, recording.sessions) == ((0, 1, 2, 3), (), 2)
    assert [recording.step(step).session for step in recording.steps] == [0, 0, 1, 1]
    assert [note.text for note in recording.notes] == ["3 steps", "2 steps"]


def test_a_run_resumed_from_an_earlier_step_leaves_the_later_ones_behind(tmp_path: Path) -> None:
    record_steps(tmp_path, 5)
    recording = open_recording(record_steps(tmp_path, 1, existing_trial="append", first=2))
    assert (recording.steps, recording.left_behind, recording.missing_steps) == ((0, 1, 2), (3, 4), ())


def test_a_run_of_another_size_is_not_appended_to(tmp_path: Path) -> None:
    record_ranks(tmp_path, 2)
    for rank, world_size in ((0, 1), (2, 3)):
        with pytest.raises(MisuseError, match="cannot be appended to"):
            record_steps(tmp_path, 1, existing_trial="append", rank=rank, world_size=world_size)
    record_ranks(tmp_path, 2, existing_trial="append")
    assert [open_recording(tmp_path / "default" / "trial" / f"rank-{rank}").sessions for rank in range(2)] == [2, 2]


def test_a_recording_that_cannot_be_read_is_not_appended_to(tmp_path: Path) -> None:
    folder = record_steps(tmp_path, 1)
    for content in ("{", '{"format": "comgra-recording", "version": 3}'):
        (folder / "recording.json").write_text(content)
        with pytest.raises(MisuseError, match="cannot be read"):
            record_steps(tmp_path, 1, existing_trial="append")
        assert (folder / "recording.json").read_text() == content


@pytest.mark.parametrize("existing_trial", ["error", "append", "replace"])
def test_a_recording_that_is_being_written_is_not_touched(tmp_path: Path, existing_trial: str) -> None:
    with ComgraRecorder(tmp_path) as recorder:
        with recorder.batch(0, 1, override__recording_is_active=True), recorder.iteration():
            pass
        with pytest.raises(MisuseError, match=r"A recorder of this process still has .*finalize"):
            ComgraRecorder(tmp_path, existing_trial=existing_trial)  # type: ignore[arg-type]
        assert record_steps(tmp_path, 1, existing_trial="rename").parent.name == "trial-2"
        with recorder.batch(100, 1, override__recording_is_active=True), recorder.iteration():
            pass
    assert recorder.folder is not None
    assert open_recording(recorder.folder).steps == (0, 100)


def test_the_ranks_of_a_run_that_still_writes_are_not_deleted(tmp_path: Path) -> None:
    record_ranks(tmp_path, 1, trial_id="t")
    other = ComgraRecorder(tmp_path, trial_id="t", rank=1, world_size=2, existing_trial="replace")
    with pytest.raises(MisuseError, match="A recorder of this process"):
        ComgraRecorder(tmp_path, trial_id="t", existing_trial="replace")
    other.finalize()
    record_ranks(tmp_path, 1, trial_id="t", existing_trial="replace")
    assert ranks_of(tmp_path) == [("t", 0, 1)]


RACE = """
import os, sys, time
from pathlib import Path
sys.path[:0] = [{tests!r}]
from support.recorder.finished_steps import finished_step, make_output
from comgra_export.errors import MisuseError
root, existing_trial = Path(sys.argv[1]), sys.argv[2]
children = []
# Nobody ends before everybody has tried.
tried, has_tried = os.pipe()
go_on, say_go_on = os.pipe()
begin = time.monotonic() + 0.2
for _ in range(6):
    child = os.fork()
    if child == 0:
        os.close(say_go_on)
        code, output = 0, None
        while time.monotonic() < begin:
            pass
        try:
            output = make_output(root, existing_trial)
        except MisuseError as error:
            code = 1 if "already" in str(error) or "Another process is writing" in str(error) else 2
        os.write(has_tried, b"x")
        os.read(go_on, 1)
        if output is not None:
            output.write_step(finished_step(os.getpid()))
            output.close()
        os._exit(code)
    children.append(child)
for _ in children:
    os.read(tried, 1)
os.close(say_go_on)
print(sorted(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children))
"""


@pytest.mark.parametrize(
    ("existing_trial", "codes", "trials"),
    [
        ("error", [0, 1, 1, 1, 1, 1], ["t"]),
        ("append", [0, 1, 1, 1, 1, 1], ["t"]),
        ("replace", [0, 1, 1, 1, 1, 1], ["t"]),
        ("rename", [0] * 6, ["t", "t-2", "t-3", "t-4", "t-5", "t-6"]),
    ],
)
def test_of_processes_that_begin_at_the_same_instant_each_has_its_own(
    tmp_path: Path, existing_trial: str, codes: list[int], trials: list[str], processes: ReadyProcesses
) -> None:
    done = processes.run(RACE.format(tests=str(TESTS)), tmp_path, tmp_path, existing_trial)
    assert (done.stdout, done.stderr) == (f"{codes}\n", "")
    recordings = [open_recording(tmp_path / "g" / trial / "rank-0") for trial in trials]
    assert sorted(folder.name for folder in (tmp_path / "g").iterdir()) == trials
    assert [recording.header.trial for recording in recordings] == trials
    assert len({recording.steps for recording in recordings}) == len(trials)
    assert all(len(recording.steps) == 1 and recording.is_closed for recording in recordings)
