"""`comgra-export gallery` and `comgra-export publish`, as a user runs them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from support.cli.run import Run
from support.exporter.recordings import write_trial

USAGE, EXPORT = 2, 4


def test_a_gallery_is_written(run: Run, tmp_path: Path) -> None:
    write_trial(tmp_path / "runs")
    assert run("build", "runs", "-o", "reports/one.html", "--title", "One").returncode == 0
    done = run("gallery", "reports", "--title", "All")
    assert done.returncode == 0, done.stderr
    assert "Wrote site with 1 bundle\n" in done.stdout
    assert "<title>All</title>" in (tmp_path / "site" / "index.html").read_text()
    assert run("gallery", "reports").returncode == EXPORT
    assert run("gallery", "runs", "-o", "other").returncode == USAGE


def test_the_workflow_builds_the_gallery_and_publishes_it(run: Run, tmp_path: Path) -> None:
    (tmp_path / "my reports").mkdir()
    done = run("publish", "my reports", "--title", "It's mine")
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / ".github").exists()
    yaml = pytest.importorskip("yaml")
    workflow = yaml.safe_load(done.stdout)
    job = workflow["jobs"]["publish"]
    assert job["permissions"] == {"contents": "read", "pages": "write", "id-token": "write"}
    commands = [step["run"].strip() for step in job["steps"] if "run" in step]
    assert commands[-1] == """comgra-export gallery 'my reports' -o _site --title 'It'"'"'s mine' --address "$ADDRESS\""""
    # YAML 1.1 takes the key `on` for true.
    assert workflow[True]["push"]["paths"][0] == "my reports/**"
    # An action is named by the commit that was checked, not by a name that may move.
    assert all(len(step["uses"].partition("@")[2]) == 40 for step in job["steps"] if "uses" in step)


def test_the_workflow_is_written_once(run: Run, tmp_path: Path) -> None:
    (tmp_path / "reports").mkdir()
    assert run("publish", "--workflow").returncode == 0
    file = tmp_path / ".github" / "workflows" / "comgra-gallery.yml"
    assert file.read_text() == run("publish").stdout
    again = run("publish", "--workflow")
    assert again.returncode == EXPORT
    assert "--force" in again.stderr
    assert run("publish", "--workflow", "--force").returncode == 0


def test_a_folder_that_is_not_there_is_refused(run: Run, tmp_path: Path) -> None:
    done = run("publish", "nosuch", "--workflow", "--force")
    assert (done.returncode, done.stdout) == (USAGE, "")
    assert "There is no folder 'nosuch' here. Give the one with the bundles, seen from the root of the repository" in done.stderr
    assert not (tmp_path / ".github").exists()


@pytest.mark.parametrize("arguments", [["/etc"], ["../up"], ["a\nrun: evil"], ["${{ secrets.X }}"], ["a", "--title", "x\ny"]])
def test_what_would_change_the_workflow_is_refused(run: Run, arguments: list[str]) -> None:
    assert run("publish", *arguments).returncode == USAGE


@pytest.mark.skipif(shutil.which("actionlint") is None, reason="actionlint is not installed")
def test_actionlint_has_nothing_to_say(run: Run, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "reports").mkdir()
    assert run("publish", "--workflow").returncode == 0
    subprocess.run(["actionlint"], cwd=tmp_path, check=True)
