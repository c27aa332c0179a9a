"""The result of an export, and finding the files that come with the package."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import pytest

import comgra_export.exporter
from comgra_export import resources
from comgra_export.errors import ComgraExportError
from comgra_export.exporter import Bundle, export
from comgra_export.storage import Header, RecordingWriter
from support.exporter.recordings import write_trial
from support.exporter.unpacker import parse_page


class Notebook(HTMLParser):
    """Collects the start tags of the HTML in a notebook."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def test_a_notebook_shows_a_page_as_it_is(tmp_path: Path) -> None:
    write_trial(tmp_path / "runs")
    bundle = export(tmp_path / "runs", tmp_path / "report.html", title="\"quoted\" & <b>'bold'</b>")
    shown = Notebook(bundle._repr_html_())
    assert [tag for tag, _ in shown.tags] == ["div", "p", "b", "iframe"]
    # All that stays in a notebook that is not trusted.
    assert "in report.html, shown below if this notebook is trusted." in shown.text
    assert str(tmp_path) not in shown.text
    attributes = shown.tags[-1][1]
    assert attributes["sandbox"] == "allow-scripts allow-downloads"
    assert attributes["srcdoc"] == (tmp_path / "report.html").read_text()
    assert parse_page(attributes["srcdoc"] or "").one("title").text == "\"quoted\" & <b>'bold'</b>"


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("report", "Open its index.html in a browser."),
        ("report.zip", "Extract all of it, and open its index.html in a browser."),
        ("gone.html", "Open it in a browser."),
    ],
)
def test_a_notebook_names_what_it_cannot_show(name: str, advice: str, tmp_path: Path) -> None:
    write_trial(tmp_path / "runs", steps=(1,))
    bundle = export(tmp_path / "runs", tmp_path / name)
    if name == "gone.html":
        bundle.path.unlink()
    shown = Notebook(bundle._repr_html_())
    assert [tag for tag, _ in shown.tags] == ["div", "p", "b"]
    assert shown.text.startswith(f"{name}: 1 trial, 1 step, 0.0 MB. {advice}")
    assert str(tmp_path) not in shown.text


def test_a_notebook_does_not_show_a_page_that_is_large(tmp_path: Path) -> None:
    path = tmp_path / "large.html"
    path.write_text("x" * 5_000_000)
    bundle = Bundle(path, 5_000_000, "0" * 64, 2, 1234, ("<b>problem</b>",))
    shown = Notebook(bundle._repr_html_())
    assert [tag for tag, _ in shown.tags] == ["div", "p", "b", "ul", "li"]
    assert "large.html: 2 trials, 1,234 steps, 5.0 MB" in shown.text
    assert "<b>problem</b>" in shown.text


def test_the_bundle_says_what_it_is(tmp_path: Path) -> None:
    bundle = Bundle(Path("out/report.html"), 1_234_567, "0" * 64, 1, 30)
    assert repr(bundle) == f"<Bundle {Path('out/report.html')}: 1 trial, 30 steps, 1.2 MB>"
    assert repr(Bundle(Path("r"), 0, "", 2, 0, ("a", "b"))) == "<Bundle r: 2 trials, 0 steps, 0.0 MB, 2 problems>"
    assert repr(Bundle(Path("r"), 0, "", 1, 0, ("a",))) == "<Bundle r: 1 trial, 0 steps, 0.0 MB, 1 problem>"


def test_a_script_is_warned_of_a_bundle_without_steps(tmp_path: Path) -> None:
    RecordingWriter(tmp_path / "runs" / "group" / "empty" / "rank-0", Header("group", "empty")).close()
    with pytest.warns(UserWarning, match=r"report\.html holds no step\. .*empty has no recorded step.*\? With a Comgra") as warned:
        bundle = export(tmp_path / "runs", tmp_path / "report.html")
    assert warned[0].filename == __file__
    assert bundle.steps == 0
    # Most recordings are made by watch.
    (problem,) = bundle.problems
    assert problem.index("Was the watched module itself called, as in model(x)?") < problem.index("start_batch")
    write_trial(tmp_path / "runs")
    assert "empty has no recorded step" in export(tmp_path / "runs", tmp_path / "both.html").problems[0]


def test_the_public_names() -> None:
    assert comgra_export.exporter.__all__ == ["Bundle", "Progress", "export"]


def layout_of_package(root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    package = root / "comgra_export"
    package.mkdir(parents=True)
    monkeypatch.setattr(resources, "_PACKAGE", package)
    return package


def test_in_a_wheel_resources_are_packed_inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = layout_of_package(tmp_path, monkeypatch)
    (package / "_packed" / "templates").mkdir(parents=True)
    # Another package's folder beside ours.
    (tmp_path / "templates").mkdir()
    (tmp_path / "examples").mkdir()
    assert resources.find_resource("templates") == package / "_packed" / "templates"
    with pytest.raises(ComgraExportError, match="examples, a part of comgra_export, is missing"):
        resources.find_resource("examples")


def test_in_a_checkout_resources_are_beside_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    layout_of_package(tmp_path, monkeypatch)
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "static" / "dist").mkdir(parents=True)
    (tmp_path / "static" / "dist" / "viewer.js").touch()
    assert resources.find_resource("static/dist/viewer.js") == tmp_path / "static" / "dist" / "viewer.js"
    with pytest.raises(ComgraExportError, match="Install the package again"):
        resources.find_resource("static/dist/viewer.css")


def test_the_real_templates_are_found() -> None:
    assert (resources.find_resource("templates") / "page.html").is_file()
