"""What a page says where nothing was recorded: how what belongs there comes to be recorded."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from playwright.sync_api import expect

import comgra_export
from comgra_export import ComgraRecorder, DecisionMakerForRecordingsHardcoded
from support.browser.viewer import Link, Viewer, soon

CASES: list[tuple[Link, str, str]] = [
    ({"tab": "graphs"}, "curves-empty", "in these trials: recorder.record_kpi_in_graph(group, name, value) adds a point to one."),
    ({"tab": "graphs", "pin": "trial=watched"}, "curves-empty", "There are no curves in these trials: recorder.record_kpi_in_graph("),
    ({"tab": "notes"}, "notes-empty", "A script adds one: with watch(...) as recorder: recorder.add_note(text)."),
    ({"tab": "notes"}, "notes-empty", "To write a note on a view, press n."),
    ({"tab": "network"}, "network-empty", "recorder.track_module(name, module) and recorder.watch(module) track one."),
    ({"tab": "modules"}, "module-note", "recorder.watch(module) records the calls within an iteration."),
    ({"tab": "about"}, "panel-about", "No optimizer is tracked: recorder.track_optimizers(optimizer) tracks one."),
    ({"node": "x", "pane": "picture"}, "picture-empty", "recorder.register_tensor records them by default, and watch with"),
    ({"node": "x", "pane": "histogram"}, "histogram-empty", "recorder.register_tensor records them by default"),
    ({"trial": "bare"}, "graph-empty", "recorder.register_tensor(name, tensor) adds one."),
    ({"trial": "never"}, "values-empty", "recorder.batch(step, batch_size) begins a step, and the schedule decides whether it is"),
    ({"trial": "never", "tab": "modules"}, "panel-modules", "recorder.batch(step, batch_size) begins a step"),
    ({"trial": "watched", "tab": "modules", "panels": "model"}, "panels-empty", "watch records them unless histograms=False"),
    (
        {"trial": "watched", "node": "model.weight", "pane": "picture"},
        "picture-empty",
        "register_tensor(name, parameter.detach(), index_of",
    ),
    ({"trial": "epochs", "tab": "modules", "panels": "model", "history": "epoch"}, "history-empty", "call recorder.set_epoch(epoch)."),
]


@pytest.fixture(scope="module")
def sparse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of trials that each lack almost everything."""
    folder = tmp_path_factory.mktemp("sparse")
    net = torch.nn.Linear(2, 1)
    with ComgraRecorder(folder / "r", trial_id="few") as recorder, recorder.batch(0, 2), recorder.iteration():
        recorder.register_tensor("x", torch.ones(2, 3), recording_type="kpis")
    with ComgraRecorder(folder / "r", trial_id="bare") as recorder, recorder.batch(0, 2), recorder.iteration():
        pass
    no_step = DecisionMakerForRecordingsHardcoded(set())
    with ComgraRecorder(folder / "r", trial_id="never", decision_maker_for_recordings=no_step) as recorder, recorder.batch(0, 2):
        pass
    with comgra_export.watch(net, folder / "r", trial_id="watched", histograms=False):
        net.eval()(torch.ones(1, 2))
    with comgra_export.watch(net, folder / "r", trial_id="epochs"):
        net(torch.ones(1, 2))
    return comgra_export.export(folder / "r", folder / "page.html").path


@pytest.fixture
def open_sparse(sparse: Path, visit: Callable[..., Viewer]) -> Callable[[Link], Viewer]:
    return lambda link: visit(sparse, link, wait=False)


@pytest.mark.parametrize(("link", "element", "wanted"), CASES)
def test_what_is_empty_says_how_it_is_filled(open_sparse: Callable[[Link], Viewer], link: Link, element: str, wanted: str) -> None:
    viewer = open_sparse({"trial": "few", "tab": "tensors", **link})
    place = viewer.page.locator(f"#{element}") if element.startswith("panel-") else viewer.element(element)
    expect(place.first).to_contain_text(wanted)
    # What is named is there.
    called = re.findall(r"recorder\.(\w+)", place.first.inner_text())
    assert all(callable(getattr(ComgraRecorder, name)) for name in called)


def test_a_trial_without_a_step_has_no_graph_and_nothing_reassuring(open_sparse: Callable[[Link], Viewer]) -> None:
    viewer = open_sparse({"trial": "never", "tab": "tensors"})
    expect(viewer.element("values-empty")).to_be_in_viewport()
    expect(viewer.page.get_by_label("Dependency graph")).to_have_count(0)
    expect(viewer.page.get_by_role("separator")).to_have_count(0)
    viewer.element("tab-overview").click()
    expect(viewer.element("findings-summary")).to_have_text("The recording has no step that can be read, so nothing could be checked.")
    expect(viewer.element("passed")).to_have_count(0)
    viewer.element("tab-about").click()
    expect(viewer.page.locator("#panel-about")).to_contain_text("nothing could be checked in the trial \u201cnever\u201d")


# How far the mark of the step is from the left of the chart, as a part of its width.
READ_MARK = """() => {
  const canvas = document.querySelector("[data-testid=chart] canvas"), over = document.querySelector("[data-testid=chart] .u-over");
  const { data, width, height } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const places = [];
  for (let x = 0; x < width; x++) {
    const [r, g, b] = data.subarray(4 * (Math.floor(height / 2) * width + x));
    if (r > 150 && g < 60 && b < 60) places.push(x);
  }
  const { left, width: wide } = over.getBoundingClientRect();
  const middle = canvas.getBoundingClientRect().left + places[Math.floor(places.length / 2)] / devicePixelRatio;
  return (middle - left) / wide;
}"""


def test_a_single_step_is_in_the_middle_of_its_chart(tmp_path: Path, open_viewer: Callable[..., Viewer]) -> None:
    with ComgraRecorder(tmp_path / "r", trial_id="one") as recorder, recorder.batch(7, 2), recorder.iteration():
        recorder.register_tensor("x", torch.ones(2, 3))
        recorder.record_kpi_in_graph("loss", "mse", 0.5)
    viewer = open_viewer(comgra_export.export(tmp_path / "r", tmp_path / "page.html").path, "#v=1&tab=graphs", wait=False)
    expect(viewer.element("legend-entry").locator(".chip-value")).to_have_text("0.5")
    assert soon(lambda: viewer.page.evaluate(READ_MARK), lambda part: part is not None) == pytest.approx(0.5, abs=0.02)
