"""Each example of a host runs as it stands, and writes its page."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from comgra_export.storage import find_recordings, open_recording
from support.hosts.runs import needs
from support.places import CHECKOUT

EXAMPLES = {
    "lightning_autoencoder": ["lightning"],
    "transformers_language_model": ["transformers", "accelerate"],
    "accelerate_loop": ["accelerate"],
    "keras_regression": ["keras"],
    "skorch_regression": ["skorch"],
    "stable_baselines3_cartpole": ["stable_baselines3"],
    "torch_geometric_graphs": ["torch_geometric"],
}


def test_every_example_is_here() -> None:
    assert {file.stem for file in (CHECKOUT / "examples" / "hosts").glob("*.py")} == set(EXAMPLES)


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example(example: str, tmp_path: Path) -> None:
    for package in EXAMPLES[example]:
        needs(package)
    file = CHECKOUT / "examples" / "hosts" / f"{example}.py"
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
    command = [sys.executable, str(file)]
    finished = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=400, check=False)
    assert finished.returncode == 0, finished.stderr
    assert "ComgraRecordingWarning" not in finished.stderr
    (page,) = [*tmp_path.glob("comgra/comgra.html"), *tmp_path.glob("report.html")]
    assert page.stat().st_size > 100_000
    (folder,) = find_recordings(tmp_path)
    recording = open_recording(folder)
    assert recording.gaps == ()
    assert len(recording.steps) > 10


SNIPPETS = re.findall(r"```py\n(.*?)```", (CHECKOUT / "docs" / "hosts.md").read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize(("snippet", "package"), list(zip(SNIPPETS, ["lightning", "tensorboard"], strict=True)), ids=["trainer", "events"])
def test_snippets_of_the_page_run_as_they_stand(snippet: str, package: str, tmp_path: Path) -> None:
    needs(package)
    finished = subprocess.run([sys.executable, "-c", snippet], cwd=tmp_path, capture_output=True, text=True, timeout=240, check=False)
    assert finished.returncode == 0, finished.stderr
