"""Which recordings go into a bundle, their names, and the messages about unreadable recordings."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import shutil
import socket
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from comgra_export import __version__
from comgra_export.errors import ExportError, NewerFormatError, NotARecordingError
from comgra_export.exporter import Progress, export
from comgra_export.exporter.pack import step_lanes
from comgra_export.exporter.plan.trial_names import different_names
from comgra_export.storage import Header, RecordedSamples, Recording, RecordingWriter, StepDescription, Structure
from support.exporter.recordings import LAYOUT, STRUCTURE, assert_same_arrays, expected_arrays, random_step, shown, write_trial
from support.exporter.unpacker import Bundle, read_files

SHAPES = ("report.html", "report", "report.zip")


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    return tmp_path / "runs"


@pytest.fixture
def page(tmp_path: Path) -> Path:
    return tmp_path / "report.html"


def trial_names(path: Path) -> list[str]:
    return [trial["name"] for trial in Bundle(path).index["trials"]]


@pytest.mark.parametrize("below", ["", "group", "group/trial", "group/trial/rank-0"])
def test_any_level_of_the_folders_can_be_given(below: str, runs: Path, page: Path) -> None:
    write_trial(runs)
    export(str(runs / below), str(page))
    assert trial_names(page) == ["trial"]


class Place:
    """A path that is neither a string nor a `Path`."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __fspath__(self) -> str:
        return str(self._path)


@pytest.mark.parametrize("kind", [str, Path, Place])
def test_paths_may_be_of_any_kind(kind: Callable[[Path], str | os.PathLike[str]], runs: Path, page: Path) -> None:
    write_trial(runs)
    drawing, story = runs / "drawing.js", runs / "story.json"
    drawing.write_text("export default () => {}", encoding="utf-8")
    story.write_text('[{"view": "#v=1&tab=network", "text": "Here"}]', encoding="utf-8")
    export(kind(runs), kind(page), visualization=kind(drawing), story=kind(story))
    bundle = Bundle(page)
    assert (trial_names(page), bundle.index["story"][0]["text"]) == (["trial"], "Here")
    export([kind(runs)], kind(page), visualization=[kind(drawing)], force=True)
    assert trial_names(page) == ["trial"]


def test_several_paths_keep_their_order_and_a_recording_is_taken_once(runs: Path, page: Path) -> None:
    for name in ("a", "b", "c"):
        write_trial(runs, name, steps=())
    export([runs / "group" / "c", str(runs / "group" / "a"), runs / "group" / "b" / ".." / "c" / "rank-0"], page)
    assert trial_names(page) == ["c", "a"]


def test_trials_of_the_same_name_get_different_names(tmp_path: Path, page: Path) -> None:
    for root in ("monday", "tuesday"):
        write_trial(tmp_path / root, steps=())
    export([tmp_path / "monday", f"{tmp_path}/tuesday/"], page)
    assert trial_names(page) == ["trial of monday", "trial of tuesday"]
    export([tmp_path / "monday", tmp_path / "tuesday"], page, trials="trial of t*", force=True)
    assert trial_names(page) == ["trial of tuesday"]


@pytest.mark.parametrize("below", ["group", "group/trial"])
def test_folders_above_what_was_given_do_not_name_trials(below: str, tmp_path: Path, page: Path) -> None:
    for root in ("monday", "tuesday"):
        write_trial(tmp_path / root, steps=())
    export([tmp_path / "monday" / below, tmp_path / "tuesday" / below], page)
    assert trial_names(page) == ["trial", "trial (2)"]
    assert "monday" not in page.read_text(encoding="ascii")


def test_the_current_folder_has_no_name(tmp_path: Path, page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for root in ("monday", "tuesday"):
        write_trial(tmp_path / root, steps=())
    monkeypatch.chdir(tmp_path / "monday")
    export([".", "../tuesday"], page)
    assert trial_names(page) == ["trial", "trial (2)"]


@pytest.mark.parametrize(
    ("trials", "names"),
    [
        ([("a", "x"), ("b", "x")], ["a", "b"]),
        ([("a", "x"), ("b", "y"), ("a", "y")], ["a of x", "b", "a of y"]),
        ([("a", "x"), ("a", "y"), ("a", "y")], ["a", "a (2)", "a (3)"]),
        ([("a", "x"), ("a", "..")], ["a", "a (2)"]),
        ([("a", "x"), ("a", "y" * 200)], ["a", "a (2)"]),
        ([("a", "x"), ("a", "y"), ("a of y", "z")], ["a", "a (2)", "a of y"]),
        ([("a", "x"), ("a", "x"), ("a (2)", "x")], ["a", "a (3)", "a (2)"]),
        ([("a", "b of c"), ("a", "d"), ("a of b", "c"), ("a of b", "d")], ["a of b of c", "a of d", "a of b of c (2)", "a of b of d"]),
    ],
)
def test_names_differ(trials: list[tuple[str, str]], names: list[str]) -> None:
    assert different_names(trials) == names


def test_several_groups_are_listed_with_what_to_do(runs: Path, page: Path) -> None:
    write_trial(runs, group="first")
    write_trial(runs, group="second")
    with pytest.raises(ExportError, match=r"belong to 2 groups.*Give the folder of one group") as caught:
        export(runs, page)
    assert f"first ({runs / 'first'})" in str(caught.value)
    assert f"second ({runs / 'second'})" in str(caught.value)
    assert not page.exists()
    export(runs / "second", page)


def test_no_recording_is_an_error(tmp_path: Path, page: Path) -> None:
    with pytest.raises(NotARecordingError):
        export(tmp_path, page)
    with pytest.raises(NotARecordingError, match="No recording was given"):
        export([], page)


def test_a_layout_and_a_graph_are_in_the_bundle_once(runs: Path, page: Path) -> None:
    for trial in ("a", "b"):
        write_trial(runs, trial)
    export(runs, page)
    index = Bundle(page).index
    assert len(index["layouts"]["chunk"]) == len(index["structures"]["chunk"]) == 1
    assert (len(index["structure_sets"]), len(index["sample_sets"]), len(index["array_sets"])) == (1, 1, 1)


def test_the_same_graph_is_laid_out_by_the_prefixes_of_its_trial(runs: Path, page: Path) -> None:
    structure = Structure((shown("net.a", "parameter"), shown("net.b", "parameter"), shown("y")), ((0, 2), (1, 2)))
    write_trial(runs, "apart", prefixes=("net.a", "net.b"), structure=structure)
    write_trial(runs, "together", structure=structure)
    export(runs, page)
    bundle = Bundle(page)
    columns = {}
    for name in ("apart", "together"):
        row = bundle.step_row(bundle.trial(name), 0)
        columns[name] = bundle.listed("structures", bundle.index["structure_sets"][row["structure_set"]][0])["nodes"]["column"]
    assert columns == {"apart": [0, 1, 2], "together": [0, 0, 1]}


def damage(file: Path) -> None:
    """Cuts off the second half of a file."""
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2])


@pytest.mark.parametrize("part", ["steps/000000000007.safetensors", "steps/000000000007.json"])
@pytest.mark.parametrize("name", SHAPES)
def test_a_damaged_step_is_left_out_and_reported(name: str, part: str, runs: Path, tmp_path: Path) -> None:
    recorded = write_trial(runs)
    damage(runs / "group" / "trial" / "rank-0" / part)
    result = export(runs, tmp_path / name)
    bundle = Bundle(tmp_path / name)
    trial = bundle.trial("trial")
    assert trial["steps"]["step"] == [0, 1200]
    assert_same_arrays(bundle.arrays(trial, 1200), expected_arrays(recorded[1200]))
    (problem,) = result.problems
    assert problem.startswith(f"Step 7 of trial could not be read and is left out. group/trial/rank-0/{part}")
    assert bundle.index["about"]["problems"] == [problem]
    assert bundle.digest() == bundle.index["content_digest"]
    assert result.steps == 2


def test_many_damaged_steps_are_one_sentence(runs: Path, page: Path) -> None:
    write_trial(runs, steps=tuple(range(9)))
    for number in range(8):
        damage(runs / "group" / "trial" / "rank-0" / "steps" / f"{number:012d}.safetensors")
    (problem,) = export(runs, page).problems
    assert problem.startswith(
        "Each of 8 steps of trial (step 0, 1, 2, 3, 4 and 3 more) could not be read and is left out. group/trial/rank-0/"
    )


def test_a_damaged_layout_takes_its_steps_with_it(runs: Path, page: Path) -> None:
    write_trial(runs)
    damage(next((runs / "group" / "trial" / "rank-0" / "layouts").iterdir()))
    result = export(runs, page)
    assert Bundle(page).trial("trial")["steps"]["step"] == []
    assert len(result.problems) == 1


@pytest.mark.parametrize("how", ["cut off", "a circle"])
def test_without_its_graph_a_step_keeps_its_numbers(how: str, runs: Path, page: Path) -> None:
    circle = Structure(STRUCTURE.tensors, ((1, 2), (2, 1)))
    recorded = write_trial(runs, structure=circle if how == "a circle" else STRUCTURE)
    if how == "cut off":
        damage(next((runs / "group" / "trial" / "rank-0" / "structures").iterdir()))
    (problem,) = export(runs, page).problems
    bundle = Bundle(page)
    trial = bundle.trial("trial")
    assert bundle.index["structure_sets"] == [[-1, -1, -1]]
    assert_same_arrays(bundle.arrays(trial, 7), expected_arrays(recorded[7]))
    assert problem.startswith("Each of 3 steps of trial (step 0, 7, 1200) has no dependency graph. group/trial/rank-0/structures/")


def test_what_the_recording_misses_is_reported(runs: Path, page: Path) -> None:
    write_trial(runs)
    with (runs / "group" / "trial" / "rank-0" / "notes.jsonl").open("ab") as stream:
        stream.write(b"{nonsense}\n")
    (problem,) = export(runs, page).problems
    assert "notes.jsonl" in problem
    bundle = Bundle(page)
    assert bundle.index["about"]["problems"] == [problem]
    assert len(bundle.document(bundle.trial("trial")["notes"])) == 3


def test_a_trial_that_cannot_be_opened_is_reported_and_the_others_are_exported(runs: Path, page: Path) -> None:
    write_trial(runs, "good")
    write_trial(runs, "newer")
    header = runs / "group" / "newer" / "rank-0" / "recording.json"
    header.write_text(json.dumps({**json.loads(header.read_text()), "version": 4}))
    (problem,) = export(runs, page).problems
    assert "newer/rank-0/recording.json has version 4" in problem
    assert str(runs) not in problem
    assert trial_names(page) == ["good"]
    shutil.rmtree(runs / "group" / "good")
    with pytest.raises(NewerFormatError):
        export(runs, page, force=True)


@pytest.mark.parametrize("name", SHAPES)
def test_the_same_recording_gives_the_same_bytes_anywhere(name: str, tmp_path: Path) -> None:
    write_trial(tmp_path / "here" / "runs")
    write_trial(tmp_path / "here" / "runs", "other", seed=3)
    shutil.copytree(tmp_path / "here", tmp_path / "somewhere" / "else")
    for place in ("here", "somewhere/else"):
        export(tmp_path / place / "runs", tmp_path / place / name, title="A title")
    first, second = tmp_path / "here" / name, tmp_path / "somewhere" / "else" / name
    assert read_files(first) == read_files(second)
    if first.is_file():
        assert first.read_bytes() == second.read_bytes()


def test_the_digest_depends_on_the_content(runs: Path, tmp_path: Path) -> None:
    write_trial(runs)
    digests = [export(runs, tmp_path / f"{title}.html", title=title).content_digest for title in ("a", "b")]
    digests.append(export(runs, tmp_path / "folder", title="a").content_digest)
    write_trial(tmp_path / "changed", seed=1)
    digests.append(export(tmp_path / "changed", tmp_path / "d.html", title="a").content_digest)
    assert digests[0] == digests[2]
    assert len(set(digests)) == 3


@pytest.mark.parametrize("name", SHAPES)
def test_nothing_of_the_machine_is_in_the_bundle(name: str, runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("USER", "LOGNAME", "USERNAME", "HOSTNAME"):
        monkeypatch.setenv(variable, "unmistakable")
    for function in (socket.gethostname, platform.node):
        monkeypatch.setattr(f"{function.__module__}.{function.__name__}", lambda: "unmistakable")
    write_trial(runs)
    damage(runs / "group" / "trial" / "rank-0" / "steps" / "000000000007.safetensors")
    write_trial(runs, "unreadable")
    damage(runs / "group" / "unreadable" / "rank-0" / "recording.json")
    result = export(runs, tmp_path / name)
    assert len(result.problems) == 2
    bundle = Bundle(tmp_path / name)
    chunks = range(len(bundle.index["chunks"]["bytes"]))
    everything = "\n".join(
        [bundle.text, json.dumps(bundle.index), *bundle.files, *(bundle.chunk(number).decode("latin-1") for number in chunks)]
    )
    for word in (str(tmp_path), tmp_path.name, str(Path.cwd()), "unmistakable"):
        assert word not in everything


def test_progress_goes_from_nothing_to_everything_in_every_stage(runs: Path, page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step_lanes, "CHUNK_BYTES", 64)
    write_trial(runs)
    seen: list[Progress] = []
    export(runs, page, progress=seen.append)
    stages = list(dict.fromkeys(progress.stage for progress in seen))
    assert stages == ["Reading", "Checking", "Gathering", "Packing", "Writing"]
    for stage in stages:
        done = [progress.done for progress in seen if progress.stage == stage]
        totals = {progress.total for progress in seen if progress.stage == stage}
        assert done == sorted(done)
        assert totals == {done[-1]}
        assert done[0] == 0
    assert len([progress for progress in seen if progress.stage == "Packing"]) > 20


def test_a_layout_is_converted_once_for_many_steps(runs: Path, page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = RecordingWriter(runs / "g" / "t" / "rank-0", Header("g", "t"))
    layout, graph = writer.write_layout(LAYOUT), writer.write_structure(STRUCTURE)
    blobs = random_step(0).blobs()
    for number in range(50):
        writer.write_step(StepDescription(number, "main", 4, layout, (graph,) * 3, RecordedSamples((0, 1))), blobs)
    writer.close()
    asked: list[str] = []
    structure = Recording.structure

    def ask(self: Recording, digest: str) -> Structure:
        asked.append(digest)
        return structure(self, digest)

    monkeypatch.setattr(Recording, "structure", ask)
    assert export(runs, page).steps == 50
    # And once per iteration for the findings.
    assert asked == [graph] * 4


@pytest.mark.parametrize("path", [".", "../rank-0", "../../newer"])
def test_a_path_that_is_relative_leaves_messages_readable(path: str, runs: Path, page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_trial(runs, "good")
    write_trial(runs, "newer")
    header = runs / "group" / "newer" / "rank-0" / "recording.json"
    header.write_text("{")
    monkeypatch.chdir(header.parent)
    (problem,) = export([path, runs / "group" / "good"], page).problems
    assert problem.startswith("newer/rank-0/recording.json cannot be used: it is not valid JSON (")
    assert problem.endswith("). Restore it from a copy, or record again.")


def test_what_is_left_out_is_counted(runs: Path, page: Path) -> None:
    write_trial(runs)
    write_trial(runs, "other", steps=tuple(range(9)))
    damage(runs / "group" / "trial" / "rank-0" / "steps" / "000000000007.json")
    for number in range(8):
        damage(runs / "group" / "other" / "rank-0" / "steps" / f"{number:012d}.safetensors")
    bundle = export(runs, page)
    assert (bundle.steps, bundle.steps_left_out) == (3, 9)


def test_the_generator_is_the_version_of_the_package(runs: Path, page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The version that pip knows may be older than the running code, for example in a checkout.
    monkeypatch.setattr(importlib.metadata, "distribution", lambda _: SimpleNamespace(version="0.0.1"))
    write_trial(runs)
    export(runs, page)
    assert Bundle(page).index["generator"] == f"comgra_export {__version__}"
