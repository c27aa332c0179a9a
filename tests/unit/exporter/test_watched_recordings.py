"""A bundle of a recording whose tensors were found by watching a model."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import nn

import comgra_export
from comgra_export import ComgraRecorder, DecisionMakerForRecordingsFrequencyPerType
from comgra_export.analysis.summary import summarize
from comgra_export.storage import encode_calls, open_recording
from support.exporter.unpacker import Bundle


@pytest.fixture
def watched(tmp_path: Path) -> Path:
    """Two steps of training and an evaluation."""
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    with comgra_export.watch(net, tmp_path / "watched", decision_maker_for_recordings=DecisionMakerForRecordingsFrequencyPerType(1)):
        for _ in range(2):
            net(torch.randn(5, 3)).mean().backward()
            optimizer.step()
        net.eval()
        with torch.no_grad():
            net(torch.randn(5, 3))
    return tmp_path / "watched"


def test_watched_tensors_are_in_the_graph_like_registered_ones(tmp_path: Path) -> None:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 1))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    with comgra_export.watch(net, tmp_path / "runs"):
        net(torch.randn(5, 3)).mean().backward()
        optimizer.step()
        net.eval()
        with torch.no_grad():
            net(torch.randn(2, 3))
    result = comgra_export.export(tmp_path / "runs", tmp_path / "report.html")
    assert (result.steps, result.problems) == (2, ())
    bundle = Bundle(tmp_path / "report.html")
    trial = bundle.trial("trial")
    assert trial["steps"]["step"] == [0, 0.000001]
    assert [bundle.index["strings"][kind] for kind in trial["steps"]["type"]] == ["train", "eval"]
    expected = ["model: input", "model.0: output", "model.1: output", "model.2: output"]
    for step in (0, 0.000001):
        row = bundle.step_row(trial, step)
        (graph,) = bundle.index["structure_sets"][row["structure_set"]]
        nodes = bundle.listed("structures", graph)["nodes"]
        places = dict(zip(nodes["name"], zip(nodes["type"], nodes["column"], strict=True), strict=True))
        assert [places[name][0] for name in expected] == ["input", "calculated", "calculated", "calculated"]
        columns = [places[name][1] for name in expected]
        assert columns == sorted(set(columns))
        # What the script computed from it, where it trains.
        losses = ["mean"] if step == 0 else []
        assert [name for name, (kind, _) in places.items() if kind == "loss"] == losses
        assert len(nodes["name"]) == len(expected) + 6 + len(losses)
        layout = bundle.listed("layouts", row["layout"])["tensors"]
        assert {*expected, "model.1.running_mean"} <= set(layout["name"])
    network = bundle.document(trial["network"])
    assert network["modules"][1]["description"] == "in_features=3, out_features=4, bias=True"


def test_the_calls_of_every_iteration_are_in_the_bundle(watched: Path, tmp_path: Path) -> None:
    comgra_export.export(watched, tmp_path / "report.html", tensors="!*")
    bundle = Bundle(tmp_path / "report.html")
    trial = bundle.trial("trial")
    recording = open_recording(watched / "default" / "trial" / "rank-0")
    assert trial["steps"]["step"] == list(recording.steps)
    for step in recording.steps:
        shown = bundle.index["call_sets"][bundle.step_row(trial, step)["call_set"]]
        expected = [None if digest is None else encode_calls(recording.calls(digest)) for digest in recording.step(step).calls]
        assert [None if position < 0 else bundle.listed("calls", position) for position in shown] == expected
    # Two training steps share their calls; the evaluation is in another mode.
    assert len(bundle.index["calls"]["chunk"]) == 2


def test_a_bundle_made_to_fit_keeps_the_calls_of_its_steps_and_no_others(watched: Path, tmp_path: Path) -> None:
    comgra_export.export(watched, tmp_path / "report.html", steps="0", precision="float16")
    bundle = Bundle(tmp_path / "report.html")
    assert len(bundle.index["calls"]["chunk"]) == 1
    assert bundle.index["call_sets"] == [[0]]
    assert bundle.listed("calls", 0)["calls"]["training"] == [True] * 4


def test_without_its_calls_a_step_keeps_its_graph(watched: Path, tmp_path: Path) -> None:
    for file in (watched / "default" / "trial" / "rank-0" / "calls").iterdir():
        file.write_bytes(file.read_bytes()[:-9])
    (problem,) = comgra_export.export(watched, tmp_path / "report.html").problems
    assert problem.startswith("Each of 3 steps of trial (step 0, 1, after 1) has no module graph. default/trial/rank-0/calls/")
    index = Bundle(tmp_path / "report.html").index
    assert (index["call_sets"], index["calls"]["chunk"]) == ([[-1]], [])
    assert index["structure_sets"] == [[0], [1]]


def test_the_calls_of_the_first_rank_stand_for_those_of_all(tmp_path: Path) -> None:
    for rank in (0, 1):
        torch.manual_seed(rank)
        net = nn.Sequential(nn.Linear(3, 4), nn.ReLU())
        with ComgraRecorder(tmp_path / "runs", "group", "wide", rank=rank, world_size=2) as recorder:
            recorder.watch(net)
            with recorder.batch(0, 5, "train"), recorder.iteration():
                net(torch.randn(5, 3))
    comgra_export.export(tmp_path / "runs", tmp_path / "report.html")
    bundle = Bundle(tmp_path / "report.html")
    sets = [bundle.step_row(bundle.trial("wide", rank), 0)["call_set"] for rank in (None, 0, 1)]
    assert sets == [0, 0, 0]
    assert bundle.listed("calls", 0)["calls"]["module"] == [0, 1, 2]


def test_a_summary_names_damaged_calls(watched: Path) -> None:
    folder = watched / "default" / "trial" / "rank-0"
    file = min((folder / "calls").iterdir())
    file.write_bytes(b"{}")
    (problem,) = summarize(open_recording(folder)).problems
    assert f"calls/{file.name}" in problem
