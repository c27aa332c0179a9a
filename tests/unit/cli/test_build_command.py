"""The command build: what it takes, what it writes and what it refuses."""

from __future__ import annotations

import json
import os
import re
import zipfile
from pathlib import Path

import pytest

from comgra_export.storage import Header, RecordingWriter
from support.cli.run import Run
from support.cli.written_group import EXPORT, RECORDING, USAGE
from support.exporter.recordings import write_trial
from support.exporter.unpacker import Bundle


@pytest.mark.parametrize("below", ["", "group", "group/first", "group/first/rank-0"])
def test_build_accepts_every_level_of_the_folder(run: Run, group: Path, tmp_path: Path, below: str) -> None:
    done = run("build", tmp_path / "runs" / below, "-o", "report.html")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "report.html").read_text(encoding="ascii").startswith("<!doctype html>")
    assert "report.html" in done.stdout


def test_build_takes_several_recordings(run: Run, group: Path, tmp_path: Path) -> None:
    write_trial(tmp_path / "others", "first", seed=2)
    done = run("build", group / "second", tmp_path / "others", "-o", "report.html")
    assert done.returncode == 0, done.stderr
    assert [trial["name"] for trial in Bundle(tmp_path / "report.html").index["trials"]] == ["second", "first"]
    write_trial(tmp_path / "more", "third", group="another")
    done = run("build", group, tmp_path / "more", "-o", "other.html")
    assert (done.returncode, "belong to 2 groups" in done.stderr) == (EXPORT, True)
    done = run("build", group, "nowhere", "-o", "other.html")
    assert (done.returncode, "nowhere does not exist. Give the folder that you gave to watch" in done.stderr) == (RECORDING, True)


def test_build_says_that_it_made_the_folder_of_the_output(run: Run, group: Path, tmp_path: Path) -> None:
    done = run("build", group, "-o", "new/deep/report.html")
    assert done.returncode == 0, done.stderr
    assert f"Made the folder {Path('new/deep')}" in done.stdout
    assert (tmp_path / "new" / "deep" / "report.html").is_file()
    assert "Made the folder" not in run("build", group, "-o", "new/deep/report/").stdout
    assert "Made the folder" not in run("build", group, "-o", "report.html").stdout


def test_build_takes_the_shape_from_the_name(run: Run, group: Path, tmp_path: Path) -> None:
    assert run("build", group, "-o", "report/").returncode == 0
    assert (tmp_path / "report" / "index.html").is_file()
    assert list((tmp_path / "report" / "data").glob("c*.js"))
    assert run("build", group, "-o", "report.zip").returncode == 0
    assert any(name.endswith("index.html") for name in zipfile.ZipFile(tmp_path / "report.zip").namelist())


def test_build_without_an_output_names_it_after_the_group(run: Run, group: Path, tmp_path: Path) -> None:
    assert run("build", group).returncode == 0
    assert (tmp_path / "group.html").is_file()


def test_build_leaves_nothing_else_behind(run: Run, group: Path, tmp_path: Path) -> None:
    run("build", group, "-o", "report.html")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["report.html", "runs"]


def test_a_story_is_put_into_a_folder_that_is_there(run: Run, group: Path, tmp_path: Path) -> None:
    note = {"view": "#v=1&tab=graphs", "text": "Here"}
    (tmp_path / "story.json").write_text(json.dumps([note]), encoding="utf-8")
    assert run("build", group, "-o", "report/").returncode == 0
    done = run("build", group, "-o", "report/", "--force", "--story", "story.json", "--start", "#v=1&tab=network")
    assert done.returncode == 0, done.stderr
    index = Bundle(tmp_path / "report").index
    assert index["story"] == [{**note, "title": "", "point": None}]
    assert index["start"] == "#v=1&tab=network"
    (tmp_path / "story.json").write_text('[{"text": "Here"}]', encoding="utf-8")
    done = run("build", group, "-o", "report/", "--force", "--story", "story.json")
    assert (done.returncode, "story.json, note 1: its view is missing" in done.stderr) == (USAGE, True)


def test_a_picture_for_previews_is_named_by_its_address(run: Run, group: Path, tmp_path: Path) -> None:
    address = "https://me.github.io/report.png"
    assert run("build", group, "-o", "report.html", "--picture", address).returncode == 0
    assert f'<meta property="og:image" content="{address}">' in (tmp_path / "report.html").read_text()
    done = run("build", group, "-o", "other.html", "--picture", "report.png")
    assert (done.returncode, "is not an address on the web" in done.stderr) == (USAGE, True)


def test_an_existing_output_is_refused_without_force(run: Run, group: Path, tmp_path: Path) -> None:
    (tmp_path / "report.html").write_text("mine")
    done = run("build", group, "-o", "report.html")
    assert done.returncode == EXPORT
    assert "report.html" in done.stderr
    assert "Pass --force to replace it" in done.stderr
    assert "force=True" not in done.stderr
    assert (tmp_path / "report.html").read_text() == "mine"
    assert run("build", group, "-o", "report.html", "--force").returncode == EXPORT
    assert (tmp_path / "report.html").read_text() == "mine"
    assert run("build", group, "-o", "other.html").returncode == 0
    assert run("build", group, "-o", "other.html").returncode == EXPORT
    assert run("build", group, "-o", "other.html", "--force").returncode == 0


def test_a_slash_at_the_end_asks_for_a_folder(run: Run, group: Path, tmp_path: Path) -> None:
    assert run("build", group, "-o", "report.txt").returncode == USAGE
    assert run("build", group, "-o", "report.txt/").returncode == 0
    assert (tmp_path / "report.txt" / "index.html").is_file()


def test_a_folder_in_place_of_a_command_is_noticed(run: Run, group: Path) -> None:
    done = run(group, "-o", "x.html")
    assert done.returncode == USAGE
    assert f"Did you mean: comgra-export build {group} -o x.html" in done.stderr
    assert "Did you mean: comgra-export" not in run("nowhere").stderr


def test_a_trial_without_steps_is_reported(run: Run, group: Path) -> None:
    RecordingWriter(group / "third" / "rank-0", Header("group", "third")).close()
    done = run("build", group, "-o", "report.html")
    assert done.returncode == 0
    assert "third has no recorded step" in done.stderr
    assert "start_batch" in done.stderr
    assert "first has" not in done.stderr


def test_a_bundle_without_steps_is_reported_once(run: Run, tmp_path: Path) -> None:
    RecordingWriter(tmp_path / "runs" / "only" / "rank-0", Header("runs", "only")).close()
    done = run("build", tmp_path / "runs", "-o", "report.html")
    assert done.returncode == 0
    assert done.stderr.count("has no recorded step") == 1
    assert "UserWarning" not in done.stderr


def test_a_folder_with_other_things_is_never_replaced(run: Run, group: Path, tmp_path: Path) -> None:
    (tmp_path / "report").mkdir()
    (tmp_path / "report" / "thesis.tex").write_text("mine")
    done = run("build", group, "-o", "report/", "--force")
    assert done.returncode == EXPORT
    assert "thesis.tex" in done.stderr
    assert (tmp_path / "report" / "thesis.tex").exists()


def test_an_output_below_a_file_is_refused_in_words(run: Run, group: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = run("build", group, "-o", "file/report.html")
    assert done.returncode == EXPORT
    assert "file/report.html" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_unwritable_folder_is_refused_in_words(run: Run, group: Path, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    if os.access(closed, os.W_OK):
        closed = Path("/proc/self")  # root may write anywhere but here
    done = run("build", group, "-o", closed / "report.html")
    assert done.returncode == EXPORT
    assert f"{closed}/report.html" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_truncated_blob_loses_that_step_alone(run: Run, group: Path, tmp_path: Path) -> None:
    blob = group / "first" / "rank-0" / "steps" / "000000000007.safetensors"
    blob.write_bytes(blob.read_bytes()[:-10])
    done = run("build", group, "-o", "report.html")
    assert done.returncode == 0
    assert "warning" in done.stderr
    assert re.search(r"step 7\b", done.stderr, re.IGNORECASE)
    assert (tmp_path / "report.html").exists()


def test_a_step_without_its_description_is_not_there(run: Run, group: Path) -> None:
    (group / "first" / "rank-0" / "steps" / "000000000007.json").unlink()
    done = run("inspect", group / "first", "--steps")
    assert done.returncode == 0, done.stderr
    assert "2 (0 to 1,200)" in done.stdout


@pytest.mark.parametrize(("damaged", "words"), [(0, "report.html ("), (1, ", without 1 step of 6 "), (2, ", without 2 steps of 6 ")])
def test_build_says_how_many_steps_are_missing(run: Run, group: Path, damaged: int, words: str) -> None:
    for number in (0, 7)[:damaged]:
        (group / "first" / "rank-0" / "steps" / f"{number:012d}.safetensors").write_bytes(b"")
    done = run("build", group, "-o", "report.html")
    assert done.returncode == 0
    assert words in done.stdout
    assert ("without" in done.stdout) == (damaged > 0)


def test_build_chooses_and_says_what_was_left_out(run: Run, group: Path, tmp_path: Path) -> None:
    done = run("build", group, "-o", "report.html", "--trials", "first", "--steps", "0-7", "--precision", "none")
    assert done.returncode == 0, done.stderr
    assert "1 of 2 trials are left out: second." in done.stdout
    assert "1 of 3 recorded steps are left out. Curves are whole." in done.stdout
    assert "Statistics, counts of NaN, infinities and zeros, extremes and curves are exact" in done.stdout
    assert run("build", group, "-o", "other.html", "--trials", "group/sec*").returncode == 0
    assert {trial["name"] for trial in Bundle(tmp_path / "other.html").index["trials"]} == {"second"}
    whole = run("build", group, "-o", "whole.html")
    assert whole.returncode == 0, whole.stderr
    # What is needed is estimated with some room.
    limit = (tmp_path / "whole.html").stat().st_size + 70_000
    limited = run("build", group, "--preset", "mail", "--max-size", str(limit))
    assert limited.returncode == 0, limited.stderr
    assert (tmp_path / "group.html").stat().st_size <= limit


@pytest.mark.parametrize(
    ("options", "words", "code"),
    [
        (["--trials", "other/first"], "There is no trial 'other/first'. There are: first, second.", USAGE),
        (["--trials", "third"], "There is no trial 'third'. There are: first, second.", USAGE),
        (["--steps", "frist"], "every 10th", USAGE),
        (["--steps", "5000-"], "No recorded step is among", USAGE),
        (["--tensors", "nope"], "There is no tensor or node 'nope'.", USAGE),
        (["--samples", "first"], "is not understood", USAGE),
        (["--samples", "9-12"], "No recorded sample is among samples='9-12'. The samples at", USAGE),
        (["--precision", "float8"], "float16", USAGE),
        (["--preset", "email"], "There are: issue, mail, pages.", USAGE),
        (["--max-size", "3megs"], "is not understood", USAGE),
        (["--visualization", "nowhere.js"], "cannot be read", USAGE),
        (["--max-size", "1kB"], "more than the 1,000 bytes allowed", EXPORT),
    ],
)
def test_build_refuses_choices_that_cannot_be_in_words(run: Run, group: Path, options: list[str], words: str, code: int) -> None:
    done = run("build", group, "-o", "report.html", *options)
    assert done.returncode == code
    assert words in done.stderr


def test_visualizations_can_be_given_several_times(run: Run, group: Path, tmp_path: Path) -> None:
    (tmp_path / "own.js").write_text("1;", encoding="utf-8")
    (tmp_path / "own.py").write_text(
        "from comgra_export.visualization import visualization\n"
        "@visualization('Title')\n"
        "def draw(view):\n"
        "    print('printed')\n"
        "    return '<p>' if view.step else 1 / 0\n",
        encoding="utf-8",
    )
    done = run("build", group, "-o", "report.html", "--visualization", "own.js", "--visualization", "own.py")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Wrote report.html")
    assert "printed" not in done.stdout
    assert (
        "own.py: \u201cTitle\u201d could not be drawn for 2 of 6 selections. The first is first, step 0: ZeroDivisionError" in done.stderr
    )
    failed = run("build", group, "-o", "other.html", "--visualization", "missing.py")
    assert failed.returncode == EXPORT
    assert "missing.py" in failed.stderr


def test_more_samples_than_there_are_are_allowed_and_reported(run: Run, group: Path) -> None:
    done = run("build", group, "-o", "report.html", "--samples", "20")
    assert done.returncode == 0
    assert "Values of 20 samples were asked for, and no step has those of more than 2." in done.stdout
