"""`comgra_export.read` of bundles: what was recorded comes back."""

from __future__ import annotations

import base64
import json
import shutil
import zlib
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import comgra_export
from comgra_export.errors import DamagedRecordingError, NewerFormatError, NotARecordingError, RecordingError, WrongChoiceError
from comgra_export.exporter import export
from comgra_export.reading.bundles import chunks, pages
from support.analysis.runs import Given, RunByHand
from support.analysis.stuck import write_stuck_run
from support.breadth import examples
from support.exporter.recordings import LAYOUT, write_trial
from support.exporter.unpacker import Bundle
from support.places import DATA
from support.reading.same import assert_same
from support.reading.small_run import STEPS, numbers, write_small_run

SHAPES = ("report.html", "report", "report.zip")


@pytest.fixture(params=SHAPES)
def output(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return tmp_path / str(request.param)


def test_a_bundle_holds_what_was_recorded(output: Path, tmp_path: Path) -> None:
    write_small_run(tmp_path / "runs")
    export(tmp_path / "runs", output)
    bundled, recorded = comgra_export.read(output), comgra_export.read(tmp_path / "runs")
    assert list(bundled.trials) == list(recorded.trials) == ["group/trial"]
    assert (bundled.omissions, bundled.problems, bundled.trial.problems) == ((), (), ())
    assert_same(recorded.trial, bundled.trial)
    for step in STEPS:
        np.testing.assert_array_equal(bundled.trial.values("x", step), numbers(step)["x"])
        left, right = (each.trial.histogram("x", step) for each in (bundled, recorded))
        np.testing.assert_array_equal(left.edges, right.edges)
        np.testing.assert_array_equal(left.counts, right.counts)
        assert (left.nan, left.sampled, left.quantiles) == (right.nan, right.sampled, right.quantiles)


def test_findings_come_back(output: Path, tmp_path: Path) -> None:
    export(write_stuck_run(tmp_path / "runs"), output)
    findings = comgra_export.read(output).trial.findings()
    assert findings == comgra_export.read(tmp_path / "runs").trial.findings()
    assert "never-updated" in [finding.rule for finding in findings]


def test_where_to_look_next_comes_back(output: Path, tmp_path: Path) -> None:
    written = RunByHand(tmp_path / "runs", [Given("x", "input"), Given("h", parents=("x",)), Given("y", parents=("h",))])
    ones = np.ones((4, 3))
    written.step(0, {"x": ones, "h": ones, "y": np.full((4, 3), np.nan)})
    written.read()
    export(tmp_path / "runs", output)
    findings = comgra_export.read(output).trial.findings()
    assert findings == comgra_export.read(tmp_path / "runs").trial.findings()
    (finding,) = (finding for finding in findings if finding.rule == "nan-origin")
    assert [place.name for place in finding.look_next] == ["h"]


def test_numbers_of_all_widths_come_back(output: Path, tmp_path: Path) -> None:
    write_trial(tmp_path / "runs")
    export(tmp_path / "runs", output)
    bundled, recorded = comgra_export.read(output).trial, comgra_export.read(tmp_path / "runs").trial
    assert_same(recorded, bundled)
    assert bundled.values("half", 7).dtype == np.float32
    assert bundled.values("count", 7).dtype == np.int64
    assert bundled.values("count", 7).shape == (2, 2)
    assert bundled.samples("count", 7) == (0, 3)
    assert bundled.tensors["tensor"].tolist() == [entry.name for entry in LAYOUT.tensors]


def test_ranks_come_back(tmp_path: Path) -> None:
    for rank in (0, 1):
        write_trial(tmp_path / "runs", rank=rank, world_size=2, seed=rank)
    export(tmp_path / "runs", tmp_path / "report.html")
    bundled, recorded = comgra_export.read(tmp_path / "report.html").trial, comgra_export.read(tmp_path / "runs").trial
    assert bundled.ranks == recorded.ranks == (0, 1)
    assert bundled.statistics == recorded.statistics
    assert_same(recorded.of_rank(1), bundled.of_rank(1))
    np.testing.assert_array_equal(bundled.values("x", 7, rank=1), recorded.values("x", 7, rank=1))
    for trial in (bundled, recorded):
        with pytest.raises(WrongChoiceError, match="differ between ranks. Give one of them: rank=0" if trial is recorded else "rank=0"):
            trial.values("x", 7)


def test_what_a_bundle_leaves_out_is_said(tmp_path: Path) -> None:
    write_small_run(tmp_path / "runs")
    export(tmp_path / "runs", tmp_path / "some.html", steps="0,20", samples="1-2", tensors=["x"])
    trial = comgra_export.read(tmp_path / "some.html").trial
    assert trial.steps["step"].tolist() == [0, 20]
    assert trial.samples("x", 20) == (1, 2)
    np.testing.assert_array_equal(trial.values("x", 20), numbers(20)["x"][1:3])
    assert any("2 of 4 recorded steps are left out" in sentence for sentence in trial.omissions)
    with pytest.raises(WrongChoiceError, match=r"are not in this bundle. What it left out: 2 of 4 recorded steps"):
        trial.values("h", 0)


def test_values_that_were_rounded_are_said_and_near(tmp_path: Path) -> None:
    write_small_run(tmp_path / "runs")
    export(tmp_path / "runs", tmp_path / "rounded.html", precision="bfloat16")
    trial = comgra_export.read(tmp_path / "rounded.html").trial
    values, exact = trial.values("x", 10), numbers(10)["x"]
    assert values.dtype == np.float32
    assert not np.array_equal(values, exact)
    np.testing.assert_allclose(values, exact, rtol=2**-8)
    assert any("rounded to bfloat16" in sentence for sentence in trial.omissions)
    assert trial.statistics == comgra_export.read(tmp_path / "runs").trial.statistics


def test_a_folder_that_is_kept_fresh_is_read_in_its_newest_generation(tmp_path: Path) -> None:
    write_small_run(tmp_path / "runs")
    for _ in range(2):
        export(tmp_path / "runs", tmp_path / "report", live=True, force=True)
    assert Bundle(tmp_path / "report" / "index.html").index["generation"] == 2
    bundled, recorded = comgra_export.read(tmp_path / "report").trial, comgra_export.read(tmp_path / "runs").trial
    assert_same(recorded, bundled)
    # An open page may still need the chunks of the generation before; none of them is taken for a new one.
    for chunk in (tmp_path / "report" / "data").glob("c*-2.js"):
        chunk.write_bytes(chunk.with_name(chunk.name.replace("-2", "-1")).read_bytes())
    with pytest.raises(DamagedRecordingError, match="does not hold the chunk of its name"):
        _ = comgra_export.read(tmp_path / "report").trial.statistics


def test_what_is_no_bundle_is_refused(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<!doctype html>")
    with pytest.raises(NotARecordingError, match=r"page.html is not a page of comgra_export"):
        comgra_export.read(page)
    page.write_bytes(b"")
    with pytest.raises(NotARecordingError, match="not a page"):
        comgra_export.read(page)
    page.write_text('<script type="application/json" id="bundle-index">{"format": "comgra-bundle", "version": 2}</script>')
    with pytest.raises(NewerFormatError, match="version 2 of the bundle format"):
        comgra_export.read(page)
    page.write_text('<script type="application/json" id="bundle-index">{"format": "comgra-bundle", "version": 1}</script>')
    with pytest.raises(DamagedRecordingError, match="strings is not a list"):
        comgra_export.read(page)


@pytest.fixture
def page(tmp_path: Path) -> Path:
    write_small_run(tmp_path / "runs")
    export(tmp_path / "runs", tmp_path / "report.html")
    return tmp_path / "report.html"


@pytest.fixture(scope="module")
def shared_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    export(write_small_run(folder / "runs"), folder / "report.html")
    return folder / "report.html"


def test_a_page_that_was_cut_off_says_so(page: Path) -> None:
    content = page.read_bytes()
    page.write_bytes(content[: content.rindex(b'<template id="chunk-') + 40])
    trial = comgra_export.read(page).trial
    assert len(trial.statistics)
    with pytest.raises(DamagedRecordingError, match=r"report.html cannot be used: chunk \d+ is missing; the file may have been cut off"):
        trial.values("x", 20)


def test_a_chunk_that_was_changed_is_refused(page: Path) -> None:
    content = page.read_bytes()
    begin = content.rindex(b'<template id="chunk-')
    begin = content.index(b">", begin) + 5
    other = b"B" if content[begin : begin + 1] != b"B" else b"C"
    page.write_bytes(content[:begin] + other + content[begin + 1 :])
    with pytest.raises(DamagedRecordingError, match="chunk"):
        comgra_export.read(page).trial.values("x", 20)


def test_a_missing_file_of_a_folder_is_named(page: Path, tmp_path: Path) -> None:
    export(tmp_path / "runs", tmp_path / "report")
    shutil.rmtree(tmp_path / "report" / "data")
    with pytest.raises(DamagedRecordingError, match=r"report/data/c\d{6}.js cannot be used: it is missing"):
        _ = comgra_export.read(tmp_path / "report").trial.statistics


def test_a_chunk_unpacks_to_no_more_than_the_index_says(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "_MOST_BYTES", 100)
    with pytest.raises(DamagedRecordingError, match="integers between 0 and 100"):
        comgra_export.read(page)
    monkeypatch.undo()
    monkeypatch.setattr(pages, "MOST_INDEX_BYTES", 100)
    with pytest.raises(DamagedRecordingError, match="its index has more than 100 bytes"):
        comgra_export.read(page)


@pytest.mark.parametrize("seed", range(20))
def test_a_bundle_with_other_bytes_raises_nothing_unknown(seed: int, page: Path) -> None:
    """Bytes of the index or of chunks are changed, left out or doubled."""
    generator = np.random.default_rng(seed)
    content = bytearray(page.read_bytes())
    first = content.index(b'id="bundle-index">')
    ends = (first, content.index(b"</script>", first)) if seed % 2 else (content.index(b'<template id="chunk-'), len(content))
    for _ in range(int(generator.integers(1, 8))):
        place, length = int(generator.integers(*ends)), int(generator.integers(1, 30))
        content[place : place + length] = [b"0", b"", content[place : place + length] * 2][generator.integers(3)]
    page.write_bytes(content)
    read_everything(page)


@examples(60)
@given(data=st.data())
def test_a_bundle_with_another_value_raises_nothing_unknown(data: st.DataObject, shared_page: Path) -> None:
    """Some value of the index, or of a chunk whose checksum is right, is another one."""
    page = shared_page
    bundle = Bundle(page)
    documents = [number for number, width in enumerate(bundle.index["chunks"]["width"]) if width == 1]
    chosen = data.draw(st.sampled_from([*[None] * len(documents), *documents]))
    changed = bundle.index if chosen is None else bundle.document(chosen)
    _change(data, changed)
    text = page.read_text(encoding="ascii")
    if chosen is not None:
        raw = json.dumps(changed).encode("ascii")
        table = bundle.index["chunks"]
        table["bytes"][chosen], table["crc32"][chosen], table["codec"][chosen] = len(raw), zlib.crc32(raw), 0
        begin = text.index(">", text.index(f'<template id="chunk-{chosen}"')) + 1
        text = text[:begin] + base64.b64encode(raw).decode() + text[text.index("<", begin) :]
    begin = text.index(">", text.index('id="bundle-index"')) + 1
    index = json.dumps(bundle.index).replace("<", "\\u003c").replace(">", "\\u003e")
    other = page.with_name("other.html")
    other.write_text(text[:begin] + index + text[text.index("</script>", begin) :], encoding="ascii")
    read_everything(other)


def _change(data: st.DataObject, document: Any) -> None:  # noqa: ANN401
    """Changes a value somewhere in JSON."""
    for _ in range(12):
        keys = list(document) if isinstance(document, dict) else list(range(len(document)))
        if not keys:
            return
        key = data.draw(st.sampled_from(keys))
        if not isinstance(document[key], (dict, list)) or not document[key] or data.draw(st.integers(0, 4)) == 0:
            document[key] = data.draw(
                st.sampled_from([None, -1, 0, 1, 7, 10**15, 10**30, 1.5, "x", "NaN", True, [], [0], {}, [[3]], [None]])
            )
            return
        document = document[key]


def read_everything(page: Path) -> None:
    """Reads all that a page holds. What is damaged is refused in words, and nothing else happens."""
    with suppress(RecordingError, WrongChoiceError):
        for trial in comgra_export.read(page).trials.values():
            for name in ("steps", "tensors", "statistics", "curves", "notes", "gaps", "config", "ended", "error", "samples"):
                with suppress(RecordingError):
                    getattr(trial, name)
            with suppress(RecordingError, WrongChoiceError):
                trial.graph()
            with suppress(RecordingError, WrongChoiceError):
                trial.findings()
            for step, tensor in product(STEPS, ("x", "h", "model.weight", "loss")):
                for read in (trial.values, trial.gradients, trial.histogram):
                    with suppress(RecordingError, WrongChoiceError):
                        read(tensor, step)


def test_pages_of_earlier_versions_can_be_read(tmp_path: Path) -> None:
    for name in ("watched", "by_hand"):
        export(DATA / "made_by_0_1_0" / name, tmp_path / f"{name}.html")
        recorded = comgra_export.read(DATA / "made_by_0_1_0" / name).trial
        assert comgra_export.read(tmp_path / f"{name}.html").trial.statistics == recorded.statistics
