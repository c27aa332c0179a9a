"""`comgra-export import vnittest` and `write-vnittest`, as a user runs them."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.cli.run import Run
from support.importers.vnittest_files import SAMPLE, write_debug_data, write_files
from support.importers.vnittest_flows import assert_same, read, read_sample, write_channels

USAGE, RECORDING, EXPORT = 2, 3, 4


def test_files_become_a_recording_and_what_to_do_next_is_said(run: Run, tmp_path: Path) -> None:
    done = run("import", "vnittest", f"{SAMPLE}/test_")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "Wrote imported/vnittest/test: 2 layers",
        "  gradient flow by the chain rule: 96 connections",
        "  gradient flow as vnittest estimates it: 96 connections",
        "Build a page of it: comgra-export build imported/vnittest/test -o report.html",
    ]
    assert run("build", "imported/vnittest/test", "-o", "report.html").returncode == 0


def test_a_page_is_built_at_once_if_asked_and_again_with_force(run: Run, tmp_path: Path) -> None:
    command = ("import", "vnittest", write_debug_data(tmp_path / "debug data"), "-o", "my runs", "--trial", "a b", "--build", "report.html")
    done = run(*command)
    assert done.returncode == 0, done.stderr
    assert "gradient flow: 68 connections" in done.stdout
    assert "Open it in a browser" in done.stdout
    assert (tmp_path / "report.html").is_file()
    again = run(*command)
    assert again.returncode == EXPORT
    assert "--force" in again.stderr
    assert run(*command, "--force").returncode == 0


def test_an_existing_trial_is_reported(run: Run, tmp_path: Path) -> None:
    assert run("import", "vnittest", SAMPLE).returncode == 0
    done = run("import", "vnittest", SAMPLE)
    assert done.returncode == EXPORT
    assert "already" in done.stderr
    assert "--force" in done.stderr


def test_a_missing_input_file_is_reported(run: Run, tmp_path: Path) -> None:
    write_files(tmp_path / "x", {"a\x1b[2J": [[1.0, 2.0]]}, {})
    done = run("import", "vnittest", "x")
    assert done.returncode == 0
    assert "warning: there is no input_representation.npy" in done.stderr
    assert "\x1b" not in done.stderr + done.stdout


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"cos\nsystem\n(S'touch hacked'\ntR.", "it names os.system"), (b"", "ends in the middle"), (b"}.", "is not one of vnittest's")],
)
def test_a_hostile_pickle_is_refused(run: Run, tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "flow_info.pkl").write_bytes(content)
    done = run("import", "vnittest", ".")
    assert done.returncode == RECORDING
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["flow_info.pkl"]


def test_files_that_are_not_there_are_said(run: Run) -> None:
    done = run("import", "vnittest", "debug_data")
    assert done.returncode == RECORDING
    assert "There is no file debug_dataflow_info.pkl, and debug_data is not a folder. Give a folder or the prefix" in done.stderr


def test_a_name_that_is_no_folder_is_reported(run: Run) -> None:
    done = run("import", "vnittest", SAMPLE, "--group", "../b")
    assert done.returncode == EXPORT
    assert "must not begin with a dot" in done.stderr


def test_a_recording_is_written_back(run: Run, tmp_path: Path) -> None:
    assert run("import", "vnittest", SAMPLE).returncode == 0
    done = run("write-vnittest", "imported", "-o", "my data")
    assert done.returncode == 0, done.stderr
    assert_same(read(tmp_path / "my data"), read_sample())
    assert done.stdout.splitlines() == [
        "Wrote my data with 2 layers of 'gradient flow by the chain rule', step 0",
        "Open it with: vnittest 'my data'/",
    ]
    assert "vnittest makes its own" in done.stderr
    done = run("write-vnittest", "imported", "-o", "my data")
    assert done.returncode == EXPORT
    assert "my data already. Pass --force to replace it, or choose another name." in done.stderr
    assert "force=True" not in done.stderr


def test_of_several_recordings_the_folders_are_said_as_they_are_given(run: Run, tmp_path: Path) -> None:
    for trial in ("first", "second"):
        assert run("import", "vnittest", SAMPLE, "--trial", trial).returncode == 0
    done = run("write-vnittest", "imported", "-o", "data")
    assert done.returncode != 0
    folder = Path("imported", "vnittest", "first", "rank-0")
    assert str(folder) in done.stderr.replace("\n", " ")
    assert run("write-vnittest", str(folder), "-o", "data").returncode == 0


def test_samples_and_channels_are_chosen(run: Run, tmp_path: Path) -> None:
    write_channels(tmp_path)
    done = run("write-vnittest", "group", "-o", "data", "--sample", "5", "--channel", "x=1", "--step", "4")
    assert done.returncode == 0, done.stderr
    assert "warning: x has 2 channels; channel 1 is written." in done.stderr
    assert read(tmp_path / "data")[0]["gradient_flows"]["x", "y"].tolist() == [[52, 0], [53, 0]]
    done = run("write-vnittest", "group", "-o", "other", "--channel", "x=7")
    assert done.returncode == USAGE
    assert "no channel 7" in done.stderr


def test_a_folder_without_recordings_is_reported(run: Run, tmp_path: Path) -> None:
    done = run("write-vnittest", tmp_path, "-o", "data")
    assert done.returncode == RECORDING
    assert "There is no recording in" in done.stderr
