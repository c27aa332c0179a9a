"""Files of vnittest, dropped onto an open page."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

import comgra_export
from comgra_export.importers.vnittest import import_vnittest
from support.browser.viewer import Viewer, fragment
from support.exporter.recordings import write_trial
from support.importers.vnittest_files import SAMPLE, write_debug_data

MAKE_TRANSFER = """(files) => {
  const transfer = new DataTransfer();
  for (const [name, base64] of files) {
    transfer.items.add(new File([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], name));
  }
  return transfer;
}"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page that has nothing to do with vnittest."""
    folder = tmp_path_factory.mktemp("vnittest")
    write_trial(folder / "runs")
    return comgra_export.export(folder / "runs", folder / "report.html").path


def _drop(viewer: Viewer, files: list[Path]) -> None:
    content = [[file.name, base64.b64encode(file.read_bytes()).decode()] for file in files]
    transfer = viewer.page.evaluate_handle(MAKE_TRANSFER, content)
    viewer.page.dispatch_event("body", "dragenter", {"dataTransfer": transfer})
    viewer.page.dispatch_event("body", "drop", {"dataTransfer": transfer})


def test_dropped_files_show_their_flows_and_their_tensors(page: Path, open_viewer: Callable[..., Viewer], tmp_path: Path) -> None:
    viewer = open_viewer(page)
    _drop(viewer, list(write_debug_data(tmp_path / "debug_data").iterdir()))
    expect(viewer.page).to_have_title("vnittest")
    expect(viewer.element("tab-flow")).to_have_attribute("aria-selected", "true")
    expect(viewer.element("flow-layer")).to_have_text([re.compile(f"^{name}") for name in ("input", "conv1", "conv2", "conv3", "target")])
    expect(viewer.page.locator("#panel-flow")).to_contain_text("The script supplied these flows.")
    viewer.element("tab-tensors").click()
    viewer.wait_until_shown({"trial": "vnittest", "node": "input"})
    assert [row.value for row in viewer.rows() if row.item == "neuron"][:3] == ["0", "1", "2"]


def test_the_page_of_an_import_has_its_flows(open_viewer: Callable[..., Viewer], tmp_path: Path) -> None:
    imported = import_vnittest(str(SAMPLE / "test_"), tmp_path / "recordings")
    viewer = open_viewer(comgra_export.export(imported.folder, tmp_path / "report.html").path, wait=False)
    viewer.element("tab-flow").click()
    expect(viewer.element("sankey")).to_be_visible()


def test_chosen_files_show_their_flows(page: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(page, fragment({"tab": "about"}), wait=False)
    viewer.element("file-input").set_input_files([file for file in SAMPLE.iterdir() if file.suffix != ".md"])
    expect(viewer.page).to_have_title("test")
    expect(viewer.element("flow-name").locator("option")).to_have_text(
        ["gradient flow by the chain rule", "gradient flow as vnittest estimates it"]
    )


def test_about_says_that_they_are_not_in_the_page(page: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(page, fragment({"tab": "about"}), wait=False)
    about = viewer.element("about-page")
    expect(about).to_contain_text("You can keep, send and open it without a network.")
    expect(viewer.element("about-opened")).to_have_count(0)
    headings = viewer.element("recordings").locator("th")
    expect(headings).to_have_text(["Trial", "Recorded by", "PyTorch", "Started", "Outcome"])
    viewer.element("file-input").set_input_files(SAMPLE / "test_flow_info.pkl")
    viewer.element("tab-about").click()
    expect(viewer.element("about-opened")).to_have_text(
        "This data was opened from \u201ctest_flow_info.pkl\u201d and is not in the file of this page. It is gone when you close or reload "
        "the page, and a link to it works only after that file has been opened. "
        "To keep or send it, keep or send that file."
    )
    expect(about).to_contain_text("with its original data.")
    expect(viewer.page.locator("#panel-about")).not_to_contain_text("inside this page")
    # What is not known of the files has no column, and so no empty cell.
    expect(headings).to_have_text(["Trial", "Recorded by"])
    expect(viewer.element("copy-link")).to_have_attribute("title", re.compile("only after the same files are opened"))
    viewer.page.reload()
    expect(viewer.element("about-opened")).to_have_count(0)
    expect(viewer.element("copy-link")).to_have_attribute("title", "Copy a link to this view (c)")


def test_a_hostile_pickle_is_refused_in_words_and_changes_nothing(page: Path, open_viewer: Callable[..., Viewer], tmp_path: Path) -> None:
    viewer = open_viewer(page)
    rows = viewer.rows()
    (tmp_path / "flow_info.pkl").write_bytes(b"cos\nsystem\n(S'touch hacked'\ntR.")
    _drop(viewer, [tmp_path / "flow_info.pkl"])
    text = "“flow_info.pkl” cannot be opened. flow_info.pkl is not read: at byte 0, it names os.system, and only numpy arrays"
    expect(viewer.element("message").filter(has_text=text)).to_be_visible()
    _drop(viewer, [SAMPLE / "test_input_representation.npy"])
    expect(viewer.element("message").filter(has_text="Drop one flow_info.pkl, together with")).to_be_visible()
    assert viewer.rows() == rows
