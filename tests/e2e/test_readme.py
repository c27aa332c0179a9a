"""Scripts, pictures and links in README.md and docs/ work."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer

from comgra_export.cli.app import app
from comgra_export.cli.plain_help import PlainGroup
from comgra_export.storage import find_recordings, open_recording
from support.places import CHECKOUT
from support.processes import ReadyProcesses

README = (CHECKOUT / "README.md").read_text(encoding="utf-8")
MINIMAL = (CHECKOUT / "examples" / "minimal.py").read_text(encoding="utf-8")
READMES = [CHECKOUT / "README.md", CHECKOUT / "CONTRIBUTING.md", CHECKOUT / "static" / "README.md", CHECKOUT / "benchmarks" / "README.md"]
PAGES = [*READMES, *sorted((CHECKOUT / "docs").glob("*.md"))]


def snippets_of(page: Path) -> list[str]:
    return re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


def anchors_of(page: Path) -> set[str]:
    """The anchors that GitHub gives the headings of a page."""
    headings = re.findall(r"^#+ (.*)", re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def resolves(page: Path, link: str) -> bool:
    file, _, anchor = link.partition("#")
    target = (page.parent / file).resolve() if file else page
    return target.exists() and (not anchor or anchor in anchors_of(target))


def test_the_first_example_of_recording_is_the_one_in_examples() -> None:
    assert snippets_of(CHECKOUT / "docs" / "recording.md")[0] == MINIMAL


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(CHECKOUT)))
def test_links_to_pages_pictures_and_headings_resolve(page: Path) -> None:
    links = [link for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")) if not link.startswith("https://")]
    assert [link for link in links if not resolves(page, link)] == []


def test_every_page_can_be_reached_from_the_readme() -> None:
    linked = {link.partition("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", README)}
    assert {f"docs/{page.name}" for page in (CHECKOUT / "docs").glob("*.md")} <= linked


def test_the_page_of_the_command_line_lists_every_command() -> None:
    listed = re.findall(r"^\| `comgra-export ([\w -]+)", (CHECKOUT / "docs" / "command-line.md").read_text(encoding="utf-8"), re.MULTILINE)
    commands = typer.main.get_command(app)
    assert isinstance(commands, PlainGroup)
    assert {line.split()[0] for line in listed} == set(commands.commands)


# tests/examples runs the minimal example.
SNIPPETS = [
    pytest.param(snippet, id=f"{page.name}-{number}")
    for page in PAGES
    for number, snippet in enumerate(snippets_of(page))
    if snippet != MINIMAL
]


@pytest.mark.parametrize("snippet", SNIPPETS)
def test_snippets_run_as_they_stand_and_record_steps(snippet: str, processes: ReadyProcesses, tmp_path: Path) -> None:
    done = processes.run(snippet, tmp_path)
    assert done.returncode == 0, done.stderr
    for report in re.findall(r"\w+\.html", snippet):
        assert (tmp_path / report).read_text(encoding="utf-8").lower().startswith("<!doctype html>")
    (folder,) = find_recordings(tmp_path / "recordings")
    recording = open_recording(folder)
    assert recording.steps
    assert not recording.gaps
    assert not any(recording.step(step).gaps for step in recording.steps)


def test_points_of_a_validation_lie_at_its_steps(processes: ReadyProcesses, tmp_path: Path) -> None:
    (snippet,) = [snippet for snippet in snippets_of(CHECKOUT / "docs" / "recording.md") if '"validate"' in snippet]
    done = processes.run(snippet, tmp_path)
    assert done.returncode == 0, done.stderr
    (folder,) = find_recordings(tmp_path / "recordings")
    # These are the numbers in the text.
    assert [point.t for point in open_recording(folder).curve_points] == [10, 21, 32]
