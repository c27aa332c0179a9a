"""What the README shows is what there is."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from comgra_export.storage import find_recordings, open_recording

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_example_is_the_one_that_is_tested() -> None:
    (shown,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert shown == (ROOT / "examples" / "minimal.py").read_text(encoding="utf-8")


def test_pictures_and_pages_exist() -> None:
    links = [link for link in re.findall(r"\]\(([^)]+)\)", README) if not link.startswith("https://")]
    assert len(links) > 5
    for link in links:
        file, _, place = link.partition("#")
        assert (ROOT / file).is_file(), link
        headings = re.findall(r"^#+ (.*)", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE) if place else []
        assert not place or place in [heading.lower().replace(" ", "-") for heading in headings], link


SNIPPETS = [
    pytest.param(snippet, id=f"{page.name}-{number}")
    for page in sorted((ROOT / "docs").glob("*.md"))
    for number, snippet in enumerate(re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL))
]


def test_there_are_snippets() -> None:
    assert len(SNIPPETS) >= 4


@pytest.mark.parametrize("snippet", SNIPPETS)
def test_snippets_run_as_they_stand_and_record_steps(snippet: str, tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-W", "error", "-c", snippet], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (folder,) = find_recordings(tmp_path / "recordings")
    recording = open_recording(folder)
    assert recording.steps
    assert not recording.gaps
    assert not any(recording.step(step).gaps for step in recording.steps)


def test_the_test_command_is_the_one_that_ci_calls() -> None:
    assert re.search(r"^make test\b", README, re.MULTILINE)
    assert "\nmake test\n" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
