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
from support.browser.viewer import Link, Viewer

CASES: list[tuple[Link, str, str]] = [
    ({"tab": "graphs"}, "curves-empty", "in this trial: recorder.record_kpi_in_graph(group, name, value) adds a point to one."),
    ({"tab": "graphs", "pin": "trial=watched"}, "curves-empty", "There are no curves in these trials: recorder.record_kpi_in_graph("),
    ({"tab": "notes"}, "notes-empty", "There are no notes in this trial: recorder.add_note(text) adds one."),
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
