"""The story of a bundle: what is taken from the user, what is refused and how, and that it changes nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import comgra_export
from comgra_export.errors import WrongChoiceError
from comgra_export.exporter.plan.story import read_story
from support.exporter.recordings import HOSTILE_NAMES, write_trial
from support.exporter.unpacker import Bundle

VIEW = "#v=1&tab=tensors&node=x"


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    write_trial(tmp_path / "runs")
    return tmp_path / "runs"


def _exported(runs: Path, page: str = "report.html", **arguments: Any) -> Bundle:  # noqa: ANN401 - arguments of `export`
    return Bundle(comgra_export.export(runs, runs.parent / page, force=True, **arguments).path)


def test_a_list_and_a_file_give_the_same_bundle(runs: Path, tmp_path: Path) -> None:
    notes = [
        {"view": VIEW, "text": "**Here** it begins", "title": "First", "point": {"node": "x"}},
        {"view": "#v=1&tab=tensors", "text": "a cell", "point": {"cell": [0, 3]}},
        {"view": "#v=1&tab=graphs", "text": "a curve\nin two lines", "point": {"curve": "loss", "step": 37}},
    ]
    (tmp_path / "story.json").write_text(json.dumps(notes), encoding="utf-8")
    given = _exported(runs, story=notes)
    assert given.index["story"] == [{"title": "", **note} for note in notes]
    assert list(given.index)[-2:] == ["story", "start"]
    assert _exported(runs, story=tmp_path / "story.json").text == given.text
    assert _exported(runs, story=str(tmp_path / "story.json")).text == given.text


def test_the_story_and_the_first_view_are_no_part_of_the_content(runs: Path) -> None:
    plain = _exported(runs)
    with_story = _exported(runs, story=[{"view": VIEW, "text": "a"}], start=VIEW)
    assert (plain.index["story"], plain.index["start"]) == ([], "")
    assert with_story.index["start"] == VIEW
    assert with_story.index["content_digest"] == plain.index["content_digest"] == with_story.digest()
    assert {**with_story.index, "story": [], "start": ""} == plain.index


def test_where_a_page_lay_stays_out(runs: Path) -> None:
    secret = "file:///home/secret/report.html"
    note = {"view": f"{secret}{VIEW}&story=abc", "text": f"[one]({secret}{VIEW}) and [two](https://example.org/secret)"}
    bundle = _exported(runs, story=[note], start=secret + VIEW)
    assert bundle.index["story"][0]["view"] == bundle.index["start"] == VIEW
    assert bundle.index["story"][0]["text"] == f"[one]({VIEW}) and [two](https://example.org/secret)"
    assert "home/secret" not in bundle.text


@pytest.mark.parametrize("hostile", HOSTILE_NAMES, ids=lambda name: ascii(name[:30]))
def test_hostile_text_stays_text(hostile: str, runs: Path) -> None:
    hostile = hostile[:1000]
    text = f"a {hostile}"
    bundle = _exported(runs, story=[{"view": VIEW, "text": text, "title": hostile[:200], "point": {"node": hostile}}])
    assert bundle.index["story"][0]["text"] == text
    assert len(bundle.page.all("script")) == 2


@pytest.mark.parametrize(
    ("story", "message"),
    [
        ({"view": VIEW, "text": "a"}, "not a list"),
        (["a"], "note 1: it is not an object"),
        ([{"view": VIEW, "text": "a"}, {"view": VIEW}], "note 2: its text is missing"),
        ([{"view": VIEW, "text": " \n"}], "its text is empty"),
        ([{"view": VIEW, "text": "a" * 5001}], "5001 characters, and at most 5000"),
        ([{"view": VIEW, "text": "a", "title": "a" * 201}], "its title has 201"),
        ([{"view": VIEW, "text": "a", "vew": 1}], "'vew' is not known. A note has view, title, text, point"),
        ([{"text": "a"}], "its view is missing"),
        ([{"view": "javascript:alert(1)", "text": "a"}], "not an address of a page"),
        ([{"view": "#v=2&tab=tensors", "text": "a"}], "not an address of a page"),
        ([{"view": "#v=1&tab=a b", "text": "a"}], "not an address of a page"),
        ([{"view": VIEW, "text": "a"}] * 201, "201 notes, and a story has at most 200"),
        *(
            ([{"view": VIEW, "text": "a", "point": point}], "its point is not understood")
            for point in ("x", {}, {"cell": [-1]}, {"cell": [1.5]}, {"cell": [True]}, {"curve": "loss"}, {"node": "x", "cell": [0]})
        ),
        *(
            ([{"view": VIEW, "text": "a", "point": {"curve": "loss", "step": step}}], "its point is not understood")
            for step in (float("nan"), float("inf"), 10**400, True, "1")
        ),
    ],
)
def test_what_is_not_a_story_is_refused_in_words(story: Any, message: str, runs: Path, tmp_path: Path) -> None:  # noqa: ANN401 - anything
    with pytest.raises(WrongChoiceError, match=message):
        comgra_export.export(runs, tmp_path / "report.html", story=story)
    assert not (tmp_path / "report.html").exists()


def test_a_first_view_that_is_none_is_refused_in_words(runs: Path) -> None:
    with pytest.raises(WrongChoiceError, match=r"start is 'tensors', which is not an address of a page. Copy one"):
        comgra_export.export(runs, start="tensors")


@pytest.mark.parametrize("content", [b"[", b"\xff", b'"a"', b"[" * 100_000], ids=["cut off", "not UTF-8", "a text", "deep"])
def test_a_file_that_is_none_is_refused_in_words(content: bytes, runs: Path, tmp_path: Path) -> None:
    (tmp_path / "story.json").write_bytes(content)
    with pytest.raises(WrongChoiceError, match=r"story\.json"):
        comgra_export.export(runs, story=tmp_path / "story.json")


def test_a_file_that_is_not_there_is_named(runs: Path) -> None:
    with pytest.raises(WrongChoiceError, match=r"'missing\.json' cannot be read \(FileNotFoundError\)"):
        comgra_export.export(runs, story="missing.json")


def test_a_file_may_begin_with_a_mark_and_a_mistake_in_it_is_named_with_its_line(runs: Path, tmp_path: Path) -> None:
    path = tmp_path / "story.json"
    path.write_text('[{"view": "#v=1", "text": "One"}]', encoding="utf-8-sig")
    assert [note["text"] for note in read_story(path)] == ["One"]
    path.write_text('[\n{"view": "#v=1" "text": "One"}]', encoding="utf-8")
    with pytest.raises(WrongChoiceError, match=r"\(JSONDecodeError, line 2: Expecting ',' delimiter\)"):
        comgra_export.export(runs, story=path)
