"""Folders that are built again while pages of them are open."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from exporter.recordings import write_trial

from comgra_export import OutputExistsError, WrongChoiceError, export


@pytest.fixture
def group(tmp_path: Path) -> Path:
    """One trial."""
    write_trial(tmp_path / "runs", "first")
    return tmp_path / "runs" / "group"


def _files(folder: Path, pattern: str) -> set[str]:
    return {file.name for file in (folder / "data").iterdir() if re.fullmatch(pattern, file.name)}


def _called(file: Path) -> list[object]:
    """The arguments that a script calls its global with."""
    text = file.read_text(encoding="ascii")
    arguments: list[object] = json.loads(f"[{text[text.index('(') + 1 : text.rindex(')')]}]")
    return arguments


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
        # What an open page of the build before may still ask for stays; what is older is gone.
        kept = [number for number in (generation - 1, generation) if number]
        assert _files(tmp_path / "report", r"c.*") >= {f"c{k:06d}-{generation}.js" for k in chunks}
        assert {int(name.rpartition("-")[2].removesuffix(".js")) for name in _files(tmp_path / "report", r"c.*|index.*")} == set(kept)
        for k in chunks:
            assert _called(data / f"c{k:06d}-{generation}.js")[::2] == [k, generation]
        write_trial(tmp_path / "runs", f"more {generation}", seed=generation)
    assert len(set(digests.values())) == 3
    # What is told is the size of the newest build.
    files = [file for file in (tmp_path / "report").rglob("*") if file.is_file() and "-2.js" not in file.name]
    assert bundle.bytes == sum(file.stat().st_size for file in files)


def test_the_content_is_that_of_any_other_bundle(group: Path, tmp_path: Path) -> None:
    live = export(group, tmp_path / "live", live=True)
    plain = export(group, tmp_path / "plain")
    assert live.content_digest == plain.content_digest
    assert not (tmp_path / "plain" / "data" / "version.js").exists()
    assert '"generation":0,' in (tmp_path / "plain" / "index.html").read_text(encoding="ascii")


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
