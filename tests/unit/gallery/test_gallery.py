"""A site of bundles: what is in it, what stays out, and that nothing of a bundle becomes HTML."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest

import comgra_export
from comgra_export.errors import OutputExistsError, WrongChoiceError
from comgra_export.gallery import write_gallery
from support.exporter.recordings import HOSTILE_NAMES, write_trial

PICTURE = b"\x89PNG picture"


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with a picture, a folder, a zip, and what is no bundle."""
    folder = tmp_path_factory.mktemp("reports")
    write_trial(folder / "runs")
    recordings, reports = folder / "runs", folder / "all reports"
    (reports / "below").mkdir(parents=True)
    (reports / "below" / ".hidden").mkdir()
    comgra_export.export(recordings, reports / "a report.html", title="Plain", description="It's 'first' & <best>")
    comgra_export.export(recordings, reports / "below" / "A report", title="".join(HOSTILE_NAMES[:2]))
    comgra_export.export(recordings, reports / "zipped.zip", title="Zipped")
    comgra_export.export(recordings, reports / "below" / ".hidden" / "x.html", title="Hidden")
    (reports / "a report.png").write_bytes(PICTURE)
    (reports / "below" / "A report" / "preview.png").write_bytes(PICTURE)
    (reports / "other.html").write_text("<p>Not ours")
    (reports / "secret.txt").write_text("secret")
    (reports / "below" / "A report" / "secret.txt").write_text("secret")
    (reports / "linked.html").symlink_to(reports / "a report.html")
    return reports


def cards(site: Path) -> list[str]:
    return re.findall(r"<article>(.*?)</article>", (site / "index.html").read_text(), re.DOTALL)


def test_each_bundle_has_a_card_that_leads_to_its_copy(reports: Path, tmp_path: Path) -> None:
    done = write_gallery(reports, tmp_path / "site")
    assert [bundle.title for bundle in done.bundles] == ["Plain", "".join(HOSTILE_NAMES[:2]), "Zipped"]
    assert not done.problems
    plain, folder, zipped = cards(tmp_path / "site")
    assert "It&#39;s &#39;first&#39; &amp; &lt;best&gt;" in plain
    assert 'href="a%20report.html"' in plain
    assert "1 trial: " in unescape(plain)
    assert 'href="A%20report/index.html"' in folder
    assert "<script>" not in folder
    assert 'href="zipped.zip" download' in zipped
    assert "<img" not in zipped
    size = (reports / "zipped.zip").stat().st_size
    assert f"zip, {size / 1000:.1f} kB" in zipped
    assert (tmp_path / "site" / "zipped.zip").read_bytes() == (reports / "zipped.zip").read_bytes()
    assert (tmp_path / "site" / "a report.html").read_bytes() == (reports / "a report.html").read_bytes()
    for copy in ("a report.html", "A report", "zipped.zip"):
        assert comgra_export.read(tmp_path / "site" / copy).trial.steps["step"].size


def test_nothing_but_bundles_and_their_pictures_goes_into_the_site(reports: Path, tmp_path: Path) -> None:
    write_gallery(reports, tmp_path / "site")
    names = {file.relative_to(tmp_path / "site").as_posix() for file in (tmp_path / "site").rglob("*") if file.is_file()}
    plain = {name for name in names if not name.startswith("A report/data/")}
    assert plain == {".nojekyll", "index.html", "a report.html", "a report.png", "A report/index.html", "A report 2.png", "zipped.zip"}
    assert (tmp_path / "site" / "A report 2.png").read_bytes() == PICTURE


def test_the_page_allows_only_its_own_script_and_style(reports: Path, tmp_path: Path) -> None:
    page = write_gallery(reports, tmp_path / "site").page.read_text()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    assert re.fullmatch(
        r"default-src 'none'; script-src 'sha256-[\w+/=]+'; style-src 'sha256-[\w+/=]+'; img-src 'self' data:; "
        r"base-uri 'none'; form-action 'none'",
        unescape(policy[1]),
    )
    assert page.count("<script>") == 1


def test_previews_of_links_show_the_pictures_if_the_address_is_known(reports: Path, tmp_path: Path) -> None:
    address = "https://me.github.io/runs"
    write_gallery(reports, tmp_path / "site", title="T", description="D", address=f"{address}/")
    index = (tmp_path / "site" / "index.html").read_text()
    for name, content in {"title": "T", "description": "D", "url": f"{address}/", "image": f"{address}/a%20report.png"}.items():
        assert f'<meta property="og:{name}" content="{content}">' in index
    page = (tmp_path / "site" / "a report.html").read_text()
    head = page[: page.index("<title>")]
    assert f'<meta property="og:image" content="{address}/a%20report.png">' in head
    assert '<meta property="og:title" content="Plain">' in head
    assert '<meta property="og:description" content="It&#39;s &#39;first&#39; &amp; &lt;best&gt;">' in head
    assert comgra_export.read(tmp_path / "site" / "a report.html").trials


def test_a_page_that_names_its_picture_keeps_it(reports: Path, tmp_path: Path) -> None:
    own = "https://me.github.io/own.png"
    comgra_export.export(reports.parent / "runs", tmp_path / "in" / "own.html", picture=own)
    (tmp_path / "in" / "own.png").write_bytes(PICTURE)
    write_gallery(tmp_path / "in", tmp_path / "site", address="https://me.github.io/runs")
    assert re.findall(r'"og:image" content="([^"]*)"', (tmp_path / "site" / "own.html").read_text()) == [own]


def test_a_gallery_is_replaced_only_if_asked_and_nothing_else_ever(reports: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    write_gallery(reports, site)
    with pytest.raises(OutputExistsError, match="Pass force=True"):
        write_gallery(reports, site)
    (site / "stale.html").touch()
    write_gallery(reports, site, force=True)
    assert not (site / "stale.html").exists()
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "index.html").write_text("mine")
    with pytest.raises(OutputExistsError, match="not a gallery"):
        write_gallery(reports, mine, force=True)
    assert [file.name for file in tmp_path.iterdir() if file.name.startswith(".")] == []


def test_a_site_within_the_folder_is_not_shown_in_itself(reports: Path) -> None:
    first = write_gallery(reports, reports / "site")
    again = write_gallery(reports, reports / "site", force=True)
    assert len(first.bundles) == len(again.bundles) == 3


def test_a_bundle_that_cannot_be_read_is_named(reports: Path, tmp_path: Path) -> None:
    page = (reports / "a report.html").read_bytes()
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "whole.html").write_bytes(page)
    (tmp_path / "in" / "broken.html").write_bytes(page.replace(b'"format":"comgra-bundle"', b'"format":"x"', 1))
    done = write_gallery(tmp_path / "in", tmp_path / "site")
    assert len(done.bundles) == 1
    assert len(done.problems) == 1
    assert done.problems[0].startswith("broken.html: ")


@pytest.mark.parametrize("address", ["javascript:alert(1)", "me.github.io"])
def test_an_address_that_is_not_one_of_a_site_is_refused(address: str, reports: Path, tmp_path: Path) -> None:
    with pytest.raises(WrongChoiceError, match="https://"):
        write_gallery(reports, tmp_path / "site", address=address)


def test_a_folder_without_bundles_is_reported(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(WrongChoiceError, match="There is no page"):
        write_gallery(tmp_path / "empty", tmp_path / "site")
    with pytest.raises(WrongChoiceError, match="not a folder"):
        write_gallery(tmp_path / "nothing", tmp_path / "site")
