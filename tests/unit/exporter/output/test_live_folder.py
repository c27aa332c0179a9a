"""Folders that are rebuilt while their pages are open."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from comgra_export import OutputExistsError, WrongChoiceError, export
from comgra_export.exporter.output import live_folder
from support.exporter.recordings import write_trial


@pytest.fixture
def group(tmp_path: Path) -> Path:
    """One trial."""
    write_trial(tmp_path / "runs", "first")
    return tmp_path / "runs" / "group"


def _files(folder: Path, pattern: str) -> set[str]:
    return {file.name for file in (folder / "data").iterdir() if re.fullmatch(pattern, file.name)}


def _called(file: Path) -> list[object]:
    """The arguments that a script calls its global with first."""
    text = file.read_text(encoding="ascii").partition("\n")[0]
    arguments: list[object] = json.loads(f"[{text[text.index('(') + 1 : text.rindex(')')]}]")
    return arguments


def _identities(report: Path, generation: int) -> list[int]:
    _, text = _called(report / "data" / f"index-{generation}.js")
    assert isinstance(text, str)
    identities: list[int] = json.loads(text)["chunks"]["identity"]
    return identities


def _behind_the_index(report: Path, generation: int) -> list[str]:
    return (report / "data" / f"index-{generation}.js").read_text(encoding="ascii").splitlines(keepends=True)[1:]


def test_each_build_has_files_of_its_own(group: Path, tmp_path: Path) -> None:
    digests = {}
    for generation in (1, 2, 3):
        bundle = export(group, tmp_path / "report", live=True, force=True)
        digests[generation] = bundle.content_digest
        page = (tmp_path / "report" / "index.html").read_text(encoding="ascii")
        assert f'"generation":{generation},' in page
        assert "<template" not in page
        assert "script-src 'sha256-" in page
        data = tmp_path / "report" / "data"
        assert _called(data / "version.js") == [generation, bundle.content_digest]
        named, text = _called(data / f"index-{generation}.js")
        assert named == generation
        assert isinstance(text, str)
        index = json.loads(text)
        assert index["content_digest"] == bundle.content_digest
        chunks = range(len(index["chunks"]["bytes"]))
        assert index["chunks"]["inline"] == [0 for _ in chunks]
        assert len(index["chunks"]["identity"]) == len(chunks)
        # Files that an open page of the previous build may still request stay. Older files are gone.
        kept = [number for number in (generation - 1, generation) if number]
        assert _files(tmp_path / "report", r"c.*") >= {f"c{k:06d}-{generation}.js" for k in chunks}
        assert {int(name.rpartition("-")[2].removesuffix(".js")) for name in _files(tmp_path / "report", r"c.*|index.*")} == set(kept)
        for k in chunks:
            assert _called(data / f"c{k:06d}-{generation}.js")[::2] == [k, generation]
        write_trial(tmp_path / "runs", f"more {generation}", seed=generation)
    assert len(set(digests.values())) == 3
    # The reported size is that of the newest build.
    files = [file for file in (tmp_path / "report").rglob("*") if file.is_file() and "-2.js" not in file.name]
    assert bundle.bytes == sum(file.stat().st_size for file in files)


def test_the_content_is_that_of_any_other_bundle(group: Path, tmp_path: Path) -> None:
    live = export(group, tmp_path / "live", live=True)
    plain = export(group, tmp_path / "plain")
    assert live.content_digest == plain.content_digest
    assert not (tmp_path / "plain" / "data" / "version.js").exists()
    assert '"generation":0,' in (tmp_path / "plain" / "index.html").read_text(encoding="ascii")


def test_what_is_new_and_small_comes_with_the_index(group: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = tmp_path / "report"

    def build(generation: int) -> tuple[list[int], list[str]]:
        """The chunks that the previous build lacked, and the chunks that came with the index."""
        export(group, report, live=True, force=True)
        known, own = _identities(report, max(1, generation - 1)), _identities(report, generation)
        return [chunk for chunk, identity in enumerate(own) if identity not in known], _behind_the_index(report, generation)

    def script(chunk: int, generation: int) -> str:
        return (report / "data" / f"c{chunk:06d}-{generation}.js").read_text(encoding="ascii")

    build(1)
    assert build(2) == ([], [])
    write_trial(tmp_path / "runs", "more", seed=3)
    new, came = build(3)
    assert len(new) > 5
    assert came == [script(chunk, 3) for chunk in new]
    # If not all new chunks have room, the lowest numbers come.
    write_trial(tmp_path / "runs", "most", seed=4)
    most = sum(map(len, came)) // 2
    monkeypatch.setattr(live_folder, "NEWS_BYTES", most)
    new, came = build(4)
    assert 0 < len(came) < len(new)
    assert came[:3] == [script(chunk, 4) for chunk in new[:3]]
    assert sum(map(len, came)) <= most
    write_trial(tmp_path / "runs", "last", seed=5)
    monkeypatch.setattr(live_folder, "NEWS_CHUNK_BYTES", 400)
    new, came = build(5)
    assert came == [text for text in (script(chunk, 5) for chunk in new) if len(text) <= 400][: len(came)]
    # An index that is damaged or comes from an older exporter is ignored.
    for generation, text in ((5, "gone"), (6, '__comgraIndex(6,"{}")\n')):
        (report / "data" / f"index-{generation}.js").write_text(text, encoding="ascii")
        export(group, report, live=True, force=True)
        assert script(0, generation + 1) in _behind_the_index(report, generation + 1)


def test_other_bundles_tell_chunks_apart_by_nothing_else(group: Path, tmp_path: Path) -> None:
    export(group, tmp_path / "plain")
    assert '"identity":[]' in (tmp_path / "plain" / "index.html").read_text(encoding="ascii")


def test_one_kind_of_folder_replaces_the_other(group: Path, tmp_path: Path) -> None:
    export(group, tmp_path / "report")
    with pytest.raises(OutputExistsError):
        export(group, tmp_path / "report", live=True)
    plain = _files(tmp_path / "report", r"c.*")
    export(group, tmp_path / "report", live=True, force=True)
    # A page of the plain one may be open.
    assert plain
    assert plain < _files(tmp_path / "report", r"c.*")
    export(group, tmp_path / "report", live=True, force=True)
    assert not plain & _files(tmp_path / "report", r"c.*")
    export(group, tmp_path / "report", force=True)
    assert not _files(tmp_path / "report", r".*-[12]\.js|version\.js")


def test_foreign_files_in_the_data_folder_are_kept(group: Path, tmp_path: Path) -> None:
    export(group, tmp_path / "report", live=True)
    (tmp_path / "report" / "data" / "mine.js").touch()
    with pytest.raises(OutputExistsError, match=r"data/mine\.js"):
        export(group, tmp_path / "report", live=True, force=True)


@pytest.mark.parametrize("name", ["report.html", "report.zip"])
def test_only_a_folder_can_be_kept_fresh(group: Path, tmp_path: Path, name: str) -> None:
    with pytest.raises(WrongChoiceError, match="only a folder can"):
        export(group, tmp_path / name, live=True)
    assert not (tmp_path / name).exists()
