"""The destination of a bundle, and what happens to existing files there."""

from __future__ import annotations

import os
import pickle
import random
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from comgra_export.errors import DamagedRecordingError, ExportError, OutputExistsError, OutputNotWritableError, WrongChoiceError
from comgra_export.exporter import build, bundle_writer, export
from comgra_export.exporter.output import bundle_output, replacing, shapes
from comgra_export.exporter.plan.index import content_digest
from support.breadth import at_breadth
from support.exporter.recordings import write_trial
from support.exporter.unpacker import Bundle, read_files

SHAPES = ("report.html", "report", "report.zip")


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    write_trial(tmp_path / "runs")
    return tmp_path / "runs"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """An empty folder to export into."""
    (tmp_path / "place").mkdir()
    return tmp_path / "place"


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("a.html", "file"),
        ("a.HTML", "file"),
        ("a.zip", "zip"),
        ("a", "folder"),
        ("a/", "folder"),
        ("a.html/", "folder"),
        ("v1.2", "folder"),
    ],
)
def test_the_name_decides_on_the_shape(name: str, shape: str, runs: Path, place: Path) -> None:
    result = export(runs, f"{place}/{name}")
    assert result.path == place / name.rstrip("/")
    kind = "folder" if result.path.is_dir() else "zip" if zipfile.is_zipfile(result.path) else "file"
    assert kind == shape
    assert os.listdir(place) == [result.path.name]


def test_without_a_name_the_group_gives_it(runs: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)
    assert export(runs).path == Path("group.html")
    assert os.listdir(place) == ["group.html"]


def test_a_folder_holds_the_page_the_chunks_and_advice(runs: Path, place: Path) -> None:
    export(runs, place / "report")
    bundle = Bundle(place / "report")
    chunks = {f"data/c{number:06d}.js" for number, inline in enumerate(bundle.index["chunks"]["inline"]) if not inline}
    assert chunks
    assert set(bundle.files) == {"index.html", ".nojekyll", "README.txt"} | chunks
    advice = bundle.files["README.txt"].decode("ascii")
    assert "extract everything first" in advice
    assert "index.html" in advice
    assert bundle.files[".nojekyll"] == b""


def test_the_zip_file_holds_the_folder_in_a_fixed_order(runs: Path, place: Path) -> None:
    export(runs, place / "report")
    export(runs, place / "report.zip")
    assert read_files(place / "report.zip") == read_files(place / "report")
    with zipfile.ZipFile(place / "report.zip") as archive:
        assert archive.testzip() is None
        entries = archive.infolist()
    assert [entry.filename for entry in entries] == sorted(entry.filename for entry in entries)
    assert {entry.date_time for entry in entries} == {(1980, 1, 1, 0, 0, 0)}
    assert {(entry.create_system, entry.external_attr >> 16) for entry in entries} == {(3, 0o100644)}


@pytest.mark.parametrize("name", SHAPES)
def test_nothing_is_replaced_unasked(name: str, runs: Path, place: Path) -> None:
    export(runs, place / name)
    before = read_files(place / name)
    with pytest.raises(OutputExistsError, match=f"{name} already exists. Pass force=True to replace it") as refused:
        export(runs, place / name, title="another")
    # A worker of another process hands it on whole.
    assert str(pickle.loads(pickle.dumps(refused.value))) == str(refused.value)
    assert read_files(place / name) == before


@pytest.mark.parametrize("name", SHAPES)
def test_a_bundle_is_replaced_when_asked(name: str, runs: Path, place: Path) -> None:
    export(runs, place / name)
    export(runs, place / name, title="another", force=True)
    assert Bundle(place / name).index["title"] == "another"
    assert os.listdir(place) == [name]


def test_a_smaller_bundle_leaves_nothing_of_a_larger_one(tmp_path: Path, runs: Path, place: Path) -> None:
    export(runs, place / "report")
    write_trial(tmp_path / "small", steps=())
    export(tmp_path / "small", place / "report", force=True)
    assert {path.name for path in (place / "report").rglob("*")} == {"index.html", ".nojekyll", "README.txt", "data"}


def test_an_empty_folder_is_replaced_when_asked(runs: Path, place: Path) -> None:
    export(runs, place, force=True)
    assert (place / "index.html").is_file()


@pytest.mark.parametrize(
    "foreign", ["thesis.tex", "data/measurements.csv", "data/c000001.js.bak", ".git/config", "README.txt/README.txt", "data/c000001/x"]
)
def test_a_folder_with_something_else_in_it_is_never_replaced(foreign: str, runs: Path, place: Path) -> None:
    export(runs, place / "report")
    if foreign.startswith("README.txt"):
        (place / "report" / "README.txt").unlink()
    (place / "report" / foreign).parent.mkdir(exist_ok=True)
    (place / "report" / foreign).write_text("precious")
    with pytest.raises(OutputExistsError, match="other than a bundle"):
        export(runs, place / "report", force=True)
    assert (place / "report" / foreign).read_text() == "precious"


@pytest.mark.parametrize("files", [("index.html",), ("README.txt",), ("data/c000001.js",)])
def test_a_folder_that_only_looks_like_a_bundle_is_never_replaced(files: tuple[str, ...], runs: Path, place: Path) -> None:
    for name in files:
        (place / "site" / name).parent.mkdir(parents=True, exist_ok=True)
        (place / "site" / name).write_text("<title>My page</title>")
    with pytest.raises(OutputExistsError):
        export(runs, place / "site", force=True)
    assert all((place / "site" / name).exists() for name in files)


def test_the_folder_of_the_recording_is_never_replaced(runs: Path) -> None:
    with pytest.raises(OutputExistsError):
        export(runs, runs, force=True)
    assert export(runs, runs.parent / "report.html").steps == 3


def test_a_folder_does_not_replace_a_file_nor_a_file_a_folder(runs: Path, place: Path) -> None:
    (place / "report").write_text("precious")
    with pytest.raises(OutputExistsError, match="is a file"):
        export(runs, place / "report", force=True)
    (place / "report.html").mkdir()
    with pytest.raises(OutputExistsError, match="is not a file"):
        export(runs, place / "report.html", force=True)
    assert (place / "report").read_text() == "precious"


def test_missing_folders_on_the_way_are_made(runs: Path, place: Path) -> None:
    export(runs, place / "a" / "b" / "report.html")
    assert (place / "a" / "b" / "report.html").is_file()


@pytest.mark.parametrize("name", SHAPES)
def test_a_place_that_cannot_be_written_to_is_named(name: str, runs: Path, place: Path) -> None:
    (place / "file").write_text("in the way")
    with pytest.raises(OutputNotWritableError, match=rf"{name} cannot be written: [^.]*\. Choose another place\.$"):
        export(runs, place / "file" / name)


@pytest.mark.parametrize("name", SHAPES)
def test_a_full_disk_leaves_nothing_behind(name: str, runs: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    export(runs, place / name)
    before = read_files(place / name)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shapes.InlineChunks, "append", full)
    with pytest.raises(OutputNotWritableError, match=rf"{name} cannot be written: No space left on device\. Free some space"):
        export(runs, place / name, force=True)
    assert os.listdir(place) == [name]
    assert read_files(place / name) == before


@pytest.mark.parametrize("name", SHAPES)
def test_an_export_that_fails_at_the_end_leaves_nothing_behind(name: str, runs: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> str:
        raise DamagedRecordingError("gone")

    monkeypatch.setattr(bundle_writer, "content_digest", fail)
    with pytest.raises(DamagedRecordingError):
        export(runs, place / name)
    assert os.listdir(place) == []


def test_the_old_folder_comes_back_if_the_new_one_cannot_be_put_in_place(runs: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    export(runs, place / "report")
    monkeypatch.setattr(replacing, "exchange", lambda *_: False)
    rename = os.rename

    def refuse_the_new_one(source: Path, target: Path) -> None:
        if source.name == "folder":
            raise PermissionError(13, "Permission denied")
        rename(source, target)

    monkeypatch.setattr(os, "rename", refuse_the_new_one)
    with pytest.raises(OutputNotWritableError, match="Permission denied"):
        export(runs, place / "report", title="another", force=True)
    assert Bundle(place / "report").index["title"] == "group"
    assert os.listdir(place) == ["report"]


def test_a_page_that_browsers_cannot_open_is_refused(runs: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shapes, "MAX_ONE_FILE_BYTES", 1000)
    with pytest.raises(ExportError, match="Export a folder instead"):
        export(runs, place / "report.html")
    assert os.listdir(place) == []
    export(runs, place / "report")


def test_a_large_page_comes_with_advice(runs: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "LARGE_PAGE_BYTES", 1000)
    (problem,) = export(runs, place / "report.html").problems
    assert "report.html has 0 MB" in problem
    assert "A folder opens at once" in problem
    assert export(runs, place / "report").problems == ()


def test_files_are_readable_by_whom_the_umask_says(runs: Path, place: Path) -> None:
    (place / "other").write_text("")
    for name in SHAPES:
        export(runs, place / name)
    expected = (place / "other").stat().st_mode
    for path in (place / "report.html", place / "report.zip", place / "report" / "index.html"):
        assert path.stat().st_mode == expected
    (place / "folder").mkdir()
    assert (place / "report").stat().st_mode == (place / "folder").stat().st_mode


@pytest.mark.parametrize("name", ["report.html", "report.htm", "report.zip"])
def test_a_file_that_is_no_bundle_is_never_replaced(name: str, runs: Path, place: Path) -> None:
    (place / name).write_text("<title>My page</title>")
    with pytest.raises(OutputExistsError, match="not a bundle"):
        export(runs, place / name, force=True)
    assert (place / name).read_text() == "<title>My page</title>"
    with zipfile.ZipFile(place / name, "w") as archive:
        archive.writestr("index.html", "<title>My page</title>")
    with pytest.raises(OutputExistsError, match="not a bundle"):
        export(runs, place / name, force=True)


def test_an_empty_file_is_replaced(runs: Path, place: Path) -> None:
    page = place / "report.html"
    page.touch()
    assert export(runs, page, force=True).bytes == page.stat().st_size
    assert page.read_text(encoding="ascii").startswith("<!doctype html>")


def test_htm_is_a_page_too(runs: Path, place: Path) -> None:
    written = export(runs, place / "report.HTM")
    assert written.path.read_text(encoding="ascii").startswith("<!doctype html>")
    assert written.page == written.path
    assert export(runs, place / "report.HTM", force=True).bytes == written.bytes


@pytest.mark.parametrize("name", ["report.txt", "report.PDF", "report.json", "report.tar.gz"])
def test_names_of_other_files_are_refused(name: str, runs: Path, place: Path) -> None:
    with pytest.raises(WrongChoiceError, match=r"html file, a \.zip file or a folder.* put a / at the end"):
        export(runs, place / name)
    assert os.listdir(place) == []
    assert export(runs, f"{place / name}/").path.is_dir()
    assert export(runs, place / name, force=True).path.is_dir()


@pytest.mark.parametrize("name", ["lr0.01", "report.v2", "report"])
def test_folders_may_have_a_dot_in_their_name(name: str, runs: Path, place: Path) -> None:
    assert export(runs, place / name).path.is_dir()


@pytest.mark.parametrize(
    "name", ["a" * 300, "a" * 300 + ".html", "b" * 300 + "/report.zip", "re\0port", "re\0port.html", "a\0b/report.html", "\ud800.html"]
)
def test_a_name_that_no_file_can_have_is_refused_in_words(name: str, runs: Path, place: Path) -> None:
    with pytest.raises(OutputNotWritableError, match="cannot be written"):
        export(runs, f"{place}/{name}")
    assert os.listdir(place) == []


def test_a_zip_of_others_is_refused_however_it_is_damaged(runs: Path, place: Path) -> None:
    random_numbers = random.Random(0)
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        with zipfile.ZipFile(place / "report.zip", "w", method) as archive:
            archive.writestr("index.html", "<title>My page</title>" * 20)
        whole = (place / "report.zip").read_bytes()
        for _ in range(at_breadth(quick=20, ci=100, full=1500)):
            changed = bytearray(whole)
            for _ in range(random_numbers.randrange(1, 6)):
                changed[random_numbers.randrange(len(changed))] = random_numbers.randrange(256)
            (place / "report.zip").write_bytes(changed)
            with pytest.raises(OutputExistsError, match="not a bundle"):
                bundle_output.check_output(place / "report.zip", force=True)


@pytest.mark.parametrize(
    "quoted", ['<p>id="bundle-index"', '<p><script type="application/json" id="bundle-index">{"format":"comgra-bundle"']
)
def test_a_page_that_quotes_ours_is_never_replaced(quoted: str, runs: Path, place: Path) -> None:
    (place / "report.html").write_text(f"<!doctype html><script>0</script>{quoted}")
    with pytest.raises(OutputExistsError, match="not a bundle"):
        export(runs, place / "report.html", force=True)


@pytest.mark.skipif(sys.platform == "win32", reason="Links need rights there.")
@pytest.mark.parametrize("name", SHAPES)
def test_a_link_stays_a_link(name: str, runs: Path, place: Path) -> None:
    real = export(runs, place / f"real-{name}").path
    (place / name).symlink_to(real.name)
    with pytest.raises(OutputExistsError, match="is a link"):
        export(runs, place / name, force=True)
    assert (place / name).is_symlink()


@pytest.mark.parametrize("name", SHAPES)
def test_of_two_builds_for_one_place_the_slower_one_replaces_nothing(
    name: str, runs: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:

    def build_another_meanwhile(*arguments: Any) -> str:  # noqa: ANN401
        monkeypatch.setattr(bundle_writer, "content_digest", content_digest)
        export(runs, place / name, title="faster")
        return content_digest(*arguments)

    monkeypatch.setattr(bundle_writer, "content_digest", build_another_meanwhile)
    with pytest.raises(OutputExistsError, match="already exists"):
        export(runs, place / name, title="slower")
    assert Bundle(place / name).index["title"] == "faster"
    assert os.listdir(place) == [name]
