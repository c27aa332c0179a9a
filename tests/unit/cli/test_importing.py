"""`comgra-export import checkpoints`, as a user runs it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from support.cli.run import Run
from support.places import DATA

RECORDING, EXPORT = 3, 4


def test_checkpoints_become_a_recording_and_a_page(run: Run, tmp_path: Path) -> None:
    (tmp_path / "ck").mkdir()
    for step in (10, 9):
        save_file({"w": np.full(4, step, np.float32)}, tmp_path / "ck" / f"{step}.safetensors")
    command = ("import", "checkpoints", "ck/10.safetensors", "ck/9.safetensors")
    done = run(*command)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "Wrote imported/checkpoints/ck: 2 checkpoints, 1 tensor in the last",
        "  step 9: 9.safetensors",
        "  step 10: 10.safetensors",
        "Build a page of it: comgra-export build imported/checkpoints/ck -o report.html",
    ]
    again = run(*command)
    assert again.returncode == EXPORT
    assert "--force" in again.stderr
    assert run(*command, "--force", "--build", "report.html").returncode == 0
    assert (tmp_path / "report.html").is_file()


def test_a_checkpoint_that_cannot_be_read_is_reported(run: Run, tmp_path: Path) -> None:
    (tmp_path / "1.pt").write_bytes(b"PK\x1b[2J")
    done = run("import", "checkpoints", "1.pt")
    assert done.returncode == RECORDING
    assert "1.pt is not read: its zip is damaged" in done.stderr
    assert not (tmp_path / "imported").exists()


def test_a_folder_without_event_files_is_reported(run: Run, tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    done = run("import", "tensorboard", "logs")
    assert done.returncode == RECORDING
    assert "pip install tensorboard" in done.stderr or "In logs, there is no event file" in done.stderr
    assert "Traceback" not in done.stderr


def test_recordings_of_comgra_are_imported_and_whoever_builds_them_is_told_how(run: Run, tmp_path: Path) -> None:
    hint = run("build", DATA / "comgra")
    assert hint.returncode == RECORDING
    assert "comgra-export import comgra" in hint.stderr
    done = run("import", "comgra", DATA / "comgra", "--build", "report.html")
    assert done.returncode == 0, done.stderr
    assert "Wrote imported/group/trial: 3 steps" in done.stdout
    assert (tmp_path / "report.html").is_file()
