"""Which folders are recordings, which versions are read, and the messages about all others."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from comgra_export.errors import DamagedRecordingError, MisuseError, NewerFormatError, NotARecordingError, RecordingError
from comgra_export.storage import Header, Network, RecordedSamples, RecordingWriter, StepDescription, find_recordings, open_recording
from support.storage.strategies import write_example


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Two groups; one has a trial with eleven ranks, and things lie around that are no recordings."""
    for group, trial, ranks in (("b", "one", 1), ("a", "two", 11), ("a", "one", 1)):
        for rank in range(ranks):
            RecordingWriter(tmp_path / group / trial / f"rank-{rank}", Header(group, trial, rank, ranks))
    (tmp_path / ".hidden" / "x" / "rank-0").mkdir(parents=True)
    (tmp_path / ".hidden" / "x" / "rank-0" / "recording.json").write_text("{}")
    (tmp_path / "a" / "two" / "rank-11").mkdir()
    (tmp_path / "a" / "notes.txt").write_text("")
    return tmp_path


def test_recordings_are_found_from_every_level_in_order(root: Path) -> None:
    ranks = [root / "a" / "two" / f"rank-{rank}" for rank in range(11)]
    folder = root / "a" / "one" / "rank-0"
    assert find_recordings(root) == [folder, *ranks, root / "b" / "one" / "rank-0"]
    assert find_recordings(root / "a") == [folder, *ranks]
    assert find_recordings(root / "a" / "two") == ranks
    assert find_recordings(ranks[10]) == [ranks[10]]


def test_the_folder_above_the_root_may_be_given(tmp_path: Path) -> None:
    folders = [tmp_path / root / "group" / "trial" / "rank-0" for root in ("first", "second")]
    for folder in folders:
        RecordingWriter(folder, Header("group", "trial")).close()
    assert find_recordings(tmp_path) == folders


class Place:
    """A path that is neither a string nor a `Path`."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __fspath__(self) -> str:
        return str(self._path)


@pytest.mark.parametrize("kind", [str, Path, Place])
def test_a_path_may_be_of_any_kind(tmp_path: Path, kind: Callable[[Path], str | os.PathLike[str]]) -> None:
    folder = tmp_path / "group" / "trial" / "rank-0"
    writer = RecordingWriter(kind(folder), Header("group", "trial"))
    writer.close()
    assert writer.folder == folder
    assert find_recordings(kind(tmp_path)) == [folder]
    assert open_recording(kind(folder)).folder == folder
    with pytest.raises(NotARecordingError, match="does not exist"):
        find_recordings(kind(tmp_path / "nowhere"))


def test_a_recording_may_be_copied_somewhere_else(root: Path) -> None:
    (root / "a" / "one" / "rank-0").rename(root / "my copy")
    assert find_recordings(root / "my copy") == [root / "my copy"]


@pytest.mark.parametrize("missing", ["nothing", "file", "page", "empty", "too deep"])
def test_a_path_without_recording_is_refused_in_words(root: Path, missing: str) -> None:
    path, words = {
        "nothing": (root / "nowhere", "does not exist"),
        "file": (root / "a" / "notes.txt", "is a file"),
        "page": (root / "cnn.html", "is already a page. Give the folder of the recording that it was built from"),
        "empty": (root / "a" / "two" / "rank-11", "There is no recording in"),
        "too deep": (root / "c", "There is no recording in"),
    }[missing]
    (root / "cnn.html").write_text("")
    (root / "c" / "1" / "2" / "3" / "4" / "5").mkdir(parents=True)
    (root / "c" / "1" / "2" / "3" / "4" / "5" / "recording.json").write_text("{}")
    with pytest.raises(NotARecordingError, match=words) as caught:
        find_recordings(path)
    assert str(path) in str(caught.value)
    with pytest.raises(NotARecordingError):
        open_recording(path)


def write_header(folder: Path, **members: object) -> None:
    content = {"format": "comgra-recording", "version": 1, "group": "g", "trial": "t", **members}
    (folder / "recording.json").write_text(json.dumps({key: member for key, member in content.items() if member is not ...}))


def test_missing_keys_have_the_defaults_of_the_page_and_unknown_ones_are_ignored(tmp_path: Path) -> None:
    write_header(tmp_path, something_new={"x": [1]})
    recording = open_recording(tmp_path)
    assert recording.header == Header(
        group="g",
        trial="t",
        rank=0,
        world_size=1,
        writer="",
        torch_version="",
        started="",
        prefixes_for_grouping_module_parameters_visually=("",),
        max_num_batch_size_to_record=None,
        version=1,
    )
    assert recording.network == Network()
    assert (recording.notes, recording.curve_points, recording.gaps, recording.steps) == ((), (), (), ())

    (tmp_path / "steps").mkdir()
    step = {"step": 3, "type_of_execution": "t", "batch_size": 2, "layout": "0" * 16, "structures": [], "samples": {"index": [1]}, "new": 1}
    (tmp_path / "steps" / "000000000003.json").write_text(json.dumps(step))
    (tmp_path / "notes.jsonl").write_text('{"text": "hello", "new": 1}\n')
    (tmp_path / "gaps.jsonl").write_text('{"reason": "why"}\n')
    recording = open_recording(tmp_path)
    assert recording.step(3) == StepDescription(3, "t", 2, "0" * 16, (), RecordedSamples((1,)))
    assert [(note.text, note.step) for note in recording.notes] == [("hello", None)]
    assert [(gap.reason, gap.step, gap.tensor) for gap in recording.gaps] == [("why", None, None)]


def test_a_newer_version_is_refused_by_name(tmp_path: Path) -> None:
    write_header(tmp_path, version=4, group=7)
    with pytest.raises(NewerFormatError, match=r"version 4 .* up to 3\. Upgrade"):
        open_recording(tmp_path)


@pytest.mark.parametrize(
    ("members", "error"),
    [
        ({"format": ...}, NotARecordingError),
        ({"format": "something else"}, NotARecordingError),
        ({"format": 1}, DamagedRecordingError),
        ({"version": ...}, DamagedRecordingError),
        ({"version": "1"}, DamagedRecordingError),
        ({"version": 0}, DamagedRecordingError),
        ({"version": True}, DamagedRecordingError),
        ({"group": ...}, DamagedRecordingError),
        ({"group": "../.."}, DamagedRecordingError),
        ({"trial": ""}, DamagedRecordingError),
        ({"rank": -1}, DamagedRecordingError),
        ({"rank": 1}, DamagedRecordingError),
        ({"world_size": 0}, DamagedRecordingError),
        ({"writer": 3}, DamagedRecordingError),
        ({"prefixes_for_grouping_module_parameters_visually": "x"}, DamagedRecordingError),
        ({"prefixes_for_grouping_module_parameters_visually": ["x"] * 1001}, DamagedRecordingError),
        ({"max_num_batch_size_to_record": -1}, DamagedRecordingError),
    ],
)
def test_a_wrong_header_is_refused(tmp_path: Path, members: dict[str, object], error: type[RecordingError]) -> None:
    write_header(tmp_path, **members)
    with pytest.raises(error, match=r"recording\.json"):
        open_recording(tmp_path)


@pytest.mark.parametrize("content", [b"", b"[]", b"\xff", b'{"format": "comgra-recording"', b"null"])
def test_a_header_that_is_no_json_object_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "recording.json").write_bytes(content)
    with pytest.raises(DamagedRecordingError, match=r"recording\.json"):
        open_recording(tmp_path)


def test_a_second_recording_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    write_example(tmp_path)
    before = (tmp_path / "recording.json").read_bytes()
    with pytest.raises(MisuseError, match="already"):
        RecordingWriter(tmp_path, Header("other", "t"))
    assert (tmp_path / "recording.json").read_bytes() == before


def test_a_recording_that_has_only_begun_is_not_overwritten(tmp_path: Path) -> None:
    write_header(tmp_path)
    with pytest.raises(MisuseError, match="already"):
        RecordingWriter(tmp_path, Header("other", "t"))
    assert open_recording(tmp_path).header.group == "g"


def test_of_two_processes_that_begin_at_the_same_instant_one_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    RecordingWriter(tmp_path, Header("first", "t"))
    # The second process checks before the first has created anything.
    monkeypatch.setattr(Path, "exists", lambda _: False)
    with pytest.raises(MisuseError, match="already"):
        RecordingWriter(tmp_path, Header("second", "t"))
    assert open_recording(tmp_path).header.group == "first"


def test_a_recording_that_could_not_begin_may_begin_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as full_disk:
        full_disk.setattr(os, "replace", fail)
        with pytest.raises(OSError, match="No space left"):
            RecordingWriter(tmp_path, Header("g", "t"))
    RecordingWriter(tmp_path, Header("g", "t"))
    assert open_recording(tmp_path).header.group == "g"


def test_more_prefixes_than_a_graph_can_have_are_refused_at_the_start(tmp_path: Path) -> None:
    prefixes = tuple(map(str, range(1001)))
    with pytest.raises(MisuseError, match="more than 1,000"):
        RecordingWriter(tmp_path / "new", Header("g", "t", prefixes_for_grouping_module_parameters_visually=prefixes))
    RecordingWriter(tmp_path / "new", Header("g", "t", prefixes_for_grouping_module_parameters_visually=prefixes[:1000]))
    assert open_recording(tmp_path / "new").header.prefixes_for_grouping_module_parameters_visually == prefixes[:1000]
