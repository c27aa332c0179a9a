"""The hyperparameters of a run on disk, and reading those that somebody else may have written."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from comgra_export.errors import MisuseError
from comgra_export.storage import Config, Header, RecordingWriter, open_recording

HEADER = Header("g", "t")


def test_values_come_back_as_they_were_and_in_their_order(tmp_path: Path) -> None:
    values: Config = {"lr": 0.1, "seed": 0, "amp": True, "name": "träge", "checkpoint": None, "clip": math.inf}
    writer = RecordingWriter(tmp_path, HEADER)
    assert writer.write_config(values) == 0
    writer.close()
    recording = open_recording(tmp_path)
    assert list(recording.config.items()) == list(values.items())
    assert recording.config["amp"] is True
    assert recording.problems == []
    assert json.loads((tmp_path / "config.json").read_text("utf-8")) == {"values": {**values, "clip": "Infinity"}}


def test_later_values_replace_and_the_others_stay_over_sessions(tmp_path: Path) -> None:
    for values in ({"a": 1, "b": 2}, {"b": 3, "c": 4}):
        writer = RecordingWriter(tmp_path, HEADER, append=True)
        writer.write_config(values)
        writer.close()
    assert open_recording(tmp_path).config == {"a": 1, "b": 3, "c": 4}


def test_more_than_a_thousand_are_left_out_and_known_ones_still_change(tmp_path: Path) -> None:
    writer = RecordingWriter(tmp_path, HEADER)
    assert writer.write_config({f"v{number}": number for number in range(1002)}) == 2
    assert writer.write_config({"v0": -1, "new": 0}) == 1
    writer.close()
    config = open_recording(tmp_path).config
    assert (len(config), config["v0"], config["v999"]) == (1000, -1, 999)
    assert not {"v1000", "v1001", "new"} & set(config)


@pytest.mark.parametrize("values", [{"x" * 1001: 1}, {"x": "y" * 1001}])
def test_the_writer_refuses_what_no_reader_would_take(tmp_path: Path, values: dict[str, str]) -> None:
    writer = RecordingWriter(tmp_path, HEADER)
    with pytest.raises(MisuseError, match="more than 1,000 characters"):
        writer.write_config(values)
    writer.close()
    assert not (tmp_path / "config.json").exists()


def test_without_a_file_there_are_no_values(tmp_path: Path) -> None:
    RecordingWriter(tmp_path, HEADER).close()
    assert open_recording(tmp_path).config == {}


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("[]", "not a JSON object"),
        ('{"values": []}', "not a JSON object"),
        ('{"values": {"a": [1]}}', "values.a is neither a number nor a boolean, string or null"),
        ('{"values": {"a": {"b": 1}}}', "values.a is neither"),
        (json.dumps({"values": {"a": "x" * 1001}}), "more than 1,000 characters"),
        (json.dumps({"values": {"x" * 1001: 1}}), "more than 1,000 characters"),
        (json.dumps({"values": {str(number): 0 for number in range(1001)}}), "more than 1,000 entries"),
        ("{", "not valid JSON"),
    ],
)
def test_damaged_values_are_left_out_and_reported(tmp_path: Path, content: str, what: str) -> None:
    RecordingWriter(tmp_path, HEADER).close()
    (tmp_path / "config.json").write_text(content, "utf-8")
    recording = open_recording(tmp_path)
    assert recording.config == {}
    (problem,) = recording.problems
    assert "g/t/rank-0/config.json" in problem
    assert what in problem


def test_a_file_that_is_far_too_large_is_not_read(tmp_path: Path) -> None:
    RecordingWriter(tmp_path, HEADER).close()
    with (tmp_path / "config.json").open("wb") as stream:
        # Without content on the disk.
        stream.truncate(2**40)
    recording = open_recording(tmp_path)
    assert recording.config == {}
    assert "more than 25,000,000 bytes" in recording.problems[0]


@pytest.mark.parametrize("kind", ["link", "folder"])
def test_what_is_not_a_file_is_refused(tmp_path: Path, kind: str) -> None:
    (tmp_path / "private.json").write_text('{"values": {"password": "x"}}')
    rank = tmp_path / "rank-0"
    RecordingWriter(rank, HEADER).close()
    if kind == "link":
        (rank / "config.json").symlink_to(tmp_path / "private.json")
    else:
        (rank / "config.json").mkdir()
    recording = open_recording(rank)
    assert recording.config == {}
    assert len(recording.problems) == 1
